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

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The file through which the launcher of a recoverable job gives a spare process its PE, in the directory of that job.
 * <pre>
 *    0  state (4, last) | PE (4)             | number of PEs (4)  | length of the path (4)
 *   16  pid of the spare (8)
 *   64  path of the job's directory (1024)
 * </pre>
 * The spare moves the state from STARTING to READY, by compare-and-set, after it has stored its pid; the launcher moves
 * it to ASSIGNED, after it has stored the rest. The waiter's acquiring load of ASSIGNED pairs with that release. The
 * second one to change the state removes the file: the launcher, or a spare that was given a PE before it was ready.
 */
public final class SpareFile
{
    private static final String PREFIX = "spare-";
    private static final int LENGTH = 4096;
    private static final int STATE = 0;
    private static final int PE = 4;
    private static final int N_PES = 8;
    private static final int PATH_LENGTH = 12;
    private static final int PID = 16;
    private static final int PATH = 64;
    private static final int PATH_CAPACITY = 1024;
    private static final int STARTING = 0;
    private static final int READY = 1;
    private static final int ASSIGNED = 2;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long PROBE_NS = TimeUnit.MILLISECONDS.toNanos(250);

    private final Path path;
    private final UnsafeBuffer buffer;

    private SpareFile(final Path path, final UnsafeBuffer buffer)
    {
        this.path = path;
        this.buffer = buffer;
    }

    /**
     * A spare process, for viewers.
     *
     * @param pid     of the process; 0 while it starts.
     * @param isReady whether it waits for a PE.
     */
    public record Spare(long pid, boolean isReady)
    {
    }

    /** Creates the file of a spare that is about to be started; {@code number} is unique in the job. */
    public static SpareFile create(final Path recoveryDirectory, final int number)
    {
        final Path path = recoveryDirectory.resolve(PREFIX + number);
        try (FileChannel channel = PrivateFiles.create(path))
        {
            PrivateFiles.reserve(channel, LENGTH);
            return new SpareFile(path, new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH)));
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot create the file of a spare process " + path + ": " + ex, ex);
        }
    }

    /** Opens the file that the launcher has created for this process. */
    public static SpareFile open(final Path path)
    {
        try
        {
            final SpareFile file = map(path, PrivateFiles.currentUid(), FileChannel.MapMode.READ_WRITE);
            if (null == file)
            {
                throw new TransportException(path + " must have " + LENGTH + " bytes");
            }

            return file;
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot open the file of a spare process " + path + ": " + ex, ex);
        }
    }

    /** Returns null if the file is not complete: its launcher has just created it. */
    private static SpareFile map(final Path path, final long uid, final FileChannel.MapMode mode) throws IOException
    {
        try (FileChannel channel = PrivateFiles.open(path, uid))
        {
            return LENGTH == channel.size() ? new SpareFile(path, new UnsafeBuffer(channel.map(mode, 0, LENGTH))) :
                null;
        }
    }

    /** Lists the spare processes that have no PE yet, without those that come or go meanwhile; empty without any. */
    static List<Spare> list(final Path recoveryDirectory, final long uid) throws IOException
    {
        final List<Spare> spares = new ArrayList<>();
        try (Stream<Path> files = Files.list(recoveryDirectory))
        {
            for (final Path file : files.filter(SpareFile::isName).sorted().toList())
            {
                addIfWaiting(file, uid, spares);
            }
        }
        catch (final NoSuchFileException ex)
        {
            return List.of(); // the job has ended
        }

        return spares;
    }

    private static void addIfWaiting(final Path path, final long uid, final List<Spare> spares) throws IOException
    {
        try
        {
            final SpareFile file = map(path, uid, FileChannel.MapMode.READ_ONLY);
            final int state = null == file ? ASSIGNED : file.buffer.getIntAcquire(STATE);
            if (ASSIGNED != state)
            {
                spares.add(new Spare(file.buffer.getLong(PID), READY == state));
            }
        }
        catch (final NoSuchFileException ex)
        {
            // its process has a PE, or has ended
            return;
        }
    }

    private static boolean isName(final Path file)
    {
        return file.getFileName().toString().startsWith(PREFIX);
    }

    public Path path()
    {
        return path;
    }

    /** Gives the spare its PE, whether it is ready or still starts, when it has yet to open the file; launcher only. */
    public void assign(final int pe, final int nPes, final Path jobDirectory)
    {
        buffer.putInt(PE, pe);
        buffer.putInt(N_PES, nPes);
        BoundedText.put(buffer, PATH_LENGTH, PATH, BoundedText.encode(jobDirectory.toString(), PATH_CAPACITY));
        if (READY == buffer.getAndSetInt(STATE, ASSIGNED))
        {
            remove();
        }
    }

    /** Removes the file, which a process that has opened it can still read. */
    public void remove()
    {
        try
        {
            Files.deleteIfExists(path);
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot remove " + path + ": " + ex, ex);
        }
    }

    /**
     * Waits until this process, the spare, has a PE.
     *
     * @return false if the launcher has ended, even if another one has taken over its directory.
     */
    public boolean await(final long pid)
    {
        buffer.putLong(PID, pid);
        if (!buffer.compareAndSetInt(STATE, STARTING, READY))
        {
            remove();
            return true;
        }

        try (LockProbe launcher = new LockProbe(path.resolveSibling(JobDirectory.JOB_LOCK)))
        {
            long probedNs = Pause.SYSTEM.nanoTime();
            boolean isAlive = true;
            while (isAlive && ASSIGNED != buffer.getIntAcquire(STATE))
            {
                Pause.SYSTEM.park(this, POLL_NS);
                if (Pause.SYSTEM.nanoTime() - probedNs >= PROBE_NS)
                {
                    isAlive = launcher.isHeld() && Files.exists(path);
                    probedNs = Pause.SYSTEM.nanoTime();
                }
            }

            // the launcher removes the file after it has given the PE
            return isAlive || ASSIGNED == buffer.getIntAcquire(STATE);
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot probe the lock of the launcher: " + ex, ex);
        }
    }

    /** Returns the PE; like the following methods after {@link #await} only. */
    public int pe()
    {
        return buffer.getInt(PE);
    }

    public int nPes()
    {
        return buffer.getInt(N_PES);
    }

    public String jobDirectory()
    {
        return BoundedText.get(buffer, PATH_LENGTH, PATH, PATH_CAPACITY);
    }
}
