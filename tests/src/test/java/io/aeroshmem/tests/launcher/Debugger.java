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
package io.aeroshmem.tests.launcher;

import io.aeroshmem.tests.fixture.Deadlines;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The smallest debugger: it attaches to a JVM by JDWP, and resumes it. */
final class Debugger implements Closeable
{
    private static final String HANDSHAKE = "JDWP-Handshake";
    private static final int VIRTUAL_MACHINE = 1;
    private static final int RESUME = 9;
    private static final int EVENT = 64;
    private static final int COMPOSITE = 100;
    private static final int VM_START = 90;
    private static final int HEADER_LENGTH = 11;
    private static final int COMMAND_SET_OFFSET = 9;
    private static final int EVENT_KIND_OFFSET = HEADER_LENGTH + 1 + Integer.BYTES;

    private final Socket socket;

    private Debugger(final Socket socket)
    {
        this.socket = socket;
    }

    /** Attaches to the JVM, as soon as it listens. */
    static Debugger attach(final int port) throws IOException
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        while (true)
        {
            final Socket socket = new Socket();
            try
            {
                socket.connect(address);
                socket.getOutputStream().write(HANDSHAKE.getBytes(StandardCharsets.US_ASCII));
                final byte[] answer = new byte[HANDSHAKE.length()];
                new DataInputStream(socket.getInputStream()).readFully(answer);
                assertEquals(HANDSHAKE, new String(answer, StandardCharsets.US_ASCII));
                return new Debugger(socket);
            }
            catch (final IOException ex)
            {
                socket.close();
                if (System.nanoTime() - deadlineNs > 0)
                {
                    throw ex;
                }

                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
        }
    }

    /**
     * Resumes all threads, of which none has run, once the JVM has reported that it has suspended them: it would
     * suspend them after an earlier command.
     */
    void resume() throws IOException
    {
        socket.setSoTimeout((int)TimeUnit.SECONDS.toMillis(Deadlines.WAIT_S));
        final DataInputStream input = new DataInputStream(socket.getInputStream());
        ByteBuffer packet = read(input);
        while (EVENT != packet.get(COMMAND_SET_OFFSET) || COMPOSITE != packet.get(COMMAND_SET_OFFSET + 1) ||
            VM_START != packet.get(EVENT_KIND_OFFSET))
        {
            packet = read(input);
        }

        final ByteBuffer command = ByteBuffer.allocate(HEADER_LENGTH);
        command.putInt(HEADER_LENGTH).putInt(1).put((byte)0).put((byte)VIRTUAL_MACHINE).put((byte)RESUME);
        socket.getOutputStream().write(command.array());
    }

    private static ByteBuffer read(final DataInputStream input) throws IOException
    {
        final ByteBuffer packet = ByteBuffer.allocate(input.readInt());
        packet.putInt(packet.capacity());
        input.readFully(packet.array(), packet.position(), packet.remaining());
        return packet;
    }

    @Override
    public void close() throws IOException
    {
        socket.close();
    }
}
