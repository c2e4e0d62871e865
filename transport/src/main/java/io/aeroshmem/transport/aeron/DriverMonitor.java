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

import io.aeron.Aeron;
import io.aeron.CncFileDescriptor;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.Liveness;
import io.aeroshmem.transport.job.ProcessProbe;
import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

import java.io.File;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Monitors the media driver that this process uses: reads its pid and last heartbeat from its CnC file. Aeron's client
 * of a program checks the heartbeat only, and tolerates pauses up to its driver timeout. This class detects the end of
 * the driver's process sooner, and counts only silence in which this process ran. Synchronised, because one thread
 * checks the driver and another closes this object.
 */
final class DriverMonitor implements Liveness.Watch, AutoCloseable
{
    private static final long PROBATION_NS = TimeUnit.SECONDS.toNanos(3);

    /*
     * The driver counts as dead if:
     * - its process was visible to this process, and has ended;
     * - it has reported its shutdown;
     * - its process is not visible, and, before the library connects a client to it, its last heartbeat is older than
     *   PROBATION_NS;
     * - its process is not visible, and the heartbeat has not changed in the first PROBATION_NS after this object was
     *   made. (If the heartbeat has changed, the driver lives, and runs where this process cannot see it, such as in
     *   another container. Then Aeron's client detects its end.)
     * - it has been silent for longer than a limit, if one was specified.
     */
    private final String directory;
    private final int reporter;
    private final long silenceLimitNs;
    private final EpochClock clock;
    private final MappedByteBuffer cnc;
    private final ManyToOneRingBuffer toDriver;
    private final long pid;
    private final long clientLivenessTimeoutNs;
    private final ProcessProbe process;
    private final long firstHeartbeat;
    private long lastHeartbeat;
    private long silentNs;
    private boolean isClosed;

    /** {@code silenceLimitNs} of 0 leaves the detection of a silent driver to the program's Aeron client. */
    DriverMonitor(final String directory, final int reporter, final long silenceLimitNs, final EpochClock clock)
    {
        this.directory = directory;
        this.reporter = reporter;
        this.silenceLimitNs = silenceLimitNs;
        this.clock = clock;
        final File file = new File(directory, CncFileDescriptor.CNC_FILE);
        cnc = IoUtil.mapExistingFile(file, CncFileDescriptor.CNC_FILE);
        final DirectBuffer metaData = CncFileDescriptor.createMetaDataBuffer(cnc);
        toDriver = new ManyToOneRingBuffer(CncFileDescriptor.createToDriverBuffer(cnc, metaData));
        pid = CncFileDescriptor.pid(metaData);
        clientLivenessTimeoutNs = CncFileDescriptor.clientLivenessTimeoutNs(metaData);
        process = ProcessProbe.ofMapping(pid, Path.of(directory, CncFileDescriptor.CNC_FILE));
        firstHeartbeat = toDriver.consumerHeartbeatTime();
        lastHeartbeat = firstHeartbeat;
    }

    /** Returns the failure of a driver that died before this process used it; null if it appears to be alive. */
    synchronized JobFailure checkBeforeUse()
    {
        if (null == process && heartbeatAgeMs() > TimeUnit.NANOSECONDS.toMillis(PROBATION_NS))
        {
            return failure("no process uses the file");
        }

        return check(0);
    }

    @Override
    public synchronized JobFailure check(final long elapsedNs)
    {
        if (isClosed)
        {
            return null;
        }

        countSilence(elapsedNs);
        if (null != process && process.isGone())
        {
            return failure("its process has ended");
        }

        if (Aeron.NULL_VALUE == lastHeartbeat)
        {
            return failure("it was shut down");
        }

        if (null == process && lastHeartbeat == firstHeartbeat && silentNs >= PROBATION_NS)
        {
            return failure("no process uses the file");
        }

        return silence();
    }

    /** Checks a driver that is alive or whose end others detect: it counts as dead only when it is silent. */
    synchronized JobFailure checkSilence(final long elapsedNs)
    {
        if (isClosed)
        {
            return null;
        }

        countSilence(elapsedNs);
        return Aeron.NULL_VALUE == lastHeartbeat ? null : silence();
    }

    private void countSilence(final long elapsedNs)
    {
        final long heartbeat = toDriver.consumerHeartbeatTime();
        silentNs = heartbeat == lastHeartbeat ? silentNs + elapsedNs : 0;
        lastHeartbeat = heartbeat;
    }

    private JobFailure silence()
    {
        return silenceLimitNs > 0 && silentNs >= silenceLimitNs ? failure("it does not respond") : null;
    }

    /** Returns the time after which the driver expires a silent client, and skips a request that is incomplete. */
    long clientLivenessTimeoutNs()
    {
        return clientLivenessTimeoutNs;
    }

    /** Returns the driver's directory, pid and host, for messages. */
    String describe()
    {
        return "the media driver in " + directory + " (pid " + pid + ", host " + HostName.local() + ")";
    }

    private JobFailure failure(final String how)
    {
        return new JobFailure(
            JobFailure.Kind.DRIVER_DIED, reporter, -1,
            describe() + " died: " + how +
            (Aeron.NULL_VALUE == lastHeartbeat ? "" : "; its last heartbeat was " + heartbeatAgeMs() + " ms ago") +
            ", noticed by PE " + reporter);
    }

    private long heartbeatAgeMs()
    {
        return Math.max(0, clock.time() - lastHeartbeat);
    }

    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            IoUtil.unmap(cnc);
        }
    }
}
