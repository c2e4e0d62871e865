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

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * File lock that this process holds until it closes the lock or ends. The kernel releases the lock however the process
 * ends, so other processes detect its death without a message.
 */
public final class ProcessLock implements AutoCloseable
{
    private static final long CREATE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long RETRY_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Locks held by this process, by file key; guarded by itself. */
    private static final Map<Object, ProcessLock> HELD = new HashMap<>();

    /**
     * Channels of files that this JVM has locked through another copy of this class (another class loader): closing
     * them would drop that lock, so they stay open. Guarded by {@link #HELD}.
     */
    private static final List<FileChannel> NEVER_CLOSED = new ArrayList<>();

    /*
     * POSIX locks belong to the process, not to the channel. Closing any channel of a file silently drops all locks of
     * the process on the file. So a file whose lock this process holds must never be opened here a second time, not
     * even to probe the lock. This rule spans all jobs and PEs of the JVM. Therefore the table of held locks is static.
     *
     * The key of the table is the file itself (device and inode), so that two paths to one file are one lock. The table
     * also keeps the locks strongly reachable: a channel that was garbage collected would be closed, and other
     * processes would consider this one dead. Every open, lock, probe and close of a lock file happens under the
     * monitor of the table. So no thread closes a channel between the lookup and the locking by another thread.
     *
     * Probes briefly acquire a shared lock, so that two concurrent probes do not conflict. A process that creates its
     * lock during a probe retries (create(Path)).
     */
    private final Path path;
    private final Object key;
    private final List<FileChannel> channels = new ArrayList<>(1);
    private final FileLock lock;

    private ProcessLock(final Path path, final Object key, final FileChannel channel, final FileLock lock)
    {
        this.path = path;
        this.key = key;
        this.lock = lock;
        channels.add(channel);
    }

    /**
     * Creates a new lock file and locks it. Throws a {@link java.nio.file.FileAlreadyExistsException} if there is one,
     * and a {@link NoSuchFileException} if a cleaner removed the directory, or the file before it was locked.
     */
    static ProcessLock create(final Path path) throws IOException
    {
        FileChannel channel = null;
        final long deadlineNs = System.nanoTime() + CREATE_TIMEOUT_NS;
        while (true)
        {
            // No other process creates this name: the file is the one created here, or removed by a cleaner.
            synchronized (HELD)
            {
                if (null == channel)
                {
                    channel = PrivateFiles.create(path);
                }

                final ProcessLock lock = tryLock(path, channel);
                if (null != lock)
                {
                    return lock;
                }

                if (System.nanoTime() - deadlineNs >= 0)
                {
                    close(channel, keyOf(path));
                    throw new TransportException("another process holds the lock of the new file " + path);
                }
            }

            LockSupport.parkNanos(RETRY_PAUSE_NS);
        }
    }

    /** Locks an existing lock file. Returns null if a process, this one included, holds the lock. */
    static ProcessLock tryAcquire(final Path path) throws IOException
    {
        synchronized (HELD)
        {
            final Object key = keyOf(path);
            if (HELD.containsKey(key))
            {
                return null;
            }

            final FileChannel channel = FileChannel.open(
                path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
            final ProcessLock lock;
            try
            {
                lock = tryLock(path, channel);
            }
            catch (final OverlappingFileLockException ex)
            {
                neverClose(channel);
                return null;
            }

            if (null == lock)
            {
                channel.close();
            }

            return lock;
        }
    }

    /**
     * Returns whether a live process, this one included, holds the lock of a file; false if the file does not exist.
     */
    public static boolean isHeld(final Path path)
    {
        try (LockProbe probe = new LockProbe(path))
        {
            return probe.isHeld();
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot probe the lock " + path + ": " + ex, ex);
        }
    }

    public Path path()
    {
        return path;
    }

    /** Releases the lock and keeps the file. To processes that probe the lock, this one has ended. */
    @Override
    public void close()
    {
        synchronized (HELD)
        {
            if (HELD.remove(key, this))
            {
                closeChannels();
            }
        }
    }

    @Override
    public String toString()
    {
        return "ProcessLock{" + path + ", held=" + lock.isValid() + '}';
    }

    /**
     * Probes a lock file once, through a channel that the caller keeps between polls. Returns whether a process holds
     * the lock.
     */
    static boolean probe(final LockProbe probe) throws IOException
    {
        synchronized (HELD)
        {
            if (null == probe.key)
            {
                try
                {
                    probe.key = keyOf(probe.path);
                }
                catch (final NoSuchFileException ex)
                {
                    // No file, no holder; the file may be created later.
                    return false;
                }
            }

            if (HELD.containsKey(probe.key))
            {
                return true;
            }

            if (null == probe.channel)
            {
                try
                {
                    probe.channel = FileChannel.open(
                        probe.path, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
                }
                catch (final NoSuchFileException ex)
                {
                    probe.key = null;
                    return false;
                }
            }

            try
            {
                final FileLock lock = probe.channel.tryLock(0, Long.MAX_VALUE, true);
                if (null == lock)
                {
                    return true;
                }

                lock.release();
                return false;
            }
            catch (final OverlappingFileLockException ex)
            {
                neverClose(probe.channel);
                return true;
            }
        }
    }

    /** Closes the channel of a probe, or leaves it to the lock if this process has since acquired it. */
    static void close(final LockProbe probe) throws IOException
    {
        synchronized (HELD)
        {
            final FileChannel channel = probe.channel;
            probe.channel = null;
            if (null == channel || NEVER_CLOSED.contains(channel))
            {
                return;
            }

            close(channel, probe.key);
        }
    }

    /**
     * Closes a channel that holds no lock; if this process holds the lock of the file through another channel, both are
     * closed together.
     */
    private static void close(final FileChannel channel, final Object key) throws IOException
    {
        final ProcessLock held = HELD.get(key);
        if (null == held)
        {
            channel.close();
        }
        else
        {
            held.channels.add(channel);
        }
    }

    /**
     * Locks a file through a channel of the caller, under the monitor of the table. Returns null if a process, this one
     * included, holds the lock. The channel stays open then; it is closed if an exception is thrown.
     */
    private static ProcessLock tryLock(final Path path, final FileChannel channel) throws IOException
    {
        final Object key;
        try
        {
            key = keyOf(path);
        }
        catch (final NoSuchFileException ex)
        {
            channel.close();
            throw ex;
        }

        if (HELD.containsKey(key))
        {
            return null;
        }

        final FileLock fileLock;
        try
        {
            fileLock = channel.tryLock();
        }
        catch (final IOException ex)
        {
            channel.close();
            throw ex;
        }

        if (null == fileLock)
        {
            return null;
        }

        // A cleaner removes the file while it holds the lock: locked and still present, it is ours.
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS) || !key.equals(keyOf(path)))
        {
            channel.close();
            throw new NoSuchFileException(path.toString());
        }

        final ProcessLock lock = new ProcessLock(path, key, channel, fileLock);
        HELD.put(key, lock);

        return lock;
    }

    /** Checked before every open, as opening a FIFO could block indefinitely. */
    private static Object keyOf(final Path path) throws IOException
    {
        final BasicFileAttributes attributes =
            Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile())
        {
            throw new TransportException("lock must be a regular file: " + path + "; the job directory is damaged");
        }

        final Object key = attributes.fileKey();
        if (null == key)
        {
            throw new TransportException(path + " is on a file system without inodes: set aeroshmem.shm.dir to a " +
                "directory on a memory file system");
        }

        return key;
    }

    private static void neverClose(final FileChannel channel)
    {
        if (!NEVER_CLOSED.contains(channel))
        {
            NEVER_CLOSED.add(channel);
        }
    }

    private void closeChannels()
    {
        IOException first = null;
        for (final FileChannel channel : channels)
        {
            try
            {
                channel.close();
            }
            catch (final IOException ex)
            {
                first = null == first ? ex : first;
            }
        }

        channels.clear();
        if (null != first)
        {
            throw new TransportException("cannot release the lock " + path + ": " + first, first);
        }
    }
}
