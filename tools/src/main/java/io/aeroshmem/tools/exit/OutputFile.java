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
package io.aeroshmem.tools.exit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Output file of a command. A command calls {@link #check} before it begins the work whose results go into the file,
 * and {@link #write} after it.
 * <p>
 * A file gets its name when it is complete: no reader sees a part, and what does not fit on the disk leaves the
 * previous file as it was. The new file has the owner and the mode of the previous one. Only where another file cannot
 * take the name, as in a directory that cannot be written or over a mount point, the previous file is overwritten.
 */
public final class OutputFile
{
    /** End of the name of a file that is not complete. */
    public static final String PART = ".part";

    private OutputFile()
    {
    }

    /**
     * Checks the name of a file, and that it can be written.
     *
     * @param option     that names the file.
     * @param extensions of which the name must have one.
     * @throws CommandException if the name ends with none of them or is that of something other than a file, or if the
     *                          directory of the file is missing, or if the file, or the directory of a file that is
     *                          missing, cannot be written.
     */
    public static void check(final String option, final Path file, final String... extensions)
    {
        final String given = ": " + option + "=" + file;
        if (Arrays.stream(extensions).noneMatch(file.toString()::endsWith))
        {
            throw CommandException.usage(option + " must end with " + String.join(" or ", extensions) + given);
        }

        final Path parent = file.toAbsolutePath().getParent();
        if (null == parent || !Files.isDirectory(parent))
        {
            throw CommandException.usage(option + " must be in an existing directory" + given);
        }

        if (isNoFile(file))
        {
            throw CommandException.usage(option + " must be a file, not a directory or a device" + given);
        }

        if (!isWritable(file))
        {
            throw CommandException.usage(option + " must be a file that can be written" + given);
        }
    }

    /**
     * Creates a directory of files unless it exists.
     *
     * @param option that names the directory.
     * @throws CommandException if it cannot be created, or written to.
     */
    public static void createDirectory(final String option, final Path directory)
    {
        try
        {
            Files.createDirectories(directory);
        }
        catch (final IOException ex)
        {
            throw CommandException.usage(
                "cannot create the directory " + directory + " (" + option + "): " + FileProblem.describe(ex));
        }

        if (!Files.isWritable(directory))
        {
            throw CommandException.usage("cannot write to the directory " + directory + " (" + option + ")");
        }
    }

    private static boolean isWritable(final Path file)
    {
        try
        {
            final Path target = target(file.toAbsolutePath());
            return Files.isWritable(Files.exists(target) ? target : target.getParent());
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    /** Requires that nothing else than a file has the name of an output file: the write to a FIFO could block. */
    public static void requireFile(final Path file) throws IOException
    {
        if (isNoFile(file))
        {
            throw new FileSystemException(file.toString(), null, "not a file");
        }
    }

    /** Writes what is printed to a file, as {@link #write(Path, byte[])} does. */
    public static void write(final Path file, final Consumer<PrintStream> printing)
    {
        final ByteArrayOutputStream text = new ByteArrayOutputStream();
        printing.accept(new PrintStream(text, true, StandardCharsets.UTF_8));
        write(file, text.toByteArray());
    }

    /**
     * Writes a file.
     *
     * @throws CommandException if it cannot be written.
     */
    public static void write(final Path file, final byte[] content)
    {
        try
        {
            final Path target = target(file);
            requireFile(target);
            final Path part =
                target.resolveSibling("." + target.getFileName() + "." + ProcessHandle.current().pid() + PART);
            if (create(part))
            {
                try
                {
                    Files.write(part, content);
                    complete(part, file);
                }
                finally
                {
                    Files.deleteIfExists(part);
                }
            }
            else
            {
                Files.write(target, content);
            }
        }
        catch (final IOException ex)
        {
            throw CommandException.failure("cannot write " + file + ": " + FileProblem.describe(ex));
        }
    }

    /** Gives a complete file its name. */
    public static void complete(final Path part, final Path file) throws IOException
    {
        final Path target = target(file);
        requireFile(target);
        if (!replace(part, target))
        {
            try (OutputStream output = Files.newOutputStream(target))
            {
                Files.copy(part, output);
            }

            Files.delete(part);
        }
    }

    private static boolean replace(final Path part, final Path target)
    {
        try
        {
            if (Files.exists(target))
            {
                copyAttributes(target, part);
            }

            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            return true;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    private static void copyAttributes(final Path from, final Path to) throws IOException
    {
        final PosixFileAttributes attributes = Files.readAttributes(from, PosixFileAttributes.class);
        final PosixFileAttributeView view = Files.getFileAttributeView(to, PosixFileAttributeView.class);
        view.setOwner(attributes.owner());
        view.setGroup(attributes.group());
        view.setPermissions(attributes.permissions());
    }

    private static boolean create(final Path part)
    {
        try
        {
            // left by an earlier process of this number
            Files.deleteIfExists(part);
            Files.createFile(part);
            return true;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    private static boolean isNoFile(final Path file)
    {
        return Files.exists(file) && !Files.isRegularFile(file);
    }

    /** Returns the file itself if the name is that of a link, whether the file exists or not. */
    private static Path target(final Path file) throws IOException
    {
        try
        {
            return file.toRealPath();
        }
        catch (final NoSuchFileException ex)
        {
            return Files.isSymbolicLink(file) ? target(file.resolveSibling(Files.readSymbolicLink(file))) : file;
        }
    }
}
