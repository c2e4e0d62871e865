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
import org.agrona.UnsafeApi;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The proxies of a PE's streams, and the word that ends the waits of kernels: a thread sets it when the job fails.
 * <p>
 * Ordering: the word is stored once, volatile, and loaded by kernels at system scope.
 */
final class StreamProxies implements AutoCloseable
{
    private static final long WATCH_INTERVAL_NS = 2_000_000;
    private static final long JOIN_MS = 1000;

    private final List<StreamProxy> proxies = new ArrayList<>();
    private final StreamErrors errors = new StreamErrors();
    private final DeviceAttachment attachment;
    private final CudaDevice device;
    private final Thread watch;
    private final long abort;
    private final long deviceAbort;
    private volatile boolean isClosed;

    StreamProxies(final DeviceAttachment attachment, final CudaDevice device)
    {
        this.attachment = attachment;
        this.device = device;
        device.enter();
        try
        {
            abort = device.pinned().acquireWord();
            deviceAbort = device.pinned().deviceAddress(abort);
        }
        finally
        {
            device.leave();
        }

        UnsafeApi.putLongVolatile(null, abort, 0);
        watch = attachment.newThread(this::watch);
        watch.setName("aeroshmem-gpu-watch");
        watch.start();
    }

    StreamErrors errors()
    {
        return errors;
    }

    /** Returns the address by which the device reaches the word that ends waits. */
    long deviceAbort()
    {
        return deviceAbort;
    }

    /** Starts a proxy for a stream. */
    synchronized StreamProxy newProxy(final long stream)
    {
        final StreamProxy proxy = new StreamProxy(device, stream, this::isAborted, deviceAbort, errors);
        final Thread thread = attachment.newThread(proxy::run);
        thread.setName("aeroshmem-gpu-stream-" + proxies.size());
        proxies.add(proxy);
        proxy.start(thread);
        return proxy;
    }

    /** Ends the thread of a stream that has been synchronised. */
    synchronized void close(final StreamProxy proxy)
    {
        proxies.remove(proxy);
        proxy.close();
        attachment.release(proxy.thread());
    }

    /** Ends the waits of kernels, and has proxies perform nothing more. */
    void abort()
    {
        UnsafeApi.putLongVolatile(null, abort, 1);
    }

    private boolean isAborted()
    {
        return 0 != UnsafeApi.getLongVolatile(null, abort);
    }

    private void watch()
    {
        while (!isClosed)
        {
            if (attachment.endpoint().isFailed())
            {
                abort();
                return;
            }
            LockSupport.parkNanos(this, WATCH_INTERVAL_NS);
        }
    }

    /** Ends the threads; the streams have been synchronised. */
    @Override
    public synchronized void close()
    {
        isClosed = true;
        LockSupport.unpark(watch);
        Threads.join(watch, JOIN_MS);
        attachment.release(watch);
        List.copyOf(proxies).forEach(this::close);
        device.pinned().releaseWord(abort);
    }
}
