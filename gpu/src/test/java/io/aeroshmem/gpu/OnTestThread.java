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

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

import java.lang.reflect.Method;

/**
 * Makes the context of the {@link TestDevice} that is open current on the thread of each test: a test whose time is
 * limited may run on another thread than the methods that open and close the device.
 */
final class OnTestThread implements InvocationInterceptor
{
    @Override
    public void interceptTestMethod(
        final Invocation<Void> invocation,
        final ReflectiveInvocationContext<Method> method,
        final ExtensionContext context) throws Throwable
    {
        proceed(invocation);
    }

    @Override
    public void interceptTestTemplateMethod(
        final Invocation<Void> invocation,
        final ReflectiveInvocationContext<Method> method,
        final ExtensionContext context) throws Throwable
    {
        proceed(invocation);
    }

    private static void proceed(final Invocation<Void> invocation) throws Throwable
    {
        final TestDevice device = TestDevice.open();
        if (null == device || 0 != device.driver.ctxGetCurrent())
        {
            invocation.proceed();
            return;
        }

        device.driver.ctxPushCurrent(device.context());
        try
        {
            invocation.proceed();
        }
        finally
        {
            device.driver.ctxPopCurrent();
        }
    }
}
