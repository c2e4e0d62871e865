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

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Stage of a PE's standard error that holds back a stack trace, and the text after it, for {@value #HOLD_MS} ms. If
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

    private static final Pattern CONTINUATION = Pattern.compile("\\s|Caused by: |$");
    /** A trace whose process was ended before it had printed the exception. */
    private static final Pattern CUT = Pattern.compile("Exception in thread \"[^\"\n]*\"\\s*");
    private static final String PE_FAILURE = PeFailureException.class.getName();

    private final LineSink destination;
    private final LineOutput output;
    private final List<Line> held = new ArrayList<>();
    private int heldLength;
    private boolean isHolding;
    private volatile boolean isKept;
    private volatile boolean isPassing;
    private volatile boolean isDropping;
    private long holds;

    /** Creates a stage; {@code output} schedules the release. */
    TraceHold(final LineSink destination, final LineOutput output)
    {
        this.destination = destination;
        this.output = output;
    }

    @Override
    public synchronized void write(final List<Line> lines)
    {
        int passed = 0;
        while (!isHolding && passed < lines.size() && (isPassing || !isHeader(lines.get(passed))))
        {
            passed++;
        }

        if (passed > 0)
        {
            destination.write(lines.subList(0, passed));
        }

        if (passed < lines.size())
        {
            hold(lines.subList(passed, lines.size()));
        }
    }

    private static boolean isHeader(final Line line)
    {
        return !line.isRest() && HEADER.matcher(line.start(HEADER_LENGTH)).lookingAt();
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
        heldLength = 0;
        final List<Line> lines = isDropping ? withoutPeFailures() : List.copyOf(held);
        held.clear();
        if (!lines.isEmpty())
        {
            destination.write(lines);
        }
    }

    private List<Line> withoutPeFailures()
    {
        final List<Line> lines = new ArrayList<>();
        final List<Line> trace = new ArrayList<>();
        for (final Line line : held)
        {
            if (trace.isEmpty() || !isContinuation(line))
            {
                append(lines, trace);
                (isHeader(line) ? trace : lines).add(line);
            }
            else
            {
                trace.add(line);
            }
        }

        append(lines, trace);
        return lines;
    }

    private static boolean isContinuation(final Line line)
    {
        return line.isRest() || CONTINUATION.matcher(line.start(HEADER_LENGTH)).lookingAt();
    }

    private static void append(final List<Line> lines, final List<Line> trace)
    {
        final String text = trace.stream().map(Line::string).collect(Collectors.joining("\n"));
        if (!text.contains(PE_FAILURE) && !text.contains(NodeStateMachine.ENDING) && !CUT.matcher(text).matches())
        {
            lines.addAll(trace);
        }

        trace.clear();
    }

    private void hold(final List<Line> lines)
    {
        held.addAll(lines);
        heldLength += lines.stream().mapToInt((line) -> line.text().length).sum();
        if (!isHolding)
        {
            isHolding = true;
            final long hold = ++holds;
            output.after(HOLD_MS, () -> onTime(hold));
        }

        if (heldLength > HOLD_LIMIT)
        {
            release();
        }
    }

    private synchronized void onTime(final long hold)
    {
        if (isHolding && hold == holds && !isKept)
        {
            release();
        }
    }
}
