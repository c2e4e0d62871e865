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
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.rendezvous.RendezvousClient;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * A process's part in the rendezvous, if the process has joined its job through one. The leader of a node replicates
 * the control file over the rendezvous while the job lasts, and leaves it after the other processes of the node.
 */
final class ProcessRendezvous implements AutoCloseable
{
    private static final long LEAVE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long FLUSH_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final String LOOPBACK = "127.0.0.1";

    private final JobDirectory directory;
    /** Null if the process joined without a rendezvous. */
    private final RendezvousClient client;
    private final Pause pause;

    ProcessRendezvous(final JobDirectory directory, final RendezvousClient client, final Pause pause)
    {
        this.directory = directory;
        this.client = client;
        this.pause = pause;
    }

    boolean isLeader()
    {
        return null != client && directory.isCreator();
    }

    /** Replicates the control file, if this process leads its node, and starts the driver for its other processes. */
    void open(final DriverSupervisor driver, final EndpointContext context)
    {
        if (isLeader())
        {
            client.replicate(
                directory.control(),
                () -> driver.startIfRequested(context),
                context.settings().threadFactory(),
                context.errorHandler());
        }
    }

    /**
     * Returns the address by which other hosts reach this one, loopback in a job of one node.
     */
    String udpInterface()
    {
        return null == client || client.isSingleNode() ? LOOPBACK : client.localAddress();
    }

    /** Ends the connection, which only the leader keeps, after the PEs of this process are in the control file. */
    void onRegistered()
    {
        if (null != client && !isLeader())
        {
            client.close();
        }
    }

    /** Waits until a failure that was reported here is sent to the other nodes. */
    void flushFailure()
    {
        if (isLeader())
        {
            client.flushFailure(FLUSH_TIMEOUT_NS);
        }
    }

    /**
     * Waits until the other nodes have been notified that PEs of an intact job are ending, so that they report this
     * rather than a death.
     */
    void flushEnding()
    {
        if (isLeader() && !directory.control().isFailed())
        {
            client.flushEnding(FLUSH_TIMEOUT_NS);
        }
    }

    /**
     * Waits until the other processes of this node, which use the leader's driver and directory, have left: each
     * releases its lock after its Aeron client is closed.
     */
    void awaitOthers()
    {
        if (isLeader())
        {
            pause.await(
                this,
                () -> directory.control().isFailed() || Arrays.stream(client.nodePes()).noneMatch(this::isUsing),
                LEAVE_TIMEOUT_NS);
        }
    }

    private boolean isUsing(final int pe)
    {
        final ControlFile control = directory.control();
        return pe != control.creatorPe() &&
            (!PePhase.hasLeft(control.phase(pe)) || directory.isProcessAlive(control.lockName(pe)));
    }

    /** Leaves. Reports a failure from before the replicator or the lock existed, which no other node knows. */
    @Override
    public void close()
    {
        if (null != client)
        {
            final JobFailure jobFailure = directory.control().failure();
            if (null != jobFailure)
            {
                client.withdraw(jobFailure.message());
            }

            client.close();
        }
    }
}
