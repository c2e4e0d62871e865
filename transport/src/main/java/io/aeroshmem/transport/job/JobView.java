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
package io.aeroshmem.transport.job;

import io.aeroshmem.transport.TransportException;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.ErrorConsumer;
import org.agrona.concurrent.errors.ErrorLogReader;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Read-only view of a job of this user, for viewers such as {@code aeroshmem stat}. It maps the control file read-only,
 * takes no lock and writes nothing, so it does not disturb the job. It stays readable when the job has ended.
 * <p>
 * <b>Ordering.</b> {@link ControlFile} and {@link PeActivities} describe what a snapshot of one PE guarantees. The
 * values of different PEs, and those of different counters, may have been read at different moments.
 */
public final class JobView
{
    private static final long HEARTBEAT_LIMIT_MS = 10_000;

    private final Path directory;
    private final ControlFile control;
    private final long uid;

    private JobView(final Path directory, final ControlFile control, final long uid)
    {
        this.directory = directory;
        this.control = control;
        this.uid = uid;
    }

    /**
     * State of a PE.
     *
     * @param pe          of the world.
     * @param pid         of its process on its own host, 0 before it has registered.
     * @param host        of that process, empty before it has registered.
     * @param phase       name of its {@link PePhase}; a number if the control file is damaged.
     * @param heartbeatMs when its process last wrote a heartbeat, in milliseconds since the epoch.
     * @param blockedIn   call that blocks it, or null.
     * @param counters    values by ordinal of {@link PeCounter}; empty for a PE of another node.
     * @param latencies   interval log of HdrHistogram with a line for each tag: everything recorded so far. Empty if
     *                    nothing has been, and for a PE of another node.
     */
    public record Pe(
        int pe,
        long pid,
        String host,
        String phase,
        long heartbeatMs,
        PeActivities.Activity blockedIn,
        long[] counters,
        String latencies)
    {
        /** Returns the value of a counter, 0 for a PE of another node. */
        public long counter(final PeCounter counter)
        {
            return 0 == counters.length ? 0 : counters[counter.ordinal()];
        }
    }

    /**
     * State of a job.
     *
     * @param directory       of the job on this node.
     * @param creatorPid      of the process that created it.
     * @param createdMs       when it was created, in milliseconds since the epoch.
     * @param takenMs         when the snapshot was taken, in milliseconds since the epoch.
     * @param generation      of a recoverable job; 0 for any other.
     * @param previousFailure that ended the generation before, or null.
     * @param recovery        when the phases of the recovery that began this generation ended; null if none did.
     * @param retained        what a recoverable job retains; null for any other.
     * @param hasEnded        whether its directory has been removed.
     * @param failure         first failure, or null.
     * @param pes             of all nodes.
     */
    public record Snapshot(
        Path directory,
        long creatorPid,
        long createdMs,
        long takenMs,
        int generation,
        JobFailure previousFailure,
        RecoveryTimes recovery,
        RetainedView retained,
        boolean hasEnded,
        JobFailure failure,
        List<Pe> pes)
    {
        /** Returns the id of the job, the name of its directory. */
        public String id()
        {
            return directory.getFileName().toString();
        }
    }

    /**
     * Opens a job.
     *
     * @param directory of the job, see {@link JobDirectory#path()}.
     * @return the view.
     * @throws IOException        if its control file cannot be read.
     * @throws TransportException if that is not one of this version.
     */
    public static JobView open(final Path directory) throws IOException
    {
        return open(directory, PrivateFiles.currentUid());
    }

    static JobView open(final Path directory, final long uid) throws IOException
    {
        return new JobView(
            directory,
            ControlFile.open(directory.resolve(JobDirectory.CONTROL), uid, FileChannel.MapMode.READ_ONLY),
            uid);
    }

    /** Returns the state of the job now. */
    public Snapshot snapshot()
    {
        final long nowMs = System.currentTimeMillis();
        final List<Pe> pes = new ArrayList<>(control.nPes());
        for (int pe = 0; pe < control.nPes(); pe++)
        {
            pes.add(pe(pe, nowMs));
        }

        return new Snapshot(
            directory,
            control.creatorPid(),
            control.createdTime(),
            nowMs,
            control.generation(),
            control.previousFailure(),
            RecoveryTimes.of(control),
            retained(),
            !Files.exists(directory),
            control.failure(),
            pes);
    }

    /** Returns null, too, if the files cannot be read: the job ends, or they are damaged. */
    private RetainedView retained()
    {
        try
        {
            return RetainedView.of(directory, control, uid);
        }
        catch (final IOException | TransportException ex)
        {
            return null;
        }
    }

    /**
     * Reads the distinct errors of a PE of this node.
     *
     * @return the number of distinct errors.
     * @throws IOException        if they cannot be read.
     * @throws TransportException if others can write the file, or it is damaged.
     */
    public int errors(final int pe, final ErrorConsumer consumer) throws IOException
    {
        final Path file = directory.resolve(PeErrorLog.PREFIX + pe);
        if (!Files.exists(file))
        {
            return 0;
        }

        try (FileChannel channel = PrivateFiles.open(file, uid))
        {
            final UnsafeBuffer buffer = new UnsafeBuffer(
                channel.map(FileChannel.MapMode.READ_ONLY, 0, Math.min(channel.size(), PeErrorLog.LENGTH)));
            return ErrorLogReader.read(buffer, consumer);
        }
        catch (final IndexOutOfBoundsException | IllegalArgumentException | NegativeArraySizeException ex)
        {
            throw new TransportException(file + " is damaged: " + ex.getMessage(), ex);
        }
    }

    /** Returns the control file, which is mapped read-only. */
    public ControlFile control()
    {
        return control;
    }

    /** Returns the directory of the media driver that the job starts for itself; it exists while that runs. */
    public Path aeronDirectory()
    {
        return JobDirectory.aeronDirectory(directory);
    }

    /**
     * Returns whether the job runs: a process of it is alive, or has written a heartbeat within
     * {@value #HEARTBEAT_LIMIT_MS} ms, if it is not visible from here.
     */
    public boolean isRunning()
    {
        final long nowMs = System.currentTimeMillis();
        for (int cell = 0; cell <= control.nPes(); cell++)
        {
            if (nowMs - control.heartbeat(cell) < HEARTBEAT_LIMIT_MS || isAlive(cell))
            {
                return true;
            }
        }

        return false;
    }

    private boolean isAlive(final int cell)
    {
        final ProcessIdentity process = cell == control.creatorCell() ?
            new ProcessIdentity(control.creatorPid(), control.creatorStartTime()) :
            new ProcessIdentity(control.pid(cell), control.startTime(cell));
        return process.isAlive();
    }

    private Pe pe(final int pe, final long nowMs)
    {
        final PeActivities.Activity activity = control.activities().get(pe);
        final long pid = control.pid(pe);
        final boolean isHere = 0 != pid && !control.isMirrored(pe);
        return new Pe(
            pe,
            pid,
            control.hostName(pe),
            control.phaseName(pe),
            control.heartbeat(pe),
            null != activity && activity.isFresh(nowMs) ? activity : null,
            isHere ? counters(pe) : new long[0],
            isHere ? PeLatencyFile.read(directory, pe, uid) : "");
    }

    private long[] counters(final int pe)
    {
        return Arrays.stream(PeCounter.values()).mapToLong((counter) -> control.counter(pe, counter).get()).toArray();
    }
}
