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
import java.util.HashMap;
import java.util.Map;

/** A driver whose calls can fail after, or instead of, those of another driver. */
final class FailingDriver
{
    private final CudaDriver delegate;
    private final Map<String, Throwable> failures = new HashMap<>();
    private final Map<String, Integer> callsBefore = new HashMap<>();

    /** @param delegate null if no call reaches it. */
    FailingDriver(final CudaDriver delegate)
    {
        this.delegate = delegate;
    }

    CudaDriver driver()
    {
        return (CudaDriver)Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(), new Class<?>[]{CudaDriver.class}, (unused, method, arguments) ->
            call(method, arguments));
    }

    /** Lets a method throw, from the call after some others on. */
    void fail(final String method, final int calls, final Throwable failure)
    {
        failures.put(method, failure);
        callsBefore.put(method, calls);
    }

    void fail(final String method)
    {
        fail(method, 0, new GpuException(method, null));
    }

    private Object call(final Method method, final Object[] arguments) throws Throwable
    {
        final Throwable failure = failures.get(method.getName());
        if (null != failure && callsBefore.merge(method.getName(), -1, Integer::sum) < 0)
        {
            throw failure;
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
}
