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
package io.aeroshmem.transport.progress;

import org.agrona.LangUtil;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Distinguishes virtual threads, which JDK 21 and later have, from platform threads. */
public final class VirtualThreads
{
    private static final MethodHandle IS_VIRTUAL = isVirtual();

    private VirtualThreads()
    {
    }

    /** Returns whether the calling thread is a virtual thread. */
    public static boolean isCurrentVirtual()
    {
        try
        {
            return null != IS_VIRTUAL && (boolean)IS_VIRTUAL.invokeExact(Thread.currentThread());
        }
        catch (final Throwable ex)
        {
            LangUtil.rethrowUnchecked(ex);
            return false;
        }
    }

    private static MethodHandle isVirtual()
    {
        try
        {
            return MethodHandles.publicLookup()
                .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        }
        catch (final ReflectiveOperationException ex)
        {
            return null;
        }
    }
}
