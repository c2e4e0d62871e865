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
 * Files and directories that only this user can reach. Shared memory is as trustworthy as the permissions of its files,
 * so they are made with them (never widened or narrowed afterwards by somebody else's umask) and checked before use,
 * without following symbolic links.
 */
public final class PrivateFiles
{
    /**
     * The most bytes copied or written in one piece, so that a long copy does not delay a safepoint.
     */
    public static final int MAX_PIECE_LENGTH = 1 << 20;

    private static final Set<PosixFilePermission> DIRECTORY_PERMISSIONS = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<?> DIRECTORY_ATTRIBUTE =
        PosixFilePermissions.asFileAttribute(DIRECTORY_PERMISSIONS);
    private static final FileAttribute<?> FILE_ATTRIBUTE =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final int MODE_TYPE_MASK = 0170000;
    private static final int MODE_DIRECTORY = 0040000;
    private static final int MODE_REGULAR = 0100000;
    private static final int MODE_PERMISSIONS = 0777;
    private static final int MODE_OTHERS_WRITE = 0022;
    private static final int MODE_STICKY = 01000;

    private static final Path UID_MAP = Path.of("/proc/self/uid_map");
    private static final Path OVERFLOW_UID = Path.of("/proc/sys/kernel/overflowuid");
    private static final String ALL_UIDS = "4294967295";
    private static final long ROOT_UID = 0;

    private PrivateFiles()
    {
    }

    /**
     * The user id that owns what this process creates.
     *
     * @return the effective user id.
     */
    public static long currentUid()
    {
        // A new file says it for certain. /proc/self does not: it belongs to root where the java command has file
        // capabilities. It is the second choice, for hosts whose temporary directory is read-only.
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

    /**
     * Makes a directory (0700), or takes the one that is there if it is this user's own with exactly that mode.
     *
     * @param directory to make; its parent exists.
     * @param uid       the user who has to own it.
     * @throws IOException        if it cannot be made or read.
     * @throws TransportException if what is there is no directory, is a link, is not ours or is open to others.
     */
    static void makeOrVerifyDirectory(final Path directory, final long uid) throws IOException
    {
        try
        {
            makeDirectory(directory);
        }
        catch (final FileAlreadyExistsException ex)
        {
            verifyDirectory(directory, uid);
        }
    }

    /**
     * Makes a new directory, 0700 whatever the umask.
     *
     * @param directory to make.
     * @throws IOException if there is one, or it cannot be made.
     */
    static void makeDirectory(final Path directory) throws IOException
    {
        Files.createDirectory(directory, DIRECTORY_ATTRIBUTE);
        Files.setPosixFilePermissions(directory, DIRECTORY_PERMISSIONS);
    }

    /**
     * Checks that a directory is real, ours and closed to others.
     *
     * @param directory to check.
     * @param uid       the user who has to own it.
     * @throws NoSuchFileException if there is none.
     * @throws TransportException  if it is not as it must be.
     */
    static void verifyDirectory(final Path directory, final long uid) throws NoSuchFileException
    {
        final Attributes attributes = read(directory);
        if (MODE_DIRECTORY != attributes.type())
        {
            throw new TransportException(directory + " is no directory (symbolic links are not followed): remove it, " +
                "or choose another place with aeroshmem.shm.dir");
        }

        if (attributes.uid != uid)
        {
            throw new TransportException(directory + " belongs to user id " + attributes.uid + ", not to this " +
                "process's " + uid + ": have it removed, or choose another place with aeroshmem.shm.dir");
        }

        if (0700 != attributes.permissions())
        {
            throw new TransportException(directory + " has mode 0" + Integer.toOctalString(attributes.permissions()) +
                ", which must be 0700 since it holds the memory of jobs: chmod 700 it after making sure that " +
                "nothing in it is foreign, or choose another place with aeroshmem.shm.dir");
        }
    }

    /**
     * Whether somebody else owns what is there, be it a directory, a file or a link.
     *
     * @param path to look at.
     * @param uid  this user.
     * @return false if there is nothing, or it is this user's own.
     */
    static boolean isForeign(final Path path, final long uid)
    {
        try
        {
            return read(path).uid != uid;
        }
        catch (final NoSuchFileException ex)
        {
            return false;
        }
    }

    /**
     * Checks that nobody else can rename what this user makes in a directory, or the directory itself, or any that it
     * is in: each belongs to this user or to root, and where others can write to it, it is sticky.
     *
     * @param root the directory in which jobs are to live; absolute and without symbolic links.
     * @param uid  this user.
     * @throws NoSuchFileException if there is none.
     * @throws TransportException  if others can rearrange it.
     */
    static void verifyRoot(final Path root, final long uid) throws NoSuchFileException
    {
        for (Path directory = root; null != directory; directory = directory.getParent())
        {
            final Attributes attributes = read(directory);
            if (MODE_DIRECTORY != attributes.type())
            {
                throw new TransportException(directory + " is no directory: set aeroshmem.shm.dir to one, on a " +
                    "memory file system");
            }

            if (0 != (attributes.mode & MODE_OTHERS_WRITE) && 0 == (attributes.mode & MODE_STICKY))
            {
                throw new TransportException(directory + " can be written by others and has no sticky bit (mode 0" +
                    Integer.toOctalString(attributes.permissions()) + "): set aeroshmem.shm.dir to a safer " +
                    "directory, or chmod +t it");
            }

            if (attributes.uid != uid && attributes.uid != ROOT_UID && !isUnmappedRoot(attributes.uid))
            {
                throw new TransportException(directory + " belongs to user id " + attributes.uid + ", neither to " +
                    "this process's " + uid + " nor to root, so that its owner could exchange what is made in it: " +
                    "set aeroshmem.shm.dir to a safer directory");
            }
        }
    }

    /**
     * In a user namespace root of the host, as everybody who is not mapped, shows as one and the same user.
     */
    private static boolean isUnmappedRoot(final long uid)
    {
        try
        {
            return !Files.readString(UID_MAP).contains(ALL_UIDS) &&
                uid == Long.parseLong(Files.readString(OVERFLOW_UID).trim());
        }
        catch (final IOException | NumberFormatException ex)
        {
            return false;
        }
    }

    /**
     * Opens a file that is there for reading and writing, if it is regular, ours, closed to others, and has no second
     * name.
     * <p>
     * It is looked at before, because to open a FIFO or a device is an act in itself, and again afterwards: the name
     * still leads to the same file, so that is what was opened. Between the two nobody could exchange it but this user,
     * as the directories that lead to it are checked too.
     *
     * @param file to open.
     * @param uid  the user who has to own it.
     * @return the open file; its size is that of what was opened.
     * @throws NoSuchFileException if there is none.
     * @throws IOException         if it cannot be opened.
     * @throws TransportException  if it is not as it must be.
     */
    public static FileChannel open(final Path file, final long uid) throws IOException
    {
        final Attributes before = verifyFile(file, uid);
        final FileChannel channel = FileChannel.open(
            file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
        try
        {
            final Attributes after = verifyFile(file, uid);
            if (before.device != after.device || before.inode != after.inode)
            {
                throw new TransportException(file + " was exchanged for another file while it was opened");
            }

            return channel;
        }
        catch (final IOException | RuntimeException ex)
        {
            channel.close();
            throw ex;
        }
    }

    private static Attributes verifyFile(final Path file, final long uid) throws NoSuchFileException
    {
        final Attributes attributes = read(file);
        if (MODE_REGULAR != attributes.type() || attributes.uid != uid || 0 != (attributes.permissions() & 0077))
        {
            throw new TransportException(file + " must be a regular file of user id " + uid +
                " that others cannot open; it has mode 0" + Integer.toOctalString(attributes.mode) +
                " and belongs to " + attributes.uid);
        }

        if (attributes.links > 1)
        {
            throw new TransportException(file + " has " + attributes.links + " names (hard links), 1 is allowed: " +
                "what is known elsewhere by another name is not the job's own");
        }

        return attributes;
    }

    /**
     * Makes a new file, 0600, open for reading and writing.
     *
     * @param file to make; there must be nothing of that name, not even a link.
     * @return the open file.
     * @throws IOException if it cannot be made.
     */
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

    /**
     * Gives a new file its length and its memory, by writing zeros. A file that were only made long would get its pages
     * when they are first touched, and a page that the file system cannot supply then ends the JVM with SIGBUS; written
     * here, shortage is an IOException.
     *
     * @param channel of a new, empty file.
     * @param length  bytes wanted.
     * @throws IOException if the file system has not that much.
     */
    public static void reserve(final FileChannel channel, final long length) throws IOException
    {
        reserve(channel, 0, length);
    }

    /**
     * Gives a part of a new file its memory, as {@link #reserve(FileChannel, long)} does for all of it.
     *
     * @param channel of a file that has nothing there yet.
     * @param offset  of the part, in bytes.
     * @param length  bytes wanted.
     * @throws IOException if the file system has not that much.
     */
    public static void reserve(final FileChannel channel, final long offset, final long length) throws IOException
    {
        final ByteBuffer zeros = ByteBuffer.allocateDirect((int)Math.min(length, MAX_PIECE_LENGTH));
        final long end = offset + length;
        long position = offset;
        while (position < end)
        {
            zeros.clear();
            zeros.limit((int)Math.min(zeros.capacity(), end - position));
            position += channel.write(zeros, position);
        }
    }

    private static Attributes read(final Path path) throws NoSuchFileException
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
                "aeroshmem.shm.dir to a directory that has them", ex);
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
            throw new TransportException("cannot find out the user id of this process: neither a file in " +
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
