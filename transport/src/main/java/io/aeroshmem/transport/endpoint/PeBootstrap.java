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

/**
 * Bootstrap of one PE: the number of the PE, the number of PEs, and the entry into the job. Each launch method has its
 * own implementation.
 */
public interface PeBootstrap
{
    int pe();

    int nPes();

    /**
     * Enters the job. The first PE of this process that enters acquires the process's share of the job, the last that
     * leaves releases it.
     *
     * @param context of the PE: its node, and how long to wait for others.
     * @return the process's share of the job, entered once more.
     * @throws io.aeroshmem.transport.job.JobFailureException if the job has failed before.
     */
    JobProcess enter(EndpointContext context);

    /** Returns whether something starts the processes of the PEs again after a failure, so that the job can recover. */
    default boolean isStartedAgain()
    {
        return false;
    }

    /**
     * Notifies the other PEs that this one will not enter. Does nothing after {@link #enter}.
     *
     * @param joinTimeoutNs how long to wait for others, if that is necessary to notify them.
     */
    default void withdraw(final Throwable cause, final long joinTimeoutNs)
    {
    }

    /**
     * Waits until it is known whether another generation follows the one that this PE has entered, which has failed,
     * and which the PE has left.
     *
     * @return how this process joins that generation as the same PE; null if it does not, because none follows or the
     * thread is interrupted.
     */
    default PeBootstrap next()
    {
        return null;
    }
}
