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
 * The errors of operations on streams and of kernels. They surface after the call that enqueued the operation or
 * launched the kernel. Any thread may call.
 */
final class StreamErrors
{
    private final AtomicReference<RuntimeException> unreported = new AtomicReference<>();
    private volatile GpuException last;
    private volatile Runnable kernels = () -> {};

    /** Sets what looks for errors of kernels, and notes them here. */
    void kernels(final Runnable poll)
    {
        kernels = poll;
    }

    /** Notes the last error of kernels, and looks for no more. */
    void endKernels()
    {
        kernels.run();
        kernels = () -> {};
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
        kernels.run();
        return last;
    }

    /** Throws the first error since the last call. */
    void rethrow()
    {
        kernels.run();
        final RuntimeException error = unreported.getAndSet(null);
        if (null != error)
        {
            throw error;
        }
    }
}
