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
package io.aeroshmem.transport;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;

/**
 * One value for each thread, created at the thread's first use. A value is reachable while both this object and its
 * thread live. A {@link ThreadLocal} alone would keep it, and with it the class loader of the library, as long as the
 * thread, which may be one of a container and outlive the program. So a thread refers to its value weakly, and this
 * object holds it.
 */
public final class PerThread<T>
{
    private final ThreadLocal<Reference<T>> references = new ThreadLocal<>();
    /** A value must not refer to its thread. */
    private final Map<Thread, T> values = Collections.synchronizedMap(new WeakHashMap<>());
    private final Supplier<T> supplier;

    /**
     * @param supplier of a thread's value, called on that thread.
     */
    public PerThread(final Supplier<T> supplier)
    {
        this.supplier = supplier;
    }

    /** Returns the value of the calling thread. Allocates at the first call of a thread only. */
    public T get()
    {
        final Reference<T> reference = references.get();
        final T value = null == reference ? null : reference.get();
        return null == value ? create() : value;
    }

    /** Returns the value of a thread, or null if that thread has none. */
    public T of(final Thread thread)
    {
        return values.get(thread);
    }

    private T create()
    {
        final T value = supplier.get();
        values.put(Thread.currentThread(), value);
        references.set(new WeakReference<>(value));
        return value;
    }
}
