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

import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.aeroshmem.transport.TransportException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The directory of a media driver that is not the job's own. Who can open its files reads and writes all messages of
 * the jobs that use the driver, so it is verified like the directories of jobs: by the daemon that creates it, and by
 * each process before it maps a file there.
 */
public final class DriverDirectory
{
    private static final String PROPERTY = "aeroshmem.aeron.dir";
    /** The name of a user whom the system does not know: all these users would share one directory. */
    private static final String NO_USER = "-?";

    private DriverDirectory()
    {
    }

    /** Returns Aeron's default, which ends in the name of the user, or in the user id if the user has no name. */
    public static String defaultName()
    {
        final String name = CommonContext.getAeronDirectoryName();
        return name.endsWith(NO_USER) ?
            name.substring(0, name.length() - 1) + PrivateFiles.currentUid() : name;
    }

    /**
     * Returns the path of a driver's directory, with the symbolic links above it resolved, after verifying that no
     * other user can open or replace it.
     *
     * @throws TransportException if it does not exist, or is not a private directory of this user.
     */
    public static Path verify(final String name)
    {
        final Path directory = verifyExisting(name);
        if (null == directory)
        {
            throw new TransportException("no media driver runs in " + name + ": the directory must exist (" + PROPERTY +
                "); start a driver with 'aeroshmem driver', or leave the property unset");
        }

        return directory;
    }

    /** As {@link #verify}, but returns null if the directory does not exist. */
    public static Path verifyExisting(final String name)
    {
        try
        {
            final long uid = PrivateFiles.currentUid();
            final Path directory = resolve(name, uid);
            PrivateFiles.verifyDirectory(directory, uid, PROPERTY);
            final Path cnc = directory.resolve(CncFileDescriptor.CNC_FILE);
            if (Files.exists(cnc, LinkOption.NOFOLLOW_LINKS))
            {
                PrivateFiles.verifyOwner(cnc, uid);
            }

            return directory;
        }
        catch (final NoSuchFileException ex)
        {
            return null;
        }
        catch (final IOException ex)
        {
            throw cannotUse(name, ex);
        }
    }

    /**
     * Creates a driver's directory, 0700 whatever the umask, with the missing directories above it, or verifies an
     * existing one; returns its path with the symbolic links above it resolved.
     *
     * @throws TransportException if it cannot be created, or is not a private directory of this user.
     */
    public static Path make(final String name)
    {
        try
        {
            final long uid = PrivateFiles.currentUid();
            PrivateFiles.makeDirectories(Path.of(name).toAbsolutePath().normalize().getParent());
            final Path directory = resolve(name, uid);
            PrivateFiles.makeOrVerifyDirectory(directory, uid, PROPERTY);
            return directory;
        }
        catch (final IOException ex)
        {
            throw cannotUse(name, ex);
        }
    }

    /** Returns a key that is equal for all processes that use a driver, and differs between drivers. */
    public static String key(final String directory)
    {
        try
        {
            return Node.bootId() + PrivateFiles.fileKey(Path.of(directory, CncFileDescriptor.CNC_FILE));
        }
        catch (final IOException ex)
        {
            throw cannotUse(directory, ex);
        }
    }

    private static Path resolve(final String name, final long uid) throws IOException
    {
        final Path given = Path.of(name).toAbsolutePath().normalize();
        if (null == given.getParent())
        {
            throw new TransportException(given + " cannot be the directory of a media driver (" + PROPERTY + ")");
        }

        final Path parent = given.getParent().toRealPath();
        PrivateFiles.verifyRoot(parent, uid, PROPERTY);
        return parent.resolve(given.getFileName());
    }

    private static TransportException cannotUse(final String name, final IOException ex)
    {
        return new TransportException(
            "cannot use the directory of a media driver " + name + " (" + PROPERTY + "): " + ex, ex);
    }
}
