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

import io.aeron.Subscription;
import io.aeroshmem.transport.Progress;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.ControlCounter;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.ErrorHandler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;

/**
 * Moves one PE's messages: polls its inboxes, performs what peers ask, sends what this PE's threads submitted, answers
 * and acknowledges.
 * <p>
 * Whoever holds the lock drives: a blocked caller, the background agent, or the user in INVOKER mode. A duty cycle
 * never blocks and never calls out of the library. A publication that pushes back is tried again in the next cycle,
 * after the inbox has been polled, so that two PEs that flood each other always make room for each other.
 */
public final class Engine extends EngineLock implements Progress, InboxListener
{
    /**
     * Fragments polled from each inbox in one duty cycle.
     */
    private static final int FRAGMENT_LIMIT = 32;

    /**
     * The error handler of a client that closes itself says why, right after it has closed its streams.
     */
    private static final long CLOSED_GRACE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final VarHandle CALLER_CYCLES;

    static
    {
        try
        {
            CALLER_CYCLES = MethodHandles.lookup().findVarHandle(Engine.class, "callerCycles", long.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final int pe;
    private final Control control;
    private final SentCounters sentCounters;
    private final Link[] linkByPe;
    private final int[] epochs;
    private final Inbox inbox;
    private final Refusals refusals;
    private final ErrorHandler errorHandler;
    /** Ids of the images by which peers have sent; read by the thread that is told of images that end. */
    private final Set<Long> peerImages = ConcurrentHashMap.newKeySet();
    private Link[] links = new Link[0];
    private Subscription[] subscriptions = new Subscription[0];
    private Progress userAgents = Progress.NONE;
    private ObjLongConsumer<JobFailure> suspicions = (failure, graceNs) -> control().fail(pe(), failure);
    private long callerCycles;
    private volatile boolean isLeaving;
    private volatile boolean isRetired;

    /**
     * Construct without inboxes and links; they are added while the PE joins.
     *
     * @param pe           whose engine this is.
     * @param control      of the job.
     * @param memory       of this PE.
     * @param epochs       of all PEs; entries are filled in before the first frame.
     * @param jobToken     of the job.
     * @param errorHandler told of frames that are refused, the first of each kind; not under the lock.
     */
    public Engine(
        final int pe,
        final Control control,
        final LocalMemory memory,
        final int[] epochs,
        final long jobToken,
        final ErrorHandler errorHandler)
    {
        this.pe = pe;
        this.control = control;
        this.epochs = epochs;
        sentCounters = new SentCounters(control, pe);
        linkByPe = new Link[epochs.length];
        this.errorHandler = errorHandler;
        refusals = new Refusals(pe, control);
        inbox = new Inbox(this, refusals, memory, linkByPe, epochs, jobToken);
    }

    /**
     * Run these in every duty cycle: the conductor of a client and the agents of a driver that the user gave as
     * invokers.
     *
     * @param invokers to run.
     */
    public void userAgents(final Progress invokers)
    {
        userAgents = invokers;
    }

    /**
     * Where to tell what is most likely the consequence of a failure that somebody else is about to find.
     *
     * @param consumer of the failure, and of how long to wait for the other one in nanoseconds; by default the job
     *                 fails at once.
     */
    public void suspicions(final ObjLongConsumer<JobFailure> consumer)
    {
        suspicions = consumer;
    }

    void suspect(final JobFailure failure, final long graceNs)
    {
        suspicions.accept(failure, graceNs);
    }

    int pe()
    {
        return pe;
    }

    int epoch()
    {
        return epochs[pe];
    }

    /**
     * Add what this PE listens on. Before anything is polled.
     */
    void addSubscription(final Subscription subscription)
    {
        final Subscription[] more = Arrays.copyOf(subscriptions, subscriptions.length + 1);
        more[subscriptions.length] = subscription;
        subscriptions = more;
    }

    /**
     * Add a peer. Before anything is polled.
     */
    void addLink(final Link link)
    {
        final Link[] more = Arrays.copyOf(links, links.length + 1);
        more[links.length] = link;
        links = more;
        linkByPe[link.pe] = link;
    }

    Link link(final int peer)
    {
        return linkByPe[peer];
    }

    Link[] links()
    {
        return links;
    }

    Control control()
    {
        return control;
    }

    SentCounters sentCounters()
    {
        return sentCounters;
    }

    @Override
    public int poll()
    {
        if (!tryLock())
        {
            return 0;
        }

        final int work;
        try
        {
            CALLER_CYCLES.setOpaque(this, callerCycles + 1);
            work = dutyCycle();
        }
        finally
        {
            unlock();
        }
        refusals.tell(errorHandler);
        return work;
    }

    /**
     * As {@link #poll()}, for the background agent.
     *
     * @return how much was done.
     */
    int pollAsAgent()
    {
        if (!tryLock())
        {
            return 0;
        }

        final int work;
        try
        {
            work = dutyCycle();
        }
        finally
        {
            unlock();
        }
        refusals.tell(errorHandler);
        return work;
    }

    /**
     * Grows with every duty cycle that a caller drives, so that the agent sees when it need not.
     */
    long callerCycles()
    {
        return (long)CALLER_CYCLES.getOpaque(this);
    }

    /**
     * One duty cycle. Under the lock.
     */
    int dutyCycle()
    {
        userAgents.poll();
        int fragments = 0;
        for (final Subscription subscription : subscriptions)
        {
            fragments += subscription.poll(inbox, FRAGMENT_LIMIT);
            if (subscription.isClosed())
            {
                onClosedInbox();
            }
        }

        int work = fragments;
        for (final Link link : links)
        {
            work += link.send(0 == fragments);
            if (link.outbox.isBroken())
            {
                onBrokenPublication(link);
            }
        }
        return work;
    }

    @Override
    public void onProtocolFailure(final int sourcePe, final String complaint)
    {
        control.addToCounter(pe, ControlCounter.MALFORMED_RECORDS, 1);
        control.fail(pe, new JobFailure(
            JobFailure.Kind.PROTOCOL, sourcePe, 0, "PE " + sourcePe + " " + complaint + " (seen by PE " + pe + ")"));
    }

    @Override
    public void onPeerImage(final long correlationId)
    {
        peerImages.add(correlationId);
    }

    /**
     * Did a peer send by this image? Anyone who reaches the driver can open a stream to an inbox, and its end is then
     * of no concern. Any thread.
     */
    boolean isPeerImage(final long correlationId)
    {
        return peerImages.contains(correlationId);
    }

    /**
     * Let every peer know which stream is this PE's, before it has anything to send. When all peers have their links.
     */
    public void greet()
    {
        for (final Link link : links)
        {
            link.greet();
        }
    }

    /**
     * A PE that only waits would wait for ever: it sends nothing, so no publication tells it that its client was closed
     * by the application or given up by the driver.
     */
    private void onClosedInbox()
    {
        if (!isLeaving && !control.isFailed())
        {
            suspect(new JobFailure(
                JobFailure.Kind.DRIVER_DIED, pe, 0,
                "the Aeron client of PE " + pe + " was closed while the job was running"), CLOSED_GRACE_NS);
        }
    }

    private void onBrokenPublication(final Link link)
    {
        if (!control.isFailed())
        {
            suspect(new JobFailure(
                JobFailure.Kind.DRIVER_DIED, pe, 0,
                "PE " + pe + " cannot send to PE " + link.pe + " any more: " + link.outbox.describeBreak()),
                CLOSED_GRACE_NS);
        }
    }

    /**
     * Are all peers connected?
     */
    boolean isConnected()
    {
        for (final Link link : links)
        {
            if (!link.outbox.isConnected())
            {
                return false;
            }
        }
        return true;
    }

    /**
     * Has every peer acknowledged everything that this PE sent?
     *
     * @return true if nothing is under way.
     */
    public boolean isDrained()
    {
        for (final Link link : links)
        {
            if (!link.outbox.isRingEmpty() || link.outbox.assigned() != link.outbox.acknowledged() ||
                link.replies.hasFetch() || link.replies.hasGet())
            {
                return false;
            }
        }
        return true;
    }

    /**
     * Frames that reached this PE's inbox and are not from a peer, dropped.
     *
     * @return how many.
     */
    public long refusedFrames()
    {
        return refusals.total();
    }

    /**
     * Replies to requests that nobody waited for any more, dropped.
     *
     * @return how many.
     */
    public long lateReplies()
    {
        return inbox.lateReplies();
    }

    /**
     * From now on it is no failure when the client is closed.
     */
    void leaving()
    {
        isLeaving = true;
    }

    /**
     * Take the lock, waiting for whoever drives to give it back: a duty cycle never blocks.
     *
     * @return false if the engine has retired, and the lock is never free again.
     */
    boolean lock()
    {
        while (!tryLock())
        {
            if (isRetired)
            {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /**
     * Do nothing from now on. When this returns no thread is inside a duty cycle, and none will be again: the lock is
     * never given back.
     */
    public void retire()
    {
        while (!tryLock())
        {
            Thread.onSpinWait();
        }
        isRetired = true;
    }
}
