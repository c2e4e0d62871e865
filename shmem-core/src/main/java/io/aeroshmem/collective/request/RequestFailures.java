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
package io.aeroshmem.collective.request;

import io.aeroshmem.ShmemException;
import io.aeroshmem.ShmemTimeoutException;
import io.aeroshmem.collective.task.CallSignature;
import io.aeroshmem.collective.task.TaskWatch;
import io.aeroshmem.memory.Allocation;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.job.JobFailure;

/**
 * The exceptions of a {@link RequestQueue}. Each method returns the exception to throw. In two cases, the method also
 * fails the job: a member has posted a call that does not match, or a member will not take part in a request. In these
 * cases, the exception names this PE, the PE of that member, and what each of the two called.
 */
final class RequestFailures
{
    private final Endpoint endpoint;
    private final String teamName;
    private final RequestMatching matching;

    RequestFailures(final Endpoint endpoint, final String teamName, final RequestMatching matching)
    {
        this.endpoint = endpoint;
        this.teamName = teamName;
        this.matching = matching;
    }

    /**
     * A member has posted another call than the one that is performed here.
     *
     * @param other  signature of its call.
     * @param own    signature of the call of this PE.
     * @param number of the call.
     */
    RuntimeException mismatch(final int pe, final long other, final long own, final long number)
    {
        return endpoint.failed(new JobFailure(
            JobFailure.Kind.MISMATCH, pe, -1, "PE " + pe + " posted " + CallSignature.describe(other, own) +
            " and PE " + endpoint.pe() + " posted " + CallSignature.describe(own, 0) + " as request " + number +
            " on team " + teamName + ": " + matching.rule()));
    }

    /** A member has posted a broadcast of the same tag and active set that differs from that of this PE. */
    RuntimeException mismatch(final int pe, final QueuedRequest request)
    {
        return endpoint.failed(new JobFailure(
            JobFailure.Kind.MISMATCH, pe, -1, "PE " + pe + " posted a " + request.activeSet() + " on team " + teamName +
            " with another type, count or root than PE " + endpoint.pe() + ", which posted " +
            CallSignature.describe(request.call().signature(), 0) + " with root " + request.activeSet().root()));
    }

    /**
     * A member that a request waits for will not take part in it.
     *
     * @param hasLeft whether it has closed the team, or called close.
     * @param place   of the request among those performed, empty if it is not performed yet.
     */
    RuntimeException gone(final int pe, final boolean hasLeft, final QueuedRequest request, final String place)
    {
        final boolean isFinalizing = endpoint.isFinalizing(pe);
        final String other = isFinalizing ? " called close" :
            hasLeft ? " closed team " + teamName : " posted something else before a later request";
        return endpoint.failed(new JobFailure(
            isFinalizing ? JobFailure.Kind.PE_FAILED : JobFailure.Kind.MISMATCH, pe, -1,
            "PE " + pe + other + ", and PE " + endpoint.pe() + " waits for it in " + describe(request) + place +
            " on team " + teamName + ": " + matching.rule()));
    }

    /** An earlier request has ended with an exception. The job goes on. */
    IllegalStateException outOfStep(final ShmemException failure)
    {
        return new IllegalStateException(TaskWatch.outOfStep(teamName, "request"), failure);
    }

    /** A request uses a buffer that is to be freed. The job goes on. */
    IllegalStateException inUse(final Allocation allocation, final QueuedRequest request)
    {
        return new IllegalStateException("buffer must not be freed while a request uses it: the " + allocation +
            " is in use by " + request + " on team " + teamName);
    }

    /** The limit of a request has passed. The job goes on. */
    ShmemTimeoutException timeout(final QueuedRequest request, final String missing)
    {
        return new ShmemTimeoutException(
            describe(request) + " on team " + teamName + " must complete within " + request.timeoutNs() + " ns" +
            missing);
    }

    private static String describe(final QueuedRequest request)
    {
        return null == request.activeSet() ?
            CallSignature.methodName(request.call().signature()) : request.activeSet().toString();
    }
}
