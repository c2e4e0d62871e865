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
package io.aeroshmem.transport.endpoint;

import java.util.Map;

/** Finds whether threads are inside the library, from their stacks. */
final class LibraryCalls
{
    private static final String PACKAGES = "io.aeroshmem.";
    /** Of the server of a rendezvous, whose thread accesses no memory of a job. */
    private static final String RENDEZVOUS = "io.aeroshmem.transport.rendezvous.";
    /** Of the threads that run virtual threads, whose stacks are not those of the virtual threads. */
    private static final String CARRIER = "jdk.internal.misc.CarrierThread";

    private LibraryCalls()
    {
    }

    /**
     * Returns whether another thread of this JVM may be inside the library, one of its own threads included. If none
     * is, each further call of the program sees what this thread has stored before: the stacks are taken at a
     * safepoint. Where virtual threads have run lately, which may be anywhere, the result is true.
     */
    static boolean mayBeUnderWay()
    {
        final Thread current = Thread.currentThread();
        for (final Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet())
        {
            final Thread thread = entry.getKey();
            if (thread != current && (CARRIER.equals(thread.getClass().getName()) || isInLibrary(entry.getValue())))
            {
                return true;
            }
        }

        return false;
    }

    private static boolean isInLibrary(final StackTraceElement[] stack)
    {
        for (final StackTraceElement frame : stack)
        {
            final String name = frame.getClassName();
            if (name.startsWith(PACKAGES) && !name.startsWith(RENDEZVOUS))
            {
                return true;
            }
        }

        return false;
    }
}
