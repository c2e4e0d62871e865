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

import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.FreeMemory;
import org.agrona.BitUtil;

import java.nio.file.Path;

import static io.aeroshmem.transport.job.FreeMemory.mebibytes;

/**
 * Memory that the files of a job will take on a node: the heaps of its PEs, the files of their media driver, and the
 * log buffers of their streams.
 */
public final class NodeMemory
{
    private static final int PAGE_SIZE = 4096;
    /** The least private memory of a JVM with a PE: with -Xint -Xmx8m it is 24.4 MiB, on JDK 17 and 25. */
    private static final long JVM_LENGTH = 24L << 20;

    private final int pes;
    private String parts = "";
    private String remedy = "";
    private long heapBytes;
    private long jobBytes;
    private int chargedPes;
    private int retainedHeaps;
    private boolean isRetained;
    private long streamBytes;
    private long jvmBytes;
    private Path driverDirectory;

    /** The memory of a number of PEs. */
    public NodeMemory(final int pes)
    {
        this.pes = pes;
        chargedPes = pes;
    }

    /**
     * Restricts the comparison with the limits of this process's control group to the heaps of some PEs: other PEs, and
     * the driver that one of them starts, may be in other groups, such as containers that share the directory.
     */
    NodeMemory charged(final int chargedPes)
    {
        this.chargedPes = chargedPes;
        return this;
    }

    /**
     * Excludes heaps that a generation of the job before has reserved.
     *
     * @param heaps of the node.
     * @param isOwn whether the heaps of this process are among them.
     */
    NodeMemory retained(final int heaps, final boolean isOwn)
    {
        retainedHeaps = heaps;
        isRetained = isOwn;
        return this;
    }

    /**
     * Adds the heaps, and the library's own memory of each PE.
     *
     * @param heapLength    of each PE in bytes; 0 if it is sparse or not yet known.
     * @param libraryLength of each PE in bytes.
     */
    public NodeMemory heaps(final long heapLength, final long libraryLength)
    {
        final long length = heapLength + BitUtil.align(libraryLength, PAGE_SIZE);
        if (length < 0 || length > Long.MAX_VALUE / 4 / pes)
        {
            throw new TransportException("heapSize must fit into memory: heapSize=" + heapLength +
                " (aeroshmem.heap.size)");
        }

        heapBytes = isRetained ? length - heapLength : length;
        jobBytes += pes * length - retainedHeaps * heapLength;
        parts = "heaps of " + mebibytes(length);
        remedy = "aeroshmem.heap.size (--heap)";
        return this;
    }

    /** Adds the JVMs of the PEs, which have not been started. */
    public NodeMemory jvms()
    {
        jvmBytes = pes * JVM_LENGTH;
        return this;
    }

    /**
     * Adds the messages of PEs that are all of the job and use one transport.
     *
     * @param isUdp           true for UDP, false for IPC.
     * @param driverDirectory of an external driver; null if the job starts one.
     * @param termLength      in bytes.
     */
    public NodeMemory messages(final boolean isUdp, final String driverDirectory, final int termLength)
    {
        return messages(1 == pes ? 0 : logs(isUdp, pes), driverDirectory, termLength);
    }

    /** Returns the log buffers of several PEs that are all of a job and use one transport. */
    static int logs(final boolean isUdp, final int pes)
    {
        return isUdp ? 2 * pes : pes;
    }

    /** Adds a number of log buffers, and the driver if the job starts it. */
    NodeMemory messages(final int logs, final String directory, final int termLength)
    {
        if (logs > 0)
        {
            final long length = LogBufferDescriptor.computeLogLength(termLength, PAGE_SIZE);
            streamBytes = logs * length;
            parts += ", " + logs + " log buffers of " + mebibytes(length);
            remedy += " or aeroshmem.term.length";
            if (null == directory)
            {
                final long driverLength = EmbeddedDriver.fileLength(logs);
                jobBytes += driverLength;
                parts += ", a media driver of " + mebibytes(driverLength);
            }
            else
            {
                driverDirectory = Path.of(directory);
            }
        }

        return this;
    }

    /**
     * Adds jobs that train the library in each process, as many as there can be beside this one. As they can be left
     * out, all memory is compared with the limits of this process's control group.
     *
     * @param logsOfJob log buffers of each job.
     */
    NodeMemory training(final TrainingJobs training, final int logsOfJob, final int termLength)
    {
        final int jobs = (pes - chargedPes + 1) * training.jobs();
        final long bytes = jobs * training.pes() * training.peLength();
        final long logBytes = jobs * logsOfJob * LogBufferDescriptor.computeLogLength(termLength, PAGE_SIZE);
        jobBytes += bytes;
        streamBytes += logBytes;
        parts += ", warm-ups of " + mebibytes(bytes + logBytes);
        chargedPes = pes;
        return this;
    }

    /**
     * Checks that the memory is available.
     *
     * @param root that contains the job's directory.
     * @throws TransportException if memory is short; the message has the numbers, and what to set.
     */
    public void check(final Path root)
    {
        final FreeMemory free = FreeMemory.of(root);
        final FreeMemory ofDriver = null == driverDirectory ? free : FreeMemory.of(driverDirectory);
        final boolean isOneStore = ofDriver.isSameStore(free);
        // An external driver touches its log buffers itself.
        final long chargedBytes = chargedPes < pes ? chargedPes * heapBytes :
            jobBytes + (null == driverDirectory ? streamBytes : 0);
        String shortage = free.shortage(jobBytes + (isOneStore ? streamBytes : 0), chargedBytes, jvmBytes);
        if (null == shortage && !isOneStore)
        {
            shortage = ofDriver.shortage(streamBytes, 0, 0);
        }

        if (null != shortage)
        {
            throw new TransportException((1 == pes ? "1 PE needs " : pes + " PEs need ") +
                mebibytes(jobBytes + streamBytes) + " of shared memory (" + parts + "): " + shortage +
                ", set another aeroshmem.shm.dir, or reduce " + remedy);
        }
    }
}
