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
package io.aeroshmem.tests.bootstrap;

import io.aeroshmem.OobCollective;
import io.aeroshmem.OobRequest;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * An allgather of a program, independent of this library: each rank sends its bytes to a hub over a
 * socket, and the hub sends all of them to each.
 */
final class SocketAllgather implements AutoCloseable
{
    private final ServerSocket hub;
    private final int nRanks;
    private final List<Socket> open = new ArrayList<>();

    SocketAllgather(final int nRanks) throws IOException
    {
        this.nRanks = nRanks;
        hub = new ServerSocket(0, nRanks, InetAddress.getLoopbackAddress());
        final Thread thread = new Thread(this::serve, "allgather-hub");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * The exchanges of one rank, blocking or nonblocking.
     */
    OobCollective rank(final int rank, final boolean isLater)
    {
        return (source, dest, length) ->
        {
            try
            {
                final Socket socket = send(rank, source, length);
                if (isLater)
                {
                    return new Later(socket, dest, length * nRanks);
                }

                receive(socket, dest, length * nRanks);
                return OobRequest.DONE;
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        };
    }

    private synchronized Socket send(final int rank, final DirectBuffer source, final int length) throws IOException
    {
        final byte[] mine = new byte[2 * Integer.BYTES + length];
        mine[0] = (byte)rank;
        mine[Integer.BYTES] = (byte)length;
        source.getBytes(0, mine, 2 * Integer.BYTES, length);
        final Socket socket = new Socket(hub.getInetAddress(), hub.getLocalPort());
        open.add(socket);
        socket.getOutputStream().write(mine);
        return socket;
    }

    private static void receive(final Socket socket, final MutableDirectBuffer dest, final int length)
        throws IOException
    {
        final byte[] all = new byte[length];
        new DataInputStream(socket.getInputStream()).readFully(all);
        dest.putBytes(0, all);
    }

    private void serve()
    {
        try
        {
            final OutputStream[] outputs = new OutputStream[nRanks];
            byte[] all = null;
            int length = 0;
            for (int i = 0; i < nRanks; i++)
            {
                final Socket socket = hub.accept();
                final DataInputStream in = new DataInputStream(socket.getInputStream());
                final byte[] head = in.readNBytes(2 * Integer.BYTES);
                final int rank = head[0];
                length = head[Integer.BYTES];
                all = null == all ? new byte[length * nRanks] : all;
                in.readFully(all, rank * length, length);
                outputs[rank] = socket.getOutputStream();
            }

            for (final OutputStream output : outputs)
            {
                output.write(all);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public synchronized void close() throws IOException
    {
        for (final Socket each : open)
        {
            each.close();
        }

        hub.close();
    }

    /**
     * A request that is complete when all bytes have arrived; its test never blocks.
     */
    private static final class Later implements OobRequest
    {
        private final Socket socket;
        private final MutableDirectBuffer dest;
        private final int length;
        private boolean isDone;

        Later(final Socket socket, final MutableDirectBuffer dest, final int length)
        {
            this.socket = socket;
            this.dest = dest;
            this.length = length;
        }

        @Override
        public boolean test()
        {
            try
            {
                if (!isDone && socket.getInputStream().available() >= length)
                {
                    receive(socket, dest, length);
                    isDone = true;
                }

                return isDone;
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }
    }
}
