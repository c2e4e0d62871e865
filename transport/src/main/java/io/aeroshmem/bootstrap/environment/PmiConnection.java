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
package io.aeroshmem.bootstrap.environment;

import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;

import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The client side of PMI-1, the protocol by which the processes of an MPI job exchange short values through their
 * launcher. Hydra (MPICH, Intel MPI) and Slurm's {@code pmi2} plugin implement it. A command is a line of
 * {@code key=value} pairs, and so is the reply, except that the reply to {@code initack} has several lines. The reply
 * to a barrier arrives when all processes have entered the barrier.
 * <p>
 * Used by one thread at a time. No call waits for a reply beyond its deadline. (The usual cause of a missing reply is
 * a process that never enters the barrier.) A read from the launcher blocks without limit and cannot be interrupted. So
 * a separate thread reads each awaited line, and passes it on through a future. The two threads share only the future
 * and the input.
 */
final class PmiConnection implements AutoCloseable
{
    /** Maximum length of a value that every launcher accepts, in characters. */
    static final int MAX_VALUE_LENGTH = 1000;

    private static final int MAX_LINE_LENGTH = 4096;
    private static final int CONNECT_TIMEOUT_MS = 10_000;
    /** Size, rank and the debug flag. */
    private static final int RANK_LINES = 3;
    private static final String OK = "0";
    private static final String BARRIER = "cmd=barrier_in";

    private final String name;
    private final InputStream input;
    private final OutputStream output;
    private final ExecutorService reader;
    private int rank = JobEnvironment.UNKNOWN;
    private int size = JobEnvironment.UNKNOWN;
    private String space;

    PmiConnection(final String name, final InputStream input, final OutputStream output)
    {
        this.name = name;
        this.input = input;
        this.output = output;
        this.reader = Executors.newSingleThreadExecutor((task) ->
        {
            final Thread thread = new Thread(task, "aeroshmem-pmi");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Opens the socket that this process inherited from the launcher, by the number of its descriptor. */
    static PmiConnection inherited(final String number)
    {
        final FileDescriptor descriptor = InheritedSocket.open(JobEnvironment.PMI_FD, number);
        return new PmiConnection(
            JobEnvironment.PMI_FD + "=" + number, new FileInputStream(descriptor), new FileOutputStream(descriptor));
    }

    /**
     * Connects to a launcher with the id that it gave this process, and receives its rank. On a
     * {@link TransportException} no resource is left open.
     */
    static PmiConnection connect(final String hostAndPort, final String id, final long deadlineNs)
    {
        final PmiConnection connection = connect(hostAndPort);
        try
        {
            connection.receiveRank(id, deadlineNs);
            return connection;
        }
        catch (final TransportException ex)
        {
            Threads.closeAll(ex, connection);
            throw ex;
        }
    }

    private static PmiConnection connect(final String hostAndPort)
    {
        final String name = JobEnvironment.PMI_PORT + "=" + hostAndPort;
        try
        {
            final int colon = hostAndPort.lastIndexOf(':');
            final int port = Integer.parseInt(hostAndPort.substring(colon + 1));
            final Socket socket = new Socket();
            socket.connect(
                new InetSocketAddress(InetAddress.getByName(hostAndPort.substring(0, Math.max(0, colon))), port),
                CONNECT_TIMEOUT_MS);
            return new PmiConnection(name, socket.getInputStream(), socket.getOutputStream());
        }
        catch (final IOException | IllegalArgumentException ex)
        {
            throw new TransportException("no launcher responds at " + name + ": " + ex.getMessage(), ex);
        }
    }

    /** Returns the rank received from the launcher, or {@link JobEnvironment#UNKNOWN}. */
    int rank()
    {
        return rank;
    }

    /** Returns the number of processes received from the launcher, or {@link JobEnvironment#UNKNOWN}. */
    int size()
    {
        return size;
    }

    /** Starts the session. */
    void start(final long deadlineNs)
    {
        ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", deadlineNs);
        space = word(ask("cmd=get_my_kvsname", "my_kvsname", deadlineNs), "kvsname");
    }

    /**
     * Publishes a value, without spaces and of at most {@value #MAX_VALUE_LENGTH} characters, which is visible to the
     * others after the next barrier.
     */
    void put(final String key, final String value, final long deadlineNs)
    {
        ask("cmd=put kvsname=" + space + " key=" + key + " value=" + value, "put_result", deadlineNs);
    }

    /** Waits for all processes of the job. */
    void barrier(final long deadlineNs)
    {
        ask(BARRIER, "barrier_out", deadlineNs);
    }

    /** Returns a value that another process published. */
    String get(final String key, final long deadlineNs)
    {
        return word(ask("cmd=get kvsname=" + space + " key=" + key, "get_result", deadlineNs), "value");
    }

    /** Ends the session. A process that has started it and ends without this counts as failed. */
    void end(final long deadlineNs)
    {
        ask("cmd=finalize", "finalize_ack", deadlineNs);
        close();
    }

    /**
     * Starts the session of a process that will not end it, so that the launcher ends the job when the process ends.
     * The socket stays open until then: closed, the launcher would end the process before it can print the reason.
     */
    void abandon(final long deadlineNs)
    {
        try
        {
            start(deadlineNs);
        }
        finally
        {
            reader.shutdownNow();
        }
    }

    @Override
    public void close()
    {
        reader.shutdownNow();
        try
        {
            output.close();
            input.close();
        }
        catch (final IOException ex)
        {
            throw lost(ex);
        }
    }

    private void receiveRank(final String id, final long deadlineNs)
    {
        ask("cmd=initack pmiid=" + id, "initack", deadlineNs);
        for (int line = 0; line < RANK_LINES; line++)
        {
            final Map<String, String> words = answer("cmd=initack", "set", deadlineNs);
            size = number(words, "size", size);
            rank = number(words, "rank", rank);
        }

        if (rank < 0 || rank >= size)
        {
            throw new TransportException("the launcher at " + name + " sent an invalid rank: rank=" + rank + " size=" +
                size);
        }
    }

    private int number(final Map<String, String> words, final String key, final int defaultValue)
    {
        final String text = words.get(key);
        try
        {
            return null == text ? defaultValue : Integer.parseInt(text);
        }
        catch (final NumberFormatException ex)
        {
            throw new TransportException("the launcher at " + name + " sent an invalid number: " + key + "=" + text,
                ex);
        }
    }

    private Map<String, String> ask(final String command, final String expected, final long deadlineNs)
    {
        try
        {
            output.write((command + '\n').getBytes(StandardCharsets.US_ASCII));
            output.flush();
        }
        catch (final IOException ex)
        {
            throw lost(ex);
        }

        return answer(command, expected, deadlineNs);
    }

    private Map<String, String> answer(final String command, final String expected, final long deadlineNs)
    {
        final String line = readLine(command, deadlineNs);
        final Map<String, String> words = new HashMap<>();
        for (final String word : line.split(" "))
        {
            final int equals = word.indexOf('=');
            if (equals > 0)
            {
                words.put(word.substring(0, equals), word.substring(equals + 1));
            }
        }

        if (!expected.equals(words.get("cmd")) || !OK.equals(words.getOrDefault("rc", OK)))
        {
            throw new TransportException("the launcher at " + name + " replied '" + line + "' to '" +
                command.split(" ")[0] + "', cmd=" + expected + " expected");
        }

        return words;
    }

    private String word(final Map<String, String> words, final String key)
    {
        final String value = words.get(key);
        if (null == value)
        {
            throw new TransportException("the launcher at " + name + " sent a reply without " + key + ": " + words);
        }

        return value;
    }

    /**
     * A read blocks without limit and cannot be interrupted, so it runs on another thread. After a timeout that thread
     * remains until the process ends.
     */
    private String readLine(final String command, final long deadlineNs)
    {
        final Future<String> line = reader.submit(this::nextLine);
        try
        {
            return line.get(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
        catch (final TimeoutException ex)
        {
            throw new TransportException("the launcher at " + name + " has not replied to '" + command.split(" ")[0] +
                '\'' + (BARRIER.equals(command) ?
                ": not all processes that it started have called init" : "") +
                " (aeroshmem.join.timeout)", ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new TransportException(
                "interrupted while waiting for the launcher at " + name, new ClosedByInterruptException());
        }
        catch (final ExecutionException ex)
        {
            if (ex.getCause() instanceof IOException)
            {
                throw lost((IOException)ex.getCause());
            }

            throw new TransportException(String.valueOf(ex.getCause().getMessage()), ex.getCause());
        }
    }

    private String nextLine() throws IOException
    {
        final StringBuilder line = new StringBuilder();
        while (line.length() < MAX_LINE_LENGTH)
        {
            final int character = input.read();
            if (character < 0)
            {
                throw new EOFException("the launcher ended or closed it");
            }

            if ('\n' == character)
            {
                return line.toString();
            }

            line.append((char)character);
        }

        throw new TransportException("the launcher at " + name + " sent a line of more than " + MAX_LINE_LENGTH +
            " characters, and may not implement PMI-1");
    }

    private TransportException lost(final IOException cause)
    {
        return new TransportException(
            "the connection to the launcher at " + name + " is lost: " + cause.getMessage(), cause);
    }
}
