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
package io.aeroshmem.transport.rendezvous;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;

/**
 * A client that sends arbitrary bytes.
 */
final class RawClient implements AutoCloseable
{
    final Socket socket = new Socket();
    private final RendezvousId id;
    private final DataInputStream input;
    private byte[] serverNonce;

    RawClient(final RendezvousId id) throws IOException
    {
        this.id = id;
        final InetSocketAddress address = id.address();
        socket.connect(new InetSocketAddress(address.getAddress(), address.getPort()));
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(20_000);
        input = new DataInputStream(socket.getInputStream());
    }

    byte[] challenge() throws IOException, ProtocolViolation
    {
        serverNonce = RendezvousMessages.decodeChallenge(read());

        return serverNonce;
    }

    /**
     * Says hello as it should be.
     */
    void join(final JoinRequest request) throws IOException, ProtocolViolation
    {
        final Authenticator authenticator = new Authenticator(id);
        final byte[] nonce = authenticator.nonce();
        challenge();
        send(RendezvousMessages.joinRequest(request, "", authenticator, serverNonce, nonce));
        RendezvousMessages.decodeJoinAccepted(read(), authenticator, nonce, serverNonce);
    }

    void send(final byte[] bytes) throws IOException
    {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /**
     * The next message without its length; null when the connection has ended.
     */
    byte[] read() throws IOException
    {
        try
        {
            final int length = Integer.reverseBytes(input.readInt());
            final byte[] message = new byte[length];
            input.readFully(message);

            return message;
        }
        catch (final EOFException | SocketException ex)
        {
            return null;
        }
    }

    @Override
    public void close() throws IOException
    {
        socket.close();
    }
}
