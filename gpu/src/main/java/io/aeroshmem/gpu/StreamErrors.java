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

import java.util.concurrent.atomic.AtomicReference;

/**
 * Collects the errors of kernels, and of operations on streams. Such an error occurs after the call that launched the
 * kernel or enqueued the operation has returned. Any thread may call the methods.
 * <p>
 * Kernels store their errors in a record (see {@link DeviceErrors}), which is polled under the lock of this object.
 * {@link #endKernels()} ends the polling under the same lock. So nothing reads the record after that call, and the
 * memory of the record may be freed.
 */
final class StreamErrors
{
    private final AtomicReference<RuntimeException> unreported = new AtomicReference<>();
    private volatile GpuException last;
    private Runnable kernels = () -> {};

    /** Sets what looks for errors of kernels, and notes them here. */
    synchronized void kernels(final Runnable poll)
    {
        kernels = poll;
    }

    /** Notes the last error of kernels, and looks for no more. */
    synchronized void endKernels()
    {
        try
        {
            kernels.run();
        }
        finally
        {
            kernels = () -> {};
        }
    }

    private synchronized void poll()
    {
        kernels.run();
    }

    void onError(final RuntimeException error)
    {
        last = error instanceof final GpuException gpuException ? gpuException :
            new GpuException("an operation on a stream failed: " + error.getMessage(), error);
        unreported.compareAndSet(null, error);
    }

    /** Returns the last error, or null. */
    GpuException last()
    {
        poll();
        return last;
    }

    /** Throws the first error since the last call. */
    void rethrow()
    {
        poll();
        final RuntimeException error = unreported.getAndSet(null);
        if (null != error)
        {
            throw error;
        }
    }
}
