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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.progress.Progress;
import org.agrona.concurrent.AgentInvoker;

/**
 * Invokers of the application's Aeron client and driver. The library runs them in each of its duty cycles, because the
 * application does not run them while a PE is blocked, and a driver expires a client whose conductor is not invoked.
 * <p>
 * The invokers are not thread-safe, so this object is also the lock under which the PEs of a process run them. The
 * lock is also held while the library calls the client: a client with a driver invoker runs the driver while it waits
 * for the driver's response.
 */
public final class ApplicationAgentInvokers extends EngineLock implements Progress
{
    private final AgentInvoker driverInvoker;
    private final AgentInvoker clientInvoker;

    /** Either invoker may be null. */
    public ApplicationAgentInvokers(final AgentInvoker driverInvoker, final AgentInvoker clientInvoker)
    {
        this.driverInvoker = driverInvoker;
        this.clientInvoker = clientInvoker;
    }

    @Override
    public int poll()
    {
        int work = 0;
        if (tryLock())
        {
            try
            {
                if (null != driverInvoker)
                {
                    work += driverInvoker.invoke();
                }

                if (null != clientInvoker)
                {
                    work += clientInvoker.invoke();
                }
            }
            finally
            {
                unlock();
            }
        }

        return work;
    }
}
