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
package io.aeroshmem.tools;

import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.aeroshmem.transport.job.ProcessProbe;
import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

import java.io.File;
import java.nio.MappedByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Probe that determines from the CnC file in a directory whether a media driver is active there. Aeron's own check
 * accepts a heartbeat within the driver timeout, 10 s by default, even if the driver was killed after that heartbeat.
 * This probe also looks for the driver's process. If the process is not visible, for example because it is in another
 * container, the probe waits for another heartbeat.
 */
final class DriverProbe
{
    /** A driver has a heartbeat every second. */
    private static final long PROBATION_NS = TimeUnit.SECONDS.toNanos(3);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final File directory;
    private final File cnc;

    /** Creates a probe of a directory, which need not exist. */
    DriverProbe(final String directory)
    {
        this.directory = new File(directory);
        this.cnc = new File(directory, CncFileDescriptor.CNC_FILE);
    }

    /** Returns whether the heartbeat of a driver is recent, although the driver may have ended since. */
    boolean hasHeartbeat()
    {
        return directory.isDirectory() && CommonContext.isDriverActive(
            directory, new CommonContext().driverTimeoutMs(), (progress) -> {});
    }

    /** Returns whether a driver responds; waits up to three seconds for a heartbeat if its process is not visible. */
    boolean isActive()
    {
        return hasHeartbeat() && (isProcessVisible() || isBeating());
    }

    /** Returns whether the driver's process is alive, even if suspended, and visible from here. */
    boolean isProcessVisible()
    {
        return null != ProcessProbe.ofMapping(pid(), cnc.toPath());
    }

    /**
     * Returns the process ID in the driver's file, whether that process is alive or not, or 0 if there is none.
     */
    long pid()
    {
        if (cnc.length() < CncFileDescriptor.META_DATA_LENGTH)
        {
            return 0;
        }

        final MappedByteBuffer mapped = IoUtil.mapExistingFile(cnc, CncFileDescriptor.CNC_FILE);
        try
        {
            return CncFileDescriptor.pid(CncFileDescriptor.createMetaDataBuffer(mapped));
        }
        finally
        {
            IoUtil.unmap(mapped);
        }
    }

    private boolean isBeating()
    {
        final MappedByteBuffer mapped = IoUtil.mapExistingFile(cnc, CncFileDescriptor.CNC_FILE);
        try
        {
            final DirectBuffer metaData = CncFileDescriptor.createMetaDataBuffer(mapped);
            final ManyToOneRingBuffer toDriver =
                new ManyToOneRingBuffer(CncFileDescriptor.createToDriverBuffer(mapped, metaData));
            final long first = toDriver.consumerHeartbeatTime();
            final long startNs = System.nanoTime();
            while (first == toDriver.consumerHeartbeatTime())
            {
                if (System.nanoTime() - startNs >= PROBATION_NS || Thread.currentThread().isInterrupted())
                {
                    return false;
                }

                LockSupport.parkNanos(POLL_NS);
            }

            return true;
        }
        finally
        {
            IoUtil.unmap(mapped);
        }
    }
}
