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
import io.aeroshmem.rma.RmaContext;

import java.util.ArrayList;
import java.util.List;

/** The {@link StreamProxy proxies} of a PE's streams. This class starts and ends the threads of the proxies. */
final class StreamProxies implements AutoCloseable
{
    private final List<StreamProxy> proxies = new ArrayList<>();
    private final DeviceAttachment attachment;
    private final CudaDevice device;
    private final DeviceAbort abort;
    private final StreamErrors errors;

    /**
     * @param abort of the waits of kernels.
     */
    StreamProxies(
        final DeviceAttachment attachment,
        final CudaDevice device,
        final DeviceAbort abort,
        final StreamErrors errors)
    {
        this.attachment = attachment;
        this.device = device;
        this.abort = abort;
        this.errors = errors;
        abort.start();
    }

    StreamErrors errors()
    {
        return errors;
    }

    DeviceAbort abort()
    {
        return abort;
    }

    /**
     * Starts a proxy for a stream.
     *
     * @param context for its operations only.
     */
    synchronized StreamProxy newProxy(final StreamLaunches launches, final RmaContext context)
    {
        final StreamProxy proxy = new StreamProxy(device, launches, context, abort::isAborted, errors);
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

    /** Ends the threads; the streams have been synchronised. */
    @Override
    public synchronized void close()
    {
        List.copyOf(proxies).forEach(this::close);
    }
}
