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
package io.aeroshmem;

import io.aeroshmem.collective.request.QueuedRequest;
import io.aeroshmem.collective.request.RequestArguments;
import io.aeroshmem.collective.request.RequestQueue;
import io.aeroshmem.thread.ThreadGuard;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.progress.BlockingWait;

/**
 * A nonblocking collective operation: {@code ucc_coll_req_h}. Made by {@link Team#request} or {@link Team#post}.
 * <p>
 * The members of a team post the same requests, which are matched as the {@link Ordering} of the team specifies. Any
 * number of requests may be in flight, independently of the team's blocking calls. They are performed in the order of
 * their posts or, where members may post in different orders, in one that they agree on, each once all members have
 * posted it. Broadcasts among active sets ({@link ActiveSet}) proceed independently.
 * <p>
 * From the post of a request to its completion, source must not be written, and dest must be neither read nor written.
 * <p>
 * <b>Progress.</b> Requests progress while a thread of the PE is in a blocking call, in {@link #test()} or in
 * {@link Shmem#progress()}. With {@link ProgressMode#AGENT} the background thread drives them too. {@link Ordering}
 * specifies which threads may post at once.
 */
public final class CollectiveRequest implements AutoCloseable
{
    private final ThreadGuard guard;
    private final Endpoint endpoint;
    private final RequestQueue queue;
    private final boolean isPersistent;
    private volatile QueuedRequest request;
    private volatile boolean isPosted;
    private volatile boolean isClosed;

    /**
     * @param guard     of the PE's calls, or null.
     * @param queue     in which it is posted.
     * @param arguments makes it for the queue.
     */
    CollectiveRequest(
        final ThreadGuard guard,
        final Endpoint endpoint,
        final RequestQueue queue,
        final RequestArguments arguments,
        final CollectiveArgs args)
    {
        this.guard = guard;
        this.endpoint = endpoint;
        this.queue = queue;
        isPersistent = args.persistent();
        final CompletionHandler handler = args.onComplete();
        request = arguments.request(
            args, null == handler ? null : (errorOrNull) -> handler.onComplete(this, errorOrNull));
    }

    /**
     * Posts the request: {@code ucc_collective_post}. Never waits.
     *
     * @throws IllegalStateException if it is in flight, or was posted before and is not persistent, or is closed; if
     *                               another request with its tag is in flight on an unordered team; or if the team is
     *                               closed or out of step.
     * @throws ShmemException        if the job has failed.
     */
    public void post()
    {
        checkOpen();
        if (isPosted)
        {
            if (!request.isComplete())
            {
                throw new IllegalStateException("a request in flight must not be posted: " + this);
            }

            if (!isPersistent)
            {
                throw new IllegalStateException("a request must be persistent to be posted again: " + this);
            }

            queue.finishHandler(request);
        }

        final QueuedRequest next = isPosted && request.isQueued() ? request.again() : request;
        queue.post(next);
        request = next;
        isPosted = true;
    }

    /**
     * Drives progress, and tests for completion: {@code ucc_collective_test}. Never blocks.
     *
     * @return true if the operation is complete, and its handler has returned: dest is valid, and source may be reused.
     * @throws ShmemTimeoutException if the request did not complete within its limit.
     * @throws CollectiveMismatchException if members posted other requests.
     * @throws ShmemException        if the job has failed.
     * @throws IllegalStateException if it was never posted, or is closed; or if threads are checked and the level does
     *                               not allow the call.
     */
    public boolean test()
    {
        return null == guard ? testAlone() : guard.call("CollectiveRequest.test", this::testAlone);
    }

    private boolean testAlone()
    {
        checkOpen();
        checkPosted();
        final QueuedRequest current = request;
        if (!current.isComplete())
        {
            endpoint.progress();
            queue.poll();
        }

        if (!current.isComplete() || !queue.finishHandler(current))
        {
            return false;
        }

        current.throwError();
        return true;
    }

    /**
     * Waits for completion, driving progress.
     *
     * @throws CollectiveMismatchException if members posted other requests.
     * @throws ShmemTimeoutException     if the request did not complete within its limit, or if this call did not end
     *                                   within {@link Shmem.Context#operationTimeoutNs(long)}: then the request is
     *                                   still in flight.
     * @throws ShmemInterruptedException if the thread is interrupted: the request is still in flight.
     * @throws ShmemException            if the job has failed.
     * @throws IllegalStateException     if it was never posted, or is closed.
     */
    public void await()
    {
        final BlockingWait waiting = endpoint.blockingWait();
        final long deadlineNs = waiting.operationDeadline();
        int round = 0;
        while (!test())
        {
            round = waiting.idle(round, deadlineNs, "CollectiveRequest.await");
        }

        waiting.reset(round);
    }

    /**
     * Closes the request: {@code ucc_collective_finalize}. Does nothing if it is closed.
     *
     * @throws IllegalStateException if it is in flight; it stays open.
     */
    @Override
    public void close()
    {
        if (!isClosed && isPosted && !request.isComplete())
        {
            queue.poll();
            if (!request.isComplete())
            {
                throw new IllegalStateException("a request in flight must not be closed: " + this);
            }
        }

        if (!isClosed)
        {
            isClosed = true;
            queue.onClosed(request);
        }
    }

    @Override
    public String toString()
    {
        return "CollectiveRequest{" + request + ", " + queue.describeTeam() + ", " +
            (isClosed ? "closed" : !isPosted ? "not posted" : request.isComplete() ? "complete" : "in flight") + "}";
    }

    private void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("request must be open: " + this);
        }
    }

    private void checkPosted()
    {
        if (!isPosted)
        {
            throw new IllegalStateException("request must be posted first: " + this);
        }
    }
}
