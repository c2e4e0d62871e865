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
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Copies what the launcher of a node, and what started it, print as errors. Until that launcher says that it has
 * joined, the text is held back: should it never join, the text says why, and the launcher of the job makes one line of
 * it; and where many nodes fail for one reason, their complaints are not many.
 * <p>
 * {@link #run()} is on a thread of its own. What it has found can be read once that thread has ended, and
 * {@link #isJoined()} at any time.
 */
final class NodeErrors implements Runnable
{
    /**
     * What the launcher of a node prints when it has joined; no text for people begins so.
     */
    static final String JOINED = "\u0006aeroshmem joined\u0006\n";

    /**
     * What the launcher of a node prints again and again until then, to find out whether it is still read.
     */
    static final int ALIVE = 0;

    private static final int READ_LENGTH = 8192;
    private static final int HELD_LIMIT = 64 << 10;
    private static final String OWN_PREFIX = "aeroshmem: ";

    private final InputStream source;
    private final LineSink destination;
    private final LineOutput prompts;
    private final Consumer<IOException> onReadError;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private volatile boolean isJoined;

    /**
     * A copier.
     *
     * @param source      standard error of the process.
     * @param destination where the text goes after the launcher has joined.
     * @param prompts     has the time at which an unfinished line is shown; null if it is held back until its end.
     * @param onReadError told when the source cannot be read.
     */
    NodeErrors(
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

    /**
     * What was held back, as one line.
     *
     * @return the last lines, which are those that tell; empty if there are none.
     */
    String complaint()
    {
        final List<String> lines = held.toString(StandardCharsets.UTF_8).lines()
            .map(String::strip).filter((line) -> !line.isEmpty()).collect(Collectors.toList());
        final List<String> own = lines.stream().filter((line) -> line.startsWith(OWN_PREFIX))
            .map((line) -> line.substring(OWN_PREFIX.length())).collect(Collectors.toList());
        final List<String> telling = own.isEmpty() ? lines : own;
        return String.join("; ", telling.subList(Math.max(0, telling.size() - 2), telling.size()));
    }

    /**
     * Copies until the source ends.
     */
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
        // a character for each byte, so that places are the same
        return held.toString(StandardCharsets.ISO_8859_1).indexOf(JOINED);
    }

    private void pass(final int mark)
    {
        final byte[] all = held.toByteArray();
        final int next = mark + JOINED.length();
        final InputStream before = new ByteArrayInputStream(all, 0, mark);
        final InputStream after =
            new SequenceInputStream(new ByteArrayInputStream(all, next, all.length - next), source);
        new TaggedLines(new SequenceInputStream(before, after), destination, prompts, onReadError).run();
    }
}
