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
package io.aeroshmem.tools.latency;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

@Timeout(60)
class TrafficLoopTest
{
    private static final int PES = 4;
    private static final int COUNT = 10;
    private static final int BYTES = 8;

    /** A window of calls. */
    private record Window(int from, int to, int count, CommunicationContext ctx)
    {
    }

    private final ConcurrentLinkedQueue<Window> windows = new ConcurrentLinkedQueue<>();

    /** Adds 1 to the block of the caller at the target, for each call. */
    private long measure(final MeasurementTarget target, final long[] samples, final int count)
    {
        windows.add(new Window(target.shmem.myPe(), target.peer, count, target.ctx));
        for (int i = 0; i < count; i++)
        {
            target.ctx.atomicAddLong(target.dest, 0, 1, target.peer);
        }

        target.ctx.quiet();
        return 1;
    }

    private void run(final Traffic traffic, final int[][] expected) throws Exception
    {
        final Shmem.Context config = new Shmem.Context().heapSize(1 << 20)
            .shmDirectoryName(TestMemory.root().toString());
        Shmem.runLocal(PES, config, (shmem) ->
        {
            final long length = traffic.blocks(PES) * Traffic.stride(BYTES);
            final SymmetricBuffer dest = shmem.calloc(1, length);
            final MeasurementTarget target = new MeasurementTarget(
                shmem, shmem.defaultContext(), null, false, dest, shmem.calloc(1, length), dest, BYTES,
                ReducedValue.SUM_OF_LONGS);
            final TrafficLoop loop = new TrafficLoop(traffic, this::measure, target);
            if (loop.isCalling())
            {
                loop.measure(target, new long[0], COUNT);
            }

            loop.close();
            shmem.barrierAll();
            for (int block = 0; block < traffic.blocks(PES); block++)
            {
                final int from = block / traffic.threads();
                assertEquals(expected[from][shmem.myPe()], dest.getLong(block * Traffic.stride(BYTES)));
            }
        });
    }

    @Test
    void shouldCallEachTargetInTurnAWindowAtATime() throws Exception
    {
        run(new Traffic(Traffic.Pattern.ALL, List.of(), 3, 1, false),
            new int[][]{{0, 4, 3, 3}, {3, 0, 4, 3}, {3, 3, 0, 4}, {4, 3, 3, 0}});

        assertEquals(
            List.of("1:3", "2:3", "3:3", "1:1"),
            windows.stream().filter((window) -> 0 == window.from())
            .map((window) -> window.to() + ":" + window.count()).toList());
    }

    @Test
    void shouldCallByThreadsWithAContextOfEach() throws Exception
    {
        run(new Traffic(Traffic.Pattern.INCAST, List.of(), 0, 3, false),
            new int[][]{{0, 0, 0, 0}, {10, 0, 0, 0}, {10, 0, 0, 0}, {10, 0, 0, 0}});

        assertEquals(9, windows.size());
        final Set<CommunicationContext> contexts = new HashSet<>();
        windows.forEach((window) -> contexts.add(window.ctx()));
        assertEquals(9, contexts.size());
    }

    @Test
    void shouldCallByThreadsThatShareAContext() throws Exception
    {
        run(new Traffic(Traffic.Pattern.PAIRS, List.of(), 4, 2, true),
            new int[][]{{0, 0, 10, 0}, {0, 0, 0, 10}, {0, 0, 0, 0}, {0, 0, 0, 0}});

        final Set<CommunicationContext> contexts = new HashSet<>();
        windows.forEach((window) -> contexts.add(window.ctx()));
        assertEquals(2, contexts.size());
        assertFalse(windows.stream().anyMatch((window) -> window.count() > 4));
    }
}
