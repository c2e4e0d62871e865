/*
 * Copyright 2026 The AeroSHMEM authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 * https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.aeroshmem;

import io.aeroshmem.collective.task.TaskWatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.reflect.Field;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Collectives after more steps than half the numbers of a stamp; the steps are skipped, not taken. */
@Timeout(60)
class ManyStepsTest
{
    private static final int BYTES = 4096;

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldWaitForTheRootOfABroadcast(final TransportKind transport) throws Exception
    {
        Shmem.runLocal(2, LocalJobs.config().transport(transport), (shmem) ->
        {
            final SymmetricBuffer source = shmem.calloc(BYTES, 1);
            final SymmetricBuffer dest = shmem.calloc(BYTES, 1);
            final Team team = shmem.world();
            team.reduceLong(ReduceOp.SUM, 1);
            skipSteps(team.engine().resources());
            assertEquals(2, team.reduceLong(ReduceOp.SUM, 1));

            fillLateOnRoot(shmem, source);
            team.broadcast(ElementType.BYTE, dest, source, BYTES, 0);
            check(dest);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldWaitForTheRootOfARequest(final TransportKind transport) throws Exception
    {
        Shmem.runLocal(2, LocalJobs.config().transport(transport).checkCollectives(false), (shmem) ->
        {
            final SymmetricBuffer source = shmem.calloc(BYTES, 1);
            final SymmetricBuffer dest = shmem.calloc(BYTES, 1);
            final Team team = shmem.world();
            perform(team, new CollectiveArgs().collective(Collective.BARRIER));
            skipSteps(field(TaskWatch.class, "resources").get(team.engine().requests()));
            perform(team, new CollectiveArgs().collective(Collective.BARRIER));

            fillLateOnRoot(shmem, source);
            perform(team, new CollectiveArgs().collective(Collective.BROADCAST).root(0)
                .source(source, BYTES, ElementType.BYTE).dest(dest, BYTES, ElementType.BYTE));
            check(dest);
        });
    }

    private static void fillLateOnRoot(final Shmem shmem, final SymmetricBuffer source) throws InterruptedException
    {
        if (0 == shmem.myPe())
        {
            Thread.sleep(300);
            for (int i = 0; i < BYTES; i++)
            {
                source.putByte(i, (byte)i);
            }
        }
    }

    private static void check(final SymmetricBuffer dest)
    {
        for (int i = 0; i < BYTES; i++)
        {
            assertEquals((byte)i, dest.getByte(i));
        }
    }

    private static void perform(final Team team, final CollectiveArgs args)
    {
        try (CollectiveRequest request = team.post(args))
        {
            request.await();
        }
    }

    private static void skipSteps(final Object resources) throws ReflectiveOperationException
    {
        final Object mailboxes = field(resources.getClass(), "mailboxes").get(resources);
        final Field step = field(mailboxes.getClass(), "step");
        step.setLong(mailboxes, step.getLong(mailboxes) + (1L << 31) + 5);
    }

    private static Field field(final Class<?> owner, final String name) throws ReflectiveOperationException
    {
        final Field field = owner.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
