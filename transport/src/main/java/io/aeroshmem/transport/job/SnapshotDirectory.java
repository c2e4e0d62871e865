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
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The snapshots of a job in a directory of the program, as a PE sees them: in a file system that the hosts share, or in
 * that of its host.
 * <pre>
 *  snapshot-&lt;n&gt;/       a snapshot; n grows
 *      pe-&lt;k&gt;.part     memory of PE k
 *      manifest        what a restore must find; where PE 0 is
 * </pre>
 * <b>Commit.</b> A snapshot exists if it has a manifest, which PE 0 gives its name by a rename when all parts are on
 * the disk. Parts without a manifest are what is left of a call that ended early: the next snapshot replaces them. The
 * number of a snapshot is used again until it is committed; its id is not, so a part of an earlier attempt is
 * recognised.
 * <p>
 * <b>Trust.</b> All files are private, and verified before use, as those of a {@link JobDirectory}.
 */
public final class SnapshotDirectory
{
    private static final String WHAT = "the directory of snapshots";
    private static final String MANIFEST = "manifest";
    private static final String NEW_MANIFEST = "manifest.new";
    private static final Pattern NAME = Pattern.compile("snapshot-([1-9][0-9]{0,8})");
    private static final int MAX_MANIFEST = 4_096;
    private static final int FORMAT = 1;
    private static final int ATTEMPTS = 100;

    private final Path path;
    private final long uid;

    /** What identifies a snapshot, and its parts as its own. */
    public record Manifest(int number, long id, int nPes, long heapLength)
    {
        private static final Pattern TEXT = Pattern.compile(
            "aeroshmem snapshot, format (\\d{1,9})\nnumber (\\d{1,9})\nid ([0-9a-f]{16})\nPEs (\\d{1,9})\n" +
            "heap (\\d{1,18}) bytes\nchecksum [0-9a-f]{8}\n");

        /** Makes that of a new snapshot. */
        public static Manifest of(final int number, final int nPes, final long heapLength)
        {
            return new Manifest(number, JobDirectory.randomToken(new SecureRandom()) >>> 1, nPes, heapLength);
        }

        private static Manifest parse(final String text)
        {
            final Matcher matcher = TEXT.matcher(text);
            if (matcher.matches() && Integer.parseInt(matcher.group(1)) != FORMAT)
            {
                throw new TransportException("its format is " + matcher.group(1) + ", not " + FORMAT);
            }

            final Manifest manifest = !matcher.matches() ? null : new Manifest(
                Integer.parseInt(matcher.group(2)),
                Long.parseUnsignedLong(matcher.group(3), 16),
                Integer.parseInt(matcher.group(4)),
                Long.parseLong(matcher.group(5)));
            if (null == manifest || !manifest.text().equals(text))
            {
                throw new TransportException("it was altered or truncated");
            }

            return manifest;
        }

        private String text()
        {
            final String values = "aeroshmem snapshot, format " + FORMAT + "\nnumber " + number + "\nid " +
                String.format("%016x", id) + "\nPEs " + nPes + "\nheap " + heapLength + " bytes\n";
            final CRC32C crc = new CRC32C();
            crc.update(values.getBytes(StandardCharsets.US_ASCII));
            return values + "checksum " + String.format("%08x", crc.getValue()) + '\n';
        }
    }

    private SnapshotDirectory(final Path path, final long uid)
    {
        this.path = path;
        this.uid = uid;
    }

    /** Makes the directory, and those above it, if they do not exist. */
    public static SnapshotDirectory make(final Path directory) throws IOException
    {
        boolean isMade = false;
        for (int attempt = 1; !isMade; attempt++)
        {
            try
            {
                PrivateFiles.makeDirectories(directory.toAbsolutePath());
                isMade = true;
            }
            catch (final FileAlreadyExistsException ex)
            {
                // another PE has made it, or one above it
                if (ATTEMPTS == attempt)
                {
                    throw ex;
                }
            }
        }

        return open(directory);
    }

    /** Opens an existing directory, which no other user must be able to replace. */
    public static SnapshotDirectory open(final Path directory) throws IOException
    {
        final long uid = PrivateFiles.currentUid();
        final Path real = directory.toRealPath();
        PrivateFiles.verifyRoot(real, uid, WHAT);
        return new SnapshotDirectory(real, uid);
    }

    /** Returns the number of the newest snapshot that is committed; 0 if there is none. */
    public int newest() throws IOException
    {
        return newest(Integer.MAX_VALUE);
    }

    private int newest(final int below) throws IOException
    {
        int newest = 0;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path))
        {
            for (final Path entry : entries)
            {
                final int number = number(entry);
                if (number > newest && number < below &&
                    Files.exists(entry.resolve(MANIFEST), LinkOption.NOFOLLOW_LINKS))
                {
                    newest = number;
                }
            }
        }

        return newest;
    }

    private static int number(final Path entry)
    {
        final Matcher matcher = NAME.matcher(entry.getFileName().toString());
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    /** Returns the manifest of a snapshot, after verifying it. */
    public Manifest manifest(final int number) throws IOException
    {
        final Path file = verified(number).resolve(MANIFEST);
        try (FileChannel channel = PrivateFiles.open(file, uid))
        {
            final ByteBuffer bytes = ByteBuffer.allocate(MAX_MANIFEST);
            while (bytes.hasRemaining() && channel.read(bytes) > 0)
            {
                // reads on
                continue;
            }

            final Manifest manifest =
                Manifest.parse(new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII));
            if (number != manifest.number)
            {
                throw new TransportException("its number is " + manifest.number);
            }

            return manifest;
        }
        catch (final TransportException ex)
        {
            throw new TransportException("the manifest " + file + " cannot be used: " + ex.getMessage(), ex);
        }
    }

    /** Creates the part of a PE, in place of one of an earlier attempt. */
    public FileChannel createPart(final int number, final int pe) throws IOException
    {
        PrivateFiles.makeOrVerifyDirectory(directory(number), uid, WHAT);
        Files.deleteIfExists(part(number, pe));
        return PrivateFiles.create(part(number, pe));
    }

    /** Has the names of the parts reach the disk. */
    public void force(final int number) throws IOException
    {
        force(directory(number));
        force(path);
    }

    /** Opens the part of a PE, which must be a private file with one name. */
    public FileChannel openPart(final int number, final int pe) throws IOException
    {
        verified(number);
        try
        {
            return PrivateFiles.open(part(number, pe), uid);
        }
        catch (final NoSuchFileException ex)
        {
            throw new TransportException(part(number, pe) +
                " does not exist: each PE needs the directory in which it has written its part", ex);
        }
    }

    /** Commits a snapshot, of which all parts are on the disk. */
    public void commit(final Manifest manifest) throws IOException
    {
        final Path directory = directory(manifest.number);
        final Path file = directory.resolve(NEW_MANIFEST);
        Files.deleteIfExists(file);
        try (FileChannel channel = PrivateFiles.create(file))
        {
            final ByteBuffer bytes = ByteBuffer.wrap(manifest.text().getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining())
            {
                channel.write(bytes);
            }

            channel.force(true);
        }

        Files.move(file, directory.resolve(MANIFEST), StandardCopyOption.ATOMIC_MOVE);
        force(directory);
    }

    /**
     * Revokes all committed snapshots but the newest ones.
     *
     * @param keep number of those to keep, 1 or more.
     * @return the number of the oldest one that is kept.
     */
    public int revokeOlder(final int keep) throws IOException
    {
        int oldest = newest();
        for (int kept = 1; kept < keep && newest(oldest) > 0; kept++)
        {
            oldest = newest(oldest);
        }

        for (int number = newest(oldest); number > 0; number = newest(number))
        {
            Files.delete(directory(number).resolve(MANIFEST));
            force(directory(number));
        }

        return oldest;
    }

    /** Removes the parts of a PE that are older than a snapshot, and their directories when they are empty. */
    public void removeOlder(final int oldest, final int pe) throws IOException
    {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path))
        {
            for (final Path entry : entries)
            {
                final int number = number(entry);
                if (number > 0 && number < oldest)
                {
                    remove(number, pe);
                }
            }
        }
    }

    /** Removes the part of a PE, and the directory if it is empty then. */
    public void remove(final int number, final int pe) throws IOException
    {
        Files.deleteIfExists(part(number, pe));
        try
        {
            Files.deleteIfExists(directory(number).resolve(NEW_MANIFEST));
            Files.deleteIfExists(directory(number));
        }
        catch (final DirectoryNotEmptyException ex)
        {
            return; // of other PEs
        }
    }

    /** Returns the file of a part, for messages. */
    public Path part(final int number, final int pe)
    {
        return directory(number).resolve(JobDirectory.peName(pe) + ".part");
    }

    private Path verified(final int number) throws IOException
    {
        PrivateFiles.verifyDirectory(directory(number), uid, WHAT);
        return directory(number);
    }

    private Path directory(final int number)
    {
        return path.resolve("snapshot-" + number);
    }

    private static void force(final Path directory) throws IOException
    {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ))
        {
            channel.force(true);
        }
    }

    @Override
    public String toString()
    {
        return path.toString();
    }
}
