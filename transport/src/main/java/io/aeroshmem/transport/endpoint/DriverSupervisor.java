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
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.DriverState;
import io.aeroshmem.transport.job.JobDirectory;
import org.agrona.CloseHelper;

import java.util.concurrent.TimeUnit;

/**
 * One process's part in running the media driver that a job starts for itself. In the process that created the job's
 * directory, this class starts an {@link EmbeddedDriver} when the first PE of the node needs one. In any other process,
 * this class requests the driver through the control file and waits until the driver runs.
 * <p>
 * The monitor of this object guards the driver, and is held only while the driver starts or ends. The thread of the
 * replicator ({@link io.aeroshmem.transport.rendezvous.RendezvousClient}) starts the driver for other processes, also
 * while the last PE to leave waits for the end of that thread.
 */
final class DriverSupervisor implements AutoCloseable
{
    private static final long START_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

    private final JobDirectory directory;
    private final Pause pause;
    private EmbeddedDriver driver;
    private boolean isClosed;

    DriverSupervisor(final JobDirectory directory, final Pause pause)
    {
        this.pause = pause;
        this.directory = directory;
    }

    /**
     * Starts the driver or waits for it, and returns its directory.
     */
    String awaitDirectory(final EndpointContext context)
    {
        if (directory.isCreator())
        {
            start(context);
        }
        else
        {
            awaitDriver();
        }

        return directory.aeronDirectory().toString();
    }

    /**
     * Starts the driver if another process of this node has requested it. Called by the replicator of the node's
     * leader.
     */
    void startIfRequested(final EndpointContext context)
    {
        if (EmbeddedDriver.isWanted(directory.control()))
        {
            start(context);
        }
    }

    private synchronized void start(final EndpointContext context)
    {
        if (null == driver && !isClosed)
        {
            driver = EmbeddedDriver.start(directory, context.settings().livenessTimeoutNs(), context.errorHandler());
        }
    }

    private void awaitDriver()
    {
        final ControlFile control = directory.control();
        control.requestDriver();
        if (!pause.await(this, () -> hasAnswered(control), START_TIMEOUT_NS))
        {
            throw new TransportException("the creator of the job started no media driver within " +
                TimeUnit.NANOSECONDS.toSeconds(START_TIMEOUT_NS) +
                " s; set aeroshmem.aeron.dir to use an external one");
        }

        if (DriverState.FAILED == control.driverState())
        {
            throw new TransportException(
                "the creator of the job could not start a media driver: " + control.driverMessage());
        }

        if (DriverState.READY != control.driverState())
        {
            throw new TransportException("the job failed while it started: " + control.failure().message());
        }
    }

    private static boolean hasAnswered(final ControlFile control)
    {
        final int state = control.driverState();
        return DriverState.READY == state || DriverState.FAILED == state || control.isFailed();
    }

    @Override
    public synchronized void close()
    {
        isClosed = true;
        CloseHelper.close(driver);
    }
}
