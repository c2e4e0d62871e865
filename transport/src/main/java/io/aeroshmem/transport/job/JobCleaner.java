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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds what dead jobs left behind under a root, and removes it.
 * <p>
 * A job is dead when nobody holds its {@code job.lock} and nobody holds any of its {@code proc-*.lock}s: PEs that
 * outlive their creator keep their job until they have noticed and ended. Whoever cleans takes {@code job.lock} first
 * and keeps it until the files are gone, so two cleaners never work on one job, and a creator that is just making the
 * directory notices (see {@link JobDirectory}). A directory without {@code job.lock} is one that is being born, if it
 * is empty, or the rest of a deletion that was cut short: {@code job.lock} comes before, and goes after, every other
 * file.
 */
public final class JobCleaner
{
    private JobCleaner()
    {
    }

    /**
     * What is known of one job directory.
     *
     * @param directory  of the job.
     * @param live       false if nothing of the job lives any more.
     * @param creatorPid pid of its creator, 0 where the control file cannot be read.
     * @param nPes       PEs of the job, 0 where the control file cannot be read.
     * @param bytes      length of its files.
     * @param created    when it was created.
     * @param reason     why it is thought to be live or dead, for people.
     */
    public record JobSummary(
        Path directory, boolean live, long creatorPid, int nPes, long bytes, Instant created, String reason)
    {
    }

    /**
     * Lists the jobs of this user, live and dead.
     *
     * @param root directory under which jobs live, see {@link JobDirectory#defaultRoot()}.
     * @return one summary per job directory; empty where there are none.
     * @throws TransportException if the root is not safe to use or cannot be read.
     */
    public static List<JobSummary> list(final Path root)
    {
        final List<RuntimeException> errors = new ArrayList<>();
        final List<JobSummary> jobs =
            forEachJob(root, (directory, uid) -> summary(directory, uid, verdictOrDamage(directory)), errors::add);
        throwFirst(errors);

        return jobs;
    }

    /**
     * Removes the dead jobs of this user, and no others.
     *
     * @param root directory under which jobs live, see {@link JobDirectory#defaultRoot()}.
     * @return what was removed.
     * @throws TransportException if the root is not safe to use, or something cannot be removed; then all else has
     *                            been.
     */
    public static List<JobSummary> clean(final Path root)
    {
        final List<RuntimeException> errors = new ArrayList<>();
        final List<JobSummary> jobs = forEachJob(root, JobCleaner::cleanJob, errors::add);
        throwFirst(errors);

        return jobs;
    }

    /**
     * Removes the dead jobs of this user, and no others, for whom it is no reason to stop when one cannot be removed.
     *
     * @param root         directory under which jobs live, see {@link JobDirectory#defaultRoot()}.
     * @param errorHandler told of each job that cannot be removed, and why.
     * @return what was removed.
     * @throws TransportException if the root is not safe to use.
     */
    public static List<JobSummary> clean(final Path root, final ErrorHandler errorHandler)
    {
        return forEachJob(root, JobCleaner::cleanJob, errorHandler::onError);
    }

    /**
     * Removes one job if it is dead: for the last process of a job to leave, after the creator's death.
     *
     * @param job whose directory is removed.
     * @return true if it was dead; false if another process still holds a lock of it, or it is gone.
     * @throws TransportException if something cannot be removed.
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

    /**
     * What is wrong with one job keeps nobody from looking at the next.
     */
    private static List<JobSummary> forEachJob(
        final Path root, final JobAction action, final Consumer<RuntimeException> onError)
    {
        final long uid = PrivateFiles.currentUid();
        final List<JobSummary> summaries = new ArrayList<>();
        for (final Path directory : jobDirectories(root, uid))
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
                onError.accept(new TransportException("cannot look through or remove the job in " + directory + ": " +
                    ex + "; remove the directory by hand once no process of the job lives", ex));
            }
            catch (final TransportException ex)
            {
                onError.accept(new TransportException("cannot look through or remove the job in " + directory + ": " +
                    ex.getMessage() + "; remove the directory by hand once no process of the job lives", ex));
            }
        }

        return summaries;
    }

    /**
     * A file that goes while its directory is looked at is removed by the holder of job.lock, its creator or another
     * cleaner: what is left is theirs, and no job any more.
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

    private static List<Path> jobDirectories(final Path root, final long uid)
    {
        final List<Path> directories = new ArrayList<>();
        try
        {
            for (final Path parent : JobDirectory.userDirectories(JobDirectory.realRoot(root, uid), uid))
            {
                addJobs(parent, directories);
            }
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot look through the jobs under " + root + ": " + ex, ex);
        }

        directories.sort(null);

        return directories;
    }

    private static void addJobs(final Path parent, final List<Path> directories) throws IOException
    {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(parent))
        {
            for (final Path entry : stream)
            {
                if (JobDirectory.isJobId(entry.getFileName()) && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))
                {
                    directories.add(entry);
                }
            }
        }
        catch (final NoSuchFileException ex)
        {
            // The last job has just gone, and the directory with it.
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

        try (ProcessLock lock = ProcessLock.tryAcquire(jobLock))
        {
            final Path held = null == lock ? jobLock : heldProcessLock(directory);
            if (null != held)
            {
                return null;
            }

            final JobSummary summary = summary(directory, uid, Verdict.dead("all its locks are free"));
            JobDirectory.removeTree(directory);

            return summary;
        }
    }

    private static JobSummary cleanWithoutLock(final Path directory, final long uid) throws IOException
    {
        // Looked at in this order: job.lock is there before any other file, so that another file and then no job.lock
        // means that job.lock is gone, not that it is yet to come.
        if (!hasOtherFiles(directory))
        {
            JobDirectory.removeIfEmpty(directory);
            return null;
        }

        if (Files.exists(directory.resolve(JobDirectory.JOB_LOCK), LinkOption.NOFOLLOW_LINKS) ||
            null != heldProcessLock(directory))
        {
            return null;
        }

        final JobSummary summary = summary(directory, uid, Verdict.dead("its deletion was cut short"));
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

    /**
     * A job of which nobody can tell whether it lives is none to be removed.
     */
    private static Verdict verdictOrDamage(final Path directory) throws IOException
    {
        try
        {
            return verdict(directory);
        }
        catch (final TransportException ex)
        {
            return Verdict.live("whether it lives cannot be told: " + ex.getMessage());
        }
    }

    private static Verdict verdict(final Path directory) throws IOException
    {
        final Path jobLock = directory.resolve(JobDirectory.JOB_LOCK);
        if (ProcessLock.isHeld(jobLock))
        {
            return Verdict.live("its creator holds " + JobDirectory.JOB_LOCK);
        }

        final Path held = heldProcessLock(directory);
        if (null != held)
        {
            return Verdict.live("its creator is gone, but a process still holds " + held.getFileName());
        }

        return Verdict.dead("all its locks are free");
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

    private static JobSummary summary(final Path directory, final long uid, final Verdict verdict) throws IOException
    {
        final long bytes = JobDirectory.bytes(directory);
        try
        {
            final Control control = Control.open(directory.resolve(JobDirectory.CONTROL), uid);

            return new JobSummary(
                directory,
                verdict.live,
                control.creatorPid(),
                control.nPes(),
                bytes,
                Instant.ofEpochMilli(control.createdTime()),
                verdict.reason);
        }
        catch (final IOException | TransportException ex)
        {
            final Instant created = Files.readAttributes(
                directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).creationTime().toInstant();

            return new JobSummary(directory, verdict.live, 0, 0, bytes, created,
                verdict.reason + "; its control file cannot be read: " + ex.getMessage());
        }
    }

    private interface JobAction
    {
        JobSummary apply(Path directory, long uid) throws IOException;
    }

    private record Verdict(boolean live, String reason)
    {
        static Verdict live(final String reason)
        {
            return new Verdict(true, reason);
        }

        static Verdict dead(final String reason)
        {
            return new Verdict(false, reason);
        }
    }
}
