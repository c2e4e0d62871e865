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
package io.aeroshmem.tests.hostile;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A proxy between a process and the rendezvous, which records the traffic and, on request, changes a few bytes of it.
 */
final class TamperingProxy implements AutoCloseable
{
    private static final int BACKLOG = 50;

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Random random;
    private final int untouched;
    private final boolean isTampering;
    private final AtomicBoolean isTampered = new AtomicBoolean();
    private volatile byte[] recorded = {};

    /**
     * Opens a proxy in front of a server.
     *
     * @param server      to pass on to.
     * @param untouched   bytes in each direction before anything is changed.
     * @param isTampering whether anything is.
     */
    TamperingProxy(final InetSocketAddress server, final int untouched, final boolean isTampering, final Random random)
        throws IOException
    {
        this.server = server;
        this.untouched = untouched;
        this.isTampering = isTampering;
        this.random = random;
        listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    InetSocketAddress address()
    {
        return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
    }

    /**
     * Returns the bytes that the first process has sent so far.
     */
    byte[] recorded()
    {
        return recorded;
    }

    boolean isTampered()
    {
        return isTampered.get();
    }

    private static void start(final Runnable task)
    {
        final Thread thread = new Thread(task, "wiretap");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept()
    {
        while (!listener.isClosed())
        {
            try
            {
                final Socket client = listener.accept();
                sockets.add(client);
                final Socket upstream = new Socket(server.getAddress(), server.getPort());
                sockets.add(upstream);
                start(() -> pass(client, upstream, true));
                start(() -> pass(upstream, client, false));
            }
            catch (final IOException ex)
            {
                return; // closed
            }
        }
    }

    private void pass(final Socket from, final Socket to, final boolean isRecorded)
    {
        final byte[] bytes = new byte[4096];
        int passed = 0;
        try (from; to)
        {
            final InputStream in = from.getInputStream();
            final OutputStream out = to.getOutputStream();
            for (int length = in.read(bytes); length > 0; length = in.read(bytes))
            {
                if (isRecorded)
                {
                    record(bytes, length);
                }

                if (isTampering && passed > untouched && 0 == random.nextInt(4))
                {
                    bytes[random.nextInt(length)] ^= (byte)(1 << random.nextInt(8));
                    isTampered.set(true);
                }

                passed += length;
                out.write(bytes, 0, length);
            }
        }
        catch (final IOException ex)
        {
            return; // either side has disconnected; both are closed now
        }
    }

    private synchronized void record(final byte[] bytes, final int length)
    {
        final byte[] more = Arrays.copyOf(recorded, recorded.length + length);
        System.arraycopy(bytes, 0, more, recorded.length, length);
        recorded = more;
    }

    @Override
    public void close() throws IOException
    {
        listener.close();
        for (final Socket socket : sockets)
        {
            socket.close();
        }
    }
}
