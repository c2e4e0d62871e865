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
package io.aeroshmem.tests.launcher;

import io.aeroshmem.Generation;
import io.aeroshmem.Lost;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.RetainedCell;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A program that fails in the first generations of its job and ends well in a later one. In each it prints
 * {@code ready <pe> <number> <pid>}, after {@code generation <number> <pe>}, the lost PEs and the type of the cause.
 */
public final class RecoveredPe
{
    /** How a PE ends its generation. */
    enum Way
    {
        SIGKILL, HALT_WITH_0, EXIT, EXCEPTION, FAIL_AND_RETURN, REQUEST
    }

    private static final long PAUSE_NS = 100_000;
    private static final int ROUNDS = 50;
    private static final int KEPT = 16;
    private static final int RECORD = 1 << 18;
    private static final int RECORDS_PER_LINE = 100;
    private static final String BLOCK = "block";

    private RecoveredPe()
    {
    }

    /**
     * Runs one process. {@code ways} fails in each {@link Way}; {@code until N} runs until it is killed, up to
     * generation N, with memory that crosses from one to the next; {@code records N} too, but writes long records all
     * the time; {@code closed} fails after the close; {@code exit} calls globalExit in generation 1.
     */
    public static void main(final String[] args) throws Exception
    {
        Shmem.run(new Shmem.Context().onGenerationEnd(() -> System.out.println("ended")), (shmem) ->
        {
            final Generation generation = shmem.generation();
            require(!shmem.isEnded() && null == shmem.failure(), "ended before it began");
            shmem.barrierAll();
            print(shmem, generation);
            switch (args[0])
            {
                case "ways" -> failInEachWay(shmem, generation.number());
                case "until" -> runUntil(shmem, generation.number() >= Integer.parseInt(args[1]));
                case "records" -> writeRecords(shmem, generation.number() >= Integer.parseInt(args[1]));
                case "exit" -> exit(shmem, generation.number());
                case "closed" -> shmem.barrierAll();
                default -> throw new IllegalArgumentException(args[0]);
            }
        });
        if ("closed".equals(args[0]) && "1".equals(System.getenv("AEROSHMEM_PE")))
        {
            System.exit(7);
        }
    }

    private static void print(final Shmem shmem, final Generation generation)
    {
        final int pe = shmem.myPe();
        final boolean isFirst = 0 == generation.number();
        require(generation.previousPe(pe) == (isFirst ? -1 : pe), "previous PE");
        require(generation.isReplacement(pe) != isFirst, "replacement");
        require(isFirst == (null == generation.cause()), "cause");
        System.out.println("generation " + generation.number() + ' ' + pe + ' ' +
            generation.lost().stream().map(Lost::pe).map(String::valueOf).collect(Collectors.joining(",", "[", "] ")) +
            (isFirst ? "none" : generation.cause().getClass().getSimpleName()));
        System.out.println("ready " + pe + ' ' + generation.number() + ' ' + ProcessHandle.current().pid());
        System.out.flush();
    }

    private static void failInEachWay(final Shmem shmem, final int number) throws IOException
    {
        if (number >= Way.values().length)
        {
            shmem.barrierAll();
            return;
        }
        final int culprit = number % shmem.nPes();
        if (shmem.myPe() == culprit)
        {
            fail(shmem, Way.values()[number]);
        }
        else if (shmem.myPe() == (culprit + 1) % shmem.nPes())
        {
            while (true)
            {
                // looks at nothing
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        else
        {
            while (true)
            {
                shmem.barrierAll();
            }
        }
    }

    private static void fail(final Shmem shmem, final Way way) throws IOException
    {
        switch (way)
        {
            case SIGKILL ->
            {
                new ProcessBuilder("kill", "-KILL", Long.toString(ProcessHandle.current().pid())).start();
                LockSupport.park();
            }
            case HALT_WITH_0 -> Runtime.getRuntime().halt(0);
            case EXIT -> System.exit(3);
            case FAIL_AND_RETURN ->
            {
                shmem.fail(new IllegalStateException("a bad day"));
                require(shmem.isEnded(), "not ended");
            }
            case REQUEST -> shmem.requestRecovery("a better day");
            default -> throw new IllegalStateException("nothing left to trade");
        }
    }

    /**
     * Goes on with the rounds of the generation before. In a round a PE puts its number to its neighbour, and even
     * rounds retain memory that odd ones release.
     */
    private static void runUntil(final Shmem shmem, final boolean isLast)
    {
        final long names = shmem.retained().stream().filter((retained) -> BLOCK.equals(retained.name())).count();
        final SymmetricBuffer count = shmem.retain("count", Long.BYTES);
        final SymmetricBuffer rounds = shmem.retain("rounds", (long)Long.BYTES * KEPT);
        final long begin = shmem.world().reduceLong(ReduceOp.MAX, count.getLong(0));
        final long least = shmem.world().reduceLong(ReduceOp.MIN, count.getLong(0));
        require(begin - least <= 1, "PEs at rounds " + least + " and " + begin);
        for (long round = Math.max(0, begin - KEPT + 1); round < begin; round++)
        {
            require(stamp(round, shmem.myPe()) == rounds.getLong(round % KEPT * Long.BYTES), "round " + round);
        }
        if (names != (begin & 1))
        {
            // the next round had got as far as this
            change(shmem, names);
        }
        if (0 == shmem.myPe())
        {
            System.out.println("began " + begin);
            System.out.flush();
        }

        final int right = (shmem.myPe() + 1) % shmem.nPes();
        for (long round = begin; !isLast || round < begin + ROUNDS; round++)
        {
            shmem.defaultContext().putLong(rounds, round % KEPT * Long.BYTES, stamp(round, right), right);
            change(shmem, round);
            final long sum = shmem.world().reduceLong(ReduceOp.SUM, round);
            require(sum == shmem.nPes() * round, "sum " + sum);
            shmem.barrierAll();
            count.putLong(0, round + 1);
            if (0 == shmem.myPe() && 0 == round % KEPT)
            {
                System.out.println("round " + round);
                System.out.flush();
            }
        }
    }

    /** The word of each record is the number of its write. */
    private static void writeRecords(final Shmem shmem, final boolean isLast)
    {
        final SymmetricBuffer buffer = shmem.retain("record", RetainedCell.requiredBytes(RECORD));
        final RetainedCell cell = new RetainedCell(buffer, 0, RECORD);
        final UnsafeBuffer record = new UnsafeBuffer(new byte[RECORD]);
        final long begin = cell.read(record, 0);
        for (int i = 0; i < RECORD; i += Long.BYTES)
        {
            require(begin == record.getLong(i), "record " + begin + " has a word of " + record.getLong(i));
        }
        if (0 == shmem.myPe())
        {
            System.out.println("began " + begin);
            System.out.flush();
        }

        for (long number = begin + 1; !shmem.isEnded() && (!isLast || number < begin + ROUNDS); number++)
        {
            for (int i = 0; i < RECORD; i += Long.BYTES)
            {
                record.putLong(i, number);
            }
            require(number == cell.write(record, 0), "number of write " + number);
            if (0 == shmem.myPe() && 0 == number % RECORDS_PER_LINE)
            {
                System.out.println("round " + (number - 1));
                System.out.flush();
            }
        }
        shmem.barrierAll();
    }

    private static void change(final Shmem shmem, final long round)
    {
        if (0 == (round & 1))
        {
            shmem.retain(BLOCK, 64);
        }
        else
        {
            shmem.release(BLOCK);
        }
    }

    private static long stamp(final long round, final int pe)
    {
        return round * 10 + pe + 1;
    }

    private static void exit(final Shmem shmem, final int number)
    {
        if (0 == shmem.myPe())
        {
            if (0 == number)
            {
                Runtime.getRuntime().halt(9);
            }
            shmem.globalExit(5);
        }
        while (true)
        {
            shmem.barrierAll();
        }
    }

    private static void require(final boolean isRight, final String what)
    {
        if (!isRight)
        {
            System.err.println("wrong: " + what);
            Runtime.getRuntime().halt(99);
        }
    }
}
