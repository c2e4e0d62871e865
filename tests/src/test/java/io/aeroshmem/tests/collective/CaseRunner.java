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

import io.aeroshmem.ElementType;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.tests.fixture.Pe;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs cases on one PE, one after the other without anything between them, so that PEs may drift apart: each fills and
 * checks only its own memory, and only outside of calls.
 */
final class CaseRunner
{
    private static final int GUARD_LENGTH = 64;
    private static final int MAX_SHIFT = 16;
    private static final long MAX_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Pe pe;
    private final TeamSet teams;
    /** One of each kind of memory. */
    private final List<ElementMemory> dests;
    private final List<ElementMemory> sources;
    private final SymmetricBuffer words;
    private final SplittableRandom delays;

    CaseRunner(final Pe pe, final TeamSet teams, final long maxBytes)
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

    void run(final CollectiveCase test)
    {
        final int[] members = teams.members(test.shape());
        if (null == members)
        {
            return;
        }

        final Team team = teams.team(test.shape());
        try
        {
            if (test.call().isSynchronising())
            {
                synchronise(test, team, members);
            }
            else if (test.call().isScalar())
            {
                scalar(test, team, members);
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

    /**
     * Calls the routine with memory of the case's size.
     */
    static void call(
        final CollectiveCase test,
        final Team team,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long count,
        final int root)
    {
        final ElementType type = test.type();
        switch (test.call())
        {
            case BROADCAST -> team.broadcast(type, dest, source, count, root);
            case COLLECT -> team.collect(type, dest, source, count);
            case FCOLLECT -> team.fcollect(type, dest, source, count);
            case ALLTOALL -> team.alltoall(type, dest, source, count);
            case ALLTOALLS -> team.alltoalls(type, dest, source, test.destStride(), test.sourceStride(), count);
            case REDUCE -> team.reduce(test.op(), type, dest, source, count);
            case REDUCE_SCATTER -> team.reduceScatter(test.op(), type, dest, source, count);
            case INCLUSIVE_SCAN -> team.inclusiveScan(test.op(), type, dest, source, count);
            case EXCLUSIVE_SCAN -> team.exclusiveScan(test.op(), type, dest, source, count);
            default -> throw new IllegalArgumentException("has no memory: " + test);
        }
    }

    private void elements(final CollectiveCase test, final Team team, final int[] members)
    {
        final Oracle oracle = new Oracle(test, members, team.myPe(), pe.seed());
        final int bytes = test.type().bytes();
        final Oracle.Block contribution = oracle.source();
        final List<Oracle.Block> expected = oracle.dest();
        final long sourceLength = test.sourceElements(pe.seed(), team.myPe(), members.length) * bytes;
        final long destLength = test.destElements(pe.seed(), members.length) * bytes;
        final long seed = test.seed(pe.seed());
        final long sourceStart = start(test.type(), seed >>> 40);
        final long destStart = test.isInPlace() ? sourceStart : start(test.type(), seed >>> 50);

        final ElementMemory source = choose(sources, seed);
        final ElementMemory dest = choose(dests, ~seed);

        source.guard(sourceStart - GUARD_LENGTH, 2 * GUARD_LENGTH + Math.max(sourceLength, destLength));
        source.store(sourceStart, contribution, bytes);
        final ElementMemory result = test.isInPlace() ? source : dest;
        if (!test.isInPlace())
        {
            dest.guard(destStart - GUARD_LENGTH, 2 * GUARD_LENGTH + destLength);
        }

        final SymmetricBuffer sourceBuffer = source.buffer().slice(sourceStart, sourceLength);
        final SymmetricBuffer destBuffer = result.buffer().slice(destStart, destLength);
        delay(test);
        final long count = test.countOf(pe.seed(), team.myPe());
        final int root = test.root(pe.seed(), members.length);
        call(test, team, destBuffer, sourceBuffer, count, root);

        for (final Oracle.Block block : expected)
        {
            result.check("dest", destStart, block, bytes);
        }

        result.checkGaps("dest", destStart, expected, bytes);
        result.checkGuard("before dest", destStart - GUARD_LENGTH, GUARD_LENGTH);
        if (!test.isInPlace())
        {
            result.checkGuard("after dest", destStart + destLength, GUARD_LENGTH);
            source.check("source", sourceStart, contribution, bytes);
        }
        else if (sourceLength > destLength)
        {
            source.checkRest("source behind dest", sourceStart, contribution, destLength / bytes, bytes);
        }

        source.checkGuard("after source", sourceStart + Math.max(sourceLength, destLength), GUARD_LENGTH);
    }

    /**
     * Checks that writes of all members before the call are visible after it; numbers of cases grow, so that no member
     * waits for the readers.
     */
    private void synchronise(final CollectiveCase test, final Team team, final int[] members)
    {
        final long first = (long)test.shape().ordinal() * pe.n();
        if (Call.BARRIER == test.call())
        {
            for (final int member : members)
            {
                pe.ctx().putLong(words, 8 * (first + pe.me()), test.number() + 1, member);
            }

            delay(test);
            team.barrier();
        }
        else
        {
            pe.memory().putLong(words, 8 * (first + pe.me()), test.number() + 1);
            delay(test);
            team.sync();
        }

        for (final int member : members)
        {
            final long seen = Call.BARRIER == test.call() ? pe.memory().getLong(words, 8 * (first + member)) :
                pe.ctx().getLong(words, 8 * (first + member), member);
            assertTrue(seen > test.number(), "of PE " + member + ": " + seen + ", after " + test.call());
        }
    }

    private void scalar(final CollectiveCase test, final Team team, final int[] members)
    {
        final long seed = test.seed(pe.seed());
        final int root = test.root(pe.seed(), members.length);
        final Value[] values = new Value[members.length];
        for (int rank = 0; rank < members.length; rank++)
        {
            values[rank] = Inputs.at(test.type(), test.op(), seed, members[rank], 0);
        }

        final long own = values[team.myPe()].bits();
        delay(test);
        switch (test.call())
        {
            case REDUCE_LONG -> assertEquals(
                Oracle.combined(test.op(), test.type(), values).bits(), team.reduceLong(test.op(), own));
            case REDUCE_DOUBLE -> assertEquals(
                Oracle.combined(test.op(), test.type(), values).bits(),
                Double.doubleToRawLongBits(team.reduceDouble(test.op(), Double.longBitsToDouble(own))));
            default -> assertEquals(values[root].bits(), team.broadcastLong(own, root));
        }
    }

    /** Chooses memory for an operand: kinds differ within a PE and between PEs. */
    private ElementMemory choose(final List<ElementMemory> memories, final long seed)
    {
        return memories.get((int)Long.remainderUnsigned(Inputs.mix(seed + pe.me()), memories.size()));
    }

    private void delay(final CollectiveCase test)
    {
        if (test.isDelayed() && delays.nextBoolean())
        {
            pe.sleep(delays.nextLong(MAX_DELAY_NS));
        }
    }

    private static long start(final ElementType type, final long seed)
    {
        return GUARD_LENGTH + (seed & MAX_SHIFT - 1) * type.alignment();
    }
}
