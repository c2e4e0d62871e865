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

import io.aeroshmem.transport.job.JobFailure;

/**
 * Factory of the exceptions that a call throws if the job has failed, its time limit has passed, or its thread is
 * interrupted. The layer above the transport defines their types.
 */
public interface ExceptionFactory
{
    /** Returns the exception for a failure of the job, as recorded by the PE that noticed it first. */
    RuntimeException failure(JobFailure failure);

    /**
     * Returns the exception for a blocking call that exceeded its time limit.
     *
     * @param explanation the PEs that the call waited for, if known, and the activity of all PEs.
     */
    RuntimeException timeout(String callName, long timeoutNs, String explanation);

    /** Returns the exception for an interrupt of the calling thread, whose interrupt flag is still set. */
    RuntimeException interrupted(String callName);
}
