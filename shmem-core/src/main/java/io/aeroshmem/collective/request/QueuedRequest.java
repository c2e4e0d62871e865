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
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CallSignature;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.Allocation;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.transport.Fields;
import io.aeroshmem.transport.device.DeviceMemory;
import io.aeroshmem.transport.flight.CollectiveSpan;
import org.agrona.concurrent.NanoClock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * A nonblocking call on a team, from its post to its completion. A persistent request is posted repeatedly.
 */
public final class QueuedRequest
{
    private static final Object SUCCESS = new Object();
    private static final VarHandle OUTCOME = Fields.handle(MethodHandles.lookup(), "outcome", Object.class);
    private static final VarHandle IS_QUEUED = Fields.handle(MethodHandles.lookup(), "isQueued", boolean.class);
    private static final VarHandle POSTS = Fields.handle(MethodHandles.lookup(), "posts", int.class);
    private static final VarHandle NOTIFIED = Fields.handle(MethodHandles.lookup(), "notified", long.class);
    private static final VarHandle HANDLED = Fields.handle(MethodHandles.lookup(), "handled", int.class);
    private static final VarHandle IS_AWAITING_HANDLER =
        Fields.handle(MethodHandles.lookup(), "isAwaitingHandler", boolean.class);

    /*
     * Outcome. The outcome is stored once for each post, with release: when the call is complete or has failed, or when
     * its time limit has passed. The thread that holds the lock of the RequestQueue stores it. That thread stores a
     * success only after it has loaded, with acquire, the signals that follow the peers' writes into dest. So a thread
     * that loads a success with acquire may read dest, and reuse source. (A call that has nothing to do is completed by
     * the posting thread.)
     *
     * Links. Only the posting thread uses next, previous, nextInTurn and nextToAnnounce until it has pushed the request
     * to the queue; then only the holder of the lock uses them, until the request is removed from the queue. At the
     * removal isQueued is cleared with release, so a thread that loads false with acquire may post the request again.
     *
     * Handler. The completion handler runs once for each post, on the thread whose compare-and-set advances notified to
     * the number of this post. A slower thread may attempt the same advance. Its compare-and-set fails, even if the
     * request has been posted again, because the number never decreases. That thread does not run the handler. The same
     * word identifies the thread, so that the handlers of two posts, on two threads, do not confuse it.
     */
    private final CallArguments call;
    private final SymmetricBuffer source;
    private final SymmetricBuffer dest;
    private final long tag;
    private final long timeoutNs;
    private final Consumer<ShmemException> handler;
    private final long key;
    private final ActiveSetBroadcast activeSet;
    private final Object uniqueId;
    private final long blockBytes;
    private long deadlineNs;
    private long startNs;
    private boolean isTimed;
    /** Event of the post in progress, or null. */
    private CollectiveSpan span;
    /** Memory of the device that was attached when the request was posted, or null. */
    private DeviceMemory device;
    private Object outcome;
    private boolean isQueued;
    private int posts;
    /** The last post whose handler was started (upper half), and the hash of the thread that did. */
    private long notified;
    /** The last post whose handler has returned. */
    private int handled;
    private boolean isAwaitingHandler;

    /** Link on the stack of pushed requests, then in the queue's list. */
    QueuedRequest next;
    /** Link back in the queue's list. */
    QueuedRequest previous;
    /** Link between requests that are performed in the order of their posts, or between the posts of one key. */
    QueuedRequest nextInTurn;
    /** Link between requests whose keys are to be announced. */
    QueuedRequest nextToAnnounce;
    /** Link between requests whose handlers are to run. */
    QueuedRequest nextHandler;

    /**
     * @param call      validated arguments, which do not change.
     * @param source    that the call reads, or null.
     * @param dest      that the call writes, or null.
     * @param tag       of the request, or 0.
     * @param timeoutNs limit of each post, or 0.
     * @param handler   receives null or the error, once for each post; or null.
     * @param key       that matches it where members post in different orders.
     * @param activeSet the broadcast among an active set that it is, or null.
     * @param uniqueId  of which only one request of the team may be in flight, or null.
     */
    QueuedRequest(
        final CallArguments call,
        final SymmetricBuffer source,
        final SymmetricBuffer dest,
        final long tag,
        final long timeoutNs,
        final Consumer<ShmemException> handler,
        final long key,
        final ActiveSetBroadcast activeSet,
        final Object uniqueId)
    {
        this.call = call;
        this.source = source;
        this.dest = dest;
        this.tag = tag;
        this.timeoutNs = timeoutNs;
        this.handler = handler;
        this.key = key;
        this.activeSet = activeSet;
        this.uniqueId = uniqueId;
        blockBytes = call.longestBlockBytes();
    }

    /** Returns a request of the same call, for use while the queue still refers to this one. */
    public QueuedRequest again()
    {
        final ActiveSetBroadcast broadcast = null == activeSet ? null : activeSet.again();
        return new QueuedRequest(call, source, dest, tag, timeoutNs, handler, key, broadcast, uniqueId);
    }

    /** Returns the key that matches it where members post in different orders. */
    long key()
    {
        return key;
    }

    /** Returns the tag, or 0. */
    long tag()
    {
        return tag;
    }

    /** Returns the broadcast among an active set that it is, or null. */
    ActiveSetBroadcast activeSet()
    {
        return activeSet;
    }

    /** Returns the identity of which only one request of the team may be in flight, or null. */
    Object uniqueId()
    {
        return uniqueId;
    }

    /**
     * Checks that the buffers are still allocated.
     *
     * @throws IllegalStateException if one was freed.
     */
    void checkBuffers(final PeIdentity owner)
    {
        if (null != source)
        {
            HeapAccess.address(source, owner, 0, 0, Operand.COLLECTIVE_SOURCE);
        }

        if (null != dest)
        {
            HeapAccess.address(dest, owner, 0, 0, Operand.COLLECTIVE_DEST);
        }
    }

    /** Returns whether the call reads or writes memory of an allocation. */
    boolean refersTo(final Allocation allocation)
    {
        return HeapAccess.isOf(source, allocation) || HeapAccess.isOf(dest, allocation);
    }

    CallArguments call()
    {
        return call;
    }

    /**
     * Begins a post. The request is not queued.
     *
     * @param isTimed      whether its latency is recorded.
     * @param spanOrNull   its event.
     * @param deviceOrNull memory of the device that is attached.
     * @param clock        of the limit and the latency.
     */
    void begin(
        final boolean isTimed,
        final CollectiveSpan spanOrNull,
        final DeviceMemory deviceOrNull,
        final NanoClock clock)
    {
        this.isTimed = isTimed;
        span = spanOrNull;
        device = deviceOrNull;
        startNs = isTimed ? clock.nanoTime() : 0;
        deadlineNs = isLimited() ? clock.nanoTime() + timeoutNs() : 0;
        outcome = null;
        isQueued = true;
        POSTS.setRelease(this, posts + 1);
    }

    /** Returns the memory of the device that was attached at the post, or null. */
    DeviceMemory device()
    {
        return device;
    }

    /** Records the latency of a post that is about to complete without an error, and its event, if they are wanted. */
    void record(final TeamLatency latency, final NanoClock clock)
    {
        if (isTimed)
        {
            latency.record(call.routine(), blockBytes, startNs, clock.nanoTime());
        }

        if (null != span)
        {
            latency.end(span, call.routine(), blockBytes);
            span = null;
        }
    }

    /** Ends a post, which the queue does not refer to any more. */
    void onRemoved()
    {
        IS_QUEUED.setRelease(this, false);
    }

    /**
     * Returns whether the queue refers to the request: until its members have done their parts, also when its time
     * limit has passed before.
     */
    public boolean isQueued()
    {
        return (boolean)IS_QUEUED.getAcquire(this);
    }

    /** Returns whether the last post is complete, with success or an error. */
    public boolean isComplete()
    {
        return null != OUTCOME.getAcquire(this);
    }

    /** Throws the error of the last post, if it has one. */
    public void throwError()
    {
        final Object result = OUTCOME.getAcquire(this);
        if (result instanceof ShmemException)
        {
            throw (ShmemException)result;
        }
    }

    /** Completes the post, which is not complete. */
    void complete(final ShmemException errorOrNull)
    {
        OUTCOME.setRelease(this, null == errorOrNull ? SUCCESS : errorOrNull);
    }

    boolean isLimited()
    {
        return timeoutNs > 0;
    }

    long timeoutNs()
    {
        return timeoutNs;
    }

    boolean isOverdue(final long nowNs)
    {
        return isLimited() && nowNs - deadlineNs >= 0;
    }

    /** Returns whether the caller must add a complete request to those whose handlers are to run. */
    boolean claimHandlerLink()
    {
        return null != handler && IS_AWAITING_HANDLER.compareAndSet(this, false, true);
    }

    /**
     * Releases the link, before {@link #runHandler()} loads the outcome: a thread that completes the request and does
     * not get the link has stored the outcome before that.
     */
    void releaseHandlerLink()
    {
        IS_AWAITING_HANDLER.setVolatile(this, false);
        VarHandle.fullFence();
    }

    @Override
    public String toString()
    {
        return CallSignature.describe(call.signature(), 0);
    }

    /** Returns whether the handler of the last post has returned, or there is none, or the current thread is in it. */
    boolean isHandled()
    {
        if (null == handler)
        {
            return true;
        }

        final int post = (int)POSTS.getAcquire(this);
        return (int)HANDLED.getAcquire(this) - post >= 0 || (long)NOTIFIED.getAcquire(this) == notifiedBy(post);
    }

    /**
     * Returns the word that shows that the current thread has started the handler of a post. A program may override the
     * id of its threads, but not this hash.
     */
    private static long notifiedBy(final int post)
    {
        return (long)post << Integer.SIZE | System.identityHashCode(Thread.currentThread()) & 0xFFFF_FFFFL;
    }

    /** Runs the handler of a complete post, unless another thread has started it. */
    void runHandler()
    {
        if (null == handler)
        {
            return;
        }

        final int post = (int)POSTS.getAcquire(this);
        final Object result = OUTCOME.getAcquire(this);
        final long last = (long)NOTIFIED.getAcquire(this);
        if (null != result && post - 1 == (int)(last >> Integer.SIZE) &&
            NOTIFIED.compareAndSet(this, last, notifiedBy(post)))
        {
            try
            {
                handler.accept(result instanceof ShmemException ? (ShmemException)result : null);
            }
            finally
            {
                onHandled(post);
            }
        }
    }

    /** The handler of a later post, which this one may have made, may have returned before. */
    private void onHandled(final int post)
    {
        int last = (int)HANDLED.getAcquire(this);
        while (post - last > 0 && !HANDLED.compareAndSet(this, last, post))
        {
            last = (int)HANDLED.getAcquire(this);
        }
    }
}
