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

import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.CollectiveRequest;
import io.aeroshmem.ElementType;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.tests.fixture.Pe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A case on one of its members: its memory, its request, and what it must leave. Memory that does not matter is absent
 * in every second case, otherwise its contents must not change.
 * <p>
 * What moves no elements is checked by a word on each member, written before the call: who waits for a member must
 * find its word. Words grow from case to case, so that no member waits for the readers.
 */
final class RequestCall
{
    private static final int GUARD_LENGTH = 64;
    private static final int MAX_SHIFT = 16;
    /** Of a buffer that does not matter. */
    private static final int ANY_COUNT = 9;

    private final Pe pe;
    private final RequestCase test;
    private final Team team;
    private final int[] members;
    private final int root;
    private final SymmetricBuffer words;
    private final long wordOffset;
    private final CollectiveArgs args;

    private ElementMemory source;
    private ElementMemory target;
    private long sourceStart;
    private long targetStart;
    private long length;
    private boolean isInPlace;
    private List<Oracle.Block> given;
    private List<Oracle.Block> expected;
    private CollectiveRequest request;
    private int posts;

    /**
     * @param members numbers in the world by rank.
     * @param words   of all cases.
     * @param word    index of this case's word.
     */
    RequestCall(
        final Pe pe,
        final RequestCase test,
        final Team team,
        final int[] members,
        final SymmetricBuffer words,
        final int word)
    {
        this.pe = pe;
        this.test = test;
        this.team = team;
        this.members = members;
        this.words = words;
        wordOffset = (long)word * Long.BYTES;
        root = test.root(pe.seed(), members.length);
        args = new CollectiveArgs().collective(test.collective()).root(root).persistent(test.times() > 1);
        if (test.isTagged())
        {
            args.tag(test.seed(pe.seed()));
        }
    }

    /**
     * Returns how much memory a case needs for source, and as much for dest.
     *
     * @param maxBytes maximum length of either.
     */
    static long arenaLength(final long maxBytes)
    {
        return maxBytes + 3 * GUARD_LENGTH + MAX_SHIFT * ElementType.COMPLEX_DOUBLE.bytes();
    }

    /**
     * Places the elements in memory; both offsets are the same on all members.
     */
    void place(final ElementMemory sourceMemory, final ElementMemory destMemory, final long offset)
    {
        final RequestOracle oracle = new RequestOracle(test, members, team.myPe(), pe.seed());
        final boolean isRoot = root == team.myPe();
        final long seed = test.seed(pe.seed());
        given = oracle.source();
        expected = oracle.dest();
        isInPlace = test.isInPlace() && test.hasSource(isRoot) && test.hasDest(isRoot);
        source = sourceMemory;
        target = isInPlace ? sourceMemory : destMemory;
        final long first = (offset + 2 * GUARD_LENGTH - 1) / GUARD_LENGTH * GUARD_LENGTH;
        sourceStart = first + shift(seed >>> 40);
        targetStart = isInPlace ? sourceStart : first + shift(seed >>> 50);
        length = Math.max(end(given), end(expected)) * test.type().bytes();

        final boolean isAbsent = 0 == (test.number() & 1) && !test.isBlocking();
        fillArgs(
            oracle,
            test.hasSource(isRoot) || !isAbsent ? source.buffer().slice(sourceStart, length) : null,
            test.hasDest(isRoot) || !isAbsent ? target.buffer().slice(targetStart, length) : null);
        if (isInPlace)
        {
            expected.addAll(rest(given, expected));
        }
    }

    private long shift(final long seed)
    {
        return (seed & MAX_SHIFT - 1) * test.type().alignment();
    }

    RequestCase test()
    {
        return test;
    }

    Team team()
    {
        return team;
    }

    /**
     * Makes the memory what it is before a call.
     */
    void prepare()
    {
        if (test.isSynchronising())
        {
            pe.memory().putLong(words, wordOffset, word());
            return;
        }

        source.guard(sourceStart - GUARD_LENGTH, 2 * GUARD_LENGTH + length);
        target.guard(targetStart - GUARD_LENGTH, 2 * GUARD_LENGTH + length);
        for (final Oracle.Block block : given)
        {
            source.store(sourceStart, block, test.type().bytes());
        }
    }

    /** Returns what a member writes before it calls, the same on all. */
    private long word()
    {
        return 1 + test.number() * 4L + posts;
    }

    void init()
    {
        request = team.request(args);
    }

    void post()
    {
        request.post();
    }

    boolean test(final boolean isAwaited)
    {
        if (isAwaited)
        {
            request.await();
        }

        return request.test();
    }

    void close()
    {
        request.close();
    }

    /**
     * Calls the blocking routine.
     */
    void call()
    {
        final SymmetricBuffer from = args.source();
        final SymmetricBuffer to = args.dest();
        final ElementType type = test.type();
        switch (test.collective())
        {
            case BARRIER -> team.sync();
            case BROADCAST -> team.broadcast(type, to, from, test.count(), root);
            case ALLREDUCE -> team.reduce(test.op(), type, to, from, test.count());
            case REDUCE_SCATTER -> team.reduceScatter(test.op(), type, to, from, test.count());
            case INCLUSIVE_SCAN -> team.inclusiveScan(test.op(), type, to, from, test.count());
            case EXCLUSIVE_SCAN -> team.exclusiveScan(test.op(), type, to, from, test.count());
            case ALLGATHER -> team.fcollect(type, to, from, test.count());
            case ALLGATHERV -> team.collect(type, to, from, args.sourceCount());
            case ALLTOALL -> team.alltoall(type, to, from, test.count());
            default -> throw new IllegalArgumentException("has no routine: " + test);
        }
    }

    /**
     * Checks what the call has left, in all of the memory around source and dest.
     */
    void check()
    {
        if (test.isSynchronising())
        {
            checkWords();
        }
        else
        {
            if (!isInPlace)
            {
                check("source", source, sourceStart, given, length, test.type().bytes());
            }

            check("dest", target, targetStart, expected, length, test.type().bytes());
        }

        posts++;
    }

    private void checkWords()
    {
        for (int rank = 0; rank < members.length; rank++)
        {
            final boolean isAwaited = switch (test.collective())
            {
                case FAN_IN -> root == team.myPe();
                case FAN_OUT -> root == rank;
                default -> true;
            };
            if (isAwaited)
            {
                final long seen = pe.ctx().getLong(words, wordOffset, members[rank]);
                assertTrue(seen >= word(), "of PE " + members[rank] + ": " + seen + ", not " + word());
            }
        }
    }

    /** Returns the blocks of source that no block of dest replaces. */
    private static List<Oracle.Block> rest(final List<Oracle.Block> given, final List<Oracle.Block> expected)
    {
        final List<Oracle.Block> rest = new ArrayList<>();
        for (final Oracle.Block block : given)
        {
            if (expected.stream().noneMatch((other) -> 0 != other.elements() && other.first() == block.first()))
            {
                rest.add(block);
            }
        }

        return rest;
    }

    private static long end(final List<Oracle.Block> blocks)
    {
        return blocks.stream().mapToLong((block) -> block.first() + block.elements()).max().orElse(0);
    }

    /** Checks blocks, and that there is nothing else: before them, between them and behind them. */
    private static void check(
        final String what,
        final ElementMemory memory,
        final long start,
        final List<Oracle.Block> blocks,
        final long length,
        final int bytes)
    {
        final List<Oracle.Block> sorted = new ArrayList<>(blocks);
        sorted.removeIf((block) -> 0 == block.elements());
        sorted.sort(Comparator.comparingLong(Oracle.Block::first));
        long next = start - GUARD_LENGTH;
        for (final Oracle.Block block : sorted)
        {
            final long first = start + block.first() * bytes;
            memory.checkGuard("outside of the blocks of " + what, next, first - next);
            memory.check(what, start, block, bytes);
            next = first + block.elements() * bytes;
        }

        memory.checkGuard("behind the blocks of " + what, next, start + length + GUARD_LENGTH - next);
    }

    /**
     * In place, the count of a buffer that is a block of the other one is not read, nor are count and type of a buffer
     * that does not matter.
     */
    private void fillArgs(final RequestOracle oracle, final SymmetricBuffer from, final SymmetricBuffer to)
    {
        final ElementType type = test.type();
        if (null != test.op())
        {
            args.op(test.op());
        }

        final long sourceCount = Arrays.stream(oracle.sourceCounts()).sum();
        final long destCount = Arrays.stream(oracle.destCounts()).sum();
        args.source(from, isInPlace && oracle.isSourceInDest() ? 0 : sourceCount, type);
        args.dest(to, isInPlace && oracle.isDestInSource() ? 0 : destCount, type);
        if (!test.hasSource(root == team.myPe()))
        {
            args.source(from, ANY_COUNT, ElementType.HALF);
        }

        if (!test.hasDest(root == team.myPe()))
        {
            args.dest(to, ANY_COUNT, ElementType.HALF);
        }

        if (Collective.REDUCE_SCATTERV == test.collective())
        {
            args.destV(to, oracle.sourceCounts(), null, type);
        }
        else if (test.isOfCounts())
        {
            if (test.isSourceOfBlocks())
            {
                args.sourceV(from, oracle.sourceCounts(), oracle.sourcePositions(), type);
            }

            if (test.isDestOfBlocks())
            {
                args.destV(to, oracle.destCounts(), oracle.destPositions(), type);
            }
        }
    }

    @Override
    public String toString()
    {
        return "PE " + pe.me() + ", rank " + team.myPe() + " of " + members.length + ", in case " + test;
    }
}
