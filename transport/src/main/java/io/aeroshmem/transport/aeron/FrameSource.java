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

import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.FragmentHandler;

/**
 * Streams on which one PE receives frames: an inbox. The frames of a sender arrive on an image, in order. A sender
 * whose stream was interrupted gets another image.
 * <p>
 * The library has one subclass, so that the JIT compiler calls it directly; a simulation has another.
 */
public abstract class FrameSource implements AutoCloseable
{
    /**
     * Passes up to {@code limit} frames to the handler, with a header whose context is the frame's image, and returns
     * their number. Not re-entrant.
     */
    public abstract int poll(FragmentHandler handler, int limit);

    /** As {@link #poll}. The handler may leave a frame in its image, and with it those behind it. */
    public abstract int controlledPoll(ControlledFragmentHandler handler, int limit);

    /** Returns true if nothing arrives any more, because the client has been closed. */
    public abstract boolean isClosed();

    /** Returns the address and port on which it listens; null while the system has not chosen the port. */
    public abstract String resolvedEndpoint();

    @Override
    public abstract void close();
}
