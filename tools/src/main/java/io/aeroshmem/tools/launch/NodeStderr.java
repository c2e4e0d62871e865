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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Copies the standard error of a node launcher and of the command that starts the node launcher. The text is held back
 * until the node launcher reports that it has joined the job. If the node launcher never joins, the text contains the
 * reason, and the launcher of the job prints this reason in one line for all nodes.
 * <p>
 * {@link #run()} is called on a thread of its own. Other threads may call {@link #isJoined()} at any time, but
 * {@link #isEnded()} and {@link #diagnostics()} only after the thread of {@code run} has ended.
 */
final class NodeStderr implements Runnable
{
    /** Line that a node launcher prints when it has joined, in each generation; no text for people begins with it. */
    static final String JOINED = "\u0006aeroshmem joined\u0006\n";

    /** Line that a node launcher prints repeatedly while it waits for the next generation of a recoverable job. */
    static final String WAITING = "\u0006aeroshmem waits\u0006\n";

    /** Last line that a node launcher prints, once its PEs have ended: its exit code says how. */
    static final String ENDED = "\u0006aeroshmem ended\u0006";

    /** Byte that a node launcher prints repeatedly before the first {@link #JOINED}: it detects whether it is read. */
    static final int ALIVE = 0;

    private static final List<String> MARKS = List.of(JOINED, WAITING, ENDED + '\n');
    private static final int READ_LENGTH = 8192;
    private static final int HELD_LIMIT = 64 << 10;
    private static final String OWN_PREFIX = "aeroshmem: ";

    private final InputStream source;
    private final LineSink destination;
    private final LineOutput prompts;
    private final Consumer<IOException> onReadError;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private volatile boolean isJoined;
    private volatile int waitingMarks;
    private volatile boolean isEnded;

    /**
     * Creates a copier. {@code destination} receives the text after the launcher has joined; {@code prompts} schedules
     * the output of an unfinished line, or is null if that is held back until its end.
     */
    NodeStderr(
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

    boolean isJoined()
    {
        return isJoined;
    }

    /** Returns how often the node launcher has reported that it waits for the next generation; 0 if it does not. */
    int waitingMarks()
    {
        return waitingMarks;
    }

    /** Returns whether the node launcher has reported the end of its PEs. */
    boolean isEnded()
    {
        return isEnded;
    }

    /**
     * Returns the last lines of the text held back, of the launcher itself if it printed any, as one line; empty if
     * there are none.
     */
    String diagnostics()
    {
        final List<String> lines = held.toString(StandardCharsets.UTF_8).lines()
            .map(String::strip).filter((line) -> !line.isEmpty()).collect(Collectors.toList());
        final List<String> own = lines.stream().filter((line) -> line.startsWith(OWN_PREFIX))
            .map((line) -> line.substring(OWN_PREFIX.length())).collect(Collectors.toList());
        final List<String> relevant = own.isEmpty() ? lines : own;
        return String.join("; ", relevant.subList(Math.max(0, relevant.size() - 2), relevant.size()));
    }

    /** Copies until the source ends. */
    @Override
    public void run()
    {
        try (source)
        {
            final byte[] bytes = new byte[READ_LENGTH];
            int mark = -1;
            int read = source.read(bytes);
            while (read >= 0)
            {
                hold(bytes, read);
                mark = indexOfMark();
                read = mark < 0 ? source.read(bytes) : -1;
            }

            if (mark >= 0)
            {
                isJoined = true;
                pass(mark);
            }
        }
        catch (final IOException ex)
        {
            onReadError.accept(ex);
        }
    }

    private void hold(final byte[] bytes, final int length)
    {
        if (held.size() > HELD_LIMIT)
        {
            final byte[] all = held.toByteArray();
            held.reset();
            held.write(all, all.length - READ_LENGTH, READ_LENGTH);
        }

        for (int i = 0; i < length; i++)
        {
            if (ALIVE != bytes[i])
            {
                held.write(bytes[i]);
            }
        }
    }

    private int indexOfMark()
    {
        // one character per byte, so that indices are the same
        return held.toString(StandardCharsets.ISO_8859_1).indexOf(JOINED);
    }

    private void pass(final int mark)
    {
        final byte[] all = held.toByteArray();
        final int next = mark + JOINED.length();
        final InputStream before = new ByteArrayInputStream(all, 0, mark);
        final InputStream after =
            new SequenceInputStream(new ByteArrayInputStream(all, next, all.length - next), source);
        new PrefixedOutputPump(new SequenceInputStream(before, after), new MarkDetector(), prompts, onReadError).run();
    }

    private void onMark(final String mark)
    {
        waitingMarks = WAITING.equals(mark) ? waitingMarks + 1 : 0;
        isEnded |= (ENDED + '\n').equals(mark);
    }

    /**
     * Sink that detects the marks in the text and removes them.
     */
    private final class MarkDetector implements LineSink
    {
        @Override
        public byte[] tag()
        {
            return destination.tag();
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length, final boolean isLineEnded)
        {
            final String text = new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
            int next = 0;
            String mark = firstMark(text, next);
            while (null != mark)
            {
                final int start = text.indexOf(mark, next);
                if (start > next)
                {
                    destination.write(bytes, offset + next, start - next, true);
                }

                onMark(mark);
                next = start + mark.length();
                mark = firstMark(text, next);
            }

            if (next < length)
            {
                destination.write(bytes, offset + next, length - next, isLineEnded);
            }
        }

        private static String firstMark(final String text, final int from)
        {
            return MARKS.stream().filter((mark) -> text.indexOf(mark, from) >= 0)
                .min(Comparator.comparingInt((mark) -> text.indexOf(mark, from))).orElse(null);
        }
    }
}
