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
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Copies the output of a process to a {@link LineSink}, line by line, each with the prefix of the sink if it has one.
 * Whole lines are written at once, so lines of different PEs never interleave. A line longer than {@link #LINE_LIMIT}
 * bytes is written in pieces. If there is a prefix, each piece becomes a line of its own. A line that stays unfinished
 * for {@value #PROMPT_MS} ms may be a prompt, and is written as it is, unless the constructor has disabled prompts.
 */
final class PrefixedOutputPump implements Runnable
{
    /** Maximum length, in bytes, of an unfinished line that is held back until its end. */
    static final int LINE_LIMIT = 1 << 20;

    /** Milliseconds after which an unfinished line is shown as it is, if specified. */
    static final long PROMPT_MS = 100;

    private static final int READ_LENGTH = 8192;
    private static final int KEPT_LENGTH = 1 << 16;

    private final InputStream source;
    private final LineSink destination;
    private final LineOutput prompts;
    private final Consumer<IOException> onReadError;
    private byte[] buffer = new byte[READ_LENGTH];
    private int length;
    private int endedLength;
    private int lineLength;
    private boolean isLineBegun;
    private boolean isPromptDue;
    private long lines;

    /**
     * Creates a copier, which closes the source at its end. {@code prompts} schedules the output of an unfinished line,
     * or is null if that is held back until its end.
     */
    PrefixedOutputPump(
        final InputStream source,
        final LineSink destination,
        final LineOutput prompts,
        final Consumer<IOException> onReadError)
    {
        this.source = source;
        this.destination = destination;
        this.prompts = prompts;
        this.onReadError = onReadError;
    }

    /** Starts a daemon thread that copies until the source ends. */
    Thread start(final String name)
    {
        final Thread thread = new Thread(this, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /**
     * Copies until the source ends. A last line without an end is ended if it has a tag, and otherwise when another
     * line follows.
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

        end();
    }

    private synchronized void append(final byte[] bytes, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            beginLine();
            if ('\n' == bytes[i])
            {
                endLine();
            }
            else
            {
                if (LINE_LIMIT == lineLength)
                {
                    breakLine();
                }

                put(bytes[i]);
                lineLength++;
            }
        }

        writeEnded();
        awaitPrompt();
    }

    private synchronized void end()
    {
        if (isLineBegun && destination.tag().length > 0)
        {
            endLine();
            writeEnded();
        }

        writeUnfinished();
    }

    private void awaitPrompt()
    {
        if (null != prompts && length > 0 && !isPromptDue)
        {
            isPromptDue = true;
            final long line = lines;
            prompts.after(PROMPT_MS, () -> onPrompt(line));
        }
    }

    private synchronized void onPrompt(final long line)
    {
        isPromptDue = false;
        if (line == lines)
        {
            writeUnfinished();
        }

        awaitPrompt();
    }

    private void beginLine()
    {
        if (!isLineBegun)
        {
            isLineBegun = true;
            lineLength = 0;
            for (final byte value : destination.tag())
            {
                put(value);
            }
        }
    }

    private void endLine()
    {
        put((byte)'\n');
        endedLength = length;
        isLineBegun = false;
        lines++;
    }

    private void breakLine()
    {
        if (destination.tag().length > 0)
        {
            endLine();
            beginLine();
        }
        else
        {
            writeEnded();
            writeUnfinished();
            lineLength = 0;
        }
    }

    private void put(final byte value)
    {
        if (length == buffer.length)
        {
            buffer = Arrays.copyOf(buffer, length * 2);
        }

        buffer[length++] = value;
    }

    private void writeEnded()
    {
        if (endedLength > 0)
        {
            destination.write(buffer, 0, endedLength, true);
            length -= endedLength;
            final byte[] rest = length <= KEPT_LENGTH && buffer.length > KEPT_LENGTH ? new byte[KEPT_LENGTH] : buffer;
            System.arraycopy(buffer, endedLength, rest, 0, length);
            buffer = rest;
            endedLength = 0;
        }
    }

    private void writeUnfinished()
    {
        if (length > 0)
        {
            destination.write(buffer, 0, length, false);
            length = 0;
        }
    }
}
