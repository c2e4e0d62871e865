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

import io.aeron.Aeron;
import io.aeroshmem.config.ShmemProperty;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.concurrent.ThreadFactory;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * One processing element (PE) of a job.
 */
public final class Shmem
{
    private Shmem()
    {
    }

    /**
     * How a PE is set up. A new context has the values of {@link ShmemProperty}, from system properties, the
     * environment or their defaults; setters override them. It is concluded once, by the PE that it sets up:
     * {@link #clone()} it for each further PE. Not thread-safe before that.
     */
    public static final class Context implements Cloneable
    {
        private Bootstrap bootstrap;
        private long heapSize = ShmemProperty.HEAP_SIZE.longValue();
        private boolean heapSparse = ShmemProperty.HEAP_SPARSE.booleanValue();
        private TransportKind transport = ShmemProperty.TRANSPORT.choice(TransportKind.class);
        private ThreadLevel threadLevel = ShmemProperty.THREAD_LEVEL.choice(ThreadLevel.class);
        private ProgressMode progressMode = ShmemProperty.PROGRESS_MODE.choice(ProgressMode.class);
        private Supplier<IdleStrategy> idleStrategySupplier = ShmemProperty.IDLE_STRATEGY.idleStrategy();
        private Supplier<IdleStrategy> waitIdleStrategySupplier = ShmemProperty.WAIT_IDLE_STRATEGY.idleStrategy();
        private ThreadFactory threadFactory;
        private Aeron aeron;
        private boolean ownsAeronClient;
        private String aeronDirectoryName = ShmemProperty.AERON_DIR.text();
        private AgentInvoker mediaDriverAgentInvoker;
        private ErrorHandler errorHandler;
        private AtomicCounter errorCounter;
        private IntConsumer terminationHook;
        private long operationTimeoutNs = ShmemProperty.OPERATION_TIMEOUT.longValue();
        private long livenessTimeoutNs = ShmemProperty.LIVENESS_TIMEOUT.longValue();
        private int maxTeams = (int)ShmemProperty.MAX_TEAMS.longValue();
        private boolean checkCollectives = ShmemProperty.CHECK_COLLECTIVES.booleanValue();
        private boolean recordLatency = ShmemProperty.RECORD_LATENCY.booleanValue();
        private boolean isConcluded;

        /**
         * Makes a context with the values that properties and environment give.
         *
         * @throws IllegalArgumentException if one of them cannot be parsed, or is out of range.
         */
        public Context()
        {
        }

        /**
         * Makes a copy that can be changed and concluded on its own. Objects such as an Aeron client are shared.
         *
         * @return the copy, not concluded.
         */
        @Override
        public Context clone()
        {
            try
            {
                final Context copy = (Context)super.clone();
                copy.isConcluded = false;
                return copy;
            }
            catch (final CloneNotSupportedException ex)
            {
                throw new AssertionError(ex);
            }
        }

        /**
         * Checks all values, and fills in the thread factory and the error handler if they were left to the library.
         *
         * @throws IllegalStateException    if it was concluded before.
         * @throws IllegalArgumentException if a value is not allowed; the message says which values are.
         */
        public synchronized void conclude()
        {
            if (isConcluded)
            {
                throw new IllegalStateException(
                    "this Shmem.Context has set up a PE already: give each PE its own, made with clone()");
            }

            ShmemProperty.HEAP_SIZE.check(heapSize);
            ShmemProperty.OPERATION_TIMEOUT.check(operationTimeoutNs);
            ShmemProperty.LIVENESS_TIMEOUT.check(livenessTimeoutNs);
            ShmemProperty.MAX_TEAMS.check(maxTeams);
            requireValue(ShmemProperty.TRANSPORT, transport);
            requireValue(ShmemProperty.THREAD_LEVEL, threadLevel);
            requireValue(ShmemProperty.PROGRESS_MODE, progressMode);

            if (null == threadFactory)
            {
                threadFactory = Context::daemon;
            }

            if (null == errorHandler)
            {
                errorHandler = Context::log;
            }

            isConcluded = true;
        }

        /**
         * How the PE finds the others of its job; null is {@link Bootstrap#fromEnvironment()}.
         *
         * @param bootstrap to set.
         * @return this for a fluent API.
         */
        public Context bootstrap(final Bootstrap bootstrap)
        {
            this.bootstrap = bootstrap;
            return this;
        }

        /**
         * How the PE finds the others of its job; null is {@link Bootstrap#fromEnvironment()}.
         *
         * @return the value.
         */
        public Bootstrap bootstrap()
        {
            return bootstrap;
        }

        /**
         * Size of the symmetric heap in bytes, 4096 or more; equal on all PEs. Property {@code aeroshmem.heap.size}.
         *
         * @param heapSize to set.
         * @return this for a fluent API.
         */
        public Context heapSize(final long heapSize)
        {
            this.heapSize = heapSize;
            return this;
        }

        /**
         * Size of the symmetric heap in bytes, 4096 or more; equal on all PEs.
         *
         * @return the value.
         */
        public long heapSize()
        {
            return heapSize;
        }

        /**
         * Whether pages of the heap are supplied on first touch instead of being reserved. Property
         * {@code aeroshmem.heap.sparse}.
         *
         * @param heapSparse to set.
         * @return this for a fluent API.
         */
        public Context heapSparse(final boolean heapSparse)
        {
            this.heapSparse = heapSparse;
            return this;
        }

        /**
         * Whether pages of the heap are supplied on first touch instead of being reserved.
         *
         * @return the value.
         */
        public boolean heapSparse()
        {
            return heapSparse;
        }

        /**
         * Which way operations take to a peer. Property {@code aeroshmem.transport}.
         *
         * @param transport to set.
         * @return this for a fluent API.
         */
        public Context transport(final TransportKind transport)
        {
            this.transport = transport;
            return this;
        }

        /**
         * Which way operations take to a peer.
         *
         * @return the value.
         */
        public TransportKind transport()
        {
            return transport;
        }

        /**
         * How threads may call. Property {@code aeroshmem.thread.level}.
         *
         * @param threadLevel to set.
         * @return this for a fluent API.
         */
        public Context threadLevel(final ThreadLevel threadLevel)
        {
            this.threadLevel = threadLevel;
            return this;
        }

        /**
         * How threads may call.
         *
         * @return the value.
         */
        public ThreadLevel threadLevel()
        {
            return threadLevel;
        }

        /**
         * Who makes progress while no call is blocked. Property {@code aeroshmem.progress.mode}.
         *
         * @param progressMode to set.
         * @return this for a fluent API.
         */
        public Context progressMode(final ProgressMode progressMode)
        {
            this.progressMode = progressMode;
            return this;
        }

        /**
         * Who makes progress while no call is blocked.
         *
         * @return the value.
         */
        public ProgressMode progressMode()
        {
            return progressMode;
        }

        /**
         * What the background thread does without work; null is automatic. Property {@code aeroshmem.idle.strategy}.
         *
         * @param idleStrategySupplier to set.
         * @return this for a fluent API.
         */
        public Context idleStrategySupplier(final Supplier<IdleStrategy> idleStrategySupplier)
        {
            this.idleStrategySupplier = idleStrategySupplier;
            return this;
        }

        /**
         * What the background thread does without work; null is automatic.
         *
         * @return the value.
         */
        public Supplier<IdleStrategy> idleStrategySupplier()
        {
            return idleStrategySupplier;
        }

        /**
         * What a blocked caller does between two looks; one strategy per thread; null is automatic. Property
         * {@code aeroshmem.wait.idle.strategy}.
         *
         * @param waitIdleStrategySupplier to set.
         * @return this for a fluent API.
         */
        public Context waitIdleStrategySupplier(final Supplier<IdleStrategy> waitIdleStrategySupplier)
        {
            this.waitIdleStrategySupplier = waitIdleStrategySupplier;
            return this;
        }

        /**
         * What a blocked caller does between two looks; one strategy per thread; null is automatic.
         *
         * @return the value.
         */
        public Supplier<IdleStrategy> waitIdleStrategySupplier()
        {
            return waitIdleStrategySupplier;
        }

        /**
         * Makes the threads of the library; the default makes daemons.
         *
         * @param threadFactory to set.
         * @return this for a fluent API.
         */
        public Context threadFactory(final ThreadFactory threadFactory)
        {
            this.threadFactory = threadFactory;
            return this;
        }

        /**
         * Makes the threads of the library; the default makes daemons.
         *
         * @return the value.
         */
        public ThreadFactory threadFactory()
        {
            return threadFactory;
        }

        /**
         * The Aeron client to use; null is one of the library's own, made where messages are needed.
         *
         * @param aeron to set.
         * @return this for a fluent API.
         */
        public Context aeron(final Aeron aeron)
        {
            this.aeron = aeron;
            return this;
        }

        /**
         * The Aeron client to use; null is one of the library's own, made where messages are needed.
         *
         * @return the value.
         */
        public Aeron aeron()
        {
            return aeron;
        }

        /**
         * Whether closing the PE closes the Aeron client; always so for the library's own.
         *
         * @param ownsAeronClient to set.
         * @return this for a fluent API.
         */
        public Context ownsAeronClient(final boolean ownsAeronClient)
        {
            this.ownsAeronClient = ownsAeronClient;
            return this;
        }

        /**
         * Whether closing the PE closes the Aeron client; always so for the library's own.
         *
         * @return the value.
         */
        public boolean ownsAeronClient()
        {
            return ownsAeronClient;
        }

        /**
         * Directory of the media driver to use; null is the job's own driver. Property {@code aeroshmem.aeron.dir}.
         *
         * @param aeronDirectoryName to set.
         * @return this for a fluent API.
         */
        public Context aeronDirectoryName(final String aeronDirectoryName)
        {
            this.aeronDirectoryName = aeronDirectoryName;
            return this;
        }

        /**
         * Directory of the media driver to use; null is the job's own driver.
         *
         * @return the value.
         */
        public String aeronDirectoryName()
        {
            return aeronDirectoryName;
        }

        /**
         * Invoker of a media driver without threads of its own, run by blocked calls; null is none.
         *
         * @param mediaDriverAgentInvoker to set.
         * @return this for a fluent API.
         */
        public Context mediaDriverAgentInvoker(final AgentInvoker mediaDriverAgentInvoker)
        {
            this.mediaDriverAgentInvoker = mediaDriverAgentInvoker;
            return this;
        }

        /**
         * Invoker of a media driver without threads of its own, run by blocked calls; null is none.
         *
         * @return the value.
         */
        public AgentInvoker mediaDriverAgentInvoker()
        {
            return mediaDriverAgentInvoker;
        }

        /**
         * Told of errors on the library's threads; the default logs to {@link System.Logger} {@code io.aeroshmem}.
         *
         * @param errorHandler to set.
         * @return this for a fluent API.
         */
        public Context errorHandler(final ErrorHandler errorHandler)
        {
            this.errorHandler = errorHandler;
            return this;
        }

        /**
         * Told of errors on the library's threads; the default logs to {@link System.Logger} {@code io.aeroshmem}.
         *
         * @return the value.
         */
        public ErrorHandler errorHandler()
        {
            return errorHandler;
        }

        /**
         * Counts what the error handler is told; null is no counter.
         *
         * @param errorCounter to set.
         * @return this for a fluent API.
         */
        public Context errorCounter(final AtomicCounter errorCounter)
        {
            this.errorCounter = errorCounter;
            return this;
        }

        /**
         * Counts what the error handler is told; null is no counter.
         *
         * @return the value.
         */
        public AtomicCounter errorCounter()
        {
            return errorCounter;
        }

        /**
         * What {@code globalExit} does last, with the status; null ends the JVM, or throws {@link GlobalExitException}
         * where PEs share it.
         *
         * @param terminationHook to set.
         * @return this for a fluent API.
         */
        public Context terminationHook(final IntConsumer terminationHook)
        {
            this.terminationHook = terminationHook;
            return this;
        }

        /**
         * What {@code globalExit} does last, with the status; null ends the JVM, or throws {@link GlobalExitException}
         * where PEs share it.
         *
         * @return the value.
         */
        public IntConsumer terminationHook()
        {
            return terminationHook;
        }

        /**
         * After how many nanoseconds a blocking call throws {@link ShmemTimeoutException}; 0 is never. Property
         * {@code aeroshmem.operation.timeout}.
         *
         * @param operationTimeoutNs to set.
         * @return this for a fluent API.
         */
        public Context operationTimeoutNs(final long operationTimeoutNs)
        {
            this.operationTimeoutNs = operationTimeoutNs;
            return this;
        }

        /**
         * After how many nanoseconds a blocking call throws {@link ShmemTimeoutException}; 0 is never.
         *
         * @return the value.
         */
        public long operationTimeoutNs()
        {
            return operationTimeoutNs;
        }

        /**
         * After how many nanoseconds of silence a PE that has not died is given up; equal on all PEs. Property
         * {@code aeroshmem.liveness.timeout}.
         *
         * @param livenessTimeoutNs to set.
         * @return this for a fluent API.
         */
        public Context livenessTimeoutNs(final long livenessTimeoutNs)
        {
            this.livenessTimeoutNs = livenessTimeoutNs;
            return this;
        }

        /**
         * After how many nanoseconds of silence a PE that has not died is given up; equal on all PEs.
         *
         * @return the value.
         */
        public long livenessTimeoutNs()
        {
            return livenessTimeoutNs;
        }

        /**
         * How many teams this PE can belong to at once, besides the predefined ones; equal on all PEs. Property
         * {@code aeroshmem.teams.max}.
         *
         * @param maxTeams to set.
         * @return this for a fluent API.
         */
        public Context maxTeams(final int maxTeams)
        {
            this.maxTeams = maxTeams;
            return this;
        }

        /**
         * How many teams this PE can belong to at once, besides the predefined ones; equal on all PEs.
         *
         * @return the value.
         */
        public int maxTeams()
        {
            return maxTeams;
        }

        /**
         * Whether collectives are compared across PEs; equal on all PEs. Property {@code aeroshmem.check.collectives}.
         *
         * @param checkCollectives to set.
         * @return this for a fluent API.
         */
        public Context checkCollectives(final boolean checkCollectives)
        {
            this.checkCollectives = checkCollectives;
            return this;
        }

        /**
         * Whether collectives are compared across PEs; equal on all PEs.
         *
         * @return the value.
         */
        public boolean checkCollectives()
        {
            return checkCollectives;
        }

        /**
         * Whether latencies are recorded from the start. Property {@code aeroshmem.latency.record}.
         *
         * @param recordLatency to set.
         * @return this for a fluent API.
         */
        public Context recordLatency(final boolean recordLatency)
        {
            this.recordLatency = recordLatency;
            return this;
        }

        /**
         * Whether latencies are recorded from the start.
         *
         * @return the value.
         */
        public boolean recordLatency()
        {
            return recordLatency;
        }

        /**
         * All values.
         *
         * @return one a line.
         */
        @Override
        public String toString()
        {
            return "Shmem.Context\n{" +
                "\n    isConcluded=" + isConcluded +
                "\n    bootstrap=" + bootstrap +
                "\n    heapSize=" + heapSize +
                "\n    heapSparse=" + heapSparse +
                "\n    transport=" + transport +
                "\n    threadLevel=" + threadLevel +
                "\n    progressMode=" + progressMode +
                "\n    idleStrategySupplier=" + idleStrategySupplier +
                "\n    waitIdleStrategySupplier=" + waitIdleStrategySupplier +
                "\n    threadFactory=" + threadFactory +
                "\n    aeron=" + aeron +
                "\n    ownsAeronClient=" + ownsAeronClient +
                "\n    aeronDirectoryName=" + aeronDirectoryName +
                "\n    mediaDriverAgentInvoker=" + mediaDriverAgentInvoker +
                "\n    errorHandler=" + errorHandler +
                "\n    errorCounter=" + errorCounter +
                "\n    terminationHook=" + terminationHook +
                "\n    operationTimeoutNs=" + operationTimeoutNs +
                "\n    livenessTimeoutNs=" + livenessTimeoutNs +
                "\n    maxTeams=" + maxTeams +
                "\n    checkCollectives=" + checkCollectives +
                "\n    recordLatency=" + recordLatency +
                "\n}";
        }

        private static void requireValue(final ShmemProperty property, final Object value)
        {
            if (null == value)
            {
                throw new IllegalArgumentException(
                    property.propertyName() + ": given null, allowed is " + property.allowed());
            }
        }

        private static Thread daemon(final Runnable task)
        {
            final Thread thread = new Thread(task, "aeroshmem");
            thread.setDaemon(true);
            return thread;
        }

        private static void log(final Throwable error)
        {
            System.getLogger("io.aeroshmem").log(System.Logger.Level.ERROR, "error on a library thread", error);
        }
    }
}
