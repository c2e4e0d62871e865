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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A driver that counts the launches of kernels, and the bytes that are copied from device memory to the host: on any
 * device, the host cannot have combined operands in device memory that were not copied.
 */
final class RecordingDriver
{
    private final CudaDriver delegate;
    private final AtomicLong launches = new AtomicLong();
    private final AtomicLong bytesToHost = new AtomicLong();

    RecordingDriver(final CudaDriver delegate)
    {
        this.delegate = delegate;
    }

    CudaDriver driver()
    {
        return (CudaDriver)Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(), new Class<?>[]{CudaDriver.class}, (unused, method, arguments) ->
            call(method, arguments));
    }

    long launches()
    {
        return launches.get();
    }

    long bytesToHost()
    {
        return bytesToHost.get();
    }

    private Object call(final Method method, final Object[] arguments) throws Throwable
    {
        switch (method.getName())
        {
            case "launchKernel" -> launches.incrementAndGet();
            case "memcpy", "memcpyAsync" -> recordCopy((Long)arguments[0], (Long)arguments[1], (Long)arguments[2]);
            case "memcpy2dAsync" ->
                recordCopy((Long)arguments[0], (Long)arguments[2], (Long)arguments[4] * (Long)arguments[5]);
            default ->
            {
            }
        }

        try
        {
            return method.invoke(delegate, arguments);
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }

    private void recordCopy(final long dest, final long source, final long bytes)
    {
        if (isOfDevice(source) && !isOfDevice(dest))
        {
            bytesToHost.addAndGet(bytes);
        }
    }

    private boolean isOfDevice(final long address)
    {
        try
        {
            return CudaConstants.MEMORY_TYPE_DEVICE ==
                delegate.pointerGetAttribute(CudaConstants.POINTER_MEMORY_TYPE, address);
        }
        catch (final GpuException ex)
        {
            // of host memory that CUDA does not know
            return false;
        }
    }
}
