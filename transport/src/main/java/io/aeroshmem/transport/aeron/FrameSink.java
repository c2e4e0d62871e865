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

/**
 * Stream of frames to the inbox of one PE, which the sending PEs of a process share: they share its back pressure too.
 * The frames that it has taken arrive whole, once and in order, or no more at all.
 * <p>
 * The library has one subclass, so that the JIT compiler calls it directly; a simulation has another.
 */
public abstract class FrameSink
{
    /** Returns the limit of the length of a frame in bytes. */
    public abstract int maxFrameLength();

    /**
     * Offers a frame, which is copied if the stream takes it. Returns a result as {@link Publication#offer} does: a
     * negative one if the stream did not take the frame.
     */
    public abstract long offer(DirectBuffer frame, int length);

    /** As {@link #offer(DirectBuffer, int)}, for a frame of two parts. */
    public abstract long offer(DirectBuffer head, int headLength, DirectBuffer payload, int payloadLength);

    /** Returns true if the inbox receives from this stream. */
    public abstract boolean isConnected();

    /** Returns a name for messages. */
    public abstract String describe();

    /** Returns whether a stream can never take anything again, by the result of an offer. */
    static boolean isBroken(final long result)
    {
        return Publication.CLOSED == result || Publication.MAX_POSITION_EXCEEDED == result;
    }

    /** Returns why the stream is broken. */
    final String describeBreak(final long result)
    {
        return describe() + ": " + Publication.errorString(result);
    }
}
