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
package io.aeroshmem.bootstrap;

import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.LocalProcess;
import io.aeroshmem.transport.job.JobFailure;

/**
 * How one PE learns which job it belongs to. One class per way to start.
 */
public interface PeBootstrap
{
    /**
     * Number of this PE in the job.
     *
     * @return 0 to {@link #nPes()} - 1.
     */
    int pe();

    /**
     * Number of PEs in the job.
     *
     * @return at least 1.
     */
    int nPes();

    /**
     * Enter the job: what this process holds for it is made by the first of its PEs that enters and is released by the
     * last that leaves.
     *
     * @param context of the PE, which says how long to wait for others, and which node it is on.
     * @return the process's share of the job, entered once more.
     */
    LocalProcess enter(Endpoint.Context context);

    /**
     * Tell the others that this PE will not enter. After {@link #enter} it does nothing: the PE may be well.
     *
     * @param cause why it will not.
     */
    default void giveUp(final Throwable cause)
    {
    }

    /**
     * Why the job failed, where it could not be entered because of that.
     *
     * @return null if it has not failed, or nobody knows before entering.
     */
    default JobFailure failure()
    {
        return null;
    }
}
