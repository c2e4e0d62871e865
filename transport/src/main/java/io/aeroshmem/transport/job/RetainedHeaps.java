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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * The heap files of a recoverable job on one host, in a directory that outlives its generations. The heaps of a
 * generation are second names of these files, in its {@link JobDirectory}.
 *
 * Files are known by the numbers of {@link ControlFile#memory}.
 *
 * @param directory of the recoverable job, whose name no other has.
 */
public record RetainedHeaps(Path directory)
{
    /** The {@link #defect} of a file that a generation before has not made, or that was removed. */
    public static final String ABSENT = "it does not exist";

    private static final String DIRECTORY_PROPERTY = "aeroshmem.recovery.directory";

    /**
     * Checks the directory.
     *
     * @throws TransportException if it is not one of this user that is closed to others.
     */
    public RetainedHeaps
    {
        try
        {
            PrivateFiles.verifyDirectory(directory, PrivateFiles.currentUid(), DIRECTORY_PROPERTY);
        }
        catch (final NoSuchFileException ex)
        {
            throw new TransportException(directory + " does not exist: the recoverable job has ended (" +
                DIRECTORY_PROPERTY + ")", ex);
        }
    }

    /** Returns a number of the recoverable job, by which its files differ from those of others. */
    public long token()
    {
        final String name = String.valueOf(directory.getFileName());
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
    }

    /**
     * Verifies the file that the generation before has left of a PE: owner, mode, type and length.
     *
     * @return why it cannot be used, as a clause about it; null if it can.
     */
    public String defect(final int pe, final long length)
    {
        final String defect = defect(pe);
        if (null != defect)
        {
            return defect;
        }

        final long found = length(pe);
        return found == length ? null : "it has " + found + " bytes instead of " + length;
    }

    /** As {@link #defect(int, long)}, for a file of any length. */
    public String defect(final int pe)
    {
        try
        {
            PrivateFiles.verifyLinked(file(pe), PrivateFiles.currentUid());
            return null;
        }
        catch (final NoSuchFileException ex)
        {
            return ABSENT;
        }
        catch (final TransportException ex)
        {
            return ex.getMessage();
        }
    }

    /** Returns the length of the file of a PE, which exists. */
    public long length(final int pe)
    {
        try
        {
            return Files.size(file(pe));
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot read the size of " + file(pe) + ": " + ex, ex);
        }
    }

    /** Gives the file of a PE a second name. */
    public void link(final int pe, final Path name)
    {
        link(name, file(pe));
    }

    /** Gives a new file of a PE, which has a name elsewhere, its name here. */
    public void add(final int pe, final Path name)
    {
        link(file(pe), name);
    }

    private static void link(final Path name, final Path file)
    {
        try
        {
            Files.createLink(name, file);
        }
        catch (final NoSuchFileException ex)
        {
            throw new TransportException(file + " does not exist", ex);
        }
        catch (final IOException | UnsupportedOperationException ex)
        {
            throw new TransportException("cannot link " + name + " to " + file + ": " + ex +
                "; " + DIRECTORY_PROPERTY + " must be on the file system of " + JobDirectory.SHM_DIR_PROP_NAME, ex);
        }
    }

    /** Removes the file of a PE, if there is one. */
    public void remove(final int pe)
    {
        try
        {
            Files.deleteIfExists(file(pe));
        }
        catch (final IOException ex)
        {
            throw new TransportException("cannot remove " + file(pe) + ": " + ex, ex);
        }
    }

    /** Removes the files of the PEs of a generation that are not among some. */
    public void removeAllBut(final ControlFile generation, final int... pes)
    {
        IntStream.range(0, generation.nPes())
            .filter((pe) -> Arrays.stream(pes).noneMatch((kept) -> pe == kept))
            .forEach((pe) -> remove(generation.memory(pe)));
    }

    static boolean isFile(final Path file)
    {
        return file.getFileName().toString().endsWith(JobDirectory.HEAP_SUFFIX);
    }

    private Path file(final int pe)
    {
        return directory.resolve(JobDirectory.heapName(pe));
    }
}
