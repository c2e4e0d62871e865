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

import io.aeroshmem.PeFailureException;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Sink of a PE's standard error that holds back a stack trace, and the text after it, for {@value #HOLD_MS} ms. If
 * {@link #keep()} is called meanwhile, because this PE is the one that failed, the text is held back until
 * {@link #release()}. So the trace of the PE that failed first can be printed last.
 */
final class TraceHold implements LineSink
{
    /** Milliseconds for which text is held back while the failed PE is unknown. */
    static final long HOLD_MS = 1_000;

    /** Maximum number of bytes that are held back. */
    static final int HOLD_LIMIT = 256 << 10;

    private static final int HEADER_LENGTH = 512;
    private static final Pattern HEADER =
        Pattern.compile("Exception in thread \"|(?:[\\w$]+\\.)+[\\w$]*(?:Exception|Error)\\b");

    private static final Pattern CONTINUATION = Pattern.compile("\\s|Caused by: ");
    /** A trace whose process was ended before it had printed the exception. */
    private static final Pattern CUT = Pattern.compile("[^\n]*Exception in thread \"[^\"\n]*\"\\s*");
    private static final String PE_FAILURE = PeFailureException.class.getName();

    private final LineSink destination;
    private final LineOutput output;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private boolean isHolding;
    private volatile boolean isKept;
    private volatile boolean isPassing;
    private volatile boolean isDropping;
    private boolean isEnded = true;
    private long holds;

    /** Creates a sink; {@code output} schedules the release. */
    TraceHold(final LineSink destination, final LineOutput output)
    {
        this.destination = destination;
        this.output = output;
    }

    @Override
    public byte[] tag()
    {
        return destination.tag();
    }

    @Override
    public synchronized void write(
        final byte[] bytes, final int offset, final int length, final boolean isLastEnded)
    {
        final int header = isHolding ? offset : isPassing ? -1 : header(bytes, offset, offset + length);
        final int passed = header < 0 ? length : header - offset;
        if (passed > 0)
        {
            destination.write(bytes, offset, passed, passed < length || isLastEnded);
        }

        if (passed < length)
        {
            hold(bytes, offset + passed, length - passed);
        }

        isEnded = isLastEnded;
        if (held.size() > HOLD_LIMIT)
        {
            release();
        }
    }

    /** Holds a trace back until {@link #release()}: this PE is the one that failed. */
    synchronized void keep()
    {
        isKept = true;
    }

    /** Stops holding text back: another PE is the one that failed. */
    synchronized void pass()
    {
        isPassing = true;
        release();
    }

    /**
     * Drops the traces of exceptions that report the failure of the job, and holds everything else back until
     * {@link #release()}: the job is being ended. Never waits for a write that is blocked, as a signal may be the
     * cause.
     */
    void dropPeFailures()
    {
        isDropping = true;
        isKept = true;
        isPassing = false;
    }

    /** Prints the text that is held back. */
    synchronized void release()
    {
        isHolding = false;
        if (held.size() > 0)
        {
            final byte[] bytes = isDropping ? withoutPeFailures() : held.toByteArray();
            held.reset();
            if (bytes.length > 0)
            {
                destination.write(bytes, 0, bytes.length, '\n' == bytes[bytes.length - 1]);
            }
        }
    }

    private byte[] withoutPeFailures()
    {
        final StringBuilder text = new StringBuilder();
        final StringBuilder trace = new StringBuilder();
        // one character per byte
        for (final String line : held.toString(StandardCharsets.ISO_8859_1).split("(?<=\n)"))
        {
            final String untagged = line.substring(Math.min(tag().length, line.length()));
            if (trace.isEmpty() || !CONTINUATION.matcher(untagged).lookingAt())
            {
                append(text, trace);
                (HEADER.matcher(untagged).lookingAt() ? trace : text).append(line);
            }
            else
            {
                trace.append(line);
            }
        }

        append(text, trace);
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void append(final StringBuilder text, final StringBuilder trace)
    {
        if (trace.indexOf(PE_FAILURE) < 0 && trace.indexOf(NodeStateMachine.ENDING) < 0 &&
            !CUT.matcher(trace).matches())
        {
            text.append(trace);
        }

        trace.setLength(0);
    }

    private void hold(final byte[] bytes, final int offset, final int length)
    {
        held.write(bytes, offset, length);
        if (!isHolding)
        {
            isHolding = true;
            final long hold = ++holds;
            output.after(HOLD_MS, () -> onTime(hold));
        }
    }

    private synchronized void onTime(final long hold)
    {
        if (isHolding && hold == holds && !isKept)
        {
            release();
        }
    }

    /** Returns the offset of the first line that begins a stack trace, or -1. */
    private int header(final byte[] bytes, final int from, final int to)
    {
        int start = isEnded ? from : nextLine(bytes, from, to);
        while (start < to)
        {
            final int text = start + tag().length;
            final int next = nextLine(bytes, start, to);
            final int length = Math.min(HEADER_LENGTH, next - text);
            if (length > 0 &&
                HEADER.matcher(new String(bytes, text, length, StandardCharsets.ISO_8859_1)).lookingAt())
            {
                return start;
            }

            start = next;
        }

        return -1;
    }

    private static int nextLine(final byte[] bytes, final int from, final int to)
    {
        for (int i = from; i < to; i++)
        {
            if ('\n' == bytes[i])
            {
                return i + 1;
            }
        }

        return to;
    }
}
