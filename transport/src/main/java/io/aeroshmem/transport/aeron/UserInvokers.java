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

import io.aeroshmem.transport.Progress;
import org.agrona.concurrent.AgentInvoker;

/**
 * The conductor of the application's client and the agents of its driver, where the application gave them as invokers:
 * run in every duty cycle, because nobody else runs them while a PE is blocked, and an uninvoked conductor would be
 * given up by its driver. An invoker is not thread-safe and the PEs of a process share it, hence the lock. A client
 * that waits for an answer of the driver runs the driver itself: who asks it for something holds the lock meanwhile.
 */
public final class UserInvokers extends EngineLock implements Progress
{
    private final AgentInvoker driverInvoker;
    private final AgentInvoker clientInvoker;

    /**
     * Construct over what the application gave.
     *
     * @param driverInvoker of a driver, or null.
     * @param clientInvoker of a client's conductor, or null.
     */
    public UserInvokers(final AgentInvoker driverInvoker, final AgentInvoker clientInvoker)
    {
        this.driverInvoker = driverInvoker;
        this.clientInvoker = clientInvoker;
    }

    /**
     * Wait until nobody runs the invokers, and keep them from being run.
     */
    void holdBack()
    {
        while (!tryLock())
        {
            Thread.onSpinWait();
        }
    }

    /**
     * Let the invokers be run again.
     */
    void letRun()
    {
        unlock();
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
