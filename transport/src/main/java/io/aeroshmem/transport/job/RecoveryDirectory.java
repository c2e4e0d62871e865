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

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The directory of a recoverable job on one host, {@code <root>/aeroshmem-<uid>/recovery-<id>/}, for what its
 * generations have in common. Each generation has a {@link JobDirectory} of its own beside it.
 * <pre>
 *  job.lock          held by the owner, the launcher or the JVM of all PEs, as long as it lives
 *  lease             see {@link RecoveryLease}
 * </pre>
 * The rules of creation, cleaning and deletion are those of a {@link JobDirectory}; in addition a cleaner
 * ({@link JobCleaner}) keeps the directory as long as the lease is valid. An owner that ends in any other way than by a
 * kill removes the directory. Another launcher of the job on this host may take over that of an owner that was killed.
 * If the owner is the JVM of all PEs, there is no lease: nobody could go on without it.
 */
public final class RecoveryDirectory implements AutoCloseable
{
    private static final String PREFIX = "recovery-";
    /** Time in which the kernel frees the memory of a killed owner, and then its lock. */
    private static final long OWNER_END_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Path path;
    private final ProcessLock lock;
    /** Null if there is none. */
    private RecoveryLease lease;
    /** Removes the directory when the JVM ends; null if the owner does. */
    private final Thread shutdownHook;
    private boolean isClosed;

    private RecoveryDirectory(final Path path, final ProcessLock lock, final long retainTimeoutNs)
    {
        this.path = path;
        this.lock = lock;
        shutdownHook = retainTimeoutNs > 0 ? null : new Thread(this::close, "aeroshmem-end-of-jvm");
    }

    /**
     * Creates the directory of a job whose PEs are all in this JVM, which owns it until {@link #close()} or until the
     * JVM ends.
     */
    public static RecoveryDirectory createForThisJvm(final Path root)
    {
        return create(root, 0);
    }

    /** Creates the directory under the root of job directories, which this process owns until {@link #close()}. */
    public static RecoveryDirectory create(final Path root, final long retainTimeoutNs)
    {
        return create(root, null, retainTimeoutNs);
    }

    /**
     * The same with an id of 32 hexadecimal digits that no other job has. Takes over the directory, with the heaps, of
     * an owner of this job that has ended.
     */
    public static RecoveryDirectory create(final Path root, final String jobId, final long retainTimeoutNs)
    {
        try
        {
            return JobDirectory.inUserDirectory(root, (parent, randomId) -> null == jobId ?
                createAt(parent.resolve(name(randomId)), retainTimeoutNs) :
                createOrTakeOver(parent.resolve(name(jobId)), retainTimeoutNs));
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot create the directory of a recoverable job under " + root + ": " + ex +
                "; free space there or set " + JobDirectory.SHM_DIR_PROP_NAME, ex);
        }
    }

    private static RecoveryDirectory createAt(final Path path, final long retainTimeoutNs) throws IOException
    {
        PrivateFiles.makeDirectory(path);
        return open(path, ProcessLock.create(path.resolve(JobDirectory.JOB_LOCK)), retainTimeoutNs);
    }

    private static RecoveryDirectory createOrTakeOver(final Path path, final long retainTimeoutNs) throws IOException
    {
        try
        {
            return createAt(path, retainTimeoutNs);
        }
        catch (final FileAlreadyExistsException ex)
        {
            PrivateFiles.verifyDirectory(path, PrivateFiles.currentUid(), JobDirectory.SHM_DIR_PROP_NAME);
            final ProcessLock lock = lockOfDeadOwner(path);
            removeAllButHeaps(path);
            return open(path, lock, retainTimeoutNs);
        }
    }

    private static ProcessLock lockOfDeadOwner(final Path path) throws IOException
    {
        final Path jobLock = path.resolve(JobDirectory.JOB_LOCK);
        final long deadlineNs = System.nanoTime() + OWNER_END_NS;
        ProcessLock lock = ProcessLock.tryAcquire(jobLock);
        while (null == lock)
        {
            if (System.nanoTime() - deadlineNs >= 0)
            {
                throw new TransportException(path + " belongs to another launcher of this job, which is alive");
            }

            Pause.SYSTEM.park(path, POLL_NS);
            lock = ProcessLock.tryAcquire(jobLock);
        }

        if (!Files.exists(jobLock, LinkOption.NOFOLLOW_LINKS))
        {
            // a cleaner was faster
            lock.close();
            throw new NoSuchFileException(jobLock.toString());
        }

        return lock;
    }

    /** Removes the files of spare processes and commands, which belong to the launcher that has ended. */
    private static void removeAllButHeaps(final Path path) throws IOException
    {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path, (file) ->
            Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !file.endsWith(JobDirectory.JOB_LOCK) &&
            !RecoveryLease.isFile(file) && !RetainedHeaps.isFile(file)))
        {
            for (final Path file : files)
            {
                Files.deleteIfExists(file);
            }
        }
    }

    private static RecoveryDirectory open(final Path path, final ProcessLock lock, final long retainTimeoutNs)
        throws IOException
    {
        final RecoveryDirectory directory = new RecoveryDirectory(path, lock, retainTimeoutNs);
        try
        {
            directory.start(retainTimeoutNs);
            return directory;
        }
        catch (final IOException | RuntimeException ex)
        {
            directory.close();
            throw ex;
        }
    }

    private void start(final long retainTimeoutNs) throws IOException
    {
        if (null == shutdownHook)
        {
            lease = new RecoveryLease(path, retainTimeoutNs);
            lease.start();
        }
        else
        {
            Runtime.getRuntime().addShutdownHook(shutdownHook);
        }
    }

    /** Returns the name of the directory of the job with an id. */
    public static String name(final String jobId)
    {
        return PREFIX + jobId;
    }

    public Path path()
    {
        return path;
    }

    /** Removes the directory with all files: the job has ended. Idempotent. */
    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            if (null != lease)
            {
                lease.end();
            }

            removeHook();
            try (lock)
            {
                JobDirectory.removeTree(path);
            }
            catch (final IOException ex)
            {
                throw new TransportException("cannot remove " + path + ": " + ex, ex);
            }
        }
    }

    private void removeHook()
    {
        try
        {
            if (null != shutdownHook)
            {
                Runtime.getRuntime().removeShutdownHook(shutdownHook);
            }
        }
        catch (final IllegalStateException ex)
        {
            return; // the JVM is ending, and the hook may be the caller
        }
    }

    @Override
    public String toString()
    {
        return "RecoveryDirectory{" + path + '}';
    }

    /** Returns whether a name is one that {@link #create} gives to a directory. */
    static boolean isName(final Path name)
    {
        final String text = name.toString();
        return text.startsWith(PREFIX) && JobDirectory.isJobId(Path.of(text.substring(PREFIX.length())));
    }
}
