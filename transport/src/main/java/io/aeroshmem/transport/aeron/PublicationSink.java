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
package io.aeroshmem.transport.aeron;

import io.aeron.Publication;
import org.agrona.DirectBuffer;

/** Publication of Aeron as a stream to an inbox. */
final class PublicationSink extends FrameSink implements AutoCloseable
{
    private final Publication publication;

    PublicationSink(final Publication publication)
    {
        this.publication = publication;
    }

    @Override
    public int maxFrameLength()
    {
        return publication.maxPayloadLength();
    }

    @Override
    public long offer(final DirectBuffer frame, final int length)
    {
        return publication.offer(frame, 0, length);
    }

    @Override
    public long offer(
        final DirectBuffer head, final int headLength, final DirectBuffer payload, final int payloadLength)
    {
        return publication.offer(head, 0, headLength, payload, 0, payloadLength);
    }

    @Override
    public boolean isConnected()
    {
        return publication.isConnected();
    }

    @Override
    public String describe()
    {
        return "publication " + publication.channel() + " stream " + publication.streamId();
    }

    @Override
    public void close()
    {
        publication.close();
    }
}
