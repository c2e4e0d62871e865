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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Broadcasts among active sets: results, matching by tag and set, and misuse.
 */
@Timeout(120)
class ActiveSetTest
{
    private static final int[] COUNTS = {1, 29, 9_000, 100_000};
    private static final int MAX_COUNT = 100_000;

    private static CollectiveArgs broadcast(
        final SymmetricBuffer dest, final SymmetricBuffer source, final int count, final int root)
    {
        return new CollectiveArgs().collective(Collective.BROADCAST).root(root)
            .source(source, count, ElementType.LONG).dest(dest, count, ElementType.LONG);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldBroadcastAmongItsMembersOnly(final TransportKind transport) throws Exception
    {
        final Shmem.Context config = LocalJobs.config().transport(transport).heapSize(4L << 20);
        Shmem.runLocal(5, config, (shmem) ->
        {
            final SymmetricBuffer source = shmem.malloc((long)MAX_COUNT * Long.BYTES);
            final SymmetricBuffer dest = shmem.malloc((long)MAX_COUNT * Long.BYTES);
            final int[][] sets = {{0, 1, 5}, {4, -1, 5}, {0, 2, 3}, {3, -2, 2}, {2, 0, 1}, {1, 3, 2}};
            for (final int[] set : sets)
            {
                for (final int count : COUNTS)
                {
                    perform(shmem, source, dest, new ActiveSet(set[0], set[1], set[2]), count);
                    shmem.syncAll();
                }
            }
        });
    }

    private static void perform(
        final Shmem shmem,
        final SymmetricBuffer source,
        final SymmetricBuffer dest,
        final ActiveSet set,
        final int count)
    {
        final int me = shmem.myPe();
        final int root = set.rank(set.size() - 1);
        for (int i = 0; i < count; i++)
        {
            source.putLong((long)i * Long.BYTES, 1_000L * me + i);
            dest.putLong((long)i * Long.BYTES, -1);
        }

        if (set.contains(me))
        {
            shmem.world().post(broadcast(dest, source, count, root).tag(-7)
                .activeSet(set.start(), set.stride(), set.size())).await();
        }

        shmem.syncAll();
        for (int i = 0; i < count; i++)
        {
            assertEquals(set.contains(me) ? 1_000L * root + i : -1, dest.getLong((long)i * Long.BYTES));
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldMatchByTagAndSetBesideOtherCalls(final TransportKind transport) throws Exception
    {
        LocalJobs.run(4, transport, (shmem) ->
        {
            final int me = shmem.myPe();
            final int calls = 60;
            final SymmetricBuffer source = shmem.malloc(calls * Long.BYTES);
            final SymmetricBuffer dest = shmem.calloc(calls, Long.BYTES);
            final SymmetricBuffer sum = shmem.calloc(2, Long.BYTES);
            final List<Integer> order = new ArrayList<>();
            for (int i = 0; i < calls; i++)
            {
                source.putLong((long)i * Long.BYTES, 100L * me + i);
                if (set(i).contains(me))
                {
                    order.add(i);
                }
            }

            Collections.shuffle(order, new Random(me));

            final List<CollectiveRequest> requests = new ArrayList<>();
            for (final int i : order)
            {
                final ActiveSet set = set(i);
                requests.add(shmem.world().post(broadcast(
                    dest.slice((long)i * Long.BYTES, Long.BYTES), source.slice((long)i * Long.BYTES, Long.BYTES),
                    1, set.rank(i % set.size())).tag(i / 3).activeSet(set.start(), set.stride(), set.size())));
            }

            sum.putLong(0, me);
            requests.add(shmem.world().post(new CollectiveArgs().collective(Collective.ALLREDUCE).op(ReduceOp.SUM)
                .source(sum, 1, ElementType.LONG).dest(sum.slice(8, 8), 1, ElementType.LONG)));
            assertEquals(6, shmem.world().reduceLong(ReduceOp.SUM, me));
            Collections.shuffle(requests, new Random(10 + me));
            requests.forEach(CollectiveRequest::await);
            assertEquals(6, sum.getLong(8));
            for (final int i : order)
            {
                final int root = set(i).rank(i % set(i).size());
                assertEquals(100L * root + i, dest.getLong((long)i * Long.BYTES), "call " + i);
            }

            shmem.syncAll();
        });
    }

    private static ActiveSet set(final int i)
    {
        return 0 == i % 3 ? new ActiveSet(0, 1, 4) : 1 == i % 3 ? new ActiveSet(3, -1, 4) : new ActiveSet(1, 2, 2);
    }

    @Test
    void shouldRepeatAPersistentRequestWithAMemberAhead() throws Exception
    {
        LocalJobs.run(3, TransportKind.MAPPED, (shmem) ->
        {
            final SymmetricBuffer data = shmem.calloc(2, Long.BYTES);
            if (1 == shmem.myPe())
            {
                shmem.syncAll();
                return;
            }

            final CollectiveRequest request = shmem.world().request(broadcast(
                data.slice(8, 8), data.slice(0, 8), 1, 2).tag(1).activeSet(0, 2, 2).persistent(true));
            for (int i = 1; i <= 2_000; i++)
            {
                data.putLong(0, i);
                request.post();
                request.await();
                assertEquals(i, data.getLong(8));
            }

            request.close();
            shmem.syncAll();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldEndAfterItsLimitAndServeTheSetAgain(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final SymmetricBuffer data = shmem.calloc(2, Long.BYTES);
            data.putLong(0, 5 + shmem.myPe());
            final CollectiveArgs args =
                broadcast(data.slice(8, 8), data.slice(0, 8), 1, 1).tag(3).activeSet(0, 1, 2);
            if (0 == shmem.myPe())
            {
                final CollectiveRequest request =
                    shmem.world().post(args.timeoutNs(TimeUnit.MILLISECONDS.toNanos(50)));
                final Exception thrown = assertThrows(ShmemTimeoutException.class, request::await);
                assertTrue(thrown.getMessage().contains("PE 1"), thrown.getMessage());
                request.close();
                shmem.syncAll();
            }
            else
            {
                shmem.syncAll();
                shmem.world().post(args).await();
            }

            shmem.syncAll();
            shmem.world().post(args.timeoutNs(0)).await();
            assertEquals(6, data.getLong(8));
            shmem.syncAll();
        });
    }

    @Test
    void shouldRejectMisuse() throws Exception
    {
        LocalJobs.run(2, TransportKind.MAPPED, (shmem) ->
        {
            final Team team = shmem.world();
            final SymmetricBuffer data = shmem.calloc(2, Long.BYTES);
            final CollectiveArgs args = broadcast(data, data, 1, 0).tag(3);
            final int[][] bad = {{0, 1, 3}, {0, -1, 2}, {1, 0, 2}, {0, 1, 0}, {2, 1, 1}, {1 - shmem.myPe(), 1, 1}};
            for (final int[] set : bad)
            {
                assertThrows(IllegalArgumentException.class,
                    () -> team.request(args.activeSet(set[0], set[1], set[2])), "set " + set[0]);
            }

            args.activeSet(0, 1, 2);
            assertThrows(IllegalArgumentException.class,
                () -> team.request(broadcast(data, data, 1, 0).activeSet(0, 1, 2)), "no tag");
            assertThrows(IllegalArgumentException.class, () -> team.request(new CollectiveArgs()
                .collective(Collective.ALLREDUCE).op(ReduceOp.SUM).tag(1).activeSet(0, 1, 2)
                .source(data, 1, ElementType.LONG).dest(data, 1, ElementType.LONG)));

            if (0 != shmem.myPe())
            {
                shmem.syncAll();
            }

            final CollectiveRequest request = team.post(args);
            if (0 == shmem.myPe())
            {
                final CollectiveRequest second = team.request(args);
                final Exception thrown = assertThrows(IllegalStateException.class, second::post);
                assertTrue(thrown.getMessage().contains("tag 3 with ActiveSet[start=0, stride=1, size=2]"),
                    thrown.getMessage());
                assertFalse(request.test());
                shmem.syncAll();
                request.await();
                second.post();
                second.await();
            }
            else
            {
                request.await();
                team.post(args).await();
            }

            shmem.syncAll();
        });
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldDetectMembersThatDisagree(final TransportKind transport)
    {
        for (int i = 0; i < 2; i++)
        {
            final boolean isOtherRoot = 0 == i;
            final Exception thrown = assertThrows(CollectiveMismatchException.class, () ->
                LocalJobs.run(2, transport, (shmem) ->
                {
                    final SymmetricBuffer data = shmem.calloc(2, Long.BYTES);
                    final int root = isOtherRoot ? 1 - shmem.myPe() : 0;
                    final int count = isOtherRoot ? 1 : 1 + shmem.myPe();
                    shmem.world().post(broadcast(data, data, count, root).tag(3).activeSet(0, 1, 2)).await();
                }));
            assertTrue(thrown.getMessage().contains("tag 3"), thrown.getMessage());
        }
    }

    @Test
    void shouldDetectThatAMemberHasClosedThePe()
    {
        final Exception thrown = assertThrows(PeFailureException.class, () -> LocalJobs.run(2, (shmem) ->
        {
            if (0 == shmem.myPe())
            {
                final SymmetricBuffer data = shmem.calloc(1, Long.BYTES);
                shmem.world().post(broadcast(data, data, 1, 1).tag(3).activeSet(0, 1, 2)).await();
            }
            else
            {
                shmem.calloc(1, Long.BYTES);
            }
        }));
        assertTrue(thrown.getMessage().contains("PE 1 called close") && thrown.getMessage().contains("tag 3"),
            thrown.getMessage());
    }
}
