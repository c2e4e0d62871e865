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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.Agent;

import java.util.concurrent.TimeUnit;

/**
 * Background agent that drives the engines and the requests (asynchronous collectives) of a process's PEs while the
 * application computes. It skips an engine that callers have driven since the agent's last duty cycle. The longer
 * callers have driven all engines without a pause, the longer the agent stays away, up to a millisecond. It does not
 * stay away while a request is in flight, or while a PE has a device service. (A device service is the duty cycle that
 * performs the operations of other PEs on the PE's device heap, and the operations that the PE's kernels submit.)
 */
public final class ProgressAgent implements Agent, Progress
{
    private static final int STAND_BACK_SHARE = 4;
    private static final long MAX_STAND_BACK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /*
     * Shared processors. If the PEs of the host leave the agent no processor, each wake-up of the agent takes one from
     * a thread that computes. On such a host the agent stays away even while requests are in flight: for a full
     * millisecond, if a duty cycle has found nothing to do and callers drive all engines. A caller that waits for a
     * request drives the request itself. But even on such a host the agent does not stay away from a device service, or
     * from an engine that no caller drives, because peers depend on them.
     *
     * Nested polls. A poll of a request may wait for room in the stream to another PE, or for a reply from that PE. If
     * that PE belongs to this process too, the agent may be the only thread that drives it. So a wait on the agent's
     * own thread polls all PEs of the process. Such a wait ends: it depends only on engines and device services, which
     * never wait for a request. Every engine, device service and queue of requests has a lock, which a poll holds; a
     * nested poll skips those that are locked. So polls nest no deeper than the number of these locks. Completion
     * handlers of the application do not run in nested polls.
     */
    private volatile ProgressEngine[] engines = new ProgressEngine[0];
    private volatile Progress[] requests = new Progress[0];
    private long[] lastExternalCycles = new long[0];
    private volatile Thread thread;
    private long lastCycleNs;
    /** Time of the last duty cycle that found something to do, or something left to the agent. */
    private long drivenSinceNs;
    private boolean isRequestInFlight;
    private volatile boolean isProcessorShared;
    private long maxCycleNs;
    private long longCycles;

    /** Adds the engine of a PE that has joined. Any thread. */
    public synchronized void add(final ProgressEngine engine)
    {
        engines = ArrayUtil.add(engines, engine);
    }

    /**
     * Removes the engine of a PE that leaves. Any thread. The agent may run one more duty cycle of it while this
     * returns.
     */
    public synchronized void remove(final ProgressEngine engine)
    {
        engines = ArrayUtil.remove(engines, engine);
    }

    /** Adds the nonblocking requests of a PE. Any thread. */
    public synchronized void add(final Progress progress)
    {
        requests = ArrayUtil.add(requests, progress);
    }

    /** Removes the requests of a PE, of which none is under way. Any thread. */
    public synchronized void remove(final Progress progress)
    {
        requests = ArrayUtil.remove(requests, progress);
    }

    /** Sets whether the PEs of the host leave no processor to this agent; false at first. Any thread. */
    public void processorShared(final boolean isShared)
    {
        isProcessorShared = isShared;
    }

    @Override
    public void onStart()
    {
        thread = Thread.currentThread();
        lastCycleNs = System.nanoTime();
        drivenSinceNs = lastCycleNs;
    }

    @Override
    public int doWork()
    {
        measureCycle();
        final ProgressEngine[] current = engines;
        if (lastExternalCycles.length < current.length)
        {
            lastExternalCycles = new long[current.length];
        }

        int work = 0;
        boolean isDriven = true;
        for (int i = 0; i < current.length; i++)
        {
            final long externalCycles = current[i].externalCycles();
            if (externalCycles == lastExternalCycles[i])
            {
                work += current[i].pollAsAgent();
                isDriven = false;
            }

            lastExternalCycles[i] = externalCycles;
        }

        boolean isInFlight = false;
        for (final Progress progress : requests)
        {
            work += progress.pollAsAgent();
            isInFlight |= !progress.isIdle();
            isDriven &= !progress.isServing();
        }

        isRequestInFlight = isInFlight;
        if (work > 0 || !isDriven || isInFlight && !isProcessorShared)
        {
            drivenSinceNs = lastCycleNs;
        }

        return work;
    }

    /**
     * Returns the time in nanoseconds for which the agent stays away, since callers drive all engines: a share of the
     * time for which they have done so without a pause, or the maximum while requests are in flight. 0 if an engine is
     * not driven, or if a request is in flight and either has progressed or the agent has a processor.
     */
    long standBackNs()
    {
        final long drivenNs = lastCycleNs - drivenSinceNs;
        return isRequestInFlight && drivenNs > 0 ? MAX_STAND_BACK_NS :
            Math.min(drivenNs / STAND_BACK_SHARE, MAX_STAND_BACK_NS);
    }

    private void measureCycle()
    {
        final long nowNs = System.nanoTime();
        final long cycleNs = nowNs - lastCycleNs;
        lastCycleNs = nowNs;
        if (cycleNs > maxCycleNs)
        {
            maxCycleNs = cycleNs;
        }

        if (cycleNs > PeCounter.LONG_CYCLE_NS)
        {
            longCycles++;
        }
    }

    /** Returns the longest time in nanoseconds between two duty cycles; without ordering, as the next. */
    public long maxCycleNs()
    {
        return maxCycleNs;
    }

    /** Returns the number of duty cycles longer than {@link PeCounter#LONG_CYCLE_NS}. */
    public long longCycles()
    {
        return longCycles;
    }

    /** Does nothing: the agent polls in its duty cycle. */
    @Override
    public int poll()
    {
        return 0;
    }

    /** Polls all PEs of the process, if the calling thread is the agent's. */
    @Override
    public int pollNested()
    {
        if (Thread.currentThread() != thread)
        {
            return 0;
        }

        int work = pollEngines();
        for (final Progress progress : requests)
        {
            work += progress.pollNested();
        }

        return work;
    }

    /** Polls the engines of the process, and nothing that may wait. */
    public int pollEngines()
    {
        int work = 0;
        for (final ProgressEngine engine : engines)
        {
            work += engine.pollAsAgent();
        }

        return work;
    }

    @Override
    public String roleName()
    {
        return "aeroshmem-progress";
    }
}
