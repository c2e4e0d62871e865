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

import io.aeroshmem.transport.job.JobFailure;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntUnaryOperator;

/**
 * Streams that the PEs of a process open. The library has one subclass, {@link AeronConnection}; a simulation has
 * another.
 */
public abstract class FrameStreams implements AutoCloseable
{
    protected FrameStreams()
    {
    }

    /**
     * Returns the stream to an inbox, shared by all PEs of this process; {@code idle} runs while the stream is not
     * open, takes a round, from 0, and returns the next.
     */
    public abstract FrameSink sink(String channel, int streamId, IntUnaryOperator idle);

    /**
     * Opens an inbox, which the calling PE closes.
     *
     * @param onImageLost receives an image that has ended, and its name for messages; on a thread of the streams.
     * @param idle        as in {@link #sink}.
     */
    public abstract FrameSource source(
        String channel, int streamId, BiConsumer<Object, String> onImageLost, IntUnaryOperator idle);

    /** Returns true if the streams have ended, because their client has been closed. */
    public abstract boolean isClosed();

    /** Closes inboxes. */
    public abstract void close(List<FrameSource> sources);

    /** Returns the name that the PEs whose streams have a common driver, and no others, give to it. */
    public abstract String driverKey();

    /** Returns the directory of the media driver, or null if these streams have none. */
    public abstract String driverDirectory();

    /** Is notified of the failure of the job. */
    public abstract void onFailure(JobFailure failure);

    /** Closes the streams. */
    @Override
    public abstract void close();
}
