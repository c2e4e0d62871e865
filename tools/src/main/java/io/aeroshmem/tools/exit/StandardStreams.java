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
package io.aeroshmem.tools.exit;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.charset.Charset;
import java.util.stream.Stream;

/**
 * The standard output and the standard error of this process, of which no failed write is lost. A {@link PrintStream}
 * drops the reason of a failure, and most callers never ask it. So these streams, through which everything that a
 * command prints passes, keep the first reason, and {@link #exitCode} makes it the result of the command.
 */
public final class StandardStreams
{
    /** Of the streams that are installed, if any. */
    private static volatile boolean isOutputLost;

    private final CheckedOutput output = new CheckedOutput(FileDescriptor.out);
    private final CheckedOutput error = new CheckedOutput(FileDescriptor.err);

    private StandardStreams()
    {
    }

    /** Replaces {@link System#out} and {@link System#err}; called before anything is printed. */
    public static StandardStreams install()
    {
        final StandardStreams streams = new StandardStreams();
        System.setOut(streams.output.printer("stdout"));
        System.setErr(streams.error.printer("stderr"));
        return streams;
    }

    /** Returns whether a write to the standard output has failed; never blocks. */
    public static boolean isOutputLost()
    {
        return isOutputLost;
    }

    /**
     * Returns the exit code of a command that has ended: its own, unless that is {@link ExitCode#OK} and something that
     * the command printed is lost. One line then names the reason; a closed pipe, as that of {@code | head}, has none.
     */
    public int exitCode(final int code)
    {
        System.out.flush();
        if (null != output.failure && !output.isClosedPipe())
        {
            System.err.println("aeroshmem: cannot write to the standard output: " + output.failure.getMessage());
        }

        System.err.flush();
        final CheckedOutput failed = null != output.failure ? output : error;
        return ExitCode.OK != code || null == failed.failure ? code :
            failed.isClosedPipe() ? ExitCode.CLOSED_PIPE : ExitCode.FAILURE;
    }

    /** Returns the system's text for EPIPE in the language of this process, or null if there can be no pipe. */
    private static String closedPipeText()
    {
        try
        {
            final Pipe pipe = Pipe.open();
            try (Pipe.SinkChannel sink = pipe.sink())
            {
                pipe.source().close();
                sink.write(ByteBuffer.allocate(1));
            }
        }
        catch (final IOException ex)
        {
            return ex.getMessage();
        }

        return null;
    }

    /** File of the process that keeps the reason of its first failure. */
    private static final class CheckedOutput extends OutputStream
    {
        private final FileDescriptor descriptor;
        private final FileOutputStream file;
        private volatile IOException failure;

        private CheckedOutput(final FileDescriptor descriptor)
        {
            this.descriptor = descriptor;
            file = new FileOutputStream(descriptor);
        }

        /** Returns a printer like that of the JDK, which flushes each line. */
        private PrintStream printer(final String name)
        {
            final Charset charset = Stream.of(name + ".encoding", "sun." + name + ".encoding")
                .map((property) -> System.getProperty(property, "")).filter(CheckedOutput::isCharset)
                .map(Charset::forName).findFirst().orElse(Charset.defaultCharset());
            return new PrintStream(new BufferedOutputStream(this), true, charset);
        }

        private static boolean isCharset(final String name)
        {
            return !name.isEmpty() && Charset.isSupported(name);
        }

        private boolean isClosedPipe()
        {
            return failure.getMessage().equals(closedPipeText());
        }

        @Override
        public void write(final int value) throws IOException
        {
            write(new byte[]{ (byte)value }, 0, 1);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length) throws IOException
        {
            try
            {
                file.write(bytes, offset, length);
            }
            catch (final IOException ex)
            {
                failure = null == failure ? ex : failure;
                isOutputLost |= FileDescriptor.out == descriptor;
                throw ex;
            }
        }
    }
}
