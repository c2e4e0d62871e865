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
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The directory of one job on one host, {@code <root>/aeroshmem-<uid>/<job id>/}:
 * <pre>
 *  job.lock          held by the creator as long as it lives
 *  control           state shared by the processes, see ControlFile
 *  proc-{id}.lock    one per process, held as long as that process lives
 *  pe-{n}.heap       one per PE: its heap
 *  pe-{n}.system     one per PE: its system area, the library's own memory
 *  errors-{n}        one per PE that has reported an error, see PeErrorLog
 *  latencies-{n}     one per PE that has recorded latencies, see PeLatencyFile
 *  aeron/            the directory of a driver that the creator embeds
 * </pre>
 * The creator is either the launcher, or the process of one PE, or a process that runs all PEs (such as the JVM of
 * {@code Shmem.runLocal}). Directories have mode 0700 and files 0600; owner and mode are verified before use. If
 * another user has taken the name {@code aeroshmem-<uid>}, this user's jobs are in {@code aeroshmem-<uid>-<random>}
 * instead.
 */
public final class JobDirectory implements AutoCloseable
{
    /**
     * System property, also read as environment variable {@code AEROSHMEM_SHM_DIR}: the directory that contains the job
     * directories.
     */
    public static final String SHM_DIR_PROP_NAME = "aeroshmem.shm.dir";

    /** Creator PE of a job whose creator runs no PE, or all of them. */
    public static final int NO_PE = -1;

    /** Creator PE of a simulated job, whose heartbeats are on a virtual clock. */
    public static final int SIMULATED = -2;

    /** Maximum number of PEs of a job. */
    public static final int MAX_PES = ControlDescriptor.MAX_PES;

    static final String JOB_LOCK = "job.lock";
    static final String CONTROL = "control";
    static final String LOCK_PREFIX = "proc-";
    static final String LOCK_SUFFIX = ".lock";
    static final String HEAP_SUFFIX = ".heap";

    private static final String SHM_DIR_ENV_NAME = "AEROSHMEM_SHM_DIR";
    private static final String AERON = "aeron";
    private static final String USER_PREFIX = "aeroshmem-";
    private static final Path DEV_SHM = Path.of("/dev/shm");
    private static final int ID_BYTES = 16;
    private static final Pattern ID_PATTERN = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern PROCESS_ID_PATTERN = Pattern.compile("[a-z0-9-]{1,54}");
    private static final int ATTEMPTS = 100;
    private static final long FIRST_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_RETRY_NS = TimeUnit.SECONDS.toNanos(10);

    /*
     * Creation and cleaning. A cleaner (JobCleaner) removes the directories of dead jobs. It may run at any moment
     * between the creation of the directory and the locking of job.lock. It cannot distinguish a job that is being
     * created from a job whose creator died at that point. These rules make the distinction unnecessary:
     * - If a directory has no job.lock, a cleaner removes it only if it is empty, or the rest of an incomplete deletion
     *   (see JobCleaner).
     * - A cleaner that acquires job.lock unlinks that file last, while it holds the lock.
     * - A creator creates and locks job.lock before any other file. It owns the lock only if the file still exists
     *   after it has been locked. If the file or the directory has disappeared, the creator starts over under another
     *   id.
     * So either the cleaner finds the lock held, or the creator finds the file gone. No age or delay is involved.
     *
     * Deletion. Files are unlinked, never truncated: a process that reads a truncated mapping is killed with SIGBUS.
     * The holder of job.lock deletes the job: the creator, or a cleaner that found all locks free. A JVM that ends
     * without closing its PEs removes only the locks of its process and the memory of its PEs. If it is the JVM of the
     * creator, it removes all files except the locks that other processes hold (deleteOnExit). A cleaner may remove the
     * job of a dead creator while another process joins the job. That process may find the directory gone. Otherwise
     * its first poll of job.lock reports the death of the creator, as it would have without the cleaner.
     *
     * Thread-safe.
     */
    private final Path path;
    private final ControlFile control;
    private final ProcessLock jobLock;
    private final List<ProcessLock> processLocks = new ArrayList<>();
    private boolean isDeleted;
    private boolean isClosed;

    private JobDirectory(final Path path, final ControlFile control, final ProcessLock jobLock)
    {
        this.path = path;
        this.control = control;
        this.jobLock = jobLock;
    }

    /**
     * Returns the directory that contains the job directories: {@value #SHM_DIR_PROP_NAME}, else /dev/shm if it is a
     * directory, else java.io.tmpdir.
     */
    public static Path defaultRoot()
    {
        return root(System.getProperty(SHM_DIR_PROP_NAME, System.getenv(SHM_DIR_ENV_NAME)));
    }

    /** Returns the directory of a name, which {@link #defaultRoot()} replaces if it is null or blank. */
    public static Path root(final String given)
    {
        if (null != given && !given.isBlank())
        {
            return Path.of(given);
        }

        return Files.isDirectory(DEV_SHM) ? DEV_SHM : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * Creates the directory of a new job of this host alone, with its control file, and holds {@code job.lock} until
     * {@link #close()}. The creator is the launcher, or a process that runs all PEs.
     */
    public static JobDirectory create(final Path root, final int nPes)
    {
        return create(root, nPes, randomToken(new SecureRandom()), NO_PE);
    }

    /**
     * Creates this node's directory of a job, with its control file, and holds {@code job.lock} until {@link #close()}.
     * The token is the same on all nodes and not 0; {@code creatorPe} is the PE that this process runs,
     * {@link #NO_PE} or {@link #SIMULATED}.
     */
    public static JobDirectory create(final Path root, final int nPes, final long token, final int creatorPe)
    {
        if (nPes < 1 || nPes > MAX_PES)
        {
            throw new IllegalArgumentException("nPes must be 1 to " + MAX_PES + ": nPes=" + nPes);
        }

        if (0 == token || creatorPe < SIMULATED || creatorPe >= nPes)
        {
            throw new IllegalArgumentException("token must not be 0, and creatorPe must be " + SIMULATED + " to " +
                (nPes - 1) + ": token=" + token + " creatorPe=" + creatorPe);
        }

        try
        {
            return inUserDirectory(root, (parent, id) -> createJob(parent.resolve(id), nPes, token, creatorPe));
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot create a job of " + nPes + " PEs (" +
                ControlDescriptor.fileLength(nPes) + " bytes, without the heaps) under " + root + ": " + ex +
                "; free space there or set " + SHM_DIR_PROP_NAME, ex);
        }
    }

    /**
     * Creates the directory of the next generation of a recoverable job of this host alone, as the following method.
     */
    public static JobDirectory createNext(
        final Path root, final int nPes, final long timeoutNs, final Retry retry) throws InterruptedException
    {
        return createNext(root, nPes, randomToken(new SecureRandom()), timeoutNs, retry);
    }

    /**
     * Creates this node's directory of the next generation of a recoverable job, otherwise as {@link #create}. Where
     * there is no room for it, waits for others to free some, up to a time-out: the retained memory stays meanwhile.
     * Returns null if {@code retry} permits no other attempt.
     */
    public static JobDirectory createNext(
        final Path root, final int nPes, final long token, final long timeoutNs, final Retry retry)
        throws InterruptedException
    {
        final long beginNs = System.nanoTime();
        for (long delayNs = FIRST_RETRY_NS;; delayNs = Math.min(2 * delayNs, MAX_RETRY_NS))
        {
            try
            {
                return create(root, nPes, token, NO_PE);
            }
            catch (final TransportException ex)
            {
                final long restNs = timeoutNs - (System.nanoTime() - beginNs);
                if (restNs <= 0)
                {
                    throw ex;
                }

                if (!retry.await(ex, Math.min(delayNs, restNs)))
                {
                    return null;
                }
            }
        }
    }

    /**
     * Opens the directory of a job that another process, or another part of this one, has created. It must be a real,
     * private directory of this user with a valid control file.
     */
    public static JobDirectory open(final Path dir)
    {
        final Path given = dir.toAbsolutePath().normalize();
        if (!isJobId(given.getFileName()) || given.getNameCount() < 3)
        {
            throw new TransportException("job directory name must be 32 hexadecimal digits: " + dir);
        }

        final long uid = PrivateFiles.currentUid();
        try
        {
            final Path parent = realRoot(given.getParent().getParent(), uid).resolve(given.getParent().getFileName());
            final Path path = parent.resolve(given.getFileName());
            PrivateFiles.verifyDirectory(parent, uid, SHM_DIR_PROP_NAME);
            PrivateFiles.verifyDirectory(path, uid, SHM_DIR_PROP_NAME);

            return new JobDirectory(path, ControlFile.open(path.resolve(CONTROL), uid), null);
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot open the job directory " + dir + ": " + ex, ex);
        }
    }

    public Path path()
    {
        return path;
    }

    /** Returns the directory that contains the job directories of all users. */
    public Path root()
    {
        return path.getParent().getParent();
    }

    /** Returns the job id, 32 hexadecimal digits: the name of the directory. */
    public String id()
    {
        return path.getFileName().toString();
    }

    /** Returns the 64-bit token of the job, which every frame carries; never 0. */
    public long token()
    {
        return control.token();
    }

    /** Returns the number of PEs of the job on all hosts. */
    public int nPes()
    {
        return control.nPes();
    }

    /** Returns the control file, which remains usable after close. */
    public ControlFile control()
    {
        return control;
    }

    /** Returns whether this object created the job: it holds {@code job.lock} and may delete the directory. */
    public boolean isCreator()
    {
        return null != jobLock;
    }

    /** Returns the path of a PE's heap, which need not exist. */
    public Path heapFile(final int pe)
    {
        return peFile(heapName(pe), pe);
    }

    /** Returns the name of a PE in the names of files, and the id of its process if it has one to itself. */
    public static String peName(final int pe)
    {
        return "pe-" + pe;
    }

    /** Returns the name of the file of a PE's heap. */
    static String heapName(final int pe)
    {
        return peName(pe) + HEAP_SUFFIX;
    }

    /** Returns the path of a PE's system area, which need not exist. */
    public Path systemFile(final int pe)
    {
        return peFile(peName(pe) + ".system", pe);
    }

    private Path peFile(final String name, final int pe)
    {
        if (pe < 0 || pe >= nPes())
        {
            throw new IndexOutOfBoundsException("pe must be 0 to " + (nPes() - 1) + ": pe=" + pe);
        }

        return path.resolve(name);
    }

    /** Returns the path of the directory of a driver that the creator embeds, which need not exist. */
    public Path aeronDirectory()
    {
        return aeronDirectory(path);
    }

    static Path aeronDirectory(final Path directory)
    {
        return directory.resolve(AERON);
    }

    /**
     * Creates and acquires the lock {@code proc-<id>.lock} of a process, whose release shows others its death. It is
     * held until it or this object is closed, or the process ends. A process acquires it before its PEs register, and
     * its PEs are CLOSED before it releases it. The id is {@link #peName} for a process of one PE, "pid-4711" for one
     * of several. If a process has ended between both steps, the one that is started in its place takes over its lock.
     */
    public synchronized ProcessLock lockProcess(final String id)
    {
        if (!PROCESS_ID_PATTERN.matcher(id).matches())
        {
            throw new IllegalArgumentException("process id must be 1 to 54 characters of a-z, 0-9 and -: '" + id + "'");
        }

        if (isClosed)
        {
            throw new IllegalStateException("job directory is closed: " + path);
        }

        final Path file = path.resolve(LOCK_PREFIX + id + LOCK_SUFFIX);
        try
        {
            final ProcessLock lock = createOrTakeOver(file);
            if (!Files.exists(path.resolve(JOB_LOCK), LinkOption.NOFOLLOW_LINKS))
            {
                lock.close();
                throw new TransportException("the job in " + path + " was removed: its creator is dead");
            }

            processLocks.add(lock);
            return lock;
        }
        catch (final NoSuchFileException ex)
        {
            throw new TransportException("the job in " + path + " was removed: its creator is dead", ex);
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot take the lock " + file + ": " + ex, ex);
        }
    }

    private ProcessLock createOrTakeOver(final Path file) throws IOException
    {
        try
        {
            return ProcessLock.create(file);
        }
        catch (final FileAlreadyExistsException ex)
        {
            // The lock of a registered process stays free once that has ended, or its end would not be noticed.
            final ProcessLock left = isRegistered(file.getFileName().toString()) ? null : ProcessLock.tryAcquire(file);
            if (null == left)
            {
                throw new TransportException(
                    "lock file exists already and belongs to a process of this job: " + file, ex);
            }

            return left;
        }
    }

    private boolean isRegistered(final String lockName)
    {
        return IntStream.range(0, nPes()).mapToObj(control::lockName).anyMatch(lockName::equals);
    }

    /**
     * Returns whether a process of the job, registered with this lock name, holds its lock; never opens a lock file
     * that this process holds.
     */
    public boolean isProcessAlive(final String lockName)
    {
        return isProcessLock(lockName) && ProcessLock.isHeld(path.resolve(lockName));
    }

    /** Returns whether a process holds {@code job.lock}; never opens a lock file that this process holds. */
    public boolean isCreatorAlive()
    {
        return ProcessLock.isHeld(path.resolve(JOB_LOCK));
    }

    /**
     * Removes the job: unlinks every file, never truncating one, then the directory, then the user's directory if it is
     * empty. Existing mappings stay valid. Only the creator does this, when all PEs have ended or failed.
     */
    public synchronized void delete()
    {
        if (null == jobLock)
        {
            throw new IllegalStateException("job directory can only be deleted by its creator: " + path);
        }

        if (isDeleted)
        {
            return;
        }

        if (isClosed)
        {
            throw new IllegalStateException("job directory is closed and may belong to a cleaner: " + path);
        }

        control.phase(control.creatorCell(), PePhase.CLOSED);
        try
        {
            removeTree(path);
            isDeleted = true;
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot remove " + path + ": " + ex, ex);
        }
    }

    /**
     * Registers for removal at JVM exit, after all shutdown hooks, what this process owns in the directory: the locks
     * taken through this object and the memory of its PEs; if it created the job, everything but the locks that other
     * processes hold. The directories are removed with their last file. Only for shutdown hooks, as the JVM keeps the
     * registration until it ends.
     */
    public synchronized void deleteOnExit(final int... pes)
    {
        if (isDeleted)
        {
            return;
        }

        // Removed in the reverse of this order.
        path.getParent().toFile().deleteOnExit();
        path.toFile().deleteOnExit();
        if (isCreator())
        {
            jobLock.path().toFile().deleteOnExit();
        }

        processLocks.forEach((lock) -> lock.path().toFile().deleteOnExit());
        for (final int pe : pes)
        {
            heapFile(pe).toFile().deleteOnExit();
            systemFile(pe).toFile().deleteOnExit();
        }

        if (isCreator())
        {
            deleteTreeOnExit();
        }
    }

    private void deleteTreeOnExit()
    {
        try
        {
            Files.walkFileTree(path, new RemoverOnExit());
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot read " + path + ": " + ex, ex);
        }
    }

    /**
     * Releases the locks taken through this object and keeps the files. A creator moves its phase to CLOSED before it
     * releases {@code job.lock}, so that it is not considered dead. Idempotent.
     */
    @Override
    public synchronized void close()
    {
        if (isClosed)
        {
            return;
        }

        isClosed = true;
        for (final ProcessLock lock : processLocks)
        {
            lock.close();
        }

        if (null != jobLock)
        {
            control.phase(control.creatorCell(), PePhase.CLOSED);
            jobLock.close();
        }
    }

    @Override
    public String toString()
    {
        return "JobDirectory{" + path + ", nPes=" + nPes() + ", creator=" + isCreator() + '}';
    }

    /**
     * Creates a directory with a random id among this user's jobs; again, if a cleaner removes it meanwhile (see the
     * class comment).
     */
    static <T> T inUserDirectory(final Path root, final Creation<T> creation) throws IOException
    {
        final SecureRandom random = new SecureRandom();
        final long uid = PrivateFiles.currentUid();
        final Path real = realRoot(root, uid);
        NoSuchFileException last = null;
        for (int i = 0; i < ATTEMPTS; i++)
        {
            try
            {
                return creation.create(makeUserDirectory(real, uid, random), randomId(random));
            }
            catch (final NoSuchFileException ex)
            {
                last = ex;
            }
        }

        throw new TransportException("the directory of the new job was removed " + ATTEMPTS +
            " times while it was being created under " + root, last);
    }

    /**
     * Returns the directory of this user's jobs, created if necessary. Its usual name is predictable, and in a root
     * that everyone can write to another user can take it; then a random name is used.
     */
    private static Path makeUserDirectory(final Path root, final long uid, final SecureRandom random)
        throws IOException
    {
        final Path usual = root.resolve(USER_PREFIX + uid);
        if (!PrivateFiles.isForeign(usual, uid))
        {
            PrivateFiles.makeOrVerifyDirectory(usual, uid, SHM_DIR_PROP_NAME);
            return usual;
        }

        final List<Path> others = userDirectories(root, uid);
        if (!others.isEmpty())
        {
            return others.get(0);
        }

        final Path other = root.resolve(USER_PREFIX + uid + '-' + randomId(random));
        PrivateFiles.makeDirectory(other);
        return other;
    }

    /**
     * Returns the directories of this user's jobs: the usual one, and those created because another user had taken its
     * name. Directories of other users are skipped; one of this user that is not safe to use is an error.
     */
    static List<Path> userDirectories(final Path root, final long uid) throws IOException
    {
        final List<Path> directories = new ArrayList<>();
        final String usual = USER_PREFIX + uid;
        addIfOurs(root.resolve(usual), uid, directories);
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(root, usual + "-*"))
        {
            for (final Path path : stream)
            {
                if (ID_PATTERN.matcher(path.getFileName().toString().substring(usual.length() + 1)).matches())
                {
                    addIfOurs(path, uid, directories);
                }
            }
        }
        catch (final AccessDeniedException ex)
        {
            // The root can be entered but not read: only the usual name can be found.
            return directories;
        }

        directories.sort(null);
        return directories;
    }

    private static void addIfOurs(final Path directory, final long uid, final List<Path> directories)
    {
        if (!PrivateFiles.isForeign(directory, uid) && isVerified(directory, uid))
        {
            directories.add(directory);
        }
    }

    private static boolean isVerified(final Path directory, final long uid)
    {
        try
        {
            PrivateFiles.verifyDirectory(directory, uid, SHM_DIR_PROP_NAME);
            return true;
        }
        catch (final NoSuchFileException ex)
        {
            return false;
        }
    }

    /**
     * Whether a name is one that {@link #lockProcess(String)} gives to a file.
     */
    static boolean isProcessLock(final String name)
    {
        return name.startsWith(LOCK_PREFIX) && name.endsWith(LOCK_SUFFIX) &&
            name.length() > LOCK_PREFIX.length() + LOCK_SUFFIX.length() && PROCESS_ID_PATTERN.matcher(
                name.substring(LOCK_PREFIX.length(), name.length() - LOCK_SUFFIX.length())).matches();
    }

    static boolean isJobId(final Path name)
    {
        return null != name && ID_PATTERN.matcher(name.toString()).matches();
    }

    /** Returns the verified root without symbolic links (/dev/shm is one on some hosts). */
    static Path realRoot(final Path root, final long uid) throws IOException
    {
        if (!Files.isDirectory(root))
        {
            throw new TransportException(root + " is not a directory: set " + SHM_DIR_PROP_NAME +
                " to one on a memory file system");
        }

        final Path real = root.toRealPath();
        PrivateFiles.verifyRoot(real, uid, SHM_DIR_PROP_NAME);

        return real;
    }

    /** Removes a job's directory on behalf of the holder of {@code job.lock}, that file last. */
    static void removeTree(final Path directory) throws IOException
    {
        final Path jobLock = directory.resolve(JOB_LOCK);
        for (int i = 1; true; i++)
        {
            try
            {
                unlinkAllBut(jobLock, directory);
                Files.deleteIfExists(jobLock);
                Files.deleteIfExists(directory);
                break;
            }
            catch (final DirectoryNotEmptyException ex)
            {
                // A process that is ending, such as a driver, created another file.
                if (i == ATTEMPTS)
                {
                    throw ex;
                }
            }
        }

        removeIfEmpty(directory.getParent());
    }

    /** Removes a directory if it is empty. Returns whether it is gone. */
    static boolean removeIfEmpty(final Path directory) throws IOException
    {
        try
        {
            Files.deleteIfExists(directory);
            return true;
        }
        catch (final DirectoryNotEmptyException ex)
        {
            return false;
        }
    }

    static List<Path> processLockFiles(final Path directory) throws IOException
    {
        final List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, LOCK_PREFIX + '*' + LOCK_SUFFIX))
        {
            stream.forEach(files::add);
        }

        return files;
    }

    /**
     * Returns the total length of the files of a job; files removed meanwhile do not count. The heaps of a recoverable
     * job, which have names in several directories, count in its {@link RecoveryDirectory}.
     */
    static long bytes(final Path directory) throws IOException
    {
        final ByteCounter counter = new ByteCounter(RecoveryDirectory.isName(directory.getFileName()));
        Files.walkFileTree(directory, counter);

        return counter.bytes;
    }

    private static JobDirectory createJob(
        final Path path, final int nPes, final long token, final int creatorPe) throws IOException
    {
        PrivateFiles.makeDirectory(path);
        final ProcessLock jobLock = ProcessLock.create(path.resolve(JOB_LOCK));
        try
        {
            return new JobDirectory(path, ControlFile.create(path.resolve(CONTROL), nPes, token, creatorPe), jobLock);
        }
        catch (final IOException | RuntimeException ex)
        {
            try (jobLock)
            {
                removeTree(path);
            }
            catch (final IOException | RuntimeException suppressed)
            {
                ex.addSuppressed(suppressed);
            }

            throw ex;
        }
    }

    private static String randomId(final SecureRandom random)
    {
        final byte[] id = new byte[ID_BYTES];
        random.nextBytes(id);
        final StringBuilder builder = new StringBuilder(2 * ID_BYTES);
        for (final byte value : id)
        {
            builder.append(Character.forDigit((value >> 4) & 0xF, 16)).append(Character.forDigit(value & 0xF, 16));
        }

        return builder.toString();
    }

    static long randomToken(final SecureRandom random)
    {
        long token;
        do
        {
            token = random.nextLong();
        }
        while (0 == token);

        return token;
    }

    private static void unlinkAllBut(final Path kept, final Path directory) throws IOException
    {
        Files.walkFileTree(directory, new Unlinker(kept, directory));
    }

    /** The wait of a creator for room. */
    @FunctionalInterface
    public interface Retry
    {
        /** Waits before the next attempt, after one that has failed; returns false if there is to be none. */
        boolean await(TransportException failure, long delayNs) throws InterruptedException;

        /** Returns the line about the next attempt. */
        static String line(final TransportException failure, final long delayNs)
        {
            return failure.getMessage() + "; trying again in " + TimeUnit.NANOSECONDS.toMillis(delayNs) + " ms";
        }
    }

    /** Creates a directory in that of this user's jobs. */
    interface Creation<T>
    {
        T create(Path parent, String id) throws IOException;
    }

    /** A visitor that ignores files which their owners remove concurrently. */
    private abstract static class TolerantVisitor extends SimpleFileVisitor<Path>
    {
        @Override
        public FileVisitResult visitFileFailed(final Path file, final IOException ex) throws IOException
        {
            if (ex instanceof NoSuchFileException)
            {
                return FileVisitResult.CONTINUE;
            }

            throw ex;
        }
    }

    private static final class ByteCounter extends TolerantVisitor
    {
        private final boolean isLinkCounted;
        private long bytes;

        private ByteCounter(final boolean isLinkCounted)
        {
            this.isLinkCounted = isLinkCounted;
        }

        @Override
        public FileVisitResult visitFileFailed(final Path file, final IOException ex) throws IOException
        {
            return ex instanceof AccessDeniedException ?
                FileVisitResult.CONTINUE : super.visitFileFailed(file, ex);
        }

        @Override
        public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) throws IOException
        {
            try
            {
                bytes += isLinkCounted || 1 == PrivateFiles.links(file) ? attributes.size() : 0;
            }
            catch (final NoSuchFileException ex)
            {
                return FileVisitResult.CONTINUE; // removed meanwhile
            }

            return FileVisitResult.CONTINUE;
        }
    }

    private static final class RemoverOnExit extends TolerantVisitor
    {
        @Override
        public FileVisitResult preVisitDirectory(final Path directory, final BasicFileAttributes attributes)
        {
            directory.toFile().deleteOnExit();

            return FileVisitResult.CONTINUE;
        }

        /** A held lock without its file would make its holder look dead. */
        @Override
        public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes)
        {
            if (!isProcessLock(file.getFileName().toString()) || !ProcessLock.isHeld(file))
            {
                file.toFile().deleteOnExit();
            }

            return FileVisitResult.CONTINUE;
        }
    }

    private static final class Unlinker extends TolerantVisitor
    {
        private final Path kept;
        private final Path root;

        private Unlinker(final Path kept, final Path root)
        {
            this.kept = kept;
            this.root = root;
        }

        @Override
        public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) throws IOException
        {
            if (!file.equals(kept))
            {
                Files.deleteIfExists(file);
            }

            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(final Path directory, final IOException ex) throws IOException
        {
            if (null != ex)
            {
                throw ex;
            }

            if (!directory.equals(root))
            {
                Files.deleteIfExists(directory);
            }

            return FileVisitResult.CONTINUE;
        }
    }
}
