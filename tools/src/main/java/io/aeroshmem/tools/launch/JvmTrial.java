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
import java.util.concurrent.TimeUnit;

/**
 * A JVM that only starts, with the options of a process that is to be: so it is known whether they are refused before
 * another process is given up for it. Not thread-safe.
 */
final class JvmTrial implements AutoCloseable
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int MAX_OUTPUT = 8192;

    private final Process process;
    private final long deadlineNs;
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    private JvmTrial(final Process process, final long deadlineNs)
    {
        this.process = process;
        this.deadlineNs = deadlineNs;
    }

    /** Starts the JVM, whose input has ended. */
    static JvmTrial start(final ProcessBuilder builder, final long nowNs) throws IOException
    {
        final Process process = ProcessStart.of(builder.redirectInput(ProcessBuilder.Redirect.PIPE)
            .redirectOutput(ProcessBuilder.Redirect.PIPE).redirectErrorStream(true));
        process.getOutputStream().close();
        return new JvmTrial(process, nowNs + TIMEOUT_NS);
    }

    /** Returns whether it is known that the JVM starts, or does not; to be called until it is. */
    boolean isOver(final long nowNs) throws IOException
    {
        final boolean isAlive = process.isAlive();
        final InputStream input = process.getInputStream();
        // a JVM that prints much waits for its reader
        for (int length = input.available(); length > 0; length = input.available())
        {
            final byte[] bytes = input.readNBytes(length);
            output.write(bytes, 0, Math.min(bytes.length, MAX_OUTPUT - output.size()));
        }

        return !isAlive || nowNs - deadlineNs >= 0;
    }

    /** Returns why the JVM does not start, or null if it does. */
    String refusal()
    {
        return process.isAlive() ? "it has not done so within " + TIMEOUT_NS / TimeUnit.SECONDS.toNanos(1) + " s" :
            0 == process.exitValue() ? null :
            StartHold.reason(output.toString(StandardCharsets.UTF_8).lines().map(String::strip).toList());
    }

    /** Ends the JVM. */
    @Override
    public void close()
    {
        process.destroyForcibly();
    }
}
