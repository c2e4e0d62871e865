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
package io.aeroshmem.gpu;

import io.aeroshmem.device.DeviceAttachment;
import io.aeroshmem.transport.Threads;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * The abort word: a word in pinned host memory that ends the waits of kernels when it is set. Kernels that the library
 * launches on streams, and kernels of the program, poll the word while they wait. A thread that this class starts polls
 * the state of the job, and sets the word when the job fails. The word is also set if the PE is closed before its GPU.
 * When the word is set, the thread ends the {@link StreamWaits waits without a kernel}, too.
 * <p>
 * <b>Ordering.</b> The word changes once, from 0 to 1, by a release store. Kernels load it relaxed, at system scope.
 * This suffices, because they read nothing else that the storing thread has written.
 */
final class DeviceAbort implements AutoCloseable
{
    private static final long WATCH_INTERVAL_NS = 2_000_000;
    private static final long ABORT_INTERVAL_NS = 100_000;
    private static final long JOIN_MS = 1000;

    private final DeviceAttachment attachment;
    private final PinnedWord word;
    private final List<StreamWaits> waits = new CopyOnWriteArrayList<>();
    private Thread watch;
    private volatile boolean isClosed;

    DeviceAbort(final DeviceAttachment attachment, final CudaDevice device)
    {
        this.attachment = attachment;
        word = new PinnedWord(device);
    }

    /** Returns the address by which the device reaches the word. */
    long deviceWord()
    {
        return word.deviceAddress();
    }

    /** Starts the thread that watches the job, before the first kernel that may wait. */
    synchronized void start()
    {
        if (null == watch && !isClosed)
        {
            watch = attachment.newThread(this::watch);
            watch.setName("aeroshmem-gpu-watch");
            watch.start();
        }
    }

    /** Adds the waits of a stream, which end when the word is set. */
    void add(final StreamWaits ofStream)
    {
        waits.add(ofStream);
    }

    void remove(final StreamWaits ofStream)
    {
        waits.remove(ofStream);
    }

    /** Ends the waits of kernels and, soon after, those of streams. */
    void abort()
    {
        word.set(1);
    }

    boolean isAborted()
    {
        return 0 != word.get();
    }

    private void watch()
    {
        while (!isClosed)
        {
            if (attachment.endpoint().isFailed())
            {
                abort();
            }

            if (isAborted())
            {
                endWaits();
            }

            LockSupport.parkNanos(this, isAborted() ? ABORT_INTERVAL_NS : WATCH_INTERVAL_NS);
        }
    }

    private void endWaits()
    {
        for (final StreamWaits ofStream : waits)
        {
            try
            {
                ofStream.endFirst();
            }
            catch (final GpuException ex)
            {
                // The context has failed, and its waits have ended with it. A synchronisation of the stream throws.
            }
        }
    }

    /** Ends the thread. The word stays until the device is closed, for kernels that still run. */
    @Override
    public synchronized void close()
    {
        isClosed = true;
        if (null != watch)
        {
            LockSupport.unpark(watch);
            Threads.join(watch, JOIN_MS);
            attachment.release(watch);
            watch = null;
        }
    }
}
