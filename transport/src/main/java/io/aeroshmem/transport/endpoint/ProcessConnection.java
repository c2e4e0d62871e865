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

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.aeron.AeronConnection;
import io.aeroshmem.transport.aeron.ApplicationAgentInvokers;
import io.aeroshmem.transport.aeron.FrameStreams;
import io.aeroshmem.transport.job.DriverDirectory;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.Liveness;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentInvoker;

/**
 * The streams of a process, which are those of an Aeron client, and the application's invokers of its client and
 * driver, if it has any. All PEs of the process share both. The client is made when a PE first needs it.
 */
final class ProcessConnection implements AutoCloseable
{
    private final JobDirectory directory;
    private final int[] pes;
    private final DriverSupervisor driver;
    private final Pause pause;
    private ApplicationAgentInvokers applicationAgents;
    private FrameStreams streams;

    /** {@code streams} of null for those of an Aeron client. */
    ProcessConnection(
        final JobDirectory directory,
        final int[] pes,
        final DriverSupervisor driver,
        final Pause pause,
        final FrameStreams streams)
    {
        this.pause = pause;
        this.streams = streams;
        this.directory = directory;
        this.pes = pes;
        this.driver = driver;
    }

    /** Returns the runner of the application's invokers. */
    synchronized Progress applicationAgents(final EndpointContext context)
    {
        final EndpointSettings settings = context.settings();
        final AgentInvoker clientInvoker = null == settings.aeron() ? null : settings.aeron().conductorAgentInvoker();
        if (null == applicationAgents && (null != clientInvoker || null != settings.mediaDriverAgentInvoker()))
        {
            applicationAgents = new ApplicationAgentInvokers(settings.mediaDriverAgentInvoker(), clientInvoker);
        }

        return null == applicationAgents ? Progress.NONE : applicationAgents;
    }

    /** Returns the streams; those of a client, which the liveness thread monitors. */
    synchronized FrameStreams open(final int pe, final EndpointContext context, final Liveness liveness)
    {
        if (null == streams)
        {
            streams = connect(pe, context, liveness);
        }

        return streams;
    }

    private AeronConnection connect(final int pe, final EndpointContext context, final Liveness liveness)
    {
        final EndpointSettings settings = context.settings();
        if (null != settings.aeron())
        {
            return monitored(AeronConnection.over(
                settings.aeron(),
                settings.ownsAeronClient(),
                applicationAgents,
                settings.livenessTimeoutNs(),
                pe,
                pause), liveness);
        }

        final String driverDirectory = settings.aeronDirectoryName();
        final AeronConnection connection = AeronConnection.connect(
            null == driverDirectory ? driver.awaitDirectory(context) :
                DriverDirectory.verify(driverDirectory).toString(),
            settings.livenessTimeoutNs(),
            clientName(),
            directory.control(),
            pe,
            context.errorHandler(),
            pause);
        if (null != driverDirectory)
        {
            return monitored(connection, liveness);
        }

        // The job's own driver ends with the job's creator, whose death is detected as such.
        liveness.watch(connection.driverSilence());
        return connection;
    }

    /**
     * Returns the name of the client in the counters of the driver: the job and the PEs that share the client.
     */
    private String clientName()
    {
        final String last = 1 == pes.length ? "" : "-to-" + pes[pes.length - 1];
        return "aeroshmem-" + directory.id() + "-pe-" + pes[0] + last;
    }

    /** Monitors the external driver of a client. */
    private static AeronConnection monitored(final AeronConnection connection, final Liveness liveness)
    {
        liveness.watch(connection.driverMonitor());
        liveness.onFailure(connection::onFailure);
        return connection;
    }

    @Override
    public synchronized void close()
    {
        CloseHelper.closeAll(this::notifyFailure, streams);
    }

    /** Notifies the streams of a failure that the liveness thread may not have reported yet. */
    private void notifyFailure()
    {
        final JobFailure jobFailure = directory.control().failure();
        if (null != streams && null != jobFailure)
        {
            streams.onFailure(jobFailure);
        }
    }
}
