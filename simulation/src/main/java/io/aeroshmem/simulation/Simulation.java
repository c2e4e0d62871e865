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
package io.aeroshmem.simulation;

import io.aeroshmem.PeTask;
import io.aeroshmem.Recovery;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.lifecycle.Recoveries;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.RecoveryDirectory;
import io.aeroshmem.transport.job.RetainedHeaps;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * Runs jobs in simulated worlds, for tests of programs on the library: the PEs are threads of this JVM, of which one
 * runs at a time, and a seed decides which. Each call of the library, and each access to symmetric memory by
 * {@link io.aeroshmem.SymmetricBuffer} and its typed views, is a step, after which another PE may go on. The same seed
 * has the same steps, on each JDK.
 * <p>
 * A program may use one thread per PE, and must not depend on anything else that differs from run to run: the clock of
 * the system, random numbers without a seed, other threads. The library's time limits are on the clock of the world.
 * <p>
 * A {@link Shmem.Context} with {@link Recovery#RESTART} makes the job recoverable: after a death, or a {@linkplain
 * Shmem#requestRecovery request}, the program runs again on all PEs, with their retained memory. An exception of the
 * program fails the job, as ever.
 */
public final class Simulation
{
    private Simulation()
    {
    }

    /**
     * Runs a job to its end, with one seed.
     *
     * @param simulation the world.
     * @param context    configuration of all PEs; the transport, the bootstrap, threads and idle strategies are those
     *                   of the world.
     * @param task       program of each PE.
     * @return what has happened.
     * @throws SimulationFailure         if a PE fails, does not come to its next step within a minute, or all wait for
     *                                   each other.
     * @throws ShmemInterruptedException if the thread is interrupted before the job begins; later it has no effect.
     * @throws IllegalArgumentException  if an argument of the simulation does not fit its mode or its number of PEs, or
     *                                   the script is none.
     */
    public static Trace run(final Context simulation, final Shmem.Context context, final PeTask task)
    {
        Objects.requireNonNull(simulation, "simulation");
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(task, "task");
        if (Thread.currentThread().isInterrupted())
        {
            throw new ShmemInterruptedException("interrupted before a simulated job; the interrupt status is kept");
        }

        final Recovery recovery = context.recovery();
        if (Recovery.NONE == recovery)
        {
            final World world = simulation.world(new World(simulation.seed, simulation.pes));
            world.run(context, task);
            return world.trace();
        }

        if (Recovery.RESTART != recovery)
        {
            throw new IllegalArgumentException("recovery must be NONE or RESTART in a simulation: " + recovery);
        }

        return runGenerations(simulation, context, task);
    }

    private static Trace runGenerations(final Context simulation, final Shmem.Context context, final PeTask task)
    {
        try (RecoveryDirectory directory = RecoveryDirectory.createForThisJvm(JobDirectory.defaultRoot()))
        {
            final Recoveries recoveries = new Recoveries(context.maxRecoveries(), context.recoveryWindowNs(), 0);
            World world = simulation.world(new World(simulation.seed, simulation.pes)
                .recovering(new RetainedHeaps(directory.path())));
            JobFailure end = world.runRecovering(context, task);
            while (null != end)
            {
                if (!recoveries.onFailure(world.nanoTime(), end.message()))
                {
                    throw new SimulationFailure(
                        world, simulation.pes, recoveries.exhausted(end.message()), null);
                }

                world = simulation.world(world.next(end));
                end = world.runRecovering(context, task);
            }

            return world.trace();
        }
    }

    /**
     * Runs a job with each of the seeds, in order, up to the first that fails.
     *
     * @param simulation the worlds.
     * @param context    configuration of all PEs, as in {@link #run}.
     * @param task       program of each PE.
     * @throws SimulationFailure         if a job fails: it has the first seed that does.
     * @throws ShmemInterruptedException if the thread is interrupted; a job that has begun comes to its end.
     * @throws IllegalArgumentException  if an argument of the simulation does not fit its mode or its number of PEs, or
     *                                   the script is none.
     */
    public static void explore(final Context simulation, final Shmem.Context context, final PeTask task)
    {
        final Context copy = simulation.clone();
        final AtomicLong next = new AtomicLong();
        final NavigableMap<Long, Throwable> failures = new ConcurrentSkipListMap<>();
        final List<CompletableFuture<Void>> explorers = new ArrayList<>();
        for (int i = 1; i < copy.parallelism; i++)
        {
            final int number = i;
            explorers.add(CompletableFuture.runAsync(
                () -> explore(copy, number, next, failures, context, task),
                (explorer) -> new Thread(explorer, "simulated-explorer-" + number).start()));
        }

        explore(copy, 0, next, failures, context, task);
        explorers.forEach(CompletableFuture::join);
        if (!failures.isEmpty())
        {
            final Throwable first = failures.firstEntry().getValue();
            if (first instanceof Error error)
            {
                throw error;
            }

            throw (RuntimeException)first;
        }
    }

    /** Runs jobs in the order of their seeds. When one fails, those before it have begun, and come to their end. */
    private static void explore(
        final Context simulation,
        final int number,
        final AtomicLong next,
        final Map<Long, Throwable> failures,
        final Shmem.Context context,
        final PeTask task)
    {
        while (failures.isEmpty())
        {
            final long i = next.getAndIncrement();
            if (i >= simulation.count)
            {
                return;
            }

            final Context world = simulation.clone().seed(simulation.firstSeed + i);
            world.processor = number;
            try
            {
                run(world, context, task);
            }
            catch (final RuntimeException | Error ex)
            {
                failures.put(i, ex);
            }
        }
    }

    /** How operations reach the memory of other PEs. */
    private enum Mode
    {
        MAPPED, MESSAGES, WEAK
    }

    /**
     * What a simulated world is like. The default is one of two PEs, weak memory and seed 1; an exploration has the
     * seeds 1 to 100.
     */
    public static final class Context implements Cloneable
    {
        private long seed = 1;
        private long firstSeed = 1;
        private long count = 100;
        private int parallelism = 1;
        private int processor;
        private int pes = 2;
        private Mode mode = Mode.WEAK;
        private String script;
        private List<BiConsumer<Context, World>> faults = new ArrayList<>();
        private int backPressure = -1;
        private long leastNs;
        private long mostNs;
        private double bytesPerSecond = Double.POSITIVE_INFINITY;

        /** Constructs the default. */
        public Context()
        {
        }

        /**
         * Sets the seed of {@link Simulation#run}.
         *
         * @param seed any value.
         * @return this.
         */
        public Context seed(final long seed)
        {
            this.seed = seed;
            return this;
        }

        /**
         * Sets the seeds of {@link Simulation#explore}.
         *
         * @param first of the seeds.
         * @param count how many follow each other, 1 or more.
         * @return this.
         * @throws IllegalArgumentException if the count is less than 1.
         */
        public Context seeds(final long first, final long count)
        {
            require(count >= 1, "count must be >= 1: count=", count);
            firstSeed = first;
            this.count = count;
            return this;
        }

        /**
         * Sets how many jobs of {@link Simulation#explore} run at a time, each on a processor of its own. They share
         * what the program keeps outside of its PEs, such as static fields and variables that it has captured. The seed
         * that is reported, and what happens with it, do not depend on this.
         *
         * @param jobs 1, the default, or more.
         * @return this.
         * @throws IllegalArgumentException if it is less than 1.
         */
        public Context parallelism(final int jobs)
        {
            require(jobs >= 1, "jobs must be >= 1: jobs=", jobs);
            parallelism = jobs;
            return this;
        }

        /**
         * Sets the number of PEs.
         *
         * @param pes 1 or more.
         * @return this.
         * @throws IllegalArgumentException if it is less than 1.
         */
        public Context pes(final int pes)
        {
            require(pes >= 1, "pes must be >= 1: pes=", pes);
            this.pes = pes;
            return this;
        }

        /**
         * Has one-sided operations take effect when they are issued, as between PEs that map each other's memory.
         *
         * @return this.
         */
        public Context mapped()
        {
            mode = Mode.MAPPED;
            return this;
        }

        /**
         * Has the PEs exchange the messages of the library's protocol, over a network that the seed makes slow or fast.
         *
         * @return this.
         */
        public Context messages()
        {
            mode = Mode.MESSAGES;
            return this;
        }

        /**
         * Has one-sided operations take effect in any order, and as late, as OpenSHMEM permits: the default.
         *
         * @return this.
         */
        public Context weak()
        {
            mode = Mode.WEAK;
            return this;
        }

        /**
         * Has the network refuse a share of the frames, for which it has room.
         *
         * @param percent 0 to 90; by default 5 or 50, as the seed decides.
         * @return this.
         * @throws IllegalArgumentException if it is out of range.
         */
        public Context backPressure(final int percent)
        {
            require(percent >= 0 && percent <= 90, "percent must be 0 to 90: percent=", percent);
            backPressure = percent;
            return this;
        }

        /**
         * Has messages take a virtual time of the seed's choice. Without it they take none, but arrive when the seed
         * decides.
         *
         * @param least latency.
         * @param most  latency.
         * @return this.
         * @throws IllegalArgumentException if a time is negative, or the most is less than the least.
         */
        public Context latency(final Duration least, final Duration most)
        {
            leastNs = ns(least, "least");
            mostNs = ns(most, "most");
            require(mostNs >= leastNs, "most must be >= least: most=", mostNs);
            return this;
        }

        /**
         * Limits what each stream carries.
         *
         * @param bytesPerSecond of virtual time, 1 or more.
         * @return this.
         * @throws IllegalArgumentException if it is less than 1.
         */
        public Context bandwidth(final long bytesPerSecond)
        {
            require(bytesPerSecond >= 1, "bytesPerSecond must be >= 1: bytesPerSecond=", bytesPerSecond);
            this.bytesPerSecond = bytesPerSecond;
            return this;
        }

        /**
         * Cuts a stream of the seed's choice, on which messages wait then.
         *
         * @param after  virtual time from the start of the job.
         * @param length virtual time until it is mended; it is mended earlier if all PEs wait for it.
         * @return this.
         * @throws IllegalArgumentException if a time is negative.
         */
        public Context cut(final Duration after, final Duration length)
        {
            final long afterNs = ns(after, "after");
            final long lengthNs = ns(length, "length");
            faults.add((context, world) ->
            {
                if (Mode.MESSAGES != context.mode)
                {
                    throw new IllegalArgumentException("cut requires messages(): " + context.mode);
                }

                world.cutAfter(afterNs, lengthNs);
            });
            return this;
        }

        /**
         * Has a PE die, wherever it is: nothing is unwound. The job fails, as it does when a process is killed; with
         * {@link Recovery#RESTART} in the {@link Shmem.Context}, another generation follows, unless the programs of all
         * have ended.
         *
         * @param pe    that dies.
         * @param after virtual time from the start of the job.
         * @return this.
         * @throws IllegalArgumentException if the time is negative.
         */
        public Context kill(final int pe, final Duration after)
        {
            final long afterNs = ns(after, "after");
            faults.add((context, world) -> world.killAfter(context.existing(pe), afterNs));
            return this;
        }

        /**
         * Has a PE do nothing for a while, as when its process is stopped.
         *
         * @param pe     that stops.
         * @param after  virtual time from the start of the job.
         * @param length virtual time until it goes on.
         * @return this.
         * @throws IllegalArgumentException if a time is negative.
         */
        public Context pause(final int pe, final Duration after, final Duration length)
        {
            final long afterNs = ns(after, "after");
            final long lengthNs = ns(length, "length");
            faults.add((context, world) -> world.pauseAfter(context.existing(pe), afterNs, lengthNs));
            return this;
        }

        /**
         * Makes a PE slower than the others: while they can go on, it does in one of so many of its turns.
         *
         * @param pe     that is slow.
         * @param factor 2 or more.
         * @return this.
         * @throws IllegalArgumentException if the factor is less than 2.
         */
        public Context slow(final int pe, final int factor)
        {
            require(factor >= 2, "factor must be >= 2: factor=", factor);
            faults.add((context, world) -> world.slow(context.existing(pe), factor));
            return this;
        }

        /**
         * Has the PEs go on in the order of a script, as far as they can; then the seed decides.
         *
         * @param script from {@link SimulationFailure#script()}.
         * @return this.
         */
        public Context script(final String script)
        {
            this.script = Objects.requireNonNull(script, "script");
            return this;
        }

        /**
         * Returns a copy.
         *
         * @return the copy, which changes apart from this.
         */
        @Override
        public Context clone()
        {
            try
            {
                final Context copy = (Context)super.clone();
                copy.faults = new ArrayList<>(faults);
                return copy;
            }
            catch (final CloneNotSupportedException ex)
            {
                throw new AssertionError(ex);
            }
        }

        private World world(final World world)
        {
            try
            {
                choose(world.stepping().onProcessor(processor));
                faults.forEach((fault) -> fault.accept(this, world));
                return null == script ? world : world.scripted(script);
            }
            catch (final RuntimeException ex)
            {
                world.discard();
                throw ex;
            }
        }

        private void choose(final World world)
        {
            final boolean isTimed = mostNs > 0 || Double.POSITIVE_INFINITY != bytesPerSecond;
            if (Mode.MESSAGES != mode && (isTimed || backPressure >= 0))
            {
                throw new IllegalArgumentException("latency, bandwidth and backPressure require messages(): " + mode);
            }

            switch (mode)
            {
                case MESSAGES ->
                {
                    world.exchanging(backPressure);
                    if (isTimed)
                    {
                        world.link(leastNs, mostNs, bytesPerSecond);
                    }
                }

                case WEAK -> world.weak();
                default ->
                {
                }
            }
        }

        private int existing(final int pe)
        {
            require(pe >= 0 && pe < pes, "pe must be 0 to " + (pes - 1) + ": pe=", pe);
            return pe;
        }

        private static long ns(final Duration duration, final String name)
        {
            Objects.requireNonNull(duration, name);
            require(!duration.isNegative(), name + " must be >= 0: ns=", duration.toNanos());
            return duration.toNanos();
        }

        private static void require(final boolean condition, final String rule, final long value)
        {
            if (!condition)
            {
                throw new IllegalArgumentException(rule + value);
            }
        }
    }
}
