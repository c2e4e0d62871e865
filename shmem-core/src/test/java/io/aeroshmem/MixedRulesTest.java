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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Collectives on memory of mixed kinds: order, matching, detection of calls that differ, failures, and the end of the
 * device.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MixedRulesTest
{
    private static final int NPES = 3;
    private static final int MANY = 30_000;

    private interface Task
    {
        void run(Shmem shmem, FakeDevice device, Buffers buffers) throws Exception;
    }

    private record Buffers(
        SymmetricBuffer hostSource, SymmetricBuffer hostDest, SymmetricBuffer source, SymmetricBuffer dest)
    {
        static Buffers allocate(final Shmem shmem, final FakeDevice device)
        {
            shmem.malloc(64);
            final int length = MANY * Long.BYTES;
            return new Buffers(
                shmem.calloc(MANY, Long.BYTES),
                shmem.calloc(MANY, Long.BYTES),
                device.attachment().calloc(1, length),
                device.attachment().calloc(1, length));
        }
    }

    private static void run(final Shmem.Context config, final int npes, final Task task) throws Exception
    {
        Shmem.runLocal(npes, config.heapSize(4 << 20), (shmem) ->
        {
            final FakeDevice device = FakeDevice.attach(shmem, true);
            task.run(shmem, device, Buffers.allocate(shmem, device));
            shmem.barrierAll();
        });
    }

    private static Shmem.Context config(final TransportKind transport)
    {
        return LocalJobs.config().transport(transport);
    }

    private static void fill(final Shmem shmem, final SymmetricBuffer buffer, final int count, final long value)
    {
        final CommunicationContext ctx = shmem.defaultContext();
        for (int i = 0; i < count; i++)
        {
            ctx.putLong(buffer, (long)i * Long.BYTES, value + i, shmem.myPe());
        }

        ctx.quiet();
    }

    private static long get(final Shmem shmem, final SymmetricBuffer buffer, final int index)
    {
        return shmem.defaultContext().getLong(buffer, (long)index * Long.BYTES, shmem.myPe());
    }

    @Test
    void shouldCompareAddressesOfOneKindOnly() throws Exception
    {
        run(config(TransportKind.MAPPED).checkCollectives(true), NPES, (shmem, device, buffers) ->
        {
            final int me = shmem.myPe();
            final Team team = shmem.world();
            final SymmetricBuffer dest = 0 == me ? buffers.dest : buffers.hostDest;
            final SymmetricBuffer source = 1 == me ? buffers.source : buffers.hostSource;
            for (final int count : new int[]{1, 2000})
            {
                fill(shmem, source, count, me);
                team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, count);
                assertEquals(3 + 3L * (count - 1), get(shmem, dest, count - 1));

                final String hosts = message(shmem, () -> team.reduce(
                    ReduceOp.SUM, ElementType.LONG, 2 == me ? buffers.hostDest.slice(8, 16_000) : dest, source, count));
                assertTrue(hosts.contains("PE 0 called reduce") && hosts.contains(" of device memory"), hosts);
                final String devices = message(shmem, () -> team.broadcast(
                    ElementType.LONG, buffers.dest.slice(2 == me ? 8 : 0, 16_000), source, count, 0));
                assertTrue(devices.contains("PE 2 called broadcast"), devices);
                final String requests = message(shmem, () -> team.post(new CollectiveArgs()
                    .collective(Collective.ALLREDUCE).op(ReduceOp.SUM).source(source, count, ElementType.LONG)
                    .dest(2 == me ? buffers.hostDest.slice(8, 16_000) : dest, count, ElementType.LONG)).await());
                assertTrue(requests.contains("PE 2 posted reduce"), requests);
            }
        });
    }

    private static String message(final Shmem shmem, final org.junit.jupiter.api.function.Executable call)
    {
        final String message = assertThrows(CollectiveMismatchException.class, call).getMessage();
        shmem.barrierAll();
        return message;
    }

    @ParameterizedTest
    @CsvSource({"0, MAPPED", "1, MAPPED", "2, IPC", "3, MAPPED", "4, UDP", "5, MAPPED", "6, IPC", "7, MAPPED"})
    @Tag("ci")
    void shouldDetectCallsThatDiffer(final int number, final TransportKind transport)
    {
        final Exception thrown = assertThrows(CollectiveMismatchException.class, () ->
            run(config(transport), NPES, (shmem, device, buffers) ->
            {
                final Team team = shmem.world();
                final boolean isOther = 1 == shmem.myPe();
                final SymmetricBuffer dest = isOther ? buffers.dest : buffers.hostDest;
                final SymmetricBuffer source = isOther ? buffers.hostSource : buffers.source;
                final ElementType type = ElementType.LONG;
                switch (number)
                {
                    case 0:
                        team.reduce(ReduceOp.SUM, type, dest, source, isOther ? 5 : 6);
                        break;
                    case 1:
                        team.reduce(ReduceOp.SUM, type, dest, source, isOther ? 5000 : 5001);
                        break;
                    case 2:
                        team.reduce(isOther ? ReduceOp.SUM : ReduceOp.MAX, type, dest, source, 5000);
                        break;
                    case 3:
                        team.fcollect(type, dest, source, isOther ? 3 : 3000);
                        break;
                    case 4:
                        team.broadcast(type, dest, source, 5000, isOther ? 0 : 2);
                        break;
                    case 5:
                        if (isOther)
                        {
                            team.alltoalls(type, dest, source, 2, 2, 300);
                        }
                        else
                        {
                            team.alltoall(type, dest, source, 300);
                        }

                        break;
                    case 6:
                        team.post(new CollectiveArgs().collective(Collective.GATHER).source(source, 300, type)
                            .dest(dest, NPES * 300L, type).root(isOther ? 1 : 0)).await();
                        break;
                    default:
                        final long[] counts = {isOther ? 400 : 300, 300, 300};
                        team.post(new CollectiveArgs().collective(Collective.ALLGATHERV).source(source, 300, type)
                            .destV(dest, counts, null, type)).await();
                }

                team.sync();
            }));
        assertTrue(thrown.getMessage().contains("PE 1"), thrown.getMessage());
    }

    /** Teams whose requests are under way at once, posted in different orders on different PEs. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldKeepTeamsApart(final TransportKind transport) throws Exception
    {
        run(config(transport), NPES, (shmem, device, buffers) ->
        {
            final int me = shmem.myPe();
            final Team[] teams = {shmem.world(), shmem.world().duplicate(), shmem.world().splitStrided(2, -1, 3)};
            final int count = 5000;
            fill(shmem, buffers.source, MANY, me);
            fill(shmem, buffers.hostSource, MANY, me);
            for (int round = 0; round < 4; round++)
            {
                final CollectiveRequest[] requests = new CollectiveRequest[teams.length];
                for (int i = 0; i < teams.length; i++)
                {
                    final int index = (i + me + round) % teams.length;
                    final long offset = (long)index * count * Long.BYTES;
                    final long length = (long)count * Long.BYTES;
                    final boolean isDevice = 0 != (me + index & 1);
                    requests[index] = teams[index].post(new CollectiveArgs()
                        .collective(0 == round % 2 ? Collective.ALLREDUCE : Collective.INCLUSIVE_SCAN).op(ReduceOp.SUM)
                        .source((isDevice ? buffers.hostSource : buffers.source).slice(offset, length), count,
                            ElementType.LONG)
                        .dest((isDevice ? buffers.dest : buffers.hostDest).slice(offset, length), count,
                            ElementType.LONG));
                }

                for (int index = 0; index < teams.length; index++)
                {
                    requests[index].await();
                    final long last = (index + 1L) * count - 1;
                    final int rank = teams[index].myPe();
                    final int first = 0 == round % 2 ? 0 : 2 == index ? me : 0;
                    final int end = 0 == round % 2 ? 2 : 2 == index ? 2 : rank;
                    long expected = 0;
                    for (int pe = first; pe <= end; pe++)
                    {
                        expected += pe + last;
                    }

                    assertEquals(
                        expected,
                        get(shmem, 0 != (me + index & 1) ? buffers.dest : buffers.hostDest, (int)last),
                        "team " + index + " in round " + round);
                }
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, false", "IPC, false", "UDP, true", "MAPPED, true"})
    void shouldBroadcastAmongActiveSets(final TransportKind transport, final boolean isSynchronized) throws Exception
    {
        run(config(transport), 4, (shmem, device, buffers) ->
        {
            final int me = shmem.myPe();
            final Team team;
            try (TeamCreation creation = shmem.createTeam(new TeamParams().synchronization(
                isSynchronized ? Synchronization.SYNCHRONIZED : Synchronization.NON_SYNCHRONIZED)))
            {
                while (!creation.poll())
                {
                    Thread.yield();
                }

                team = creation.team();
            }

            for (int i = 0; i < 16; i++)
            {
                final int count = 0 == i % 2 ? 7 : MANY;
                final SymmetricBuffer source = 0 != (i >> (me & 1) & 1) ? buffers.source : buffers.hostSource;
                final SymmetricBuffer dest = 0 != (i >> 2 + (me >> 1) & 1) ? buffers.dest : buffers.hostDest;
                if (3 == me)
                {
                    fill(shmem, source, count, 1000L * i);
                }

                if (1 == me || 3 == me)
                {
                    team.post(new CollectiveArgs().collective(Collective.BROADCAST).root(3).tag(5)
                        .source(source, count, ElementType.LONG).dest(dest, count, ElementType.LONG)
                        .activeSet(1, 2, 2)).await();
                    assertEquals(1000L * i, get(shmem, dest, 0));
                    assertEquals(1000L * i + count - 1, get(shmem, dest, count - 1));
                }
            }
        });
    }

    /** No PE calls the library while one agent drives the requests of all, and waits for owners that it serves. */
    @Test
    void shouldProgressWhileTheProgramComputes() throws Exception
    {
        final Shmem.Context config = config(TransportKind.MAPPED).progressMode(ProgressMode.AGENT);
        run(config, NPES, (shmem, device, buffers) ->
        {
            final AtomicInteger completions = new AtomicInteger();
            final Collective[] collectives = {Collective.ALLTOALL, Collective.ALLREDUCE, Collective.ALLGATHER};
            fill(shmem, buffers.source, MANY, shmem.myPe());
            for (int i = 0; i < collectives.length; i++)
            {
                final Collective collective = collectives[i];
                final Team team = shmem.world().duplicate();
                team.post(new CollectiveArgs().collective(collective).op(ReduceOp.SUM)
                    .source(buffers.source, Collective.ALLGATHER == collective ? 9000 : 27_000, ElementType.LONG)
                    .dest(buffers.dest, 27_000, ElementType.LONG)
                    .onComplete((done, error) -> completions.incrementAndGet()));
                final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
                while (completions.get() <= i && System.nanoTime() - deadlineNs < 0)
                {
                    Thread.yield();
                }
            }

            assertEquals(collectives.length, completions.get());
            assertEquals(2 + 8999, get(shmem, buffers.dest, 26_999));
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void shouldEndWhenADeviceIsLost(final int number)
    {
        final Exception thrown = assertThrows(RuntimeException.class, () ->
            run(config(TransportKind.MAPPED), NPES, (shmem, device, buffers) ->
            {
                final Team team = shmem.world();
                if (1 == shmem.myPe())
                {
                    device.failAfter(number);
                }

                for (int i = 0; i < 100; i++)
                {
                    switch (number)
                    {
                        case 0:
                            team.reduce(ReduceOp.SUM, ElementType.LONG, buffers.dest, buffers.source, MANY);
                            break;
                        case 1:
                            team.inclusiveScan(ReduceOp.SUM, ElementType.LONG, buffers.dest, buffers.dest, MANY);
                            break;
                        case 2:
                            team.broadcast(ElementType.LONG, buffers.dest, buffers.hostSource, MANY, 0);
                            break;
                        case 3:
                            team.alltoalls(ElementType.LONG, buffers.dest, buffers.source, 1, 2, 3000);
                            break;
                        default:
                            team.post(new CollectiveArgs().collective(Collective.ALLGATHER)
                                .source(buffers.source, 3000, ElementType.LONG)
                                .dest(buffers.dest, 9000, ElementType.LONG)).await();
                    }
                }
            }));
        assertTrue(
            contains(thrown, "the device is lost") || contains(thrown, "device heap"), String.valueOf(thrown));
    }

    private static boolean contains(final Throwable ex, final String text)
    {
        return null != ex && (String.valueOf(ex.getMessage()).contains(text) || contains(ex.getCause(), text) ||
            Arrays.stream(ex.getSuppressed()).anyMatch((other) -> contains(other, text)));
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldEndWhenAPeFails(final TransportKind transport)
    {
        final ArithmeticException cause = new ArithmeticException("by zero");
        final ArithmeticException thrown = assertThrows(ArithmeticException.class, () ->
            run(config(transport), NPES, (shmem, device, buffers) ->
            {
                for (int i = 0; i < 200; i++)
                {
                    if (20 == i && 1 == shmem.myPe())
                    {
                        throw cause;
                    }

                    shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, buffers.dest, buffers.hostSource, 3000);
                    shmem.world().fcollect(ElementType.LONG, buffers.hostDest, buffers.source, 3000);
                }
            }));
        assertEquals(2, thrown.getSuppressed().length);
        for (final Throwable ex : thrown.getSuppressed())
        {
            assertTrue(ex instanceof PeFailureException, ex.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldReturnToTheHostWhenTheDeviceIsClosed(final TransportKind transport) throws Exception
    {
        run(config(transport), NPES, (shmem, device, buffers) ->
        {
            final Team team = shmem.world().duplicate();
            for (int i = 0; i < 3; i++)
            {
                fill(shmem, buffers.hostSource, 1000, shmem.myPe());
                team.reduce(ReduceOp.SUM, ElementType.LONG, buffers.hostDest, buffers.hostSource, 1000);
                assertEquals(3 + 3 * 999, buffers.hostDest.getLong(999 * 8));
                team.fcollect(ElementType.LONG, buffers.hostDest, buffers.hostSource, 1000);
                assertEquals(2 + 999, buffers.hostDest.getLong(2999 * 8));
                team.post(new CollectiveArgs().collective(Collective.GATHER).root(1)
                    .source(buffers.hostSource, 1000, ElementType.LONG)
                    .dest(buffers.hostDest, 3000, ElementType.LONG)).await();
                shmem.barrierAll();
                if (0 == i)
                {
                    device.attachment().closeHeap();
                    device.attachment().detach();
                    assertThrows(IllegalStateException.class, () -> team.reduce(
                        ReduceOp.SUM, ElementType.LONG, buffers.dest, buffers.hostSource, 10));
                    shmem.barrierAll();
                }
                else if (1 == i)
                {
                    final FakeDevice second = FakeDevice.attach(shmem, true);
                    final SymmetricBuffer dest = second.attachment().calloc(1000, Long.BYTES);
                    team.reduce(ReduceOp.SUM, ElementType.LONG, dest, buffers.hostSource, 1000);
                    assertEquals(3 + 3 * 999, get(shmem, dest, 999));
                }
            }
        });
    }

    @Test
    void shouldRejectWhatItRejectsOnTheHost() throws Exception
    {
        run(config(TransportKind.MAPPED), 1, (shmem, device, buffers) ->
        {
            final Team team = shmem.world();
            final SymmetricBuffer dest = buffers.dest;
            final long length = dest.length();
            assertThrows(IllegalArgumentException.class, () -> team.reduce(
                ReduceOp.SUM, ElementType.LONG, dest.slice(8, 800), dest.slice(0, 800), 100));
            assertThrows(IndexOutOfBoundsException.class, () -> team.fcollect(
                ElementType.LONG, dest, buffers.hostSource, MANY + 1));
            assertThrows(IllegalArgumentException.class, () -> team.broadcast(
                ElementType.LONG, dest.slice(4, length - 4), buffers.hostSource, 10, 0));
            shmem.free(dest);
            assertThrows(IllegalStateException.class, () -> team.broadcast(
                ElementType.LONG, dest, buffers.hostSource, 10, 0));
            final byte[] bytes = new byte[8];
            buffers.hostDest.view(0, 8).getBytes(0, bytes);
            assertArrayEquals(new byte[8], bytes);
        });
    }
}
