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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TeamConfig;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Most of the example programs of the OpenSHMEM specification 1.6, by their file names without the extension. Left out
 * are the examples of threads, profiling, MPI and sessions, {@code amo_scenario_1} to {@code amo_scenario_4},
 * {@code shmem_global_exit_example}, {@code shmem_reduce_example} and {@code shmem_team_split_2D}, which the sample
 * {@code Grid3d} resembles.
 * <p>
 * The examples print what the C programs print. Where a C program would exit with an error, an exception is thrown.
 * Where C initialises a static variable, each PE sets the memory of that variable, and a barrier follows.
 */
final class SpecificationExamples
{
    private static final Map<String, Example> EXAMPLES = examples();
    private static final int N = 100;

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final Team world;
    private final int me;
    private final int nPes;
    private final Consumer<String> out;

    private SpecificationExamples(final Shmem shmem, final Consumer<String> out)
    {
        this.shmem = shmem;
        this.out = out;
        ctx = shmem.defaultContext();
        world = shmem.world();
        me = shmem.myPe();
        nPes = shmem.nPes();
    }

    /** One example, run by every PE. */
    private interface Example
    {
        void run(SpecificationExamples pe);
    }

    private static Map<String, Example> examples()
    {
        final Map<String, Example> examples = new TreeMap<>();
        examples.put("hello-openshmem", SpecificationExamples::hello);
        examples.put("shmem_alltoall_example", SpecificationExamples::alltoall);
        examples.put("shmem_alltoalls_example", SpecificationExamples::alltoalls);
        examples.put("shmem_atomic_add_example", SpecificationExamples::atomicAdd);
        examples.put("shmem_atomic_compare_swap_example", SpecificationExamples::compareSwap);
        examples.put("shmem_atomic_fetch_add_example", SpecificationExamples::fetchAdd);
        examples.put("shmem_atomic_fetch_inc_example", SpecificationExamples::fetchInc);
        examples.put("shmem_atomic_inc_example", SpecificationExamples::atomicInc);
        examples.put("shmem_atomic_swap_example", SpecificationExamples::swap);
        examples.put("shmem_barrier_example", SpecificationExamples::barrier);
        examples.put("shmem_barrierall_example", SpecificationExamples::barrierAll);
        examples.put("shmem_broadcast_example", SpecificationExamples::broadcast);
        examples.put("shmem_collect_example", SpecificationExamples::collect);
        examples.put("shmem_ctx_pipelined_reduce", SpecificationExamples::pipelinedReduce);
        examples.put("shmem_fence_example", SpecificationExamples::fence);
        examples.put("shmem_finalize_example", SpecificationExamples::getOne);
        examples.put("shmem_g_example", SpecificationExamples::getOne);
        examples.put("shmem_init_example", SpecificationExamples::init);
        examples.put("shmem_iput_example", SpecificationExamples::iput);
        examples.put("shmem_lock_example", SpecificationExamples::lock);
        examples.put("shmem_npes_example", SpecificationExamples::npes);
        examples.put("shmem_p_example", SpecificationExamples::putOne);
        examples.put("shmem_ptr_example", SpecificationExamples::ptr);
        examples.put("shmem_put_example", SpecificationExamples::put);
        examples.put("shmem_put_signal_example", SpecificationExamples::putSignal);
        examples.put("shmem_quiet_example", SpecificationExamples::quiet);
        examples.put("shmem_scan_example", SpecificationExamples::scan);
        examples.put("shmem_sync_example", SpecificationExamples::sync);
        examples.put("shmem_team_context", SpecificationExamples::teamContext);
        examples.put("shmem_team_split_strided", SpecificationExamples::splitStrided);
        examples.put("shmem_team_translate_pe", SpecificationExamples::translatePe);
        examples.put("shmem_test_any_example", SpecificationExamples::testAny);
        examples.put("shmem_test_example1", SpecificationExamples::test);
        examples.put("shmem_test_some_example", SpecificationExamples::testSome);
        examples.put("shmem_wait_until_all", SpecificationExamples::waitUntilAll);
        examples.put("shmem_wait_until_any_all2all_sum", SpecificationExamples::waitUntilAny);
        examples.put("shmem_wait_until_any_vector", SpecificationExamples::waitUntilAnyVector);
        examples.put("shmem_wait_until_some_all2all_sum", SpecificationExamples::waitUntilSome);
        examples.put("writing_shmem_example", SpecificationExamples::writing);
        return examples;
    }

    /**
     * Runs an example. Collective over the job.
     *
     * @param out receives the lines that this PE prints.
     */
    static void run(final String name, final Shmem shmem, final Consumer<String> out)
    {
        final Example example = EXAMPLES.get(name);
        if (null == example)
        {
            throw new IllegalArgumentException("name must be one of " + EXAMPLES.keySet() + ": name=" + name);
        }

        example.run(new SpecificationExamples(shmem, out));
    }

    private static void require(final boolean isRight, final String what)
    {
        if (!isRight)
        {
            throw new IllegalStateException(what);
        }
    }

    /** A static {@code long} of C. */
    private SymmetricBuffer longs(final int count, final long value)
    {
        final SymmetricBuffer buffer = shmem.calloc(count, Long.BYTES);
        for (int i = 0; i < count; i++)
        {
            buffer.putLong((long)i * Long.BYTES, value);
        }

        shmem.barrierAll();
        return buffer;
    }

    /** A static {@code int} of C. */
    private SymmetricBuffer ints(final int count, final int value)
    {
        final SymmetricBuffer buffer = shmem.calloc(count, Integer.BYTES);
        for (int i = 0; i < count; i++)
        {
            buffer.putInt((long)i * Integer.BYTES, value);
        }

        shmem.barrierAll();
        return buffer;
    }

    private static UnsafeBuffer counting(final int from, final int count)
    {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[count * Long.BYTES]);
        for (int i = 0; i < count; i++)
        {
            source.putLong(i * Long.BYTES, from + i);
        }

        return source;
    }

    private void hello()
    {
        out.accept("Hello from " + me + " of " + nPes);
    }

    private void npes()
    {
        out.accept("I am #" + me + " of " + nPes + " PEs executing this program");
    }

    private void alltoall()
    {
        alltoall(1, 1);
    }

    private void alltoalls()
    {
        alltoall(2, 3);
    }

    private void alltoall(final int destStride, final int sourceStride)
    {
        final int count = 2;
        final SymmetricBuffer dest = longs(count * destStride * nPes, 9999);
        final SymmetricBuffer source = longs(count * sourceStride * nPes, 0);
        for (int i = 0; i < count * nPes; i++)
        {
            source.putLong((long)sourceStride * i * Long.BYTES, me + i / count);
        }

        world.sync();
        if (1 == destStride)
        {
            world.alltoall(ElementType.LONG, dest, source, count);
        }
        else
        {
            world.alltoalls(ElementType.LONG, dest, source, destStride, sourceStride, count);
        }

        for (int i = 0; i < count * nPes; i++)
        {
            final long value = dest.getLong((long)destStride * i * Long.BYTES);
            require(i / count + me == value, "[" + me + "] ERROR: dest[" + destStride * i + "]=" + value);
        }
    }

    private void atomicAdd()
    {
        final SymmetricBuffer dst = ints(1, 22);
        if (1 == me)
        {
            ctx.atomicAddInt(dst, 0, 44, 0);
        }

        shmem.barrierAll();
        out.accept(me + ": dst = " + dst.getInt(0));
    }

    private void compareSwap()
    {
        final SymmetricBuffer raceWinner = ints(1, -1);
        if (-1 == ctx.atomicCompareSwapInt(raceWinner, 0, -1, me, 0))
        {
            out.accept("PE " + me + " was first");
        }
    }

    private void fetchAdd()
    {
        final SymmetricBuffer dst = ints(1, 22);
        final int old = 1 == me ? ctx.atomicFetchAddInt(dst, 0, 44, 0) : -1;
        shmem.barrierAll();
        out.accept(me + ": old = " + old + ", dst = " + dst.getInt(0));
    }

    private void fetchInc()
    {
        final SymmetricBuffer dst = ints(1, 22);
        final int old = 0 == me ? ctx.atomicFetchIncInt(dst, 0, 1) : -1;
        shmem.barrierAll();
        out.accept(me + ": old = " + old + ", dst = " + dst.getInt(0));
    }

    private void atomicInc()
    {
        final SymmetricBuffer dst = ints(1, 74);
        if (0 == me)
        {
            ctx.atomicIncInt(dst, 0, 1);
        }

        shmem.barrierAll();
        out.accept(me + ": dst = " + dst.getInt(0));
    }

    private void swap()
    {
        final SymmetricBuffer dest = longs(1, me);
        if (0 != (me & 1))
        {
            final long swapped = ctx.atomicSwapLong(dest, 0, me, (me + 1) % nPes);
            out.accept(me + ": dest = " + dest.getLong(0) + ", swapped = " + swapped);
        }
    }

    private void barrier()
    {
        final SymmetricBuffer x = ints(1, 10101);
        final Team evens = world.splitStrided(0, 2, nPes / 2 + nPes % 2);
        if (0 == me % 2)
        {
            ctx.putInt(x, 0, 4, evens.translatePe((evens.myPe() + 1) % evens.nPes(), world));
            evens.barrier();
        }

        out.accept(me + ": x = " + x.getInt(0));
        evens.close();
    }

    private void barrierAll()
    {
        final SymmetricBuffer x = ints(1, 1010);
        ctx.putInt(x, 0, 4, (me + 1) % nPes);
        shmem.barrierAll();
        out.accept(me + ": x = " + x.getInt(0));
    }

    private void broadcast()
    {
        final SymmetricBuffer source = longs(4, 0);
        final SymmetricBuffer dest = longs(4, 0);
        for (int i = 0; 0 == me && i < 4; i++)
        {
            source.putLong((long)i * Long.BYTES, i);
        }

        world.broadcast(ElementType.LONG, dest, source, 4, 0);
        out.accept(me + ": " + dest.getLong(0) + ", " + dest.getLong(Long.BYTES) + ", " +
            dest.getLong(2 * Long.BYTES) + ", " + dest.getLong(3 * Long.BYTES));
    }

    private void collect()
    {
        final int total = nPes * (nPes + 1) / 2;
        final SymmetricBuffer source = ints(nPes, 0);
        final SymmetricBuffer dest = ints(total, -9999);
        for (int i = 0; i < 1 + me; i++)
        {
            source.putInt((long)i * Integer.BYTES, me * (me + 1) / 2 + i);
        }

        world.sync();
        world.collect(ElementType.INT, dest, source, 1 + me);

        final StringBuilder line = new StringBuilder(me + ": " + dest.getInt(0));
        for (int i = 1; i < total; i++)
        {
            line.append(", ").append(dest.getInt((long)i * Integer.BYTES));
        }

        out.accept(line.toString());
    }

    /** Two contexts overlap the exchange of a segment with the sum of the one before. */
    private void pipelinedReduce()
    {
        final int length = 8192;
        final int segment = 512;
        final SymmetricBuffer in = ints(length, me);
        final SymmetricBuffer[] parts = {ints(segment * nPes, 0), ints(segment * nPes, 0)};
        final int[] sums = new int[length];
        try (CommunicationContext even = shmem.createContext(); CommunicationContext odd = shmem.createContext())
        {
            final CommunicationContext[] contexts = {even, odd};
            for (int p = 0; p <= length / segment; p++)
            {
                final int index = p & 1;
                for (int i = 1; p < length / segment && i <= nPes; i++)
                {
                    contexts[index].putNbi(
                        parts[index], (long)segment * me * Integer.BYTES, in, (long)segment * p * Integer.BYTES,
                        (long)segment * Integer.BYTES, (me + i) % nPes);
                }

                if (p > 0)
                {
                    contexts[1 - index].quiet();
                    shmem.syncAll();
                    for (int i = 0; i < segment * nPes; i++)
                    {
                        sums[segment * (p - 1) + i % segment] += parts[1 - index].getInt((long)i * Integer.BYTES);
                    }

                    shmem.syncAll();
                }
            }
        }

        for (final int sum : sums)
        {
            require(nPes * (nPes - 1) / 2 == sum, "sum=" + sum);
        }
    }

    private void fence()
    {
        final SymmetricBuffer dest = longs(10, 0);
        final SymmetricBuffer targ = ints(1, 0);
        final UnsafeBuffer source = counting(1, 10);
        if (0 == me)
        {
            ctx.put(dest, 0, source, 0, 10 * Long.BYTES, 1);
            ctx.put(dest, 0, source, 0, 10 * Long.BYTES, 2);
            ctx.fence();
            ctx.putInt(targ, 0, 99, 1);
            ctx.putInt(targ, 0, 99, 2);
        }

        shmem.barrierAll();
        out.accept("dest[0] on PE " + me + " is " + dest.getLong(0));
    }

    private void getOne()
    {
        final SymmetricBuffer x = longs(1, 10101);
        final long y = 0 == me ? ctx.getLong(x, 0, nPes - 1) : -1;
        out.accept(me + ": y = " + y);
    }

    private void init()
    {
        final SymmetricBuffer targ = ints(1, 0);
        final int receiver = 1 % nPes;
        if (0 == me)
        {
            ctx.putInt(targ, 0, 33, receiver);
        }

        shmem.barrierAll();
        if (receiver == me)
        {
            out.accept("PE " + me + " targ=" + targ.getInt(0) + " (expect 33)");
        }
    }

    private void iput()
    {
        final SymmetricBuffer source = shmem.malloc(10 * Short.BYTES);
        final SymmetricBuffer dest = shmem.calloc(10, Short.BYTES);
        for (int i = 0; i < 10; i++)
        {
            source.putShort((long)i * Short.BYTES, (short)(1 + i));
        }

        if (0 == me)
        {
            ctx.iput(dest, 0, source, 0, 1, 2, 5, Short.BYTES, 1);
        }

        shmem.barrierAll();
        if (1 == me)
        {
            final StringBuilder line = new StringBuilder("dest on PE " + me + " is");
            for (int i = 0; i < 5; i++)
            {
                line.append(' ').append(dest.getShort((long)i * Short.BYTES));
            }

            out.accept(line.toString());
        }
    }

    private void lock()
    {
        final SymmetricBuffer lock = longs(1, 0);
        final SymmetricBuffer count = ints(1, 0);
        shmem.lock(lock, 0);
        final int value = ctx.getInt(count, 0, 0);
        out.accept(me + ": count is " + value);
        ctx.putInt(count, 0, value + 1, 0);
        shmem.unlock(lock, 0);                                   // completes the put
    }

    private void putOne()
    {
        final SymmetricBuffer f = shmem.malloc(Double.BYTES);
        f.putDouble(0, 3.1415927);
        shmem.barrierAll();
        if (0 == me)
        {
            ctx.putDouble(f, 0, 2.71828182, 1);
        }

        shmem.barrierAll();
        if (1 == me)
        {
            out.accept(Math.abs(f.getDouble(0) - 2.71828182) < 0.00000001 ? "OK" : "FAIL");
        }
    }

    private void ptr()
    {
        final SymmetricBuffer dest = ints(4, 0);
        final AtomicBuffer there = 0 == me ? shmem.ptr(dest, 1) : null;
        if (0 == me && null == there)
        {
            out.accept("can't use pointer to directly access PE 1's dest array");
        }

        for (int i = 0; null != there && i < 4; i++)
        {
            there.putInt(i * Integer.BYTES, 1 + i);
        }

        shmem.barrierAll();
        if (1 == me)
        {
            out.accept("PE 1 dest: " + dest.getInt(0) + ", " + dest.getInt(Integer.BYTES) + ", " +
                dest.getInt(2 * Integer.BYTES) + ", " + dest.getInt(3 * Integer.BYTES));
        }
    }

    private void put()
    {
        final SymmetricBuffer dest = longs(10, 0);
        if (0 == me)
        {
            ctx.put(dest, 0, counting(1, 10), 0, 10 * Long.BYTES, 1);
        }

        shmem.barrierAll();
        out.accept("dest[0] on PE " + me + " is " + dest.getLong(0));
    }

    /** A message travels round the ring. */
    private void putSignal()
    {
        final int size = 2048;
        final UnsafeBuffer message = counting(0, size);
        final SymmetricBuffer signal = longs(1, 0);
        final SymmetricBuffer data = shmem.calloc(size, Long.BYTES);
        final int pe = (me + 1) % nPes;
        if (0 == me)
        {
            ctx.putSignal(data, 0, message, 0, size * Long.BYTES, signal, 0, 1, SignalOp.SET, pe);
        }

        shmem.signalWaitUntil(signal, 0, Comparison.EQ, 1);
        if (0 != me)
        {
            ctx.putSignal(data, 0, data, 0, (long)size * Long.BYTES, signal, 0, 1, SignalOp.SET, pe);
        }

        require(size - 1 == data.getLong((size - 1L) * Long.BYTES), "the message must be there");
    }

    private void quiet()
    {
        final SymmetricBuffer dest = longs(3, 0);
        final SymmetricBuffer targ = ints(1, 0);
        if (0 == me)
        {
            ctx.put(dest, 0, counting(1, 3), 0, 3 * Long.BYTES, 1);
            ctx.putInt(targ, 0, 90, 2);
            ctx.quiet();
            final UnsafeBuffer x = new UnsafeBuffer(new byte[3 * Long.BYTES]);
            ctx.get(x, 0, dest, 0, 3 * Long.BYTES, 1);
            out.accept("x: { " + x.getLong(0) + ", " + x.getLong(Long.BYTES) + ", " + x.getLong(2 * Long.BYTES) +
                " }");
            out.accept("y: " + ctx.getInt(targ, 0, 2));
            ctx.putInt(targ, 0, 90, 1);
            ctx.putInt(targ, 0, 90, 2);
        }

        shmem.barrierAll();
    }

    /** Collects bytes, a different number from each PE, at PE 0. */
    private void scan()
    {
        final int length = 1 + me;
        final SymmetricBuffer place = longs(1, length);
        final SymmetricBuffer dest = shmem.calloc(nPes * (nPes + 1L) / 2, 1);
        final UnsafeBuffer source = new UnsafeBuffer(new byte[length]);
        source.setMemory(0, length, (byte)(1 + me));
        world.sync();
        world.exclusiveScan(ReduceOp.SUM, ElementType.LONG, place, place, 1);
        ctx.put(dest, place.getLong(0), source, 0, length, 0);
        ctx.quiet();
        world.sync();
        for (int pe = 0, at = 0; 0 == me && pe < nPes; pe++)
        {
            for (int i = 0; i <= pe; i++, at++)
            {
                require(1 + pe == dest.getByte(at), "the bytes of PE " + pe + " must be at their place");
            }
        }
    }

    private void sync()
    {
        final SymmetricBuffer x = ints(1, 10101);
        final Team twos = nPes > 2 ? world.splitStrided(2, 2, (nPes - 1) / 2) : Team.INVALID;
        final Team threes = nPes > 3 ? world.splitStrided(3, 3, (nPes - 1) / 3) : Team.INVALID;
        putAround(twos, x, 2);
        world.sync();
        putAround(threes, x, 3);

        final int expected = 0 == me ? 10101 : 0 == me % 3 ? 3 : 0 == me % 2 ? 2 : 10101;
        require(expected == x.getInt(0), "x=" + x.getInt(0) + ", expected=" + expected);
        threes.close();
        twos.close();
    }

    private void putAround(final Team team, final SymmetricBuffer x, final int value)
    {
        if (Team.INVALID != team)
        {
            ctx.putInt(x, 0, value, team.translatePe((team.myPe() + 1) % team.nPes(), world));
            ctx.quiet();
            team.sync();
        }
    }

    private void teamContext()
    {
        final SymmetricBuffer sum = ints(1, 0);
        final SymmetricBuffer second = ints(1, 0);
        final SymmetricBuffer third = ints(1, 0);
        final TeamConfig config = new TeamConfig().numContexts(1);
        final Team twos = world.splitStrided(0, 2, (nPes + 1) / 2, config);
        final Team threes = world.splitStrided(0, 3, (nPes + 2) / 3, config);
        putRankAround(twos, second);
        putRankAround(threes, third);
        world.sync();

        if (Team.INVALID != twos && Team.INVALID != threes)
        {
            try (CommunicationContext context = twos.createContext())
            {
                context.atomicAddInt(sum, 0, second.getInt(0) + third.getInt(0), 0);
            }
        }

        world.sync();

        int expected = 0;
        for (int i = 0; 0 == me && i < nPes; i += 6)
        {
            expected += i < 2 ? twos.nPes() - 1 : world.translatePe(i - 2, twos);
            expected += i < 3 ? threes.nPes() - 1 : world.translatePe(i - 3, threes);
        }

        require(0 != me || expected == sum.getInt(0), "sum=" + sum.getInt(0) + ", expected=" + expected);
        threes.close();
        twos.close();
    }

    private static void putRankAround(final Team team, final SymmetricBuffer dest)
    {
        if (Team.INVALID != team)
        {
            try (CommunicationContext context = team.createContext())      // close completes the put
            {
                context.putInt(dest, 0, team.myPe(), (team.myPe() + 1) % team.nPes());
            }
        }
    }

    private void splitStrided()
    {
        final Team team = world.splitStrided(0, 2, Math.max(1, nPes / 2));
        require(
            Team.INVALID == team || 0 == me % 2 && me / 2 == team.myPe() && Math.max(1, nPes / 2) == team.nPes(),
            "rank=" + team.myPe() + ", size=" + team.nPes());
        team.close();
    }

    private void translatePe()
    {
        final Team team = world.splitStrided(0, 2, (nPes + 1) / 2);
        require(
            Team.INVALID == team || me == team.translatePe(team.myPe(), world),
            "PE " + team.translatePe(team.myPe(), world));
        team.close();
    }

    private SymmetricBuffer setFlags(final SymmetricBuffer flags, final int value)
    {
        for (int pe = 0; pe < nPes; pe++)
        {
            ctx.atomicSetInt(flags, (long)me * Integer.BYTES, value, pe);
        }

        return flags;
    }

    private void testAny()
    {
        final SymmetricBuffer flags = setFlags(ints(nPes, 0), 1);
        final int[] status = new int[nPes];
        int completed = 0;
        while (completed < nPes)
        {
            final int index = shmem.testAnyInt(flags, 0, nPes, status, Comparison.EQ, 1);
            if (-1 != index)
            {
                completed++;
                status[index] = 1;
            }
        }
    }

    private void test()
    {
        final SymmetricBuffer variables = longs(nPes, 0);
        if (0 == me)
        {
            int index = 0;
            while (nPes > 1 && !shmem.testLong(variables, (long)index * Long.BYTES, Comparison.NE, 0))
            {
                index = (index + 1) % nPes;
            }

            out.accept("PE 0 observed first update from PE " + index);
        }
        else
        {
            ctx.atomicSetLong(variables, (long)me * Long.BYTES, me, 0);
        }

        shmem.barrierAll();
    }

    /** Each PE puts 100 numbers to all, then sets its flag there; returns the flags. */
    private SymmetricBuffer exchange(final SymmetricBuffer all)
    {
        final SymmetricBuffer mine = ints(N, 0);
        for (int i = 0; i < N; i++)
        {
            mine.putInt((long)i * Integer.BYTES, me * N + i);
        }

        final SymmetricBuffer flags = ints(nPes, 0);
        for (int pe = 0; pe < nPes; pe++)
        {
            ctx.putNbi(all, (long)me * N * Integer.BYTES, mine, 0, (long)N * Integer.BYTES, pe);
        }

        ctx.fence();
        return setFlags(flags, 1);
    }

    private int sum(final SymmetricBuffer all, final int pe)
    {
        int sum = 0;
        for (int i = 0; i < N; i++)
        {
            sum += all.getInt(((long)pe * N + i) * Integer.BYTES);
        }

        return sum;
    }

    private void requireSum(final int sum)
    {
        final int last = N * nPes - 1;
        require(last * (last + 1) / 2 == sum, "sum=" + sum);
    }

    private void testSome()
    {
        final SymmetricBuffer all = ints(N * nPes, 0);
        final SymmetricBuffer flags = exchange(all);
        final int[] indices = new int[nPes];
        final int[] status = new int[nPes];
        int sum = 0;
        int completed = 0;
        while (completed < nPes)
        {
            final int tested = shmem.testSomeInt(flags, 0, nPes, indices, status, Comparison.NE, 0);
            for (int i = 0; i < tested; i++)
            {
                sum += sum(all, indices[i]);
                status[indices[i]] = 1;
            }

            completed += tested;
        }

        requireSum(sum);
    }

    private void waitUntilAll()
    {
        shmem.waitUntilAllInt(setFlags(ints(nPes, 0), 1), 0, nPes, null, Comparison.EQ, 1);
    }

    private void waitUntilAny()
    {
        final SymmetricBuffer all = ints(N * nPes, 0);
        final SymmetricBuffer flags = exchange(all);
        final int[] status = new int[nPes];
        int sum = 0;
        for (int i = 0; i < nPes; i++)
        {
            final int index = shmem.waitUntilAnyInt(flags, 0, nPes, status, Comparison.NE, 0);
            sum += sum(all, index);
            status[index] = 1;
        }

        requireSum(sum);
    }

    private void waitUntilAnyVector()
    {
        final SymmetricBuffer variables = setFlags(ints(nPes, 0), me % 2 + 1);
        final int[] status = new int[nPes];
        final int[] values = new int[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            values[pe] = pe % 2 + 1;
        }

        int sum = 0;
        for (int i = 0; i < nPes; i++)
        {
            final int index = shmem.waitUntilAnyVectorInt(variables, 0, nPes, status, Comparison.EQ, values);
            status[index] = 1;
            sum += variables.getInt((long)index * Integer.BYTES);
        }

        require(nPes + nPes / 2 == sum, "sum=" + sum);
    }

    private void waitUntilSome()
    {
        final SymmetricBuffer all = ints(N * nPes, 0);
        final SymmetricBuffer flags = exchange(all);
        final int[] indices = new int[nPes];
        final int[] status = new int[nPes];
        int sum = 0;
        int completed = shmem.waitUntilSomeInt(flags, 0, nPes, indices, status, Comparison.NE, 0);
        while (0 != completed)
        {
            for (int i = 0; i < completed; i++)
            {
                sum += sum(all, indices[i]);
                status[indices[i]] = 1;
            }

            completed = shmem.waitUntilSomeInt(flags, 0, nPes, indices, status, Comparison.NE, 0);
        }

        requireSum(sum);
    }

    private void writing()
    {
        final int n = 16;
        final SymmetricBuffer dest = shmem.calloc(n, Short.BYTES);
        final UnsafeBuffer source = new UnsafeBuffer(new byte[n * Short.BYTES]);
        for (int i = 0; i < n; i++)
        {
            source.putShort(i * Short.BYTES, (short)i);
        }

        for (int pe = 1; 0 == me && pe < nPes; pe++)
        {
            ctx.put(dest, 0, source, 0, n * Short.BYTES, pe);
        }

        shmem.barrierAll();
        if (0 != me)
        {
            final StringBuilder line = new StringBuilder("dest on PE " + me + " is \t");
            for (int i = 0; i < n; i++)
            {
                line.append(dest.getShort((long)i * Short.BYTES)).append(" \t");
            }

            out.accept(line.toString());
        }
    }
}
