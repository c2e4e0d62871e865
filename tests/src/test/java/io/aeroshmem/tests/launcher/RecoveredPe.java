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

import io.aeroshmem.Bootstrap;
import io.aeroshmem.Generation;
import io.aeroshmem.Lost;
import io.aeroshmem.MemoryState;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.Recovery;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Retained;
import io.aeroshmem.RetainedCell;
import io.aeroshmem.Shmem;
import io.aeroshmem.SnapshotException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.UniqueId;
import io.aeroshmem.bootstrap.LauncherBootstrap;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.ProcessIdentity;
import io.aeroshmem.transport.job.SuccessorState;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
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
    /** Tests wait for what ends a generation; until then the PEs leave the processors to others. */
    private static final long ROUND_PAUSE_NS = 1_000_000;
    private static final int ROUNDS = 50;
    /** Of the last generation: each writes and reads files of all PEs. */
    private static final int SNAPSHOTS = 5;
    private static final int KEPT = 16;
    private static final int RECORD = 1 << 18;
    private static final int RECORDS_PER_LINE = 100;
    private static final String BLOCK = "block";
    private static final int WARM = 5;
    private static final int SLACK = 8;
    private static final int MAX_PES = 4;

    private static boolean hasRun;
    /** The PE of an earlier generation in this process, and an allocation of it. */
    private static Shmem before;
    private static SymmetricBuffer bufferBefore;
    private static int[] warm;
    private static boolean isResized;

    private RecoveredPe()
    {
    }

    /**
     * Runs one process. {@code ways} fails in each {@link Way}; {@code until N} runs until it is killed, up to
     * generation N, with memory that crosses from one to the next; {@code records N} too, but writes long records all
     * the time; {@code snapshots N DIRECTORY} too, with snapshots and restores all the time; {@code closed} fails after
     * the close; {@code exit} calls globalExit in generation 1. {@code local} runs all PEs in this JVM, and ends it in
     * generation 1. {@code descriptors DIRECTORY} has a PE that cannot open files for a while. {@code leaks N}
     * requests recoveries, or dies, up to generation N, and counts what the process holds. {@code moved N} runs until
     * hosts are lost, up to generation N, and prints what was retained; {@code moved N FILE} ends also when there is
     * that file. {@code shrink} runs until one PE is left; a process of it ends at once if there are more than 4.
     * {@code starved} loses PE 1, whose next processes lack a resource ({@link Starvation}). {@code registered} loses
     * PE 0, then PE 1 while it joins.
     */
    public static void main(final String[] args) throws Exception
    {
        final String nPes = System.getenv("AEROSHMEM_NPES");
        if ("shrink".equals(args[0]) && null != nPes && Integer.parseInt(nPes) > MAX_PES)
        {
            System.exit(7);
        }

        if ("local".equals(args[0]))
        {
            Shmem.runLocal(2, new Shmem.Context().recovery(Recovery.RESTART), RecoveredPe::endJvm);
        }

        if ("starved".equals(args[0]))
        {
            starvation(args).take();
        }

        final Shmem.Context config = new Shmem.Context()
            .waitIdleStrategySupplier(BackoffIdleStrategy::new)
            .onGenerationEnd(() -> System.out.println("ended"));
        final String idFile = System.getenv("TEST_ID_FILE");
        if (null != idFile)
        {
            final int rank = Integer.parseInt(System.getenv("TEST_RANK"));
            config.bootstrap(Bootstrap.uniqueId(
                rank, Integer.parseInt(System.getenv("TEST_NRANKS")), id(Path.of(idFile), 0 == rank)));
        }

        Shmem.run(config, (shmem) ->
        {
            final Generation generation = shmem.generation();
            require(!shmem.isEnded() && null == shmem.failure(), "ended before it began");
            final boolean isNew = !hasRun;
            hasRun = true;
            shmem.barrierAll();
            isResized = "shrink".equals(args[0]);
            print(shmem, generation, isNew);
            switch (args[0])
            {
                case "ways" -> failInEachWay(shmem, generation.number());
                case "until" -> runUntil(
                    shmem, generation.number() >= Integer.parseInt(args[1]), args.length > 2 ? Path.of(args[2]) : null);
                case "records" -> writeRecords(shmem, generation.number() >= Integer.parseInt(args[1]));
                case "snapshots" -> takeSnapshots(
                    shmem, generation.number() >= Integer.parseInt(args[1]), Path.of(args[2]));
                case "descriptors" -> runOutOfDescriptors(shmem, Path.of(args[1]));
                case "leaks" -> leak(shmem, generation.number(), Integer.parseInt(args[1]));
                case "shrink" -> shrink(shmem, generation);
                case "exit" -> exit(shmem, generation.number());
                case "starved" -> goOnAfterStarvation(shmem, generation.number(), starvation(args));
                case "moved" -> goOnElsewhere(
                    shmem, generation.number() >= Integer.parseInt(args[1]), args.length > 2 ? Path.of(args[2]) : null);
                case "registered" -> endOnceRegistered(shmem, generation.number());
                case "closed" -> shmem.barrierAll();
                default -> throw new IllegalArgumentException(args[0]);
            }
        });
        if (Boolean.parseBoolean(System.getenv("TEST_LINGER")))
        {
            TimeUnit.DAYS.sleep(1);
        }

        if ("closed".equals(args[0]) && "1".equals(System.getenv("AEROSHMEM_PE")))
        {
            System.exit(7);
        }
    }

    /** Returns the id in a file, which the first process of rank 0 makes. */
    private static UniqueId id(final Path file, final boolean isMaker) throws IOException
    {
        if (isMaker && !Files.exists(file))
        {
            final UniqueId id = UniqueId.create();
            final Path next = Files.write(file.resolveSibling("next"), id.toBytes());
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            return id;
        }

        while (!Files.exists(file))
        {
            LockSupport.parkNanos(PAUSE_NS);
        }

        return UniqueId.fromBytes(Files.readAllBytes(file));
    }

    private static void endJvm(final Shmem shmem)
    {
        final SymmetricBuffer block = shmem.retain(BLOCK, RECORD);
        final int number = shmem.generation().number();
        require(number == block.getLong(0), "number of the generation");
        block.putLong(0, number + 1);
        shmem.barrierAll();
        if (0 == number)
        {
            throw new IllegalStateException("a bad day");
        }

        System.exit(4);
    }

    /**
     * Throws unless each generation went on after what PE 0 had printed in the one before.
     *
     * @param output of PE 0, or of all.
     */
    public static void requireNothingLost(final List<String> output)
    {
        long last = -1;
        for (final String line : output)
        {
            final long number = line.matches("(round|began) \\d+") ? Long.parseLong(line.substring(6)) : -1;
            if (line.startsWith("began ") && number <= last || line.startsWith("wrong: "))
            {
                throw new AssertionError(line + " after round " + last + " in\n" + String.join("\n", output));
            }

            last = line.startsWith("round ") ? number : last;
        }
    }

    private static void print(final Shmem shmem, final Generation generation, final boolean isNew)
    {
        final int pe = shmem.myPe();
        final boolean isFirst = 0 == generation.number();
        require(generation.previousPe(pe) == (isFirst ? -1 : pe) || isResized, "previous PE");
        require(generation.isReplacement(pe) == (!isFirst && isNew), "replacement");
        final long replaced = shmem.world().reduceLong(ReduceOp.SUM, isNew ? 1L << pe : 0);
        for (int other = 0; other < shmem.nPes(); other++)
        {
            require(isFirst || generation.isReplacement(other) == (0 != (replaced & 1L << other)), "replacement");
        }

        checkBefore(shmem);
        require(isFirst == (null == generation.cause()), "cause");
        System.out.println("generation " + generation.number() + ' ' + pe + ' ' +
            generation.lost().stream().map(Lost::pe).map(String::valueOf).collect(Collectors.joining(",", "[", "] ")) +
            (isFirst ? "none" : generation.cause().getClass().getSimpleName()));
        System.out.println("ready " + pe + ' ' + generation.number() + ' ' + ProcessHandle.current().pid());
        System.out.flush();
    }

    /** Nothing of an earlier generation is of use. */
    private static void checkBefore(final Shmem shmem)
    {
        if (null != before)
        {
            final String text = "generation " + before.generation().number();
            for (final Runnable call : new Runnable[]{
                before::barrierAll,
                () -> before.world().barrier(),
                () -> bufferBefore.getLong(0),
                () -> before.defaultContext().quiet(),
                () -> shmem.defaultContext().putLong(bufferBefore, 0, 1, 0) })
            {
                try
                {
                    call.run();
                    require(false, "a call on the generation before");
                }
                catch (final IllegalStateException ex)
                {
                    require(ex.getMessage().contains(text), ex.getMessage());
                }
            }
        }

        bufferBefore = shmem.malloc(Long.BYTES);
        before = shmem;
    }

    /** Does not depend on when garbage is collected. */
    private static void leak(final Shmem shmem, final int number, final int last)
    {
        shmem.retain("kept", 1 << 16);
        if (0 == shmem.myPe() && number >= WARM)
        {
            final int[] held = { count("fd"), count("map_files"), count("task") };
            warm = null == warm ? held : warm;
            for (int i = 0; i < held.length; i++)
            {
                require(held[i] <= warm[i] + SLACK, "files, mappings, threads: " + Arrays.toString(held) + " after " +
                    Arrays.toString(warm) + " in generation " + number);
            }
        }

        shmem.barrierAll();
        if (number < last && 1 == shmem.myPe())
        {
            if (0 == number % 10)
            {
                Runtime.getRuntime().halt(9);
            }

            shmem.requestRecovery("once more");
        }
        while (number < last)
        {
            meet(shmem);
        }
    }

    private static int count(final String what)
    {
        return Objects.requireNonNull(new File("/proc/self/" + what).list()).length;
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
        else if (shmem.myPe() == (culprit + 1) % shmem.nPes() && isSurvivorLate(number))
        {
            while (true)
            {
                // looks at nothing
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
        else
        {
            meetUntilTheEnd(shmem);
        }
    }

    /** After the loss of a process, and after a failure without one. */
    static boolean isSurvivorLate(final int number)
    {
        return Way.SIGKILL.ordinal() == number || Way.FAIL_AND_RETURN.ordinal() == number;
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
     * rounds retain memory that odd ones release. The last generation ends after some rounds, but not before there is a
     * file of that name, if there is a name.
     */
    private static void runUntil(final Shmem shmem, final boolean isLast, final Path end)
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
        for (long round = begin; !isLast || round < begin + ROUNDS || !isAgreed(shmem, end); round++)
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

            if (!isLast)
            {
                LockSupport.parkNanos(ROUND_PAUSE_NS);
            }
        }
    }

    private static boolean isAgreed(final Shmem shmem, final Path end)
    {
        return null == end || 0 != shmem.world().reduceLong(ReduceOp.MIN, Files.exists(end) ? 1 : 0);
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

    /** Begins with the newest snapshot; each word of it is its number. */
    private static void takeSnapshots(final Shmem shmem, final boolean isLast, final Path directory)
    {
        final boolean isRestored = !shmem.retained().isEmpty() &&
            MemoryState.RESTORED == shmem.retained().get(0).state(shmem.myPe());
        final SymmetricBuffer block = shmem.retain(BLOCK, RECORD);
        final long restored = isRestored ? value(shmem, block) : 0;
        long begin = 0;
        try
        {
            shmem.restore(directory);
            begin = value(shmem, block);
        }
        catch (final SnapshotException ex)
        {
            System.out.println(ex.getMessage());
        }

        require(!isRestored || restored == begin, "restored " + restored + " instead of " + begin);
        if (0 == shmem.myPe())
        {
            System.out.println("began " + begin);
            System.out.flush();
        }

        for (long number = begin + 1; !isLast || number < begin + SNAPSHOTS; number++)
        {
            for (int i = 0; i < RECORD; i += Long.BYTES)
            {
                block.putLong(i, number);
            }

            shmem.snapshot(directory);
            if (0 == shmem.myPe())
            {
                System.out.println("round " + (number - 1));
                System.out.flush();
            }

            block.fill((byte)-1);
            shmem.restore(directory);
            final long found = value(shmem, block);
            require(number == found, "restored " + found + " instead of " + number);
        }
    }

    /** A PE that cannot open a file fails snapshots and restores, and nothing is lost. */
    private static void runOutOfDescriptors(final Shmem shmem, final Path directory) throws IOException
    {
        final SymmetricBuffer block = shmem.retain(BLOCK, Long.BYTES);
        requireFailure(() -> shmem.restore(directory));
        block.putLong(0, 1);
        shmem.snapshot(directory);
        shmem.restore(directory);
        require(1 == value(shmem, block), "restored " + block.getLong(0));

        final Process limiter = 1 == shmem.myPe() ? new ProcessBuilder("sh", "-c", "read line; prlimit --pid " +
            ProcessHandle.current().pid() + " --nofile=3: && echo; read line; prlimit --pid " +
            ProcessHandle.current().pid() + " --nofile=4096: && echo").redirectErrorStream(true).start() : null;
        block.putLong(0, 2);
        next(limiter);
        shmem.barrierAll();
        requireFailure(() -> shmem.snapshot(directory));
        requireFailure(() -> shmem.restore(directory));
        require(2 == value(shmem, block), "changed to " + block.getLong(0));
        next(limiter);
        shmem.barrierAll();
        shmem.restore(directory);
        require(1 == value(shmem, block), "restored " + block.getLong(0));
        block.putLong(0, 3);
        shmem.snapshot(directory);
        block.putLong(0, 4);
        shmem.restore(directory);
        require(3 == value(shmem, block), "restored " + block.getLong(0));
    }

    private static void next(final Process limiter) throws IOException
    {
        if (null != limiter)
        {
            limiter.getOutputStream().write('\n');
            limiter.getOutputStream().flush();
            final int answer = limiter.getInputStream().read();
            require('\n' == answer, "prlimit: " + (char)answer);
        }
    }

    private static void requireFailure(final Runnable call)
    {
        try
        {
            call.run();
        }
        catch (final SnapshotException ex)
        {
            System.out.println(ex.getMessage());
            return;
        }

        require(false, "no exception");
    }

    /** Returns what each word of a block is on all PEs. */
    private static long value(final Shmem shmem, final SymmetricBuffer block)
    {
        final long value = block.getLong(0);
        for (long i = 0; i < block.length(); i += Long.BYTES)
        {
            require(value == block.getLong(i), "a block of " + value + " has a word of " + block.getLong(i));
        }

        final long most = shmem.world().reduceLong(ReduceOp.MAX, value);
        require(value == most, "a block of " + value + ", and one of " + most);
        return value;
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

    private static Starvation starvation(final String... arguments)
    {
        return new Starvation(Arrays.copyOfRange(arguments, 1, arguments.length));
    }

    /** The first generation in which no PE lacks anything finds all memory. */
    private static void goOnAfterStarvation(final Shmem shmem, final int number, final Starvation starvation)
        throws IOException
    {
        final SymmetricBuffer block = shmem.retain(BLOCK, RECORD);
        if (0 == number)
        {
            block.fill((byte)(1 + shmem.myPe()));
            shmem.barrierAll();
            if (1 == shmem.myPe())
            {
                starvation.begin();
                Runtime.getRuntime().halt(9);
            }

            meetUntilTheEnd(shmem);
        }

        for (int pe = 0; pe < shmem.nPes(); pe++)
        {
            require(MemoryState.RETAINED == shmem.retained().get(0).state(pe), "the memory of PE " + pe + " is lost");
        }

        for (int i = 0; i < RECORD; i++)
        {
            require(1 + shmem.myPe() == block.getByte(i), "found " + block.getByte(i) + " at " + i);
        }

        shmem.barrierAll();
    }

    private static void goOnElsewhere(final Shmem shmem, final boolean isLast, final Path end)
    {
        for (final Retained retained : shmem.retained())
        {
            for (int pe = 0; pe < shmem.nPes() && 0 == shmem.myPe(); pe++)
            {
                System.out.println("state of " + pe + ": " + retained.state(pe));
            }
        }

        final SymmetricBuffer block = shmem.retain(BLOCK, Long.BYTES);
        final long found = block.getLong(0);
        block.putLong(0, 7);
        System.out.println("found " + shmem.myPe() + ' ' + found);
        System.out.flush();
        shmem.barrierAll();
        while (!isLast && (null == end || !isAgreed(shmem, end)))
        {
            meet(shmem);
        }
    }

    /** The memory of each PE has its first number, and goes with it, until one PE is left. */
    private static void shrink(final Shmem shmem, final Generation generation)
    {
        final boolean isFirst = generation.previousPe(shmem.myPe()) < 0;
        if (generation.number() > 0)
        {
            for (int pe = 0; pe < shmem.nPes(); pe++)
            {
                require((generation.previousPe(pe) < 0 ? MemoryState.ZEROED : MemoryState.RETAINED) ==
                    shmem.retained().get(0).state(pe), "state of memory");
            }
        }

        final SymmetricBuffer first = shmem.retain("first number", Long.BYTES);
        require(!isFirst || 0 == first.getLong(0), "zeroed");
        shmem.barrierAll();
        first.putLong(0, isFirst ? shmem.myPe() : first.getLong(0));
        shmem.barrierAll();
        final long right = shmem.defaultContext().getLong(first, 0, (shmem.myPe() + 1) % shmem.nPes());
        require(right > first.getLong(0) || shmem.myPe() == shmem.nPes() - 1, "order of PEs");
        System.out.println("shrunk " + shmem.myPe() + ' ' + generation.previousPe(shmem.myPe()) + ' ' +
            first.getLong(0) + ' ' + shmem.nPes());
        System.out.flush();
        while (shmem.nPes() > 1)
        {
            meet(shmem);
        }
    }

    /** PE 0 ends. PE 1 survives that, and ends in the next generation as soon as it has registered. */
    private static void endOnceRegistered(final Shmem shmem, final int number)
    {
        if (0 == number && 0 == shmem.myPe())
        {
            Runtime.getRuntime().halt(9);
        }

        try
        {
            while (0 == number)
            {
                meet(shmem);
            }
        }
        catch (final PeFailureException ex)
        {
            final JobDirectory failed = JobDirectory.open(Path.of(System.getenv(LauncherBootstrap.JOB_DIR_ENV)));
            while (SuccessorState.READY != failed.control().successorState())
            {
                LockSupport.parkNanos(PAUSE_NS);
            }

            final JobDirectory next = JobDirectory.open(Path.of(failed.control().successor()));
            final ProcessIdentity self = ProcessIdentity.current();
            next.control().register(1, self.pid(), self.startTime(),
                next.lockProcess(JobDirectory.peName(1)).path().getFileName().toString());
            Runtime.getRuntime().halt(9);
        }
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

        meetUntilTheEnd(shmem);
    }

    /** Until the generation ends. */
    private static void meetUntilTheEnd(final Shmem shmem)
    {
        while (true)
        {
            meet(shmem);
        }
    }

    private static void meet(final Shmem shmem)
    {
        shmem.barrierAll();
        LockSupport.parkNanos(ROUND_PAUSE_NS);
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
