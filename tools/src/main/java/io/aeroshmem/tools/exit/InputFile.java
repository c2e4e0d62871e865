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

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * Input file of a command. A name on the command line may be that of anything: a pipe that nobody writes would block
 * the command, a device without an end would exhaust its memory. So only regular files of a limited length are read.
 */
public final class InputFile
{
    private static final long MAX_TEXT_LENGTH = 64 << 20;
    private static final int MAX_LINE_LENGTH = 16 << 20;
    private static final int READ_LENGTH = 64 << 10;
    private static final String BYTE_ORDER_MARK = "\ufeff";

    private InputFile()
    {
    }

    /**
     * Checks a file before it is opened.
     *
     * @throws IOException if it is missing, not a regular file or longer than {@code maxLength} bytes.
     */
    public static void check(final Path file, final long maxLength) throws IOException
    {
        final BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile())
        {
            throw new FileSystemException(
                file.toString(), null, attributes.isDirectory() ? "Is a directory" : "not a regular file");
        }

        if (attributes.size() > maxLength)
        {
            throw tooLong(file, maxLength);
        }
    }

    /**
     * Checks a file that is read line by line, however long it is.
     *
     * @throws IOException if it is no regular file, or a line is longer than any of a text.
     */
    public static void checkLines(final Path file) throws IOException
    {
        check(file, Long.MAX_VALUE);
        final byte[] bytes = new byte[READ_LENGTH];
        try (InputStream input = Files.newInputStream(file))
        {
            int lineLength = 0;
            for (int count = input.read(bytes); count >= 0; count = input.read(bytes))
            {
                for (int i = 0; i < count; i++)
                {
                    lineLength = '\n' == bytes[i] || '\r' == bytes[i] ? 0 : lineLength + 1;
                }

                if (lineLength > MAX_LINE_LENGTH)
                {
                    throw new FileSystemException(file.toString(), null, "not a text: a line is longer than " +
                        (MAX_LINE_LENGTH >> 20) + " MiB");
                }
            }
        }
    }

    private static FileSystemException tooLong(final Path file, final long maxLength)
    {
        return new FileSystemException(file.toString(), null, "longer than " + (maxLength >> 20) + " MiB");
    }

    /**
     * Returns the lines of a text in UTF-8, with any ends of lines, without a byte order mark.
     *
     * @throws IOException if it cannot be read, see {@link #check}, or is not such a text.
     */
    public static List<String> lines(final Path file) throws IOException
    {
        final byte[] bytes = read(file, MAX_TEXT_LENGTH);
        final String text = decode(bytes);
        return (text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text).lines().toList();
    }

    private static String decode(final byte[] bytes) throws CharacterCodingException
    {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    }

    private static byte[] read(final Path file, final long maxLength) throws IOException
    {
        check(file, maxLength);
        try (InputStream input = Files.newInputStream(file))
        {
            // some files of the kernel have no length, but a content
            final byte[] bytes = input.readNBytes((int)maxLength + 1);
            if (bytes.length > maxLength)
            {
                throw tooLong(file, maxLength);
            }

            return bytes;
        }
    }
}
