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
package io.aeroshmem.collective;

import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.ShmemException;
import io.aeroshmem.ShmemTimeoutException;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.job.JobFailure;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * The nonblocking calls of one team, performed one after the other in the order in which they were posted, by whichever
 * thread polls. They have mailboxes of their own, so blocking calls and requests of a team do not wait for each other.
 * <p>
 * <b>Ordering.</b> A post pushes the request on a stack, by compare and set, so that it never waits. The thread that
 * holds the lock takes the stack as a whole, with acquire, and appends it, oldest first, to the list. List, task and
 * mailboxes belong to the holder of the lock, which is taken by compare and set and stored with release. A thread that
 * does not get the lock leaves the poll to the holder. A request that is pushed while the holder is about to leave
 * waits for the next poll: of its own test or await, of any blocked call, or of the agent.
 * <p>
 * <b>Time limits.</b> A request whose limit has passed is complete for the program, with an exception, but stays in the
 * list: other members may perform it still, and the calls behind it are matched by their order.
 */
public final class RequestQueue extends TaskWatch
{
    private static final int POLLS = 16;
    private static final int CHECK_MASK = 1023;
    private static final VarHandle LOCK;
    private static final VarHandle PUSHED;
    private static final VarHandle QUEUED;
    private static final VarHandle IN_FLIGHT;

    static
    {
        try
        {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            LOCK = lookup.findVarHandle(RequestQueue.class, "lock", int.class);
            PUSHED = lookup.findVarHandle(RequestQueue.class, "pushed", QueuedRequest.class);
            QUEUED = lookup.findVarHandle(RequestQueue.class, "queued", int.class);
            IN_FLIGHT = lookup.findVarHandle(RequestQueue.class, "inFlight", int.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final String teamName;
    private final TeamResources resources;
    private final PeerMailboxes mailboxes;
    private final PeerMailboxes blockingMailboxes;
    private final Endpoint endpoint;
    private final AlgorithmSelection selection;
    private final RequestProgress progress;
    private final ArgumentChecks checks;

    private int lock;
    /** Thread that polls, for comparison with the current thread. */
    private Thread holder;
    private QueuedRequest pushed;
    private int queued;
    private int inFlight;

    private QueuedRequest first;
    private QueuedRequest last;
    /** Of the first request; null before it is started. */
    private CollectiveTask task;
    private int limited;
    private int waits;
    private long calls;
    private volatile ShmemException failure;

    /**
     * @param resources         of the requests.
     * @param blockingMailboxes of the team's blocking calls, by which a member announces that it has closed the team.
     */
    RequestQueue(
        final String teamName,
        final TeamResources resources,
        final PeerMailboxes blockingMailboxes,
        final ArgumentChecks checks,
        final RequestProgress progress)
    {
        super(resources);
        this.checks = checks;
        this.teamName = teamName;
        this.resources = resources;
        this.blockingMailboxes = blockingMailboxes;
        this.progress = progress;
        mailboxes = resources.mailboxes();
        endpoint = resources.endpoint();
        selection = new AlgorithmSelection(resources);
    }

    /**
     * Returns a request that can be posted.
     *
     * @param handler receives null or the error, once for each post; or null.
     */
    public QueuedRequest request(final CollectiveArgs args, final Consumer<ShmemException> handler)
    {
        final CallArguments call = new CallArguments();
        checks.request(call, args);
        return new QueuedRequest(call.sign(), args.timeoutNs(), handler);
    }

    /**
     * Runs the handler of a complete request, unless another thread has started it; returns whether it has returned.
     */
    public boolean finishHandler(final QueuedRequest request)
    {
        progress.runHandler(request);
        return request.isHandled();
    }

    /** Returns whether the current thread is inside a poll: an operation of it waits, and drives progress meanwhile. */
    boolean isInPoll()
    {
        return Thread.currentThread() == holder;
    }

    /** Returns the number of requests that are posted and not complete. */
    int inFlight()
    {
        return (int)IN_FLIGHT.getAcquire(this);
    }

    /**
     * Closes the queue, in which no request is in flight; returns false if other members may still perform one that has
     * ended here, so that the traffic towards this PE's area is unknown.
     */
    boolean close()
    {
        if (null != failure || 0 != (int)QUEUED.getAcquire(this))
        {
            endpoint.retain(resources.workspace());
            return false;
        }

        resources.workspace().close();
        return true;
    }

    /**
     * Posts a request, and starts it if nothing is before it.
     *
     * @throws IllegalStateException if an earlier request has left the team out of step.
     */
    public void post(final QueuedRequest request)
    {
        endpoint.checkFailure();
        if (null != failure)
        {
            throw new IllegalStateException(
                "team " + teamName + " is out of step with its other members, as an earlier request on it ended with" +
                " an exception; it must be closed", failure);
        }

        request.begin();
        if (0 == request.call().nelems() && Routine.SYNC != request.call().routine())
        {
            IN_FLIGHT.getAndAdd(this, 1);
            request.onRemoved();
            complete(request, null);
            return;
        }

        QUEUED.getAndAdd(this, 1);
        IN_FLIGHT.getAndAdd(this, 1);
        progress.onPosted();
        QueuedRequest top;
        do
        {
            top = (QueuedRequest)PUSHED.getAcquire(this);
            request.next = top;
        }
        while (!PUSHED.compareAndSet(this, top, request));
        poll();
    }

    /** Proceeds with the requests as far as possible, unless another thread does, and returns the work count. */
    public int poll()
    {
        if (0 == (int)QUEUED.getOpaque(this) || !LOCK.compareAndSet(this, 0, 1))
        {
            return 0;
        }

        holder = Thread.currentThread();
        try
        {
            return pollLocked();
        }
        catch (final RuntimeException | Error ex)
        {
            fail(ex instanceof ShmemException ? (ShmemException)ex : new ShmemException(ex.getMessage(), ex));
            if (ex instanceof Error)
            {
                throw ex;
            }
            return 1;
        }
        finally
        {
            holder = null;
            LOCK.setRelease(this, 0);
        }
    }

    private int pollLocked()
    {
        appendPushed();
        if (null != failure)
        {
            failAll();
            return 1;
        }

        endpoint.checkFailure();
        final long nowNs = limited > 0 ? System.nanoTime() : 0;
        int work = 0;
        for (int i = 0; i < POLLS && null != first; i++)
        {
            int result = null == task ? start(first.call()) : task.poll();
            if (CollectiveTask.WAITING == result &&
                (CHECK_MASK == (waits++ & CHECK_MASK) || limited > 0 && first.isOverdue(nowNs) && !first.isComplete()))
            {
                result = pollAndCheck(task);
            }

            if (CollectiveTask.WAITING == result)
            {
                break;
            }

            work++;
            if (CollectiveTask.DONE == result)
            {
                endFirst(null);
            }
        }

        if (limited > 0)
        {
            expire(nowNs);
        }
        if (0 != work)
        {
            endpoint.flush();
        }
        return work;
    }

    private int start(final CallArguments call)
    {
        calls++;
        waits = 0;
        beginWait();
        resources.barrier().sign(call.signature());
        mailboxes.beginCall(call.signature());
        mailboxes.beginStep();
        task = selection.task(call);
        task.start(call);
        return task.poll();
    }

    private void appendPushed()
    {
        final QueuedRequest newest = (QueuedRequest)PUSHED.getAndSet(this, null);
        QueuedRequest top = newest;
        QueuedRequest oldest = null;
        while (null != top)
        {
            final QueuedRequest earlier = top.next;
            top.next = oldest;
            oldest = top;
            limited += top.isLimited() ? 1 : 0;
            top = earlier;
        }

        if (null != oldest)
        {
            if (null == first)
            {
                first = oldest;
            }
            else
            {
                last.next = oldest;
            }
            last = newest;
        }
    }

    /**
     * Removes the first request, then completes it, unless its limit has passed: from then on it may be posted again.
     */
    private void endFirst(final ShmemException errorOrNull)
    {
        final QueuedRequest ended = first;
        final boolean isTimedOut = ended.isComplete();
        first = ended.next;
        ended.next = null;
        last = null == first ? null : last;
        limited -= ended.isLimited() ? 1 : 0;
        task = null;
        QUEUED.getAndAdd(this, -1);
        progress.onRemoved();
        ended.onRemoved();
        if (!isTimedOut)
        {
            complete(ended, errorOrNull);
        }
    }

    private void complete(final QueuedRequest request, final ShmemException errorOrNull)
    {
        request.complete(errorOrNull);
        IN_FLIGHT.getAndAdd(this, -1);
        progress.onCompleted(request);
    }

    private void expire(final long nowNs)
    {
        for (QueuedRequest request = first; null != request; request = request.next)
        {
            if (request.isOverdue(nowNs) && !request.isComplete())
            {
                complete(request, new ShmemTimeoutException(
                    CallSignature.methodName(request.call().signature()) + " on team " + teamName +
                    " must complete within " + request.timeoutNs() + " ns" + describeMissing(request)));
            }
        }
    }

    private String describeMissing(final QueuedRequest request)
    {
        return request != first ? ": earlier requests on the team are not complete" :
            PeerMailboxes.NO_RANK == missingPe() ? "" : ": waiting for PE " + missingPe();
    }

    /** Returns whether a member posts nothing more. What it sent before has arrived. */
    @Override
    boolean isGone(final int rank)
    {
        return endpoint.isFinalizing(mailboxes.worldPe(rank)) || blockingMailboxes.hasClosed(rank);
    }

    @Override
    RuntimeException mismatch(final int pe, final long other)
    {
        final long own = first.call().signature();
        return endpoint.failed(new JobFailure(
            JobFailure.Kind.MISMATCH, pe, -1, "PE " + pe + " posted " + CallSignature.describe(other, own) +
            " and PE " + endpoint.pe() + " posted " + CallSignature.describe(own, 0) + " as request " + calls +
            " on team " + teamName + ": all members must post the same requests in the same order"));
    }

    @Override
    RuntimeException gone(final int rank)
    {
        final int pe = mailboxes.worldPe(rank);
        final boolean isFinalizing = endpoint.isFinalizing(pe);
        return endpoint.failed(new JobFailure(
            isFinalizing ? JobFailure.Kind.PE_FAILED : JobFailure.Kind.MISMATCH, pe, -1,
            "PE " + pe + (isFinalizing ? " called close" : " closed team " + teamName) + ", and PE " + endpoint.pe() +
            " waits for it in " + CallSignature.methodName(first.call().signature()) + ", request " + calls +
            " on team " + teamName + ": all members must post the same requests in the same order"));
    }

    /**
     * Retires the queue by taking the lock and never releasing it: no thread polls any more when this returns. Requests
     * that are queued fail.
     */
    void retire(final ShmemException reason)
    {
        while (!LOCK.compareAndSet(this, 0, 1))
        {
            Thread.yield();
        }

        appendPushed();
        failure = reason;
        failAll();
    }

    private void fail(final ShmemException ex)
    {
        failure = ex;
        endpoint.retain(resources.workspace());
        failAll();
    }

    private void failAll()
    {
        while (null != first)
        {
            endFirst(failure);
        }
    }
}
