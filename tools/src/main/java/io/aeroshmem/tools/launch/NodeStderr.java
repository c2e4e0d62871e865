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
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Stage of the standard error of a node launcher, or of the command that starts it, that takes out the lines which
 * report its state. The text is held back until the node launcher reports that it has joined the job. If it never
 * joins, the text contains the reason, which the launcher of the job prints in one line for all nodes.
 * <p>
 * Other threads than that of the {@link LineSplitter} may call {@link #isJoined()} at any time, but {@link #isEnded()}
 * and {@link #diagnostics()} only after it has ended.
 */
final class NodeStderr implements LineSink
{
    /** Line that a node launcher prints when it has joined, in each generation; no text for people begins with it. */
    static final String JOINED = "\u0006aeroshmem joined\u0006";

    /**
     * Line that a node launcher prints repeatedly while it waits for the next generation of a recoverable job; of one
     * that shrinks, with the PEs that are left ({@link #waiting}).
     */
    static final String WAITING = "\u0006aeroshmem waits\u0006";

    /** Last line that a node launcher prints, once its PEs have ended: its exit code says how. */
    static final String ENDED = "\u0006aeroshmem ended\u0006";

    /** Byte that a node launcher prints repeatedly before the first {@link #JOINED}: it detects whether it is read. */
    static final int ALIVE = 0;

    private static final Pattern MARK = Pattern.compile(
        "(" + JOINED + '|' + ENDED + "|\u0006aeroshmem waits(?: (?<left>\\p{XDigit}{1,16384}))?\u0006)$");
    private static final int HELD_LIMIT = 64 << 10;
    private static final int KEPT_LENGTH = 8192;
    private static final String OWN_PREFIX = "aeroshmem: ";
    private static final byte[] NO_TAG = {};

    private final LineSink destination;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private volatile boolean isJoined;
    private volatile int waitingMarks;
    private volatile BitSet left;
    private volatile boolean isEnded;

    /** Creates a stage; {@code destination} receives the text once the launcher has joined. */
    NodeStderr(final LineSink destination)
    {
        this.destination = destination;
    }

    /** Returns the {@link #WAITING} line with the PEs that are left, by their numbers in generation 0. */
    static String waiting(final BitSet left)
    {
        final BigInteger bits = left.stream().mapToObj(BigInteger.ZERO::setBit).reduce(BigInteger.ZERO, BigInteger::or);
        return WAITING.replace("waits", "waits " + bits.toString(16));
    }

    boolean isJoined()
    {
        return isJoined;
    }

    /** Returns what the node launcher has said of the PEs that are left after the last failure, or null. */
    BitSet left()
    {
        return left;
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

    @Override
    public void write(final List<Line> lines)
    {
        final List<Line> passed = new ArrayList<>();
        for (final Line line : lines)
        {
            if (isJoined)
            {
                add(line, passed);
            }
            else
            {
                hold(line, passed);
            }
        }

        if (!passed.isEmpty())
        {
            destination.write(passed);
        }
    }

    /** Adds a line, or what stands before a mark in it. */
    private void add(final Line line, final List<Line> passed)
    {
        final String text = line.start(line.text().length);
        final Matcher mark = MARK.matcher(text);
        if (!line.isEnded() || !mark.find())
        {
            passed.add(line);
            return;
        }

        final boolean isJoining = JOINED.equals(mark.group());
        isEnded |= ENDED.equals(mark.group());
        left = isJoining ? null : null == mark.group("left") ? left : bits(mark.group("left"));
        // after the PEs that are left
        waitingMarks = isJoining || isEnded ? 0 : waitingMarks + 1;
        if (mark.start() > 0)
        {
            passed.add(line(text.substring(0, mark.start())));
        }
    }

    private static BitSet bits(final String hex)
    {
        final BigInteger number = new BigInteger(hex, 16);
        final BitSet bits = new BitSet();
        IntStream.range(0, number.bitLength()).filter(number::testBit).forEach(bits::set);
        return bits;
    }

    /** Holds a line back, without the bytes that only show that somebody reads; passes all once the mark has come. */
    private void hold(final Line line, final List<Line> passed)
    {
        if (held.size() > HELD_LIMIT)
        {
            final byte[] all = held.toByteArray();
            held.reset();
            held.write(all, all.length - KEPT_LENGTH, KEPT_LENGTH);
        }

        for (final byte value : line.text())
        {
            if (ALIVE != value)
            {
                held.write(value);
            }
        }

        if (line.isEnded())
        {
            held.write('\n');
            final String text = held.toString(StandardCharsets.ISO_8859_1);
            isJoined = text.endsWith(JOINED + '\n');
            if (isJoined)
            {
                text.substring(0, text.length() - JOINED.length() - 1).lines().map(NodeStderr::line)
                    .forEach(passed::add);
            }
        }
    }

    /** Returns a whole line of bytes, one a character. */
    private static Line line(final String bytes)
    {
        return new Line(NO_TAG, bytes.getBytes(StandardCharsets.ISO_8859_1), false, true);
    }
}
