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
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

import java.io.File;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Looks whether the media driver that this process uses is there, by what its CnC file says of it: its pid and the time
 * at which it last showed that it lives. Aeron's own client looks at that time only, and gives a driver up when it has
 * been silent for ten seconds, because it may be paused; the end of its process needs no such patience.
 * <ul>
 * <li>The driver's process has ended, where it can be seen from here: it is dead.</li>
 * <li>The driver said that it shuts down: so it is.</li>
 * <li>Its process cannot be seen, and it has not shown any life since this object was made, for {@link
 * #PROBATION_NS}: it was dead already. Once it has shown life, it lives where this process does not see it, in another
 * container say, and Aeron's client decides.</li>
 * <li>It has been silent for longer than a limit, where one was given.</li>
 * </ul>
 * Synchronised, as the thread that looks is not the one that closes.
 */
final class DriverWatch implements Liveness.Watch, AutoCloseable
{
    private static final long PROBATION_NS = TimeUnit.SECONDS.toNanos(3);

    private final String directory;
    private final int reporter;
    private final long silenceLimitNs;
    private final MappedByteBuffer cnc;
    private final ManyToOneRingBuffer toDriver;
    private final long pid;
    private final ProcessProbe process;
    private final long firstHeartbeat;
    private long lastHeartbeat;
    private long silentNs;
    private boolean isClosed;

    /**
     * Construct for a driver whose CnC file is there.
     *
     * @param directory      of the driver.
     * @param reporter       PE that reports its death.
     * @param silenceLimitNs after which it is given up, in nanoseconds; 0: never, Aeron's client does it.
     */
    DriverWatch(final String directory, final int reporter, final long silenceLimitNs)
    {
        this.directory = directory;
        this.reporter = reporter;
        this.silenceLimitNs = silenceLimitNs;
        final File file = new File(directory, CncFileDescriptor.CNC_FILE);
        cnc = IoUtil.mapExistingFile(file, CncFileDescriptor.CNC_FILE);
        final DirectBuffer metaData = CncFileDescriptor.createMetaDataBuffer(cnc);
        toDriver = new ManyToOneRingBuffer(CncFileDescriptor.createToDriverBuffer(cnc, metaData));
        pid = CncFileDescriptor.pid(metaData);
        process = ProcessProbe.ofMapping(pid, Path.of(directory, CncFileDescriptor.CNC_FILE));
        firstHeartbeat = toDriver.consumerHeartbeatTime();
        lastHeartbeat = firstHeartbeat;
    }

    /**
     * Has the driver died before anybody of this process came?
     *
     * @return what is to be said of it; null if it seems to live.
     */
    synchronized JobFailure checkBeforeUse()
    {
        if (null == process && lastSignMs() > TimeUnit.NANOSECONDS.toMillis(PROBATION_NS))
        {
            return failure("there is no process that uses the file");
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

        final long heartbeat = toDriver.consumerHeartbeatTime();
        silentNs = heartbeat == lastHeartbeat ? silentNs + elapsedNs : 0;
        lastHeartbeat = heartbeat;
        if (null != process && process.isGone())
        {
            return failure("its process has ended");
        }

        if (Aeron.NULL_VALUE == heartbeat)
        {
            return failure("it was shut down");
        }

        if (null == process && heartbeat == firstHeartbeat && silentNs >= PROBATION_NS)
        {
            return failure("there is no process that uses the file");
        }

        return silenceLimitNs > 0 && silentNs >= silenceLimitNs ? failure("it does not answer") : null;
    }

    /**
     * Which driver it is, for messages.
     *
     * @return directory, pid and host.
     */
    String describe()
    {
        return "the media driver in " + directory + " (pid " + pid + ", host " + HostName.local() + ")";
    }

    private JobFailure failure(final String how)
    {
        return new JobFailure(
            JobFailure.Kind.DRIVER_DIED, reporter, -1,
            describe() + " died: " + how +
            (Aeron.NULL_VALUE == lastHeartbeat ? "" : "; it last showed " + lastSignMs() + " ms ago that it lives") +
            ", noticed by PE " + reporter);
    }

    private long lastSignMs()
    {
        return Math.max(0, System.currentTimeMillis() - lastHeartbeat);
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
