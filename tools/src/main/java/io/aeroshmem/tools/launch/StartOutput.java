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

import java.nio.charset.StandardCharsets;
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
final class StartOutput
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
     * The copiers of both streams, the timer of the LineOutput and the thread of the NodeJob call this class. This
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
    StartOutput(final LineOutput output, final BooleanSupplier hasJoined, final BooleanSupplier hasStarted)
    {
        this.output = output;
        this.hasJoined = hasJoined;
        this.hasStarted = hasStarted;
    }

    /** Returns a sink for the standard output, in front of its destination. */
    LineSink output(final LineSink destination)
    {
        return new Channel(destination, false);
    }

    /** Returns a sink for the standard error, in front of its destination. */
    LineSink error(final LineSink destination)
    {
        return new Channel(destination, true);
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
        for (final Held lines : held)
        {
            lines.channel.destination.write(lines.bytes, 0, lines.bytes.length, lines.isEnded);
        }

        held.clear();
    }

    /**
     * Returns why the JVM of the PE, which has ended with {@link #EXIT_CODE} and printed its last line, did not start,
     * and drops its lines; returns null if it did start.
     */
    synchronized String takeRefusal()
    {
        final List<String> lines = lines().toList();
        if (isPassing || lines.isEmpty() || lines.stream().noneMatch(StartOutput::isConclusion) &&
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
        return held.stream().filter((lines) -> isError == lines.channel.isError).flatMap(Held::lines)
            .map(String::strip).filter((line) -> !line.isEmpty());
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
            .map(StartOutput::withoutConclusion)
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
        final boolean isRefusal = lines().anyMatch(StartOutput::isConclusion);
        if (checks < MAX_CHECKS && (isRefusal || !hasStarted.getAsBoolean()))
        {
            output.after(HOLD_MS, this::onTime);
            return;
        }

        pass();
    }

    private void hold(final Held lines)
    {
        if (held.isEmpty())
        {
            output.after(HOLD_MS, this::onTime);
        }

        held.add(lines);
        heldLength += lines.bytes.length;
        if (held.size() > HOLD_LIMIT || heldLength > LENGTH_LIMIT || hasJoined.getAsBoolean())
        {
            pass();
        }
    }

    /**
     * Sink of one stream.
     */
    private final class Channel implements LineSink
    {
        private final LineSink destination;
        private final boolean isError;

        private Channel(final LineSink destination, final boolean isError)
        {
            this.destination = destination;
            this.isError = isError;
        }

        @Override
        public byte[] tag()
        {
            return destination.tag();
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length, final boolean isEnded)
        {
            synchronized (StartOutput.this)
            {
                if (!isPassing)
                {
                    hold(new Held(this, Arrays.copyOfRange(bytes, offset, offset + length), isEnded));
                    return;
                }
            }

            destination.write(bytes, offset, length, isEnded);
        }
    }

    /** Lines of one write. */
    private record Held(Channel channel, byte[] bytes, boolean isEnded)
    {
        private Stream<String> lines()
        {
            final String tag = new String(channel.tag(), StandardCharsets.UTF_8);
            return new String(bytes, StandardCharsets.UTF_8).lines()
                .map((line) -> line.startsWith(tag) ? line.substring(tag.length()) : line);
        }
    }
}
