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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.aeron.AgentIdleStrategy;
import io.aeroshmem.transport.aeron.ProgressAgent;
import io.aeroshmem.transport.aeron.ProgressEngine;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.IdleStrategy;

import java.util.stream.IntStream;

/**
 * The background thread of a process, which serves all its PEs. It starts with the first of them that needs it.
 */
final class ProcessAgent implements AutoCloseable
{
    private final ControlFile control;
    private final ProgressAgent agent = new ProgressAgent();
    private AgentRunner runner;

    ProcessAgent(final ControlFile control)
    {
        this.control = control;
    }

    /** Returns what a wait on the background thread drives: all PEs of this process. */
    Progress progress()
    {
        return agent;
    }

    /** Returns the counters of the thread, as counters of a PE. */
    Gauges gauges(final int pe)
    {
        final Gauges gauges = new Gauges(control, pe);
        gauges.add(PeCounter.AGENT_MAX_CYCLE, agent::maxCycleNs);
        gauges.add(PeCounter.AGENT_LONG_CYCLES, agent::longCycles);
        return gauges;
    }

    synchronized void add(final ProgressEngine engine, final EndpointContext context)
    {
        start(context);
        agent.add(engine);
    }

    synchronized void add(final Progress requests, final EndpointContext context)
    {
        start(context);
        agent.add(requests);
    }

    synchronized void remove(final ProgressEngine engine)
    {
        agent.remove(engine);
    }

    synchronized void remove(final Progress requests)
    {
        agent.remove(requests);
    }

    private void start(final EndpointContext context)
    {
        if (null == runner)
        {
            agent.processorShared(pesOfHost() >= Runtime.getRuntime().availableProcessors());
            final IdleStrategy idleStrategy = null == context.settings().idleStrategySupplier() ?
                new AgentIdleStrategy(agent) : context.settings().idleStrategySupplier().get();
            runner = new AgentRunner(idleStrategy, context.errorHandler(), null, agent);
            AgentRunner.startOnThread(
                runner, (task) -> Threads.daemon(context.settings().threadFactory().newThread(task)));
        }
    }

    private int pesOfHost()
    {
        return (int)IntStream.range(0, control.nPes()).filter((pe) -> !control.isMirrored(pe)).count();
    }

    /** Waits for the end of the thread, without the monitor. */
    @Override
    public void close()
    {
        CloseHelper.close(runner());
    }

    private synchronized AgentRunner runner()
    {
        return runner;
    }
}
