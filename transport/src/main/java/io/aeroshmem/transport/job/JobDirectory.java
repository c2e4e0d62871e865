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
import java.util.regex.Pattern;

/**
 * The directory of one job on one host, {@code <root>/aeroshmem-<uid>/<job id>/}:
 * <pre>
 *  job.lock          held by the creator (the launcher, or the JVM of an in-process group) as long as it lives
 *  control           what the processes know of each other, see Control
 *  proc-{id}.lock    one per process, held as long as that process lives
 *  pe-{n}.heap       one per PE, its memory
 *  aeron/            the directory of a driver that the creator embeds
 * </pre>
 * Directories are 0700 and files 0600, and both are verified before use. Where another user has taken the name {@code
 * aeroshmem-<uid>}, it is {@code aeroshmem-<uid>-<random>}.
 * <p>
 * <b>Creation against cleaning.</b> A cleaner may come at any moment between making the directory and locking {@code
 * job.lock}, and cannot tell a job that is being born from one whose creator died there. It need not: what it may do
 * without holding {@code job.lock} is only to remove an <em>empty</em> directory, and to take the lock where it is
 * free; it unlinks {@code job.lock} last, while it holds it. The creator, for its part, begins again under another id
 * when the directory vanished under it, and takes the lock for its own only if the file is still there once it is
 * locked. Nothing else is put in the directory before that. So whichever comes first, either the cleaner finds the
 * lock held, or the creator finds the file gone; no age or delay is involved.
 * <p>
 * <b>Deletion.</b> Files are unlinked, never truncated: a truncated mapping kills its readers with SIGBUS. The holder
 * of {@code job.lock} deletes: the creator, or a cleaner that found all locks free. A process that joins a job whose
 * creator is dead at the very moment of cleaning may find the directory gone; its first look at {@code job.lock} then
 * ends it with LAUNCHER_DIED, as it would have without the cleaner.
 * <p>
 * Thread-safe.
 */
public final class JobDirectory implements AutoCloseable
{
    /**
     * System property, also read as environment variable {@code AEROSHMEM_SHM_DIR}: the directory under which jobs
     * live.
     */
    public static final String SHM_DIR_PROP_NAME = "aeroshmem.shm.dir";

    /**
     * In place of the number of a PE: the creator runs none, or all of them.
     */
    public static final int NO_PE = -1;

    static final String JOB_LOCK = "job.lock";
    static final String CONTROL = "control";
    static final String LOCK_PREFIX = "proc-";
    static final String LOCK_SUFFIX = ".lock";

    private static final String SHM_DIR_ENV_NAME = "AEROSHMEM_SHM_DIR";
    private static final String AERON = "aeron";
    private static final String USER_PREFIX = "aeroshmem-";
    private static final Path DEV_SHM = Path.of("/dev/shm");
    private static final int ID_BYTES = 16;
    private static final Pattern ID_PATTERN = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern PROCESS_ID_PATTERN = Pattern.compile("[a-z0-9-]{1,54}");
    private static final int ATTEMPTS = 100;

    private final Path path;
    private final Control control;
    private final ProcessLock jobLock;
    private final List<ProcessLock> processLocks = new ArrayList<>();
    private boolean isDeleted;
    private boolean isClosed;

    private JobDirectory(final Path path, final Control control, final ProcessLock jobLock)
    {
        this.path = path;
        this.control = control;
        this.jobLock = jobLock;
    }

    /**
     * The directory under which jobs live unless another is given.
     *
     * @return {@value #SHM_DIR_PROP_NAME}, else /dev/shm where that is a directory, else java.io.tmpdir.
     */
    public static Path defaultRoot()
    {
        final String given = System.getProperty(SHM_DIR_PROP_NAME, System.getenv(SHM_DIR_ENV_NAME));
        if (null != given && !given.isBlank())
        {
            return Path.of(given);
        }

        return Files.isDirectory(DEV_SHM) ? DEV_SHM : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * Makes the directory of a new job of this host alone, with its control file, and takes {@code job.lock} until
     * {@link #close()}. Its creator is the launcher, or a process with all PEs.
     *
     * @param root directory under which jobs live, see {@link #defaultRoot()}.
     * @param nPes PEs of the job, 1 to 65536.
     * @return the directory, held by this process as its creator.
     * @throws TransportException if the directory cannot be made, or what is there is not safe to use.
     */
    public static JobDirectory create(final Path root, final int nPes)
    {
        return create(root, nPes, randomToken(new SecureRandom()), NO_PE);
    }

    /**
     * Makes this node's directory of a job, with its control file, and takes {@code job.lock} until {@link #close()}.
     *
     * @param root      directory under which jobs live, see {@link #defaultRoot()}.
     * @param nPes      PEs of the job on all nodes, 1 to 65536.
     * @param token     the job's token, the same on all nodes; not 0.
     * @param creatorPe the PE that this process runs and whose death its own is, or {@link #NO_PE}.
     * @return the directory, held by this process as its creator.
     * @throws TransportException if the directory cannot be made, or what is there is not safe to use.
     */
    public static JobDirectory create(final Path root, final int nPes, final long token, final int creatorPe)
    {
        if (nPes < 1 || nPes > ControlDescriptor.MAX_PES)
        {
            throw new IllegalArgumentException("a job of " + nPes + " PEs: 1 to " + ControlDescriptor.MAX_PES +
                " are possible");
        }

        if (0 == token || creatorPe < NO_PE || creatorPe >= nPes)
        {
            throw new IllegalArgumentException("token " + token + " must not be 0, creator PE " + creatorPe +
                " must be one of " + nPes + " PEs or " + NO_PE);
        }

        final SecureRandom random = new SecureRandom();
        final long uid = PrivateFiles.currentUid();
        try
        {
            final Path real = realRoot(root, uid);
            NoSuchFileException last = null;
            for (int i = 0; i < ATTEMPTS; i++)
            {
                try
                {
                    final Path parent = makeUserDirectory(real, uid, random);
                    return createJob(parent.resolve(randomId(random)), nPes, token, creatorPe);
                }
                catch (final NoSuchFileException ex)
                {
                    // A cleaner was faster, see the class comment.
                    last = ex;
                }
            }

            throw new TransportException("the directory of the new job was removed " + ATTEMPTS +
                " times while it was being made under " + root, last);
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot make a job of " + nPes + " PEs (" +
                ControlDescriptor.fileLength(nPes) + " bytes, without the heaps) under " + root + ": " + ex +
                "; make room there or set " + SHM_DIR_PROP_NAME, ex);
        }
    }

    /**
     * Opens the directory of a job that another process, or another part of this one, has created.
     *
     * @param dir the job's directory.
     * @return the directory.
     * @throws TransportException if it is not a real, private directory of this user with a valid control file.
     */
    public static JobDirectory open(final Path dir)
    {
        final Path given = dir.toAbsolutePath().normalize();
        if (!isJobId(given.getFileName()) || given.getNameCount() < 3)
        {
            throw new TransportException(dir + " is no job directory: its name must be 32 hexadecimal digits");
        }

        final long uid = PrivateFiles.currentUid();
        try
        {
            final Path parent = realRoot(given.getParent().getParent(), uid).resolve(given.getParent().getFileName());
            final Path path = parent.resolve(given.getFileName());
            PrivateFiles.verifyDirectory(parent, uid);
            PrivateFiles.verifyDirectory(path, uid);

            return new JobDirectory(path, Control.open(path.resolve(CONTROL), uid), null);
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot open the job directory " + dir + ": " + ex, ex);
        }
    }

    /**
     * Where the directory is.
     *
     * @return its absolute path.
     */
    public Path path()
    {
        return path;
    }

    /**
     * The job's id.
     *
     * @return 32 hexadecimal digits, the name of the directory.
     */
    public String id()
    {
        return path.getFileName().toString();
    }

    /**
     * The job's 64-bit token, which every frame carries.
     *
     * @return the token, never 0.
     */
    public long token()
    {
        return control.token();
    }

    /**
     * How many PEs the job has, on all hosts.
     *
     * @return 1 to 65536.
     */
    public int nPes()
    {
        return control.nPes();
    }

    /**
     * The job's control file.
     *
     * @return the control file; usable after close, too.
     */
    public Control control()
    {
        return control;
    }

    /**
     * Whether this object created the job, so that it holds {@code job.lock} and may delete.
     *
     * @return true for what {@link #create(Path, int)} returned.
     */
    public boolean isCreator()
    {
        return null != jobLock;
    }

    /**
     * The file of a PE's memory.
     *
     * @param pe world PE.
     * @return the path of the file, which need not exist.
     */
    public Path heapFile(final int pe)
    {
        if (pe < 0 || pe >= nPes())
        {
            throw new IndexOutOfBoundsException("PE " + pe + ": 0 to " + (nPes() - 1));
        }

        return path.resolve("pe-" + pe + ".heap");
    }

    /**
     * The directory of a driver that the creator embeds.
     *
     * @return the path of the directory, which need not exist.
     */
    public Path aeronDirectory()
    {
        return path.resolve(AERON);
    }

    /**
     * Makes and takes the lock of a process, by whose release others notice its death. It is held until it is closed,
     * or this object is, or the process ends. The process takes it before its PEs register, and its PEs are CLOSED
     * before it releases it.
     *
     * @param id "pe-3" for a process of one PE, "pid-4711" for one of several; lower-case letters, digits and hyphens.
     * @return the lock, on {@code proc-<id>.lock}.
     * @throws TransportException if the lock exists already, or the job is gone.
     */
    public synchronized ProcessLock lockProcess(final String id)
    {
        if (!PROCESS_ID_PATTERN.matcher(id).matches())
        {
            throw new IllegalArgumentException("process id '" + id + "': 1 to 54 of a-z, 0-9 and - are possible");
        }

        if (isClosed)
        {
            throw new IllegalStateException("job directory is closed: " + path);
        }

        final Path file = path.resolve(LOCK_PREFIX + id + LOCK_SUFFIX);
        try
        {
            final ProcessLock lock = ProcessLock.create(file);
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

    /**
     * Whether a process of the job lives and has not left it. Never opens a lock file that this process holds.
     *
     * @param lockName with which it registered, see {@link Control#lockName(int)}.
     * @return true if a process, be it this one, holds that lock.
     */
    public boolean isProcessAlive(final String lockName)
    {
        return isProcessLock(lockName) && ProcessLock.isHeld(path.resolve(lockName));
    }

    /**
     * Whether the creator of the job lives and has not left it. Never opens a lock file that this process holds.
     *
     * @return true if a process, be it this one, holds {@code job.lock}.
     */
    public boolean isCreatorAlive()
    {
        return ProcessLock.isHeld(path.resolve(JOB_LOCK));
    }

    /**
     * Removes the job: unlinks every file, never truncating one, then the directory, then the user's directory where it
     * is empty. Mappings that processes have stay valid. Only the creator does this, when all PEs have ended or failed.
     *
     * @throws IllegalStateException if this object did not create the job or is closed.
     * @throws TransportException    if something cannot be removed.
     */
    public synchronized void delete()
    {
        if (null == jobLock)
        {
            throw new IllegalStateException("only the creator deletes a job: " + path);
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
     * Has the JVM remove what this process has in the directory when it ends, after all of its shutdown hooks: the
     * locks taken through this object and the heaps of its PEs; where it created the job, everything but the locks that
     * other processes hold. The directories go with the last file in them. For a shutdown hook alone: what the JVM is
     * to remove it keeps in mind until it ends.
     *
     * @param pes world PEs of this process.
     * @throws TransportException if the directory cannot be read.
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
     * Releases the locks taken through this object; the files stay. A creator says that it has left before it releases
     * {@code job.lock}, so that nobody takes it for dead. May be called again.
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
     * The directory for this user's jobs, made if need be. Its name is known to everybody, and a root that everybody
     * may write to lets another user take it; then there is a way around, under a name that nobody could know.
     */
    private static Path makeUserDirectory(final Path root, final long uid, final SecureRandom random)
        throws IOException
    {
        final Path usual = root.resolve(USER_PREFIX + uid);
        if (!PrivateFiles.isForeign(usual, uid))
        {
            PrivateFiles.makeOrVerifyDirectory(usual, uid);
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
     * The directories in which this user's jobs live: the usual one, and any that was made since another user had taken
     * its name. What belongs to others is passed over.
     *
     * @throws TransportException if one is this user's and not safe to use.
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
            // A root that may be entered and not read: what has the usual name is all that can be found.
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
            PrivateFiles.verifyDirectory(directory, uid);
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

    /**
     * The root without symbolic links (/dev/shm is one on some hosts), verified.
     */
    static Path realRoot(final Path root, final long uid) throws IOException
    {
        if (!Files.isDirectory(root))
        {
            throw new TransportException(root + " is no directory: set " + SHM_DIR_PROP_NAME +
                " to one, on a memory file system");
        }

        final Path real = root.toRealPath();
        PrivateFiles.verifyRoot(real, uid);

        return real;
    }

    /**
     * Removes a job's directory for the holder of {@code job.lock}, that file last.
     */
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
                // A process that is just ending, a driver for example, made one more file.
                if (i == ATTEMPTS)
                {
                    throw ex;
                }
            }
        }

        removeIfEmpty(directory.getParent());
    }

    /**
     * Removes a directory that is empty.
     *
     * @return true if it is gone.
     */
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

    /**
     * The process locks of a job.
     */
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
     * The length of all files of a job; files that go meanwhile do not count.
     */
    static long bytes(final Path directory) throws IOException
    {
        final ByteCounter counter = new ByteCounter();
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
            return new JobDirectory(path, Control.create(path.resolve(CONTROL), nPes, token, creatorPe), jobLock);
        }
        catch (final IOException | RuntimeException ex)
        {
            try
            {
                removeTree(path);
                jobLock.close();
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

    private static long randomToken(final SecureRandom random)
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

    /**
     * Visits files that their owners may be removing at the same time.
     */
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
        private long bytes;

        @Override
        public FileVisitResult visitFileFailed(final Path file, final IOException ex) throws IOException
        {
            return ex instanceof AccessDeniedException ?
                FileVisitResult.CONTINUE : super.visitFileFailed(file, ex);
        }

        @Override
        public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes)
        {
            bytes += attributes.size();

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

        /**
         * Others would take the holder of a lock whose file is gone for dead.
         */
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
