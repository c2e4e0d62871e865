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

import io.aeroshmem.lifecycle.Recoveries;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The spare processes of a recoverable job: as many as the job has asked for are kept waiting for a PE. One that ends
 * while it waits is reported and replaced, as often and as late as {@link Recoveries} lets a job be recovered.
 * <p>
 * Not thread-safe, except for {@link #close()}.
 */
final class Spares implements AutoCloseable
{
    /** A signal to this process may end its spares first. */
    private static final long INTERRUPT_NS = TimeUnit.MILLISECONDS.toNanos(NodeStateMachine.INTERRUPT_MS);

    private final int count;
    private final Start start;
    private final Consumer<String> report;
    private final Recoveries losses;
    private final List<Waiting> waiting = new ArrayList<>();
    private int started;
    private long startAtNs;
    private boolean isExhausted;
    private boolean isClosed;

    /** Starts spare processes. */
    @FunctionalInterface
    interface Start
    {
        /** Starts the process of a number that no other has had. */
        Spare start(int number) throws IOException;
    }

    /** A process that waits for a PE. */
    interface Spare
    {
        long pid();

        /** Returns whether the process has ended. */
        boolean hasEnded();

        /** Returns how the process, which has ended, did so. */
        String end();

        /** Gives the process a PE of a job, and returns it. */
        Process assign(int pe, int nPes, Path jobDirectory);

        /** Ends the process. */
        void kill();
    }

    /**
     * Creates the spares of a job, of which none is started yet.
     *
     * @param losses bounds how often spares that end are replaced.
     */
    Spares(final int count, final Start start, final Consumer<String> report, final Recoveries losses)
    {
        this.count = count;
        this.start = start;
        this.report = report;
        this.losses = losses;
    }

    /**
     * Creates the spares that a job wants on this host, null if it wants none, as children of this process.
     *
     * @param recoveryPath directory of the job on this host.
     * @param environment  that is added to that of this process.
     */
    static Spares of(
        final LaunchContext ctx,
        final Path recoveryPath,
        final Map<String, String> environment,
        final String host,
        final long startNs)
    {
        return 0 == ctx.spares() ? null : new Spares(
            ctx.spares(),
            (number) -> SpareProcess.start(
                recoveryPath, number, NodeJob.builder(ctx, environment, ctx.spareCommand(host))),
            ctx::report,
            new Recoveries(ctx.maxRecoveries(), ctx.recoveryWindowNs(), startNs));
    }

    /** Starts the processes that are missing, while all PEs run and need no processor time to start. */
    synchronized void maintain(final long nowNs)
    {
        removeEnded(nowNs);
        while (!isClosed && !isExhausted && waiting.size() < count && nowNs - startAtNs >= 0)
        {
            try
            {
                waiting.add(new Waiting(start.start(started++)));
            }
            catch (final IOException ex)
            {
                onLoss(nowNs, "a spare process cannot be started: " + ex.getMessage());
            }
        }
    }

    /** Gives a PE to a spare process and returns that; null if there is none. */
    synchronized Process take(final int pe, final int nPes, final Path jobDirectory)
    {
        for (final Iterator<Waiting> each = waiting.iterator(); each.hasNext() && !isClosed;)
        {
            final Spare spare = each.next().spare;
            if (!spare.hasEnded())
            {
                each.remove();
                return spare.assign(pe, nPes, jobDirectory);
            }
        }

        return null;
    }

    /** Ends all that wait: what they have loaded may be old. */
    synchronized void discard()
    {
        waiting.forEach((each) -> each.spare.kill());
        waiting.clear();
    }

    /** Ends all that wait; none is started any more. */
    @Override
    public synchronized void close()
    {
        isClosed = true;
        discard();
    }

    private void removeEnded(final long nowNs)
    {
        for (final Iterator<Waiting> each = waiting.iterator(); each.hasNext();)
        {
            final Waiting ended = each.next();
            if (ended.spare.hasEnded() && ended.noticeEnd(nowNs))
            {
                each.remove();
                onLoss(nowNs, "a spare process (pid " + ended.spare.pid() + ") " + ended.spare.end());
            }
        }
    }

    private void onLoss(final long nowNs, final String message)
    {
        isExhausted |= !losses.onFailure(nowNs, message);
        report.accept(message + (isExhausted ? "; starting no more" : "; starting another"));
        if (!isExhausted)
        {
            startAtNs = nowNs + losses.delayNs(nowNs);
            losses.onStart(startAtNs);
        }
    }

    private static final class Waiting
    {
        private final Spare spare;
        private boolean hasEnded;
        private long noticedNs;

        private Waiting(final Spare spare)
        {
            this.spare = spare;
        }

        private boolean noticeEnd(final long nowNs)
        {
            noticedNs = hasEnded ? noticedNs : nowNs;
            hasEnded = true;
            return nowNs - noticedNs >= INTERRUPT_NS;
        }
    }
}
