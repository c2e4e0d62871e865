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
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs cases by requests on one PE, one after the other without anything between them, so that PEs may drift apart:
 * each fills and checks only its own memory, and only outside of calls. Buffers that do not matter are absent in every
 * second case, otherwise their contents must not change.
 */
final class RequestRunner
{
    private static final int GUARD_LENGTH = 64;
    private static final int MAX_SHIFT = 16;
    private static final long MAX_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Pe pe;
    private final RequestTeams teams;
    /** One of each kind of memory. */
    private final List<ElementMemory> dests;
    private final List<ElementMemory> sources;
    private final SymmetricBuffer words;
    private final SplittableRandom delays;

    RequestRunner(final Pe pe, final RequestTeams teams, final long maxBytes)
    {
        this.pe = pe;
        this.teams = teams;
        dests = ElementMemory.allocate(pe, arenaLength(maxBytes));
        sources = ElementMemory.allocate(pe, arenaLength(maxBytes));
        words = pe.calloc((long)TeamShape.values().length * pe.n(), Long.BYTES);
        delays = pe.ownRandom();
    }

    /**
     * Frees the memory. Collective; no case is under way.
     */
    void free()
    {
        pe.shmem().free(words);
        sources.forEach((memory) -> pe.shmem().free(memory.buffer()));
        dests.forEach((memory) -> pe.shmem().free(memory.buffer()));
    }

    static long arenaLength(final long maxBytes)
    {
        return maxBytes + 2 * GUARD_LENGTH + MAX_SHIFT * ElementType.COMPLEX_DOUBLE.bytes();
    }

    void run(final RequestCase test)
    {
        final int[] members = teams.members(test.shape());
        if (null == members)
        {
            return;
        }

        final Team team = teams.team(test.shape());
        try
        {
            if (test.isSynchronising())
            {
                synchronise(test, team, members);
            }
            else
            {
                elements(test, team, members);
            }
        }
        catch (final RuntimeException | Error ex)
        {
            throw new AssertionError("PE " + pe.me() + ", rank " + team.myPe() + " of " + members.length +
                ", in case " + test + ": " + ex, ex);
        }
    }

    private void elements(final RequestCase test, final Team team, final int[] members)
    {
        final RequestOracle oracle = new RequestOracle(test, members, team.myPe(), pe.seed());
        final int bytes = test.type().bytes();
        final long seed = test.seed(pe.seed());
        final List<Oracle.Block> given = oracle.source();
        final List<Oracle.Block> expected = oracle.dest();
        final boolean isRoot = test.root(pe.seed(), members.length) == team.myPe();
        final boolean isInPlace = test.isInPlace() && test.hasSource(isRoot) && test.hasDest(isRoot);
        final long sourceStart = start(test.type(), seed >>> 40);
        final long destStart = isInPlace ? sourceStart : start(test.type(), seed >>> 50);
        final ElementMemory source = choose(sources, seed);
        final ElementMemory dest = choose(dests, ~seed);
        final ElementMemory target = isInPlace ? source : dest;
        final long length = Math.max(end(given), end(expected)) * bytes;

        source.guard(sourceStart - GUARD_LENGTH, 2 * GUARD_LENGTH + length);
        target.guard(destStart - GUARD_LENGTH, 2 * GUARD_LENGTH + length);
        for (final Oracle.Block block : given)
        {
            source.store(sourceStart, block, bytes);
        }
        final boolean isAbsent = 0 == (test.number() & 1);
        final CollectiveArgs args = args(
            test,
            oracle,
            test.hasSource(isRoot) || !isAbsent ? source.buffer().slice(sourceStart, length) : null,
            test.hasDest(isRoot) || !isAbsent ? target.buffer().slice(destStart, length) : null,
            isInPlace);
        args.root(test.root(pe.seed(), members.length));
        delay(test);
        perform(test, team, args, isInPlace);

        if (isInPlace)
        {
            expected.addAll(rest(given, expected));
        }
        else
        {
            check("source", source, sourceStart, given, length, bytes);
        }
        check("dest", target, destStart, expected, length, bytes);
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

    /** Returns the arguments; in place, the count of a buffer that is a block of the other one is not read. */
    private static CollectiveArgs args(
        final RequestCase test,
        final RequestOracle oracle,
        final SymmetricBuffer source,
        final SymmetricBuffer dest,
        final boolean isInPlace)
    {
        final ElementType type = test.type();
        final CollectiveArgs args = new CollectiveArgs().collective(test.collective());
        if (null != test.op())
        {
            args.op(test.op());
        }

        final long sourceCount = Arrays.stream(oracle.sourceCounts()).sum();
        final long destCount = Arrays.stream(oracle.destCounts()).sum();
        args.source(source, isInPlace && oracle.isSourceInDest() ? 0 : sourceCount, type);
        args.dest(dest, isInPlace && oracle.isDestInSource() ? 0 : destCount, type);
        if (Collective.REDUCE_SCATTERV == test.collective())
        {
            args.destV(dest, oracle.sourceCounts(), null, type);
        }
        else if (test.isOfCounts())
        {
            if (test.isSourceOfBlocks())
            {
                args.sourceV(source, oracle.sourceCounts(), oracle.sourcePositions(), type);
            }
            if (test.isDestOfBlocks())
            {
                args.destV(dest, oracle.destCounts(), oracle.destPositions(), type);
            }
        }
        return args;
    }

    /** Posts once or three times. The source of a call in place changes, so it is posted once. */
    private void perform(
        final RequestCase test, final Team team, final CollectiveArgs args, final boolean isInPlace)
    {
        final int times = test.isInPlace() || isInPlace || 0 != test.number() % 3 ? 1 : 3;
        if (teams.isTagged())
        {
            args.tag(test.number());
        }

        try (CollectiveRequest request = team.request(args.persistent(times > 1)))
        {
            for (int i = 0; i < times; i++)
            {
                request.post();
                if (0 == (test.number() & 2))
                {
                    request.await();
                }
                while (!request.test())
                {
                    Thread.yield();
                }
            }
        }
    }

    /**
     * Checks that what members wrote before a post is visible to those that wait for it; numbers of cases grow, so that
     * no member waits for the readers.
     */
    private void synchronise(final RequestCase test, final Team team, final int[] members)
    {
        final int root = test.root(pe.seed(), members.length);
        final long first = (long)test.shape().ordinal() * pe.n();
        pe.memory().putLong(words, 8 * (first + pe.me()), test.number() + 1);
        delay(test);
        perform(test, team, new CollectiveArgs().collective(test.collective()).root(root), true);
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
                final long seen = pe.ctx().getLong(words, 8 * (first + members[rank]), members[rank]);
                assertTrue(seen > test.number(), "of PE " + members[rank] + ": " + seen);
            }
        }
    }

    /** Chooses memory for an operand: kinds differ within a PE and between PEs. */
    private ElementMemory choose(final List<ElementMemory> memories, final long seed)
    {
        return memories.get((int)Long.remainderUnsigned(Inputs.mix(seed + pe.me()), memories.size()));
    }

    private void delay(final RequestCase test)
    {
        if (test.isDelayed() && delays.nextBoolean())
        {
            LockSupport.parkNanos(delays.nextLong(MAX_DELAY_NS));
        }
    }

    private static long start(final ElementType type, final long seed)
    {
        return GUARD_LENGTH + (seed & MAX_SHIFT - 1) * type.alignment();
    }
}
