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
import org.agrona.ErrorHandler;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Removes the directories of dead jobs.
 */
public final class JobCleaner
{
    /*
     * Dead jobs. The creator of a job is the process that created its directory. It holds job.lock as long as it lives,
     * and every process that runs PEs of the job holds a proc-*.lock of its own. A job is dead when no process holds
     * its job.lock or any of its proc-*.lock files. So PEs that outlive the creator keep their job alive until they
     * have detected the creator's death and ended.
     *
     * Exclusion. A cleaner acquires job.lock first, and keeps it until the files are removed. So two cleaners never
     * work on one job, and a creator that is creating the directory detects the removal (see JobDirectory).
     *
     * Recoverable jobs. A RecoveryDirectory is treated like a job, and kept as long as its lease is valid.
     *
     * Directories without job.lock. A creator creates job.lock before every other file, and a deletion removes it last.
     * So an empty directory may be one that is still being created: the cleaner removes it, and its creator, if alive,
     * starts over. A directory that has other files but no job.lock is the rest of a deletion: either a process created
     * a file meanwhile, or the creator's JVM deleted the files when it ended, but kept the locks that other processes
     * held. The cleaner completes this deletion, unless a process still holds a lock in the directory.
     *
     * The last process of a job. Several processes may leave a job whose creator is dead, and one of them has to remove
     * the job. Each releases its own lock, then cleans. A cleaner that finds a process lock held releases job.lock,
     * then probes the process locks again. If all of them are free this time, it starts over.
     *
     * So the job is never left behind. Suppose that the cleaning by process A fails because cleaner B holds job.lock. A
     * has released its own lock before. Either B removes the job, or B has found a process lock held. In the second
     * case B releases job.lock and probes again, and then finds the lock of A free.
     */
    private JobCleaner()
    {
    }

    /**
     * Summary of one job directory.
     *
     * @param directory  of the job.
     * @param live       whether a process of the job is alive.
     * @param creatorPid pid of its creator, 0 where the control file cannot be read.
     * @param nPes       PEs of the job, 0 where the control file cannot be read, and for a {@link RecoveryDirectory}.
     * @param bytes      length of its files.
     * @param created    when it was created.
     * @param reason     why the job is live or dead, for display.
     */
    public record JobSummary(
        Path directory, boolean live, long creatorPid, int nPes, long bytes, Instant created, String reason)
    {
    }

    /** Returns a summary of every job of this user, live and dead. */
    public static List<JobSummary> list(final Path root)
    {
        final List<RuntimeException> errors = new ArrayList<>();
        final List<JobSummary> jobs =
            forEachJob(root, (directory, uid) -> summary(directory, uid, stateOrUnknown(directory)), errors::add);
        throwFirst(errors);

        return jobs;
    }

    /** Returns the directories of all jobs of this user, live and dead. */
    public static List<Path> directories(final Path root)
    {
        return directories(root, PrivateFiles.currentUid(),
            (name) -> JobDirectory.isJobId(name) || RecoveryDirectory.isName(name));
    }

    /**
     * Removes the dead jobs of this user and returns their summaries. Throws a {@link TransportException} if one cannot
     * be removed, after all others have been.
     */
    public static List<JobSummary> clean(final Path root)
    {
        final List<RuntimeException> errors = new ArrayList<>();
        final List<JobSummary> jobs = forEachJob(root, JobCleaner::cleanJob, errors::add);
        throwFirst(errors);

        return jobs;
    }

    /**
     * Removes the dead jobs of this user and returns their summaries. A job that cannot be removed is reported to the
     * error handler.
     */
    public static List<JobSummary> clean(final Path root, final ErrorHandler errorHandler)
    {
        return forEachJob(root, JobCleaner::cleanJob, errorHandler::onError);
    }

    /**
     * Removes one job if it is dead: for the last process of a job to leave, after the creator's death. Returns false
     * if another process holds a lock of it, or the job is gone.
     */
    public static boolean clean(final JobDirectory job)
    {
        try
        {
            return null != apply(JobCleaner::cleanJob, job.path(), PrivateFiles.currentUid());
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot remove the dead job in " + job.path() + ": " + ex, ex);
        }
    }

    private static void throwFirst(final List<RuntimeException> errors)
    {
        if (!errors.isEmpty())
        {
            final RuntimeException first = errors.get(0);
            errors.subList(1, errors.size()).forEach(first::addSuppressed);
            throw first;
        }
    }

    /** An error in one job does not affect the others. */
    private static List<JobSummary> forEachJob(
        final Path root, final JobAction action, final Consumer<RuntimeException> onError)
    {
        final long uid = PrivateFiles.currentUid();
        final List<JobSummary> summaries = new ArrayList<>();
        for (final Path directory : directories(root))
        {
            try
            {
                final JobSummary summary = apply(action, directory, uid);
                if (null != summary)
                {
                    summaries.add(summary);
                }
            }
            catch (final IOException ex)
            {
                onError.accept(new TransportException("cannot read or remove the job in " + directory + ": " +
                    ex + "; remove the directory by hand once no process of the job is alive", ex));
            }
            catch (final TransportException ex)
            {
                onError.accept(new TransportException("cannot read or remove the job in " + directory + ": " +
                    ex.getMessage() + "; remove the directory by hand once no process of the job is alive", ex));
            }
        }

        return summaries;
    }

    /**
     * A file that disappears during the scan is being removed by the holder of job.lock, its creator or another
     * cleaner, and the job with it.
     */
    private static JobSummary apply(final JobAction action, final Path directory, final long uid) throws IOException
    {
        try
        {
            return action.apply(directory, uid);
        }
        catch (final NoSuchFileException ex)
        {
            return null;
        }
    }

    /** Returns the directories of this user's recoverable jobs whose owners are alive, also between generations. */
    public static List<Path> ownedRecoveryDirectories(final Path root)
    {
        return directories(root, PrivateFiles.currentUid(), RecoveryDirectory::isName).stream()
            .filter((directory) -> ProcessLock.isHeld(directory.resolve(JobDirectory.JOB_LOCK))).toList();
    }

    static List<Path> jobDirectories(final Path root, final long uid)
    {
        return directories(root, uid, JobDirectory::isJobId);
    }

    private static List<Path> directories(final Path root, final long uid, final Predicate<Path> isName)
    {
        final List<Path> directories = new ArrayList<>();
        try
        {
            for (final Path parent : JobDirectory.userDirectories(JobDirectory.realRoot(root, uid), uid))
            {
                addJobs(parent, isName, directories);
            }
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot read the jobs under " + root + ": " + ex, ex);
        }

        directories.sort(null);

        return directories;
    }

    private static void addJobs(final Path parent, final Predicate<Path> isName, final List<Path> directories)
        throws IOException
    {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(parent))
        {
            for (final Path entry : stream)
            {
                if (isName.test(entry.getFileName()) && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))
                {
                    directories.add(entry);
                }
            }
        }
        catch (final NoSuchFileException ex)
        {
            // The last job has been removed, and the directory with it.
            return;
        }
    }

    private static JobSummary cleanJob(final Path directory, final long uid) throws IOException
    {
        final Path jobLock = directory.resolve(JobDirectory.JOB_LOCK);
        if (!Files.exists(jobLock, LinkOption.NOFOLLOW_LINKS))
        {
            return cleanWithoutLock(directory, uid);
        }

        do
        {
            try (ProcessLock lock = ProcessLock.tryAcquire(jobLock))
            {
                if (null == lock)
                {
                    return null;
                }

                if (!isHeld(directory))
                {
                    final JobSummary summary = summary(directory, uid, JobState.dead("all its locks are free"));
                    JobDirectory.removeTree(directory);

                    return summary;
                }
            }
        }
        while (!isHeld(directory));

        return null;
    }

    private static JobSummary cleanWithoutLock(final Path directory, final long uid) throws IOException
    {
        // Other files are checked first: job.lock is created before them, so its absence then means that it has been
        // removed, not that it is yet to be created. They are checked again: the creator removes job.lock after them.
        if (!hasOtherFiles(directory))
        {
            JobDirectory.removeIfEmpty(directory);
            return null;
        }

        if (Files.exists(directory.resolve(JobDirectory.JOB_LOCK), LinkOption.NOFOLLOW_LINKS) ||
            isHeld(directory) ||
            !hasOtherFiles(directory))
        {
            return null;
        }

        final JobSummary summary = summary(directory, uid, JobState.dead("its deletion was interrupted"));
        JobDirectory.removeTree(directory);

        return summary;
    }

    private static boolean hasOtherFiles(final Path directory) throws IOException
    {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory))
        {
            for (final Path entry : stream)
            {
                if (!entry.endsWith(JobDirectory.JOB_LOCK))
                {
                    return true;
                }
            }
        }

        return false;
    }

    /** A job whose state cannot be determined counts as live and is not removed. */
    private static JobState stateOrUnknown(final Path directory) throws IOException
    {
        try
        {
            return stateOf(directory);
        }
        catch (final TransportException ex)
        {
            return JobState.live("its state is unknown: " + ex.getMessage());
        }
    }

    private static JobState stateOf(final Path directory) throws IOException
    {
        final Path jobLock = directory.resolve(JobDirectory.JOB_LOCK);
        if (ProcessLock.isHeld(jobLock))
        {
            return JobState.live("its creator holds " + JobDirectory.JOB_LOCK);
        }

        final Path held = heldProcessLock(directory);
        if (null != held)
        {
            return JobState.live("its creator has ended, but a process still holds " + held.getFileName());
        }

        final FileTime lease = RecoveryLease.of(directory);
        if (null != lease)
        {
            return JobState.live("no process holds it, and its lease ends at " + lease);
        }

        return JobState.dead("all its locks are free");
    }

    /** Returns whether a process or a lease keeps a job whose creator has ended. */
    private static boolean isHeld(final Path directory) throws IOException
    {
        return null != heldProcessLock(directory) || null != RecoveryLease.of(directory);
    }

    private static Path heldProcessLock(final Path directory) throws IOException
    {
        for (final Path file : JobDirectory.processLockFiles(directory))
        {
            if (ProcessLock.isHeld(file))
            {
                return file;
            }
        }

        return null;
    }

    private static JobSummary summary(final Path directory, final long uid, final JobState state) throws IOException
    {
        final long bytes = JobDirectory.bytes(directory);
        if (RecoveryDirectory.isName(directory.getFileName()))
        {
            return new JobSummary(
                directory, state.isLive, 0, 0, bytes, created(directory), "of a recoverable job, " + state.reason);
        }

        try
        {
            final ControlFile control = ControlFile.open(directory.resolve(JobDirectory.CONTROL), uid);

            return new JobSummary(
                directory,
                state.isLive,
                control.creatorPid(),
                control.nPes(),
                bytes,
                Instant.ofEpochMilli(control.createdTime()),
                state.reason);
        }
        catch (final IOException | TransportException ex)
        {
            return new JobSummary(directory, state.isLive, 0, 0, bytes, created(directory),
                state.reason + "; its control file cannot be read: " + ex.getMessage());
        }
    }

    private static Instant created(final Path directory) throws IOException
    {
        return Files.readAttributes(
            directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).creationTime().toInstant();
    }

    private interface JobAction
    {
        JobSummary apply(Path directory, long uid) throws IOException;
    }

    private record JobState(boolean isLive, String reason)
    {
        static JobState live(final String reason)
        {
            return new JobState(true, reason);
        }

        static JobState dead(final String reason)
        {
            return new JobState(false, reason);
        }
    }
}
