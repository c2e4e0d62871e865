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

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.aeroshmem.CreateTeamTest.made;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Requests of synchronised teams whose number of elements is not known to all members. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SynchronizedFormsTest
{
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldMoveBlocksThatDifferInLength(final boolean isChecked) throws Exception
    {
        final Shmem.Context config = LocalJobs.config().transport(TransportKind.MAPPED).checkCollectives(isChecked);
        Shmem.runLocal(3, config, (shmem) ->
        {
            final int me = shmem.myPe();
            final long[] counts = {1, 2, 3};
            final SymmetricBuffer dest = shmem.calloc(8, 8);
            final SymmetricBuffer source = shmem.calloc(8, 8);
            final Team team = made(shmem.createTeam(
                new TeamParams().synchronization(Synchronization.SYNCHRONIZED)));
            source.putLong(8L * me, 10 + me);
            team.post(new CollectiveArgs().collective(Collective.ALLGATHERV)
                .source(source, counts[me], ElementType.LONG)
                .destV(dest, counts, new long[]{0, 1, 3}, ElementType.LONG)).await();
            assertEquals(10, dest.getLong(0));
            assertEquals(11, dest.getLong(2 * 8));
            assertEquals(12, dest.getLong(5 * 8));

            team.post(new CollectiveArgs().collective(Collective.FAN_IN).root(1)).await();
            team.post(new CollectiveArgs().collective(Collective.BARRIER)).await();
            assertEquals(3, team.reduceLong(ReduceOp.SUM, me));
            team.destroy().await();
        });
    }
}
