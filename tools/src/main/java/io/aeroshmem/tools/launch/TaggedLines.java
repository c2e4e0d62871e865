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
package io.aeroshmem.tools.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Copies what a process prints to a stream of the launcher, line by line, each line behind a tag. A line goes out in
 * one write, so lines of different PEs never mix. A line longer than {@link #LINE_LIMIT} bytes is broken there.
 */
final class TaggedLines implements Runnable
{
    /**
     * Longest piece of a line, in bytes, that is held back for its end.
     */
    static final int LINE_LIMIT = 1 << 20;

    private static final int READ_LENGTH = 8192;

    private final byte[] tag;
    private final InputStream source;
    private final PrintStream destination;
    private final Consumer<IOException> onReadError;
    private byte[] line = new byte[READ_LENGTH];
    private int length;

    TaggedLines(
        final String tag,
        final InputStream source,
        final PrintStream destination,
        final Consumer<IOException> onReadError)
    {
        this.tag = tag.getBytes(StandardCharsets.UTF_8);
        this.source = source;
        this.destination = destination;
        this.onReadError = onReadError;
        startLine();
    }

    /**
     * Starts a thread that copies.
     *
     * @param tag         begins each line; may be empty.
     * @param source      closed at its end.
     * @param destination where the lines go.
     * @param onReadError told when the source cannot be read.
     * @return a daemon thread that ends with the source.
     */
    static Thread start(
        final String tag,
        final InputStream source,
        final PrintStream destination,
        final Consumer<IOException> onReadError)
    {
        final Thread thread = new Thread(new TaggedLines(tag, source, destination, onReadError), "output " + tag);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /**
     * Copies until the source ends. A last line without its end gets one.
     */
    @Override
    public void run()
    {
        final byte[] bytes = new byte[READ_LENGTH];
        try (source)
        {
            int read = source.read(bytes);
            while (read >= 0)
            {
                append(bytes, read);
                read = source.read(bytes);
            }
        }
        catch (final IOException ex)
        {
            onReadError.accept(ex);
        }
        if (length > tag.length)
        {
            endLine();
        }
    }

    private void append(final byte[] bytes, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            if ('\n' == bytes[i])
            {
                endLine();
            }
            else
            {
                if (length - tag.length == LINE_LIMIT)
                {
                    endLine();
                }
                put(bytes[i]);
            }
        }
    }

    private void put(final byte value)
    {
        if (length == line.length)
        {
            line = Arrays.copyOf(line, length * 2);
        }
        line[length++] = value;
    }

    private void startLine()
    {
        System.arraycopy(tag, 0, line, 0, tag.length);
        length = tag.length;
    }

    private void endLine()
    {
        put((byte)'\n');
        synchronized (destination)
        {
            destination.write(line, 0, length);
            destination.flush();
        }
        startLine();
    }
}
