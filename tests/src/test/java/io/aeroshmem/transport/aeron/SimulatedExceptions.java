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

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;
import io.aeroshmem.transport.progress.ExceptionFactory;

/** Exceptions of the calls in a {@link MessageWorld}, which has no time limits and no interrupts. */
final class SimulatedExceptions implements ExceptionFactory
{
    @Override
    public RuntimeException failure(final JobFailure failure)
    {
        return new JobFailureException(failure);
    }

    @Override
    public RuntimeException timeout(final String what, final long timeoutNs, final String explanation)
    {
        return new TransportException(what);
    }

    @Override
    public RuntimeException interrupted(final String what)
    {
        return new TransportException(what);
    }
}
