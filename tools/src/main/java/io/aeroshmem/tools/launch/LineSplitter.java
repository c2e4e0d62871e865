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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * First stage of the output of a process: reads it, writes it to a log, splits it into tagged {@link Line}s, and passes
 * those of a read on together. A line longer than {@link #LINE_LIMIT} bytes is passed on in parts; with a tag, each
 * becomes a line of its own. A line that stays unfinished for {@value #PROMPT_MS} ms may be a prompt, and is passed on
 * as it is, if prompts are expected.
 */
final class LineSplitter implements Runnable
{
    /** Maximum length, in bytes, of an unfinished line that is held back until its end. */
    static final int LINE_LIMIT = 1 << 20;

    /** Milliseconds after which an unfinished line is passed on as it is, if specified. */
    static final long PROMPT_MS = 100;

    private static final int READ_LENGTH = 8192;

    private final InputStream source;
    private final LogFile log;
    private final Supplier<String> tag;
    private final LineSink destination;
    private final LineOutput prompts;
    private final Consumer<IOException> onReadError;

    /*
     * The reading thread and the timer of the LineOutput change what follows; this object is the lock, also while they
     * pass lines on, which keeps the order of the lines.
     */
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private final List<Line> lines = new ArrayList<>();
    /** Length of the current line, with what has been passed on. */
    private int lineLength;
    private boolean isRest;
    private boolean isPromptDue;
    private long endedLines;

    /**
     * Creates a splitter, which closes the source and the log at its end. {@code log} is null for none; {@code tag} may
     * change; {@code prompts} schedules the output of an unfinished line, or is null if that is held back until its
     * end.
     */
    LineSplitter(
        final InputStream source,
        final LogFile log,
        final Supplier<String> tag,
        final LineSink destination,
        final LineOutput prompts,
        final Consumer<IOException> onReadError)
    {
        this.source = source;
        this.log = log;
        this.tag = tag;
        this.destination = destination;
        this.prompts = prompts;
        this.onReadError = onReadError;
    }

    /** Starts a daemon thread that reads until the source ends. */
    Thread start(final String name)
    {
        final Thread thread = new Thread(this, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /**
     * Reads until the source ends. A last line without an end is ended if it has a tag, and otherwise when another line
     * follows.
     */
    @Override
    public void run()
    {
        final byte[] bytes = new byte[READ_LENGTH];
        try (source; log)
        {
            for (int count = source.read(bytes); count >= 0; count = source.read(bytes))
            {
                if (null != log)
                {
                    log.write(bytes, count);
                }

                append(bytes, count);
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
        int start = 0;
        for (int i = 0; i < count; i++)
        {
            if ('\n' == bytes[i])
            {
                append(bytes, start, i);
                endPart(true);
                start = i + 1;
            }
        }

        append(bytes, start, count);
        pass();
        awaitPrompt();
    }

    private void append(final byte[] bytes, final int from, final int to)
    {
        int start = from;
        while (lineLength + to - start > LINE_LIMIT)
        {
            final int part = LINE_LIMIT - lineLength;
            text.write(bytes, start, part);
            endPart(isTagged());
            lineLength = 0;
            start += part;
        }

        text.write(bytes, start, to - start);
        lineLength += to - start;
    }

    private void endPart(final boolean isEnded)
    {
        lines.add(new Line(tag.get().getBytes(StandardCharsets.UTF_8), text.toByteArray(), isRest, isEnded));
        text.reset();
        isRest = !isEnded;
        if (isEnded)
        {
            lineLength = 0;
            endedLines++;
        }
    }

    private boolean isTagged()
    {
        return !tag.get().isEmpty();
    }

    private void pass()
    {
        if (!lines.isEmpty())
        {
            destination.write(List.copyOf(lines));
            lines.clear();
        }
    }

    private synchronized void end()
    {
        if (text.size() > 0 || isRest && isTagged())
        {
            endPart(isTagged());
            pass();
        }
    }

    private void awaitPrompt()
    {
        if (null != prompts && text.size() > 0 && !isPromptDue)
        {
            isPromptDue = true;
            final long line = endedLines;
            prompts.after(PROMPT_MS, () -> onPrompt(line));
        }
    }

    private synchronized void onPrompt(final long line)
    {
        isPromptDue = false;
        if (line == endedLines && text.size() > 0)
        {
            endPart(false);
            pass();
        }

        awaitPrompt();
    }
}
