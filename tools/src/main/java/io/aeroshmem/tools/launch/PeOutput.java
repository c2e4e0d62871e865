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
package io.aeroshmem.tools.launch;

import java.io.InputStream;
import java.util.function.BooleanSupplier;

/**
 * The output of one PE on its way to that of the launcher, a chain of stages for each of its two streams.
 * {@link LineSplitter} writes it to the PE's {@linkplain PeLog log} and splits it into tagged lines; {@link StartHold}
 * holds them back until the JVM has started, and {@link TraceHold}, on standard error, a stack trace; then
 * {@link LineOutput} writes them.
 */
final class PeOutput
{
    private final LaunchContext ctx;
    private final String host;
    /** Changes if the PE has another number in the next generation. */
    private volatile int pe;
    private volatile String tag;
    private final PeLog log;
    private final LineSink outputDestination;
    private final TraceHold trace;
    private final StartHold start;

    /**
     * Creates the path of the output of a PE on a host. {@code log} is null for none; {@code hasJoined} returns whether
     * the PE has joined the job, {@code hasJvmStarted} whether its JVM has started.
     */
    PeOutput(
        final LaunchContext ctx,
        final int pe,
        final String host,
        final PeLog log,
        final BooleanSupplier hasJoined,
        final BooleanSupplier hasJvmStarted)
    {
        this.ctx = ctx;
        this.pe = pe;
        this.log = log;
        this.host = host;
        tag = ctx.tag(pe, host);
        outputDestination = ctx.lines().channel(ctx.output());
        trace = new TraceHold(ctx.lines().channel(ctx.error()), ctx.lines());
        start = new StartHold(ctx.lines(), hasJoined, hasJvmStarted);
        if (ctx.refusableOptions().isEmpty())
        {
            start.pass();
        }
    }

    /** Returns whether no line has a tag: there is one PE, and no tag is specified. */
    static boolean isUntagged(final LaunchContext ctx)
    {
        return 1 == ctx.nPes() && null == ctx.tag();
    }

    /** Starts the threads that copy the standard output and the standard error of the PE until they end. */
    Thread[] copy(final InputStream output, final InputStream error)
    {
        return new Thread[]
        {
            splitter(output, null == log ? null : log.output(), null != ctx.tag(), start.output(outputDestination)),
            splitter(error, null == log ? null : log.error(), !isUntagged(ctx), start.error(trace))
        };
    }

    private Thread splitter(
        final InputStream source, final LogFile logFile, final boolean isTagged, final LineSink destination)
    {
        return new LineSplitter(source, logFile, () -> isTagged ? tag : "", destination, 0 == pe ? ctx.lines() : null,
            (ex) -> ctx.report("cannot read the output of PE " + pe + ": " + ex.getMessage()))
            .start("output of PE " + pe);
    }

    /** Handles the next generation, in which the PE has another number. */
    void renumber(final int newPe)
    {
        pe = newPe;
        tag = ctx.tag(newPe, host);
    }

    /** Returns whether first lines are held back, which may be those of a JVM that does not start. */
    boolean isStartHeld()
    {
        return start.isHolding();
    }

    /** Returns why the JVM, which has ended, did not start, and drops its lines; returns null if it did start. */
    String takeRefusal()
    {
        return start.takeRefusal();
    }

    /** Prints the first lines that are held back, and holds back no more of them. */
    void passStart()
    {
        start.pass();
    }

    /** Handles the failure of a PE: if it is this one, its stack trace is held back, else it is printed. */
    void onFailureOf(final int failedPe)
    {
        if (pe == failedPe)
        {
            trace.keep();
        }
        else
        {
            trace.pass();
        }
    }

    /** Holds nothing back any more: the process has been replaced. */
    void pass()
    {
        passStart();
        trace.pass();
    }

    /** Drops stack traces that only report the end of the job; never blocks. */
    void dropPeFailures()
    {
        trace.dropPeFailures();
    }

    /** Prints a stack trace that is held back, and the text after it. */
    void releaseTrace()
    {
        trace.release();
    }
}
