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

import io.aeroshmem.lifecycle.FailureExceptions;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.endpoint.BootstrappedEndpoint;
import io.aeroshmem.transport.endpoint.TrainingJobs;
import io.aeroshmem.transport.progress.YieldThenParkIdleStrategy;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Training of the library inside {@code init} ({@link Shmem.Context#warmUp}): a job of two PEs in this JVM, with
 * memory, counters and streams of its own, makes calls over the paths that this PE has to its peers, so that the JVM
 * compiles them. Its messages take the media driver of the real job, and UDP if those of the real job do, over the
 * loopback interface: so the driver is trained, too. PE 0 calls, and PE 1 takes part in collectives.
 */
final class WarmUp
{
    private static final int PES = 2;
    /** Of each PE that trains. */
    static final long HEAP_SIZE = 64 << 10;
    /** At least what the library needs besides, with the files of the job. */
    private static final long LIBRARY_LENGTH = 128 << 10;

    private static final long BYTES = 4096;
    private static final int WORDS = (int)(BYTES / Long.BYTES);

    /**
     * Jobs on a path, one after the other. What happens once in a job, such as the first frame of a peer, leads out of
     * compiled code that has not seen it. The second job finds that out while the training still goes on.
     */
    static final TrainingJobs TRAINING = new TrainingJobs(4, PES, HEAP_SIZE + LIBRARY_LENGTH);

    /** An operation is called in a row for this time, but not more often: many calls of the short ones. */
    private static final long SLICE_NS = TimeUnit.MICROSECONDS.toNanos(500);
    private static final int MAX_CALLS = 16384;
    /** Calls from one look at the clock to the next, enough for records to share frames. */
    private static final int CALLS = 64;
    private static final int COLLECTIVES = 32;

    /** A waiting thread leaves the processors to the compiler. */
    private static final long MAX_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    /** One call of an operation; the number counts from 0. */
    @FunctionalInterface
    private interface Call
    {
        void call(int number);
    }

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final SymmetricBuffer dest;
    private final SymmetricBuffer source;
    private final SymmetricBuffer signal;
    private final int peer;
    private final Call[] calls;
    private final Call[] collectives;
    private long sequence;

    private WarmUp(final Shmem shmem)
    {
        this.shmem = shmem;
        ctx = shmem.defaultContext();
        dest = shmem.calloc(WORDS, Long.BYTES);
        source = shmem.calloc(WORDS, Long.BYTES);
        signal = shmem.calloc(2, Long.BYTES);
        peer = 1 - shmem.myPe();
        calls = calls();
        collectives = collectives(shmem.world());
    }

    /**
     * Trains the paths of a PE for the time that its context specifies, above 0, each for an equal part of it. If
     * memory is short, or a path cannot be trained, that is reported to the error handler and left out.
     *
     * @throws ShmemInterruptedException if the thread is interrupted, the flag kept.
     */
    static void perform(
        final Shmem.Context config, final BootstrappedEndpoint bootstrapped, final FailureExceptions exceptions)
    {
        if (Pause.SYSTEM != bootstrapped.pause())
        {
            // a simulated world has a time of its own, which no compiler needs
            return;
        }

        final int termLength = bootstrapped.trainingTermLength();
        if (0 == termLength)
        {
            bootstrapped.errorHandler().onError(
                new ShmemException("init does without the warm-up: " + bootstrapped.trainingShortage()));
            return;
        }

        final long totalNs = config.warmUp().toNanos();
        final long startNs = System.nanoTime();
        final String driver = bootstrapped.driverDirectory();
        final long mappedNs = !isMapping(bootstrapped) ? 0 : null == driver ? totalNs : totalNs / 2;
        if (mappedNs > 0)
        {
            run(config.training(TransportKind.MAPPED, null, termLength), startNs, mappedNs, bootstrapped, exceptions);
        }

        if (null != driver)
        {
            final TransportKind messages = bootstrapped.isUdp() ? TransportKind.UDP : TransportKind.IPC;
            run(
                config.training(messages, driver, termLength),
                startNs + mappedNs,
                totalNs - mappedNs,
                bootstrapped,
                exceptions);
        }
    }

    /** Returns whether this PE reaches another one by loads and stores, or is alone. */
    private static boolean isMapping(final BootstrappedEndpoint bootstrapped)
    {
        boolean isMapping = 1 == bootstrapped.nPes();
        for (int peer = 0; peer < bootstrapped.nPes(); peer++)
        {
            isMapping |= peer != bootstrapped.pe() && bootstrapped.isMutuallyMapped(bootstrapped.pe(), peer);
        }

        return isMapping;
    }

    private static void run(
        final Shmem.Context template,
        final long startNs,
        final long durationNs,
        final BootstrappedEndpoint bootstrapped,
        final FailureExceptions exceptions)
    {
        try
        {
            for (int job = 1; job <= TRAINING.jobs(); job++)
            {
                final long deadlineNs = startNs + durationNs / TRAINING.jobs() * job;
                final BooleanSupplier isOver = () -> System.nanoTime() - deadlineNs >= 0 || bootstrapped.isFailed();
                new InJvmJob(
                    PES, template, (shmem) -> new WarmUp(shmem).train(isOver), Bootstrap::inProcess).run();
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw exceptions.interrupted("the warm-up of init");
        }
        catch (final Exception ex)
        {
            bootstrapped.errorHandler().onError(
                new ShmemException(
                "the warm-up over " + name(template.transport()) + " ended early: " + ex.getMessage(), ex));
        }
    }

    private static String name(final TransportKind transport)
    {
        return transport.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns a supplier of the strategies of waits, which leave the processors to the compiler: of both classes that
     * the waits of a job can have by default.
     */
    static Supplier<IdleStrategy> idleStrategies()
    {
        final AtomicInteger number = new AtomicInteger();
        return () -> 0 == (number.getAndIncrement() & 1) ? new YieldThenParkIdleStrategy(Pause.SYSTEM) :
            new BackoffIdleStrategy(CALLS, COLLECTIVES, MAX_PARK_NS / COLLECTIVES, MAX_PARK_NS);
    }

    private void train(final BooleanSupplier isOver)
    {
        do
        {
            for (final Call call : calls)
            {
                callForASlice(call);
                ctx.quiet();
            }

            shmem.barrierAll();
            for (final Call collective : collectives)
            {
                repeat(collective, COLLECTIVES);
            }
        }
        while (0 != shmem.world().broadcastLong(0 == shmem.myPe() && isOver.getAsBoolean() ? 0 : 1, 0));
    }

    private static void callForASlice(final Call call)
    {
        final long startNs = System.nanoTime();
        int count = 0;
        do
        {
            repeat(call, CALLS);
            count += CALLS;
        }
        while (count < MAX_CALLS && System.nanoTime() - startNs < SLICE_NS);
    }

    private static void repeat(final Call call, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            call.call(i);
        }
    }

    private static long offset(final int number)
    {
        return (number * 7 % WORDS) * (long)Long.BYTES;
    }

    /** Returns the peer or, at times, this PE: a program has both in the same loop. */
    private int pe(final int number)
    {
        return 0 == (number & 7) ? 1 - peer : peer;
    }

    /** Returns the one-sided operations, those that programs issue most often first. */
    private Call[] calls()
    {
        final long block = BYTES / 2;
        return new Call[]
        {
            (i) -> ctx.putLong(dest, offset(i), i, pe(i)),
            (i) -> ctx.atomicAddLong(dest, offset(i), 1, pe(i)),
            (i) -> ctx.atomicIncLong(dest, offset(i), pe(i)),
            (i) -> ctx.atomicFetchAddLong(dest, offset(i), 1, pe(i)),
            (i) -> ctx.atomicFetchAddLongNbi(source, offset(i), dest, offset(i), 1, pe(i)),
            (i) -> ctx.atomicCompareSwapLong(dest, offset(i), 0, 1, pe(i)),
            (i) -> ctx.getLong(source, offset(i), pe(i)),
            (i) -> ctx.getNbi(dest, offset(i), source, offset(i), Long.BYTES, pe(i)),
            (i) -> ctx.atomicXorLong(dest, offset(i), i, pe(i)),
            (i) -> ctx.put(dest, 0, source, 0, Long.BYTES, pe(i)),
            (i) -> ctx.put(dest, 0, source, block, block, pe(i)),
            (i) -> ctx.get(dest, block, source, 0, Long.BYTES, pe(i)),
            (i) -> ctx.get(dest, block, source, 0, block, pe(i)),
            (i) -> ctx.putSignal(dest, 0, source, 0, Long.BYTES, signal, 0, i, SignalOp.SET, pe(i)),
            (i) ->
            {
                ctx.putLong(dest, 0, i, peer);
                ctx.quiet();
            },
            (i) ->
            {
                ctx.putLong(dest, 0, i, peer);
                ctx.fence();
            }
        };
    }

    /** Returns what both PEs call. */
    private Call[] collectives(final Team world)
    {
        return new Call[]
        {
            (i) -> pingPong(),
            (i) -> shmem.barrierAll(),
            (i) -> shmem.syncAll(),
            (i) -> world.reduceLong(ReduceOp.SUM, i),
            (i) -> world.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, 1),
            (i) -> world.reduce(ReduceOp.SUM, ElementType.DOUBLE, dest, source, WORDS / 2),
            (i) -> world.broadcast(ElementType.LONG, dest, source, 1, 0),
            (i) -> world.fcollect(ElementType.LONG, dest, source, 1),
            (i) -> world.alltoall(ElementType.LONG, dest, source, 1)
        };
    }

    private void pingPong()
    {
        sequence++;
        if (0 == shmem.myPe())
        {
            ctx.putLong(signal, Long.BYTES, sequence, peer);
        }

        shmem.waitUntilLong(signal, Long.BYTES, Comparison.EQ, sequence);
        if (1 == shmem.myPe())
        {
            ctx.putLong(signal, Long.BYTES, sequence, peer);
        }
    }
}
