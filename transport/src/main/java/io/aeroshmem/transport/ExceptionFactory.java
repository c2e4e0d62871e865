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

import io.aeroshmem.transport.job.JobFailure;

/**
 * Makes the exceptions that leave the transport while a job runs. The layer above knows their types.
 */
public interface ExceptionFactory
{
    /**
     * The job has failed.
     *
     * @param failure what failed, as recorded by whoever noticed first.
     * @return the exception to throw.
     */
    RuntimeException failure(JobFailure failure);

    /**
     * A blocking call ran into its time limit.
     *
     * @param what        the call.
     * @param timeoutNs   the limit in nanoseconds.
     * @param explanation which PEs it waited for, where that is known, and what all PEs do.
     * @return the exception to throw.
     */
    RuntimeException timeout(String what, long timeoutNs, String explanation);

    /**
     * The calling thread was interrupted; its interrupt flag is still set.
     *
     * @param what the call.
     * @return the exception to throw.
     */
    RuntimeException interrupted(String what);
}
