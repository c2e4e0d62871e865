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

/**
 * Thread of a simulated world, in which each access of a program to its symmetric memory is a step, after which others
 * may go on. There is none unless the module {@code simulation} is on the class path.
 */
public abstract class SimulatedThread extends Thread
{
    /** The module's, by which it is found. */
    private static final String MARK = "META-INF/aeroshmem-simulation";

    /** Whether there may be such threads: a constant to the JIT compiler, which removes the step otherwise. */
    private static final boolean IS_POSSIBLE =
        null != SimulatedThread.class.getClassLoader().getResource(MARK);

    protected SimulatedThread(final String name)
    {
        super(name);
    }

    /** Takes a step before an access to this PE's memory, if the thread is simulated. */
    public static void access(final long address)
    {
        if (IS_POSSIBLE && Thread.currentThread() instanceof final SimulatedThread thread)
        {
            thread.step(address);
        }
    }

    /** Takes a step before an access to an address. */
    protected abstract void step(long address);
}
