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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A launcher that answers PMI-1 on a port, as Hydra does with -pmi-port.
 */
final class FakeLauncher implements AutoCloseable
{
    private static final Pattern WORD = Pattern.compile("(\\w+)=(\\S+)");

    private final int size;
    private final UnaryOperator<String> spoil;
    private final ServerSocket server;
    private final List<Socket> sockets = new ArrayList<>();
    private final Map<String, String> values = new ConcurrentHashMap<>();
    private final List<Writer> atBarrier = new ArrayList<>();
    private int ended;

    /**
     * @param size  of the job.
     * @param spoil changes the answers.
     */
    FakeLauncher(final int size, final UnaryOperator<String> spoil) throws IOException
    {
        this.size = size;
        this.spoil = spoil;
        this.server = new ServerSocket(0, size, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    String hostAndPort()
    {
        return "localhost:" + server.getLocalPort();
    }

    synchronized int ended()
    {
        return ended;
    }

    @Override
    public void close() throws IOException
    {
        hangUp();
    }

    synchronized void hangUp() throws IOException
    {
        server.close();
        for (final Socket socket : sockets)
        {
            socket.close();
        }
    }

    private static void start(final Runnable task)
    {
        final Thread thread = new Thread(task, "fake launcher");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept()
    {
        try
        {
            while (true)
            {
                final Socket socket = server.accept();
                synchronized (this)
                {
                    sockets.add(socket);
                }

                start(() -> serve(socket));
            }
        }
        catch (final IOException ex)
        {
            requireClosed(ex);
        }
    }

    private void serve(final Socket socket)
    {
        try
        {
            final BufferedReader reader =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            final Writer writer = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.US_ASCII);
            for (String line = reader.readLine(); null != line; line = reader.readLine())
            {
                answer(line, writer);
            }
        }
        catch (final IOException ex)
        {
            requireClosed(ex);
        }
    }

    private void requireClosed(final IOException ex)
    {
        if (!server.isClosed())
        {
            throw new AssertionError("the fake launcher failed", ex);
        }
    }

    private synchronized void answer(final String line, final Writer writer) throws IOException
    {
        final Map<String, String> words = new ConcurrentHashMap<>();
        final Matcher matcher = WORD.matcher(line);
        while (matcher.find())
        {
            words.put(matcher.group(1), matcher.group(2));
        }

        switch (words.get("cmd"))
        {
            case "initack" -> say(writer, "cmd=initack\ncmd=set size=" + size + "\ncmd=set rank=" +
                words.get("pmiid") + "\ncmd=set debug=0");
            case "init" -> say(writer, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
            case "get_my_kvsname" -> say(writer, "cmd=my_kvsname kvsname=kvs_1_0");
            case "put" ->
            {
                values.put(words.get("kvsname") + words.get("key"), words.get("value"));
                say(writer, "cmd=put_result rc=0 msg=success");
            }
            case "get" ->
            {
                final String value = values.get(words.get("kvsname") + words.get("key"));
                say(writer, null == value ?
                    "cmd=get_result rc=-1 msg=key_not_found value=unknown" :
                    "cmd=get_result rc=0 msg=success value=" + value);
            }
            case "barrier_in" -> barrier(writer);
            case "finalize" ->
            {
                ended++;
                say(writer, "cmd=finalize_ack");
            }
            default -> throw new IOException("not a command: " + line);
        }
    }

    private void barrier(final Writer writer) throws IOException
    {
        atBarrier.add(writer);
        if (size == atBarrier.size())
        {
            for (final Writer each : atBarrier)
            {
                say(each, "cmd=barrier_out");
            }

            atBarrier.clear();
        }
    }

    private void say(final Writer writer, final String lines) throws IOException
    {
        writer.write(spoil.apply(lines + '\n'));
        writer.flush();
    }
}
