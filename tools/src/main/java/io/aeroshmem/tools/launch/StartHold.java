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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Holds back the first lines of a PE, on both of its output streams, until it is clear that the JVM of the PE has
 * started. If the JVM does not start, these lines contain the reason. They are dropped, and the launcher prints the
 * reason in one line for all PEs.
 */
final class StartHold
{
    /** Milliseconds between two checks whether the JVM has started. */
    static final long HOLD_MS = 500;

    /** Maximum number of checks. A JVM ends as soon as it has printed why it does not start. */
    static final int MAX_CHECKS = 20;

    /** Maximum number of writes that are held back, and of bytes. */
    static final int HOLD_LIMIT = 8;
    static final int LENGTH_LIMIT = 4 << 10;

    /** Exit code of a JVM that does not start. */
    static final int EXIT_CODE = 1;

    private static final String[] CONCLUSIONS =
    {
        "Error: Could not create the Java Virtual Machine.",
        "Error: A fatal exception has occurred. Program will exit.",
        "Error occurred during initialization of VM",
        "Error occurred during initialization of boot layer"
    };

    /** Errors of the command that starts the JVM, which then prints none of the conclusions. */
    private static final String[] COMMAND_ERRORS =
    {
        "Error: -", "Error: could not open `", "Error: Could not find or load main class "
    };

    /*
     * Lines are held back until one of these events:
     * - the PE writes after it has joined the job;
     * - a check finds that the JVM has started, and that none of the lines reports the opposite; checks are HOLD_MS ms
     *   apart;
     * - the last of MAX_CHECKS checks has been made;
     * - more than HOLD_LIMIT writes or LENGTH_LIMIT bytes would be held back;
     * - the launcher calls pass().
     * The splitters of both streams, the timer of the LineOutput and the thread of the NodeJob call this class. This
     * object is the lock of all its state. Lines that are held back keep their order, and are written before the lines
     * that follow them.
     */
    private final List<Held> held = new ArrayList<>();
    private final LineOutput output;
    private final BooleanSupplier hasJoined;
    private final BooleanSupplier hasStarted;
    private boolean isPassing;
    private int heldLength;
    private int checks;

    /**
     * Creates a hold, whose end {@code output} schedules; {@code hasJoined} returns whether the PE has joined,
     * {@code hasStarted} whether its JVM has started.
     */
    StartHold(final LineOutput output, final BooleanSupplier hasJoined, final BooleanSupplier hasStarted)
    {
        this.output = output;
        this.hasJoined = hasJoined;
        this.hasStarted = hasStarted;
    }

    /** Returns a stage for the standard output, in front of its destination. */
    LineSink output(final LineSink destination)
    {
        return (lines) -> write(new Held(destination, false, lines));
    }

    /** Returns a stage for the standard error, in front of its destination. */
    LineSink error(final LineSink destination)
    {
        return (lines) -> write(new Held(destination, true, lines));
    }

    /** Returns whether lines are held back, of which there may be none yet. */
    synchronized boolean isHolding()
    {
        return !isPassing;
    }

    /** Writes what is held back; nothing is from now on. */
    synchronized void pass()
    {
        isPassing = true;
        held.forEach(Held::pass);
        held.clear();
    }

    /**
     * Returns why the JVM of the PE, which has ended with {@link #EXIT_CODE} and printed its last line, did not start,
     * and drops its lines; returns null if it did start.
     */
    synchronized String takeRefusal()
    {
        final List<String> lines = lines().toList();
        if (isPassing || lines.isEmpty() || lines.stream().noneMatch(StartHold::isConclusion) &&
            !Arrays.stream(COMMAND_ERRORS).anyMatch(lines.get(0)::startsWith))
        {
            return null;
        }

        held.clear();
        return reason(lines);
    }

    /** Returns what is held back, standard error first: JVMs print the details there, if any. */
    private Stream<String> lines()
    {
        return Stream.concat(lines(true), lines(false));
    }

    private Stream<String> lines(final boolean isError)
    {
        return held.stream().filter((lines) -> isError == lines.isError)
            .flatMap((lines) -> lines.lines.stream()).map(Line::string).map(String::strip)
            .filter((line) -> !line.isEmpty());
    }

    private static boolean isConclusion(final String line)
    {
        return Arrays.stream(CONCLUSIONS).anyMatch(line::contains);
    }

    /** Returns the first line of a JVM that did not start that is neither a conclusion nor about something else. */
    static String reason(final List<String> lines)
    {
        return lines.stream()
            .filter((line) -> !line.startsWith("Picked up ") && !line.contains(" warning: "))
            .map(StartHold::withoutConclusion)
            .filter((line) -> !line.isEmpty())
            .findFirst().orElse(lines.isEmpty() ? "" : lines.get(0)).replaceFirst("^Error: ", "");
    }

    private static String withoutConclusion(final String line)
    {
        String text = line;
        for (final String conclusion : CONCLUSIONS)
        {
            text = text.replace(conclusion, "");
        }

        return text.strip();
    }

    private synchronized void onTime()
    {
        if (isPassing || held.isEmpty())
        {
            return;
        }

        checks++;
        final boolean isRefusal = lines().anyMatch(StartHold::isConclusion);
        if (checks < MAX_CHECKS && (isRefusal || !hasStarted.getAsBoolean()))
        {
            output.after(HOLD_MS, this::onTime);
            return;
        }

        pass();
    }

    private void write(final Held lines)
    {
        synchronized (this)
        {
            if (!isPassing)
            {
                hold(lines);
                return;
            }
        }

        lines.pass();
    }

    private void hold(final Held lines)
    {
        if (held.isEmpty())
        {
            output.after(HOLD_MS, this::onTime);
        }

        held.add(lines);
        heldLength += lines.lines.stream().mapToInt((line) -> line.text().length).sum();
        if (held.size() > HOLD_LIMIT || heldLength > LENGTH_LIMIT || hasJoined.getAsBoolean())
        {
            pass();
        }
    }

    /** Lines of one write. */
    private record Held(LineSink destination, boolean isError, List<Line> lines)
    {
        private void pass()
        {
            destination.write(lines);
        }
    }
}
