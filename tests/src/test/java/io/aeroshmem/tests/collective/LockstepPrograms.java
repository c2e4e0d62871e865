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
package io.aeroshmem.tests.collective;

import io.aeroshmem.ActiveSet;
import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.CollectiveRequest;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.EndpointMap;
import io.aeroshmem.Ordering;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SessionOption;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TeamConfig;
import io.aeroshmem.TeamCreation;
import io.aeroshmem.TeamDestruction;
import io.aeroshmem.TeamParams;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.UniqueIds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Programs of PEs in simulated worlds, beside those of the matrices. What all PEs do alike follows from
 * {@link Pe#sharedRandom()}, what each does in its own way from {@link Pe#ownRandom()}.
 */
final class LockstepPrograms
{
    private static final int TEAMS = 6;
    private static final int LOCKS = 2;
    private static final int CRITICAL_SECTIONS = 6;
    private static final int ALLOCATIONS = 16;
    private static final int ROUNDS = 8;
    private static final int BROADCASTS = 12;
    private static final int WORDS = 8;
    private static final int TAGGED = 48;
    private static final int ACCESSES = 30;
    private static final int SLOT_CALLS = 40;
    private static final int SLOT_COUNT = 40;
    private static final int ADVANCES = 6;
    private static final int CALLS = 4;
    private static final int COUNT = 900;

    private LockstepPrograms()
    {
    }

    /** Teams are made in each way, one after the other without a barrier, used, and closed or destroyed. */
    static void teams(final Pe pe)
    {
        final SplittableRandom shared = pe.sharedRandom();
        for (int i = 0; i < TEAMS; i++)
        {
            final int kind = shared.nextInt(4);
            final int[] order = TeamShape.permutation(shared, pe.n());
            final int[] keys = shared.ints(pe.n(), 0, 4).toArray();
            final int[] colors = shared.ints(pe.n(), -1, 3).toArray();
            final boolean isDestroyed = shared.nextBoolean();
            final int[] members = 0 == kind ? ofColor(colors, keys, pe.me()) : order;
            final Team team = switch (kind)
            {
                case 0 -> await(pe, pe.shmem().world().split(colors[pe.me()], keys[pe.me()]));
                case 1 -> await(pe, pe.shmem().createTeam(new TeamParams().endpointMap(EndpointMap.of(order))));
                case 2 -> await(pe, pe.shmem().createTeam(new TeamParams().outOfBand(
                    rank(order, pe.me()), pe.n(), pe.world().exchange("team " + i, rank(order, pe.me()), pe.n()))));
                default -> pe.shmem().teamInit(
                    new TeamConfig().uniqueId(UniqueIds.share(pe, order[0])), pe.n(), rank(order, pe.me()));
            };
            if (null == members)
            {
                assertEquals(Team.INVALID, team);
                continue;
            }

            assertEquals(members.length, team.nPes());
            assertEquals(rank(members, pe.me()), team.myPe());
            assertEquals(Arrays.stream(members).sum(), team.reduceLong(ReduceOp.SUM, pe.me()));
            team.sync();
            assertEquals(members[0], team.broadcastLong(pe.me(), 0));
            if (isDestroyed)
            {
                final TeamDestruction destruction = team.destroy();
                destruction.await();
            }
            else
            {
                team.close();
            }
        }
    }

    /** Locks are taken in each way; one PE at a time is in a critical section. */
    static void locks(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final CommunicationContext ctx = pe.ctx();
        final SplittableRandom own = pe.ownRandom();
        final SymmetricBuffer locks = shmem.calloc(LOCKS, Long.BYTES);
        final SymmetricBuffer owner = shmem.calloc(LOCKS, Long.BYTES);
        final SymmetricBuffer count = shmem.calloc(LOCKS, Long.BYTES);
        final long[] entered = new long[LOCKS];
        for (int i = 0; i < CRITICAL_SECTIONS; i++)
        {
            final int which = own.nextInt(LOCKS);
            final long at = (long)which * Long.BYTES;
            final int home = which % pe.n();
            final boolean isHeld = switch (own.nextInt(3))
            {
                case 0 -> shmem.testLock(locks, at);
                case 1 -> shmem.tryLock(locks, at, own.nextLong(1, 40_000));
                default ->
                {
                    shmem.lock(locks, at);
                    yield true;
                }
            };
            if (isHeld)
            {
                assertEquals(0, ctx.getLong(owner, at, home), "a PE is in, of lock " + which);
                ctx.putLong(owner, at, pe.me() + 1, home);
                final long before = ctx.getLong(count, at, home);
                pe.world().point();
                ctx.putLong(count, at, before + 1, home);
                ctx.quiet();
                assertEquals(pe.me() + 1, ctx.getLong(owner, at, home), "two have lock " + which);
                ctx.putLong(owner, at, 0, home);
                entered[which]++;
                shmem.unlock(locks, at);
            }

            pe.world().point();
        }

        shmem.barrierAll();
        for (int which = 0; which < LOCKS; which++)
        {
            assertEquals(shmem.world().reduceLong(ReduceOp.SUM, entered[which]),
                ctx.getLong(count, (long)which * Long.BYTES, which % pe.n()));
        }

        shmem.free(count);
        shmem.free(owner);
        shmem.free(locks);
    }

    /** Memory is allocated, given other lengths and freed; every buffer keeps what the neighbour has put there. */
    static void memory(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final SplittableRandom shared = pe.sharedRandom();
        final List<SymmetricBuffer> buffers = new ArrayList<>();
        final List<Long> marks = new ArrayList<>();
        for (int i = 0; i < ALLOCATIONS; i++)
        {
            final int index = buffers.isEmpty() ? 0 : shared.nextInt(buffers.size());
            final long bytes = (1 + shared.nextLong(500)) * Long.BYTES;
            switch (shared.nextInt(buffers.size() > 4 ? 5 : 3))
            {
                case 0 -> buffers.add(shmem.malloc(bytes));
                case 1 -> buffers.add(shmem.calloc(bytes / Long.BYTES, Long.BYTES));
                case 2 -> buffers.add(shmem.align(64L << shared.nextInt(4), bytes));
                case 3 -> buffers.set(index, shmem.realloc(buffers.get(index), bytes));
                default ->
                {
                    shmem.free(buffers.remove(index));
                    marks.remove(index);
                }
            }

            if (marks.size() < buffers.size())
            {
                marks.add(i + 1L);
                final SymmetricBuffer made = buffers.get(buffers.size() - 1);
                pe.ctx().putLong(made, 0, mark(pe.me(), i + 1L), pe.right());
                pe.ctx().putLong(made, made.length() - Long.BYTES, mark(pe.me(), i + 1L), pe.right());
                shmem.barrierAll();
            }

            for (int b = 0; b < buffers.size(); b++)
            {
                assertEquals(mark(pe.left(), marks.get(b)), buffers.get(b).getLong(0), "buffer " + marks.get(b));
            }
        }

        buffers.forEach(shmem::free);
    }

    /** Blocks with signals go round, while atomic operations of all PEs meet on one word. */
    static void words(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final CommunicationContext ctx = pe.ctx();
        final SplittableRandom own = pe.ownRandom();
        final SymmetricBuffer block = shmem.calloc(WORDS, Long.BYTES);
        final SymmetricBuffer source = shmem.calloc(WORDS, Long.BYTES);
        final SymmetricBuffer signals = shmem.calloc(2, Long.BYTES);
        final SymmetricBuffer counter = shmem.calloc(2, Long.BYTES);
        final boolean isInSession = own.nextBoolean();
        if (isInSession)
        {
            ctx.sessionStart(SessionOption.BATCH);
        }

        long drawn = 0;
        for (int round = 1; round <= ROUNDS; round++)
        {
            for (int i = 0; i < WORDS; i++)
            {
                source.putLong((long)i * Long.BYTES, mark(pe.me(), round) + i);
            }

            ctx.putSignal(
                block, 0, source, 0, (long)WORDS * Long.BYTES, signals, 0, round, SignalOp.SET, pe.right());
            for (int i = own.nextInt(3); i > 0; i--)
            {
                drawn += 1 + ctx.atomicFetchAddLong(counter, 0, 1, 0);
                pe.world().point();
            }

            shmem.waitUntilLong(signals, 0, Comparison.EQ, round);
            for (int i = 0; i < WORDS; i++)
            {
                assertEquals(mark(pe.left(), round) + i, block.getLong((long)i * Long.BYTES), "word " + i);
            }

            ctx.atomicSetLong(signals, Long.BYTES, round, pe.left());
            shmem.waitUntilLong(signals, Long.BYTES, Comparison.EQ, round);
        }

        if (isInSession)
        {
            ctx.sessionStop();
        }

        shmem.barrierAll();
        final long total = ctx.atomicFetchLong(counter, 0, 0);
        assertEquals(total * (total + 1) / 2, shmem.world().reduceLong(ReduceOp.SUM, drawn), "each number once");
        shmem.free(counter);
        shmem.free(signals);
        shmem.free(source);
        shmem.free(block);
    }

    /** Broadcasts among active sets, several at once, which each PE posts in an order of its own. */
    static void activeSets(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final SplittableRandom shared = pe.sharedRandom();
        final SplittableRandom own = pe.ownRandom();
        final SymmetricBuffer source = shmem.calloc(BROADCASTS, Long.BYTES);
        final SymmetricBuffer dest = shmem.calloc(BROADCASTS, Long.BYTES);
        final ActiveSet[] sets = new ActiveSet[BROADCASTS];
        for (int i = 0; i < BROADCASTS; i++)
        {
            final int size = 1 + shared.nextInt(pe.n());
            final int stride = 1 == size ? 1 : 1 + shared.nextInt(Math.max(1, (pe.n() - 1) / (size - 1)));
            final int start = shared.nextInt(pe.n() - stride * (size - 1));
            sets[i] = new ActiveSet(start, stride, size);
            source.putLong((long)i * Long.BYTES, mark(pe.me(), i));
        }

        final List<Integer> inFlight = new ArrayList<>();
        final CollectiveRequest[] requests = new CollectiveRequest[BROADCASTS];
        for (final int i : TeamShape.permutation(own, BROADCASTS))
        {
            if (sets[i].contains(pe.me()))
            {
                final long at = (long)i * Long.BYTES;
                requests[i] = shmem.world().post(new CollectiveArgs().collective(Collective.BROADCAST)
                    .source(source.slice(at, Long.BYTES), 1, ElementType.LONG)
                    .dest(dest.slice(at, Long.BYTES), 1, ElementType.LONG)
                    .root(sets[i].rank(i % sets[i].size())).tag(i)
                    .activeSet(sets[i].start(), sets[i].stride(), sets[i].size()));
                inFlight.add(i);
            }
        }

        while (!inFlight.isEmpty())
        {
            final Integer i = inFlight.get(own.nextInt(inFlight.size()));
            if (requests[i].test())
            {
                final int root = sets[i].rank(i % sets[i].size());
                final SymmetricBuffer result = pe.me() == root ? source : dest;
                assertEquals(mark(root, i), result.getLong((long)i * Long.BYTES), "set " + i);
                requests[i].close();
                inFlight.remove(i);
            }

            pe.pause();
        }

        shmem.barrierAll();
        shmem.free(dest);
        shmem.free(source);
    }

    /** Requests of one team, many at once, which each PE posts in an order of its own. */
    static void unordered(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final SplittableRandom own = pe.ownRandom();
        final SymmetricBuffer source = shmem.calloc(TAGGED, Long.BYTES);
        final SymmetricBuffer dest = shmem.calloc(TAGGED, Long.BYTES);
        final Team team = await(pe, shmem.createTeam(new TeamParams()
            .endpointMap(EndpointMap.of(TeamShape.permutation(pe.sharedRandom(), pe.n())))
            .ordering(Ordering.POST_UNORDERED)));
        final List<Integer> inFlight = new ArrayList<>();
        final CollectiveRequest[] requests = new CollectiveRequest[TAGGED];
        for (final int i : TeamShape.permutation(own, TAGGED))
        {
            final long at = (long)i * Long.BYTES;
            source.putLong(at, mark(pe.me(), i));
            requests[i] = team.post(new CollectiveArgs().collective(Collective.ALLREDUCE).op(ReduceOp.SUM).tag(i)
                .source(source.slice(at, Long.BYTES), 1, ElementType.LONG)
                .dest(dest.slice(at, Long.BYTES), 1, ElementType.LONG));
            inFlight.add(i);
            if (0 == own.nextInt(8))
            {
                testOne(pe, inFlight, requests, dest, own);
                pe.pause();
            }
        }

        while (!inFlight.isEmpty())
        {
            testOne(pe, inFlight, requests, dest, own);
            pe.pause();
        }

        team.close();
        shmem.barrierAll();
        shmem.free(dest);
        shmem.free(source);
    }

    private static void testOne(
        final Pe pe,
        final List<Integer> inFlight,
        final CollectiveRequest[] requests,
        final SymmetricBuffer dest,
        final SplittableRandom own)
    {
        final Integer i = inFlight.get(own.nextInt(inFlight.size()));
        if (requests[i].test())
        {
            assertEquals(IntStream.range(0, pe.n()).mapToLong((other) -> mark(other, i)).sum(),
                dest.getLong((long)i * Long.BYTES), "tag " + i);
            requests[i].close();
            inFlight.remove(i);
        }
    }

    /** Short calls of all kinds follow each other, so that slots are used in every order. */
    static void slots(final Pe pe)
    {
        final Blocks blocks = new Blocks(pe, SLOT_COUNT);
        for (int i = 0; i < SLOT_CALLS; i++)
        {
            blocks.call();
        }

        blocks.free();
    }

    /** Calls follow each other whose members access each other's memory, with values that change. */
    static void accesses(final Pe pe)
    {
        final Blocks blocks = new Blocks(pe, COUNT);
        for (int i = 0; i < ACCESSES; i++)
        {
            blocks.call();
        }

        blocks.free();
    }

    /** The numbers of steps, slots and barriers wrap, while calls of several kinds follow each other. */
    static void wraps(final Pe pe)
    {
        final Team world = pe.shmem().world();
        final Blocks blocks = new Blocks(pe, COUNT);
        final long sum = IntStream.range(0, pe.n()).mapToLong((other) -> mark(other, 0)).sum();
        for (int advance = 0; advance < ADVANCES; advance++)
        {
            for (int call = 0; call < CALLS; call++)
            {
                blocks.call();
                assertEquals(sum, world.reduceLong(ReduceOp.SUM, mark(pe.me(), 0)), "reduceLong " + call);
                world.post(new CollectiveArgs().collective(Collective.BARRIER)).await();
                world.sync();
            }

            CallCounters.advance(world);
        }

        blocks.free();
    }

    /** Calls on blocks of any lengths up to one, with roots of which each has several calls in turn. */
    private static final class Blocks
    {
        private final Pe pe;
        private final Team world;
        private final int maxCount;
        private final SplittableRandom shared;
        private final SymmetricBuffer source;
        private final SymmetricBuffer dest;
        private int calls;

        Blocks(final Pe pe, final int maxCount)
        {
            this.pe = pe;
            this.maxCount = maxCount;
            world = pe.shmem().world();
            shared = pe.sharedRandom();
            source = pe.shmem().calloc((long)pe.n() * maxCount, Long.BYTES);
            dest = pe.shmem().calloc((long)pe.n() * maxCount, Long.BYTES);
        }

        void call()
        {
            final int number = calls++;
            final int count = 1 + shared.nextInt(maxCount);
            final int root = shared.nextInt(Math.min(2, pe.n()));
            switch (shared.nextInt(8))
            {
                case 0 ->
                {
                    fill(1, count, number);
                    world.broadcast(ElementType.LONG, dest, source, count, root);
                    check(0, count, mark(root, number), "broadcast");
                }
                case 1 ->
                {
                    fill(1, count, number);
                    world.inclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, count);
                    check(0, count, sum(pe.me() + 1, number), "inclusiveScan");
                }
                case 2 ->
                {
                    fill(1, count, number);
                    world.exclusiveScan(ReduceOp.SUM, ElementType.LONG, dest, source, count);
                    check(0, count, sum(pe.me(), number), "exclusiveScan");
                }
                case 3 ->
                {
                    fill(1, count, number);
                    world.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, count);
                    check(0, count, sum(pe.n(), number), "reduce");
                }
                case 4 ->
                {
                    fill(pe.n(), count, number);
                    world.reduceScatter(ReduceOp.SUM, ElementType.LONG, dest, source, count);
                    check(0, count, sum(pe.n(), number + pe.me()), "reduceScatter");
                }
                case 5 ->
                {
                    fill(pe.n(), count, number);
                    world.alltoall(ElementType.LONG, dest, source, count);
                    for (int other = 0; other < pe.n(); other++)
                    {
                        check(other * count, count, mark(other, number + pe.me()), "alltoall");
                    }
                }
                case 6 -> collect(count, number);
                default ->
                {
                    fill(1, count, number);
                    world.fcollect(ElementType.LONG, dest, source, count);
                    for (int other = 0; other < pe.n(); other++)
                    {
                        check(other * count, count, mark(other, number), "fcollect");
                    }
                }
            }
        }

        private void collect(final int count, final int number)
        {
            fill(1, count, number);
            world.collect(ElementType.LONG, dest, source, collected(count, pe.me()));
            int at = 0;
            for (int other = 0; other < pe.n(); other++)
            {
                if (collected(count, other) > 0)
                {
                    check(at, collected(count, other), mark(other, number), "collect");
                    at += collected(count, other);
                }
            }
        }

        private static int collected(final int count, final int pe)
        {
            return count * (pe % 3) / 2;
        }

        /** Of each block, all elements are alike. */
        private void fill(final int blocks, final int count, final int number)
        {
            for (int block = 0; block < blocks; block++)
            {
                for (int i = 0; i < count; i++)
                {
                    source.putLong(((long)block * count + i) * Long.BYTES, mark(pe.me(), number + block));
                }
            }
        }

        private static long sum(final int nPes, final int number)
        {
            return IntStream.range(0, nPes).mapToLong((other) -> mark(other, number)).sum();
        }

        private void check(final int first, final int count, final long expected, final String what)
        {
            assertEquals(expected, dest.getLong((long)first * Long.BYTES), what);
            assertEquals(expected, dest.getLong((first + count - 1L) * Long.BYTES), what);
        }

        void free()
        {
            pe.shmem().barrierAll();
            pe.shmem().free(dest);
            pe.shmem().free(source);
        }
    }

    private static Team await(final Pe pe, final TeamCreation creation)
    {
        try (creation)
        {
            while (!creation.poll())
            {
                pe.pause();
            }

            return creation.team();
        }
    }

    private static int[] ofColor(final int[] colors, final int[] keys, final int me)
    {
        return colors[me] < 0 ? null : IntStream.range(0, colors.length).filter((pe) -> colors[pe] == colors[me])
            .boxed().sorted(Comparator.comparingInt((pe) -> keys[pe])).mapToInt(Integer::intValue).toArray();
    }

    private static int rank(final int[] members, final int pe)
    {
        int rank = 0;
        while (members[rank] != pe)
        {
            rank++;
        }

        return rank;
    }

    private static long mark(final int pe, final long number)
    {
        return (pe + 1) * 1_000_003L + number * 31L;
    }
}
