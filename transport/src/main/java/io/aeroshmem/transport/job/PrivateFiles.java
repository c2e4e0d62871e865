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
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/**
 * Creates and verifies files and directories that only this user can access. Shared memory is only as trustworthy as
 * the permissions of its files. So files are created with permissions for this user alone, and are verified before use,
 * without following symbolic links.
 */
public final class PrivateFiles
{
    /** Maximum number of bytes copied or written at once, so that a long copy does not delay a safepoint. */
    public static final int MAX_PIECE_LENGTH = 1 << 20;

    private static final Set<PosixFilePermission> DIRECTORY_PERMISSIONS = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<?> DIRECTORY_ATTRIBUTE =
        PosixFilePermissions.asFileAttribute(DIRECTORY_PERMISSIONS);
    private static final Set<PosixFilePermission> FILE_PERMISSIONS = PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<?> FILE_ATTRIBUTE = PosixFilePermissions.asFileAttribute(FILE_PERMISSIONS);

    private static final int MODE_TYPE_MASK = 0170000;
    private static final int MODE_DIRECTORY = 0040000;
    private static final int MODE_REGULAR = 0100000;
    private static final int MODE_PERMISSIONS = 0777;
    private static final int MODE_OTHERS = 0077;
    private static final int MODE_OTHERS_WRITE = 0022;
    private static final int MODE_STICKY = 01000;

    private static final String SHM_DIR = JobDirectory.SHM_DIR_PROP_NAME;
    private static final Path UID_MAP = Path.of("/proc/self/uid_map");
    private static final Path OVERFLOW_UID = Path.of("/proc/sys/kernel/overflowuid");
    private static final String ALL_UIDS = "4294967295";
    private static final long ROOT_UID = 0;
    private static final long UNKNOWN_UID = -1;

    /** Of this process, found once; threads that do so at the same time find the same. */
    private static volatile long currentUid = UNKNOWN_UID;

    private PrivateFiles()
    {
    }

    /** Returns the effective user id, which owns what this process creates. It does not change while a JVM runs. */
    public static long currentUid()
    {
        if (UNKNOWN_UID == currentUid)
        {
            currentUid = findUid();
        }

        return currentUid;
    }

    private static long findUid()
    {
        // The owner of a new file is certain. /proc/self is the fallback for a read-only temporary directory: it
        // belongs to root if the java command has file capabilities.
        try
        {
            final Path probe = Files.createTempFile("aeroshmem-", ".uid");
            try
            {
                return attributesOf(probe).uid;
            }
            finally
            {
                Files.deleteIfExists(probe);
            }
        }
        catch (final IOException ex)
        {
            return uidOfProcess(ex);
        }
    }

    /** Creates a directory (0700), or accepts an existing one that this user owns with exactly that mode. */
    static void makeOrVerifyDirectory(final Path directory, final long uid, final String property) throws IOException
    {
        try
        {
            makeDirectory(directory);
        }
        catch (final FileAlreadyExistsException ex)
        {
            verifyDirectory(directory, uid, property);
        }
    }

    /** Creates a new directory, 0700 whatever the umask. */
    public static void makeDirectory(final Path directory) throws IOException
    {
        Files.createDirectory(directory, DIRECTORY_ATTRIBUTE);
        Files.setPosixFilePermissions(directory, DIRECTORY_PERMISSIONS);
    }

    /** Creates a directory and those above it, if they do not exist, 0700 whatever the umask. */
    static void makeDirectories(final Path directory) throws IOException
    {
        if (null != directory && !Files.exists(directory))
        {
            makeDirectories(directory.getParent());
            makeDirectory(directory);
        }
    }

    /** Sets the mode of a file that this user has created by its umask to 0600. */
    public static void restrict(final Path file) throws IOException
    {
        Files.setPosixFilePermissions(file, FILE_PERMISSIONS);
    }

    /**
     * Verifies that a directory, which {@code property} chose, is a real one, owned by this user and closed to others.
     * Throws a {@link NoSuchFileException} if it does not exist.
     */
    static void verifyDirectory(final Path directory, final long uid, final String property) throws NoSuchFileException
    {
        final Attributes attributes = read(directory, property);
        final String remedy = "choose another directory (" + property + ")";
        if (MODE_DIRECTORY != attributes.type())
        {
            throw new TransportException(directory + " is not a directory (symbolic links are not followed): " +
                "remove it or " + remedy);
        }

        if (attributes.uid != uid)
        {
            throw new TransportException(directory + " must belong to user id " + uid + ": uid=" + attributes.uid +
                "; remove it or " + remedy);
        }

        if (0700 != attributes.permissions())
        {
            throw new TransportException(directory + " must have mode 0700, as it holds the memory of jobs: mode=0" +
                Integer.toOctalString(attributes.permissions()) + "; chmod 700 it after making sure that nothing in " +
                "it is foreign, or " + remedy);
        }
    }

    /** Returns whether another user owns a directory, file or link; false if it does not exist. */
    static boolean isForeign(final Path path, final long uid)
    {
        try
        {
            return read(path, SHM_DIR).uid != uid;
        }
        catch (final NoSuchFileException ex)
        {
            return false;
        }
    }

    /**
     * Verifies that no other user can rename what this user creates in a directory (absolute, without symbolic links),
     * the directory itself, or any of its parents: each belongs to this user or to root, and is sticky where others can
     * write to it. {@code property} chose the directory.
     */
    static void verifyRoot(final Path root, final long uid, final String property) throws NoSuchFileException
    {
        for (Path directory = root; null != directory; directory = directory.getParent())
        {
            final Attributes attributes = read(directory, property);
            if (MODE_DIRECTORY != attributes.type())
            {
                throw new TransportException(
                    directory + " is not a directory: set " + property + " to one");
            }

            if (0 != (attributes.mode & MODE_OTHERS_WRITE) && 0 == (attributes.mode & MODE_STICKY))
            {
                throw new TransportException(directory + " can be written by others and has no sticky bit (mode 0" +
                    Integer.toOctalString(attributes.permissions()) + "): set " + property + " to a safer " +
                    "directory, or chmod +t it");
            }

            if (attributes.uid != uid && attributes.uid != ROOT_UID && !isUnmappedRoot(attributes.uid))
            {
                throw new TransportException(directory + " belongs to user id " + attributes.uid + ", not " +
                    "to " + uid + " or root, so its owner could replace what is created in it: " +
                    "set " + property + " to a safer directory");
            }
        }
    }

    /** In a user namespace the root of the host, like every unmapped user, appears as the overflow user. */
    private static boolean isUnmappedRoot(final long uid)
    {
        try
        {
            return !KernelFile.read(UID_MAP).contains(ALL_UIDS) &&
                uid == Long.parseLong(KernelFile.read(OVERFLOW_UID).trim());
        }
        catch (final IOException | NumberFormatException ex)
        {
            return false;
        }
    }

    /**
     * Opens an existing file for reading and writing, if it is a regular one, owned by this user, closed to others, and
     * has no second name.
     * <p>
     * It is verified before, because opening a FIFO or a device has effects, and again afterwards: the name still
     * denotes the same file, so that is the one that was opened. Only this user could replace it in between, as the
     * directories that lead to it are verified too.
     */
    public static FileChannel open(final Path file, final long uid) throws IOException
    {
        return open(file, uid, 1);
    }

    /** As {@link #open(Path, long)}, for a file that may have several names. */
    public static FileChannel openLinked(final Path file, final long uid) throws IOException
    {
        return open(file, uid, Integer.MAX_VALUE);
    }

    private static FileChannel open(final Path file, final long uid, final int maxLinks) throws IOException
    {
        final Attributes before = verifyFile(file, uid, MODE_OTHERS, maxLinks);
        final FileChannel channel = FileChannel.open(
            file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
        try
        {
            final Attributes after = verifyFile(file, uid, MODE_OTHERS, maxLinks);
            if (before.device != after.device || before.inode != after.inode)
            {
                throw new TransportException(file + " was replaced by another file while it was opened");
            }

            return channel;
        }
        catch (final IOException | RuntimeException ex)
        {
            channel.close();
            throw ex;
        }
    }

    /**
     * Verifies a file in a verified directory whose files have the permissions that their creator's umask left: it is a
     * regular one, owned by this user, and has no second name.
     */
    static void verifyOwner(final Path file, final long uid) throws NoSuchFileException
    {
        verifyFile(file, uid, 0, 1);
    }

    /** Verifies a file as {@link #openLinked} does. */
    static void verifyLinked(final Path file, final long uid) throws NoSuchFileException
    {
        verifyFile(file, uid, MODE_OTHERS, Integer.MAX_VALUE);
    }

    private static Attributes verifyFile(final Path file, final long uid, final int forbidden, final int maxLinks)
        throws NoSuchFileException
    {
        final Attributes attributes = read(file, SHM_DIR);
        if (MODE_REGULAR != attributes.type() || attributes.uid != uid || 0 != (attributes.permissions() & forbidden))
        {
            throw new TransportException(file + " must be a regular file of user id " + uid +
                " that others cannot open: mode=0" + Integer.toOctalString(attributes.mode) + " uid=" + attributes.uid);
        }

        if (attributes.links > maxLinks)
        {
            throw new TransportException(file + " must have one name (no hard links): links=" + attributes.links);
        }

        return attributes;
    }

    /** Creates a new file, 0600, open for reading and writing. The name must not exist, not even as a link. */
    public static FileChannel create(final Path file) throws IOException
    {
        return FileChannel.open(
            file,
            Set.of(
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS),
            FILE_ATTRIBUTE);
    }

    /** Creates an empty file, 0600, or accepts an existing one as {@link #verifyOwner} does. */
    static void createOrVerify(final Path file, final long uid) throws IOException
    {
        try
        {
            create(file).close();
        }
        catch (final FileAlreadyExistsException ex)
        {
            verifyOwner(file, uid);
        }
    }

    /**
     * Allocates the memory of the beginning of a new, empty file by writing zeros. Pages of a file that was only
     * extended are allocated on first touch, and a page that the file system cannot supply then ends the JVM with
     * SIGBUS; here shortage is an IOException.
     */
    public static void reserve(final FileChannel channel, final long length) throws IOException
    {
        final ByteBuffer zeros = ByteBuffer.allocateDirect((int)Math.min(length, MAX_PIECE_LENGTH));
        long position = 0;
        while (position < length)
        {
            zeros.clear();
            zeros.limit((int)Math.min(zeros.capacity(), length - position));
            position += channel.write(zeros, position);
        }
    }

    /** Returns what identifies an existing file on this machine: its device and inode. */
    public static String fileKey(final Path file) throws IOException
    {
        final Map<String, Object> values = Files.readAttributes(file, "unix:dev,ino");
        return "/" + values.get("dev") + '/' + values.get("ino");
    }

    /** Returns the number of names of a file. */
    static int links(final Path file) throws IOException
    {
        return attributesOf(file).links;
    }

    private static Attributes read(final Path path, final String property) throws NoSuchFileException
    {
        try
        {
            return attributesOf(path);
        }
        catch (final NoSuchFileException ex)
        {
            throw ex;
        }
        catch (final UnsupportedOperationException ex)
        {
            throw new TransportException(path + " is on a file system without Unix owners and modes: set " +
                property + " to a directory that has them", ex);
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot read the owner and mode of " + path + ": " + ex, ex);
        }
    }

    private static Attributes attributesOf(final Path path) throws IOException
    {
        final Map<String, Object> values = Files.readAttributes(
            path, "unix:uid,mode,dev,ino,nlink", LinkOption.NOFOLLOW_LINKS);

        return new Attributes(
            Integer.toUnsignedLong((Integer)values.get("uid")),
            (Integer)values.get("mode"),
            (Long)values.get("dev"),
            (Long)values.get("ino"),
            (Integer)values.get("nlink"));
    }

    private static long uidOfProcess(final IOException tempFileException)
    {
        try
        {
            return attributesOf(Path.of("/proc/self").toRealPath()).uid;
        }
        catch (final IOException ex)
        {
            ex.addSuppressed(tempFileException);
            throw new TransportException("cannot determine the user id of this process: neither a file in " +
                "java.io.tmpdir (" + System.getProperty("java.io.tmpdir") + ") nor /proc/self can be read", ex);
        }
    }

    private record Attributes(long uid, int mode, long device, long inode, int links)
    {
        int type()
        {
            return mode & MODE_TYPE_MASK;
        }

        int permissions()
        {
            return mode & MODE_PERMISSIONS;
        }
    }
}
