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
import io.aeroshmem.collective.selection.AlgorithmSelection;
import io.aeroshmem.collective.selection.SynchronizedTask;
import io.aeroshmem.collective.task.BriefPolls;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CollectiveAttributes;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TaskWatch;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.Allocation;
import io.aeroshmem.sync.Stamp;
import io.aeroshmem.thread.CallerGuard;
import io.aeroshmem.transport.Fields;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.flight.FlightRecording;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The nonblocking calls of one team, driven by whichever thread polls. They have {@linkplain PeerMailboxes mailboxes}
 * of their own, so blocking calls and requests of a team do not wait for each other.
 */
public final class RequestQueue extends TaskWatch implements RequestChannel.Receiver
{
    private static final int POLLS = 16;
    /**
     * Polls of a waiting task in one poll of a caller, about 100 ns: members that post at the same time find their
     * requests complete, where taking and releasing the lock for each poll would double the latency. Messages arrive in
     * duty cycles only.
     */
    private static final int SPINS = 32;
    private static final int CHECK_MASK = 1023;
    /** Polls of a waiting task after which the call is announced to the other members. */
    private static final int ANNOUNCE_WAITS = 4096;
    private static final int FEW_POLLS = 3;
    private static final VarHandle LOCK = Fields.handle(MethodHandles.lookup(), "lock", int.class);
    private static final VarHandle PUSHED = Fields.handle(MethodHandles.lookup(), "pushed", QueuedRequest.class);
    private static final VarHandle FIRST = Fields.handle(MethodHandles.lookup(), "first", QueuedRequest.class);
    private static final VarHandle POSTS = Fields.handle(MethodHandles.lookup(), "posts", long.class);
    private static final VarHandle COMPLETIONS = Fields.handle(MethodHandles.lookup(), "completions", long.class);
    private static final VarHandle CALLER_POLLS = Fields.handle(MethodHandles.lookup(), "callerPolls", long.class);

    /*
     * Turns. Requests of the whole team are performed one after the other: in the order of their posts, or in the order
     * on which the members agree (RequestSequencer). Broadcasts among active sets proceed independently (ActiveSets).
     *
     * Ordering. The queue has a lock, whose holder owns the list of requests, the running task and the mailboxes. A
     * thread takes the lock by compare and set, and releases it by a store with release. A thread that does not get the
     * lock leaves the poll to the holder.
     *
     * A post never waits for the lock either. If it gets the lock, it appends its request to the list. Otherwise it
     * pushes the request on a stack, by compare and set. The holder takes the whole stack, with acquire, and appends
     * its requests, oldest first. A post that gets the lock takes the stack before it appends its own request, so the
     * posts of one thread keep their order. A request that is pushed while the holder is about to release the lock
     * waits for the next poll. The test or await of the request polls, and so do any blocked call and the progress
     * agent.
     *
     * Time limits. A request whose limit has passed is complete for the program, with an exception. It still stays in
     * the list until it is performed, for two reasons: other members may still perform it, and later requests are
     * matched by their order.
     */
    private final PeIdentity owner;
    /** Admits the threads that post. */
    private final CallerGuard callers;
    private final boolean isPostShared;
    private final String teamName;
    private final PeerMailboxes blockingMailboxes;
    private final Pause pause;
    private final int spins;
    private final Endpoint endpoint;
    private final AlgorithmSelection selection;
    private final RequestProgress progress;
    private final RequestMatching matching;
    private final RequestFailures failures;
    private final boolean isSynchronized;
    private final SynchronizedTask synchronizedTask;
    /** Null if requests are not checked. */
    private final CheckedTask checkedTask;
    /** Recorded with the lock held. */
    private final TeamLatency latency;
    private final RequestChannel channel;
    private final RequestSequencer sequencer;
    private final ActiveSets activeSets;
    private final BriefPolls briefPolls;

    private int lock;
    /** Thread that polls, for comparison with the current thread. */
    private Thread holder;
    private QueuedRequest pushed;
    /** Counted by the threads that post. */
    private long posts;
    /** Counted by the thread that holds the lock. */
    private long completions;
    private long callerPolls;
    /** Value of callerPolls that the agent saw last. */
    private long lastCallerPolls;

    /** Posted and not performed, oldest first. */
    private QueuedRequest first;
    private QueuedRequest last;
    /** Requests that are performed in the order of their posts. */
    private QueuedRequest firstInTurn;
    private QueuedRequest lastInTurn;
    /** The request that is being performed, and its task; or null. */
    private QueuedRequest running;
    private CollectiveTask task;
    /** A broadcast that a member has contradicted before it was posted here, or null. */
    private QueuedRequest contradicted;
    private int contradictingRank;
    private int limited;
    private int waits;
    /** Number of the call that was announced last. */
    private long announced;
    private long calls;
    private volatile ShmemException failure;

    /**
     * Constructs the queue of a team without requests.
     *
     * @param callers   the guard of the team's calls.
     * @param team      resources of the team's blocking calls, from which those of its requests are made.
     * @param latency   of the requests.
     * @param isChecked whether the members agree on each request before they perform it.
     */
    public RequestQueue(
        final PeIdentity owner,
        final CallerGuard callers,
        final String teamName,
        final TeamResources team,
        final CollectiveAttributes attributes,
        final RequestProgress progress,
        final TeamLatency latency,
        final boolean isChecked)
    {
        super(team.forRequests());
        this.latency = latency;
        this.owner = owner;
        this.callers = callers;
        this.teamName = teamName;
        this.progress = progress;
        blockingMailboxes = team.mailboxes();
        endpoint = resources.endpoint();
        pause = endpoint.pause();
        spins = endpoint.isMessaging() ? 1 : pause.polls(SPINS);
        briefPolls = new BriefPolls(pause);
        selection = new AlgorithmSelection(resources, true);
        isSynchronized = attributes.isSynchronized();
        synchronizedTask = isSynchronized ? new SynchronizedTask(resources) : null;
        channel = new RequestChannel(team.matchingMailboxes());
        activeSets = new ActiveSets(channel);
        isPostShared = attributes.isByTag();
        matching = new RequestMatching(teamName, attributes, channel);
        checkedTask = isChecked ? new CheckedTask(teamName, resources, selection, matching) : null;
        failures = new RequestFailures(endpoint, teamName, matching);
        sequencer = matching.isByPosts() ? null : new RequestSequencer(channel);
    }

    RequestMatching matching()
    {
        return matching;
    }

    /** Ends the use of a request, which is not in flight. */
    public void onClosed(final QueuedRequest request)
    {
        matching.onClosed(request);
    }

    /**
     * Runs the handler of a complete request, unless another thread has started it; returns whether it has returned.
     */
    public boolean finishHandler(final QueuedRequest request)
    {
        progress.runHandler(request);
        return request.isHandled();
    }

    /**
     * Checks that no posted request uses an allocation. A request whose limit has passed still uses its buffers until
     * it is performed. Waits for the holder of the lock.
     *
     * @throws IllegalStateException if a request does.
     */
    void checkFree(final Allocation allocation)
    {
        if (isIdle())
        {
            return;
        }

        lock();
        try
        {
            appendPushed();
            for (QueuedRequest request = first; null != request; request = request.next)
            {
                if (request.refersTo(allocation))
                {
                    throw failures.inUse(allocation, request);
                }
            }
        }
        finally
        {
            LOCK.setRelease(this, 0);
        }
    }

    private void lock()
    {
        while (!LOCK.compareAndSet(this, 0, 1))
        {
            pause.yieldThread();
        }
    }

    /** Returns whether the current thread is inside a poll: an operation of it waits, and drives progress meanwhile. */
    boolean isInPoll()
    {
        return Thread.currentThread() == holder;
    }

    /** Returns the number of requests that were posted. */
    public long posts()
    {
        return (long)POSTS.getAcquire(this);
    }

    /** Returns the number of requests that are posted and not complete. */
    public long inFlight()
    {
        final long completions = (long)COMPLETIONS.getAcquire(this);
        return (long)POSTS.getAcquire(this) - completions;
    }

    /** Returns whether there is nothing to drive. */
    boolean isIdle()
    {
        return null == (QueuedRequest)FIRST.getOpaque(this) && null == (QueuedRequest)PUSHED.getOpaque(this);
    }

    /** Announces to the other members which requests this PE has performed. */
    public void announceHistory()
    {
        mailboxes.announceHistory(history());
    }

    /** Returns whether a member, which has announced its requests, has performed others than this PE. */
    public boolean hasOtherHistory(final int rank)
    {
        return mailboxes.hasOtherHistory(rank, history());
    }

    /**
     * Other members may have performed a request that is not complete here. Taken with the lock, whose last holder may
     * have been another thread: what it has performed is then visible.
     */
    private long history()
    {
        if (isInPoll())
        {
            return PeerMailboxes.UNKNOWN_HISTORY;
        }

        lock();
        try
        {
            return null == failure && isIdle() ? resources.barrier().history() : PeerMailboxes.UNKNOWN_HISTORY;
        }
        finally
        {
            LOCK.setRelease(this, 0);
        }
    }

    /**
     * Closes the queue, in which no request is in flight; returns false if other members may still perform one that has
     * ended here, so that the traffic towards this PE's area is unknown.
     */
    public boolean close()
    {
        latency.close();
        if (null != failure || !isIdle())
        {
            if (null == failure && resources.topology().isAllMapped())
            {
                retire(new ShmemException("team " + teamName + " has been closed"));
            }

            endpoint.retain(resources.workspace());
            return false;
        }

        resources.workspace().close();
        return true;
    }

    /**
     * Posts a request, and starts it if nothing is before it.
     *
     * @throws IllegalStateException if the PE or the team is closed, another thread is in a call on the team that may
     *                               not overlap, an earlier request has left the team out of step, another one with its
     *                               tag is in flight, or a buffer was freed.
     */
    public void post(final QueuedRequest request)
    {
        owner.checkOpen();
        if (null == owner.guard())
        {
            postAlone(request);
        }
        else
        {
            owner.call("CollectiveRequest.post", () -> postAlone(request));
        }
    }

    private QueuedRequest postAlone(final QueuedRequest request)
    {
        enter();
        try
        {
            endpoint.serveRequests();
            submit(request);
            return request;
        }
        finally
        {
            leave();
        }
    }

    /** Begins posts. Where requests are matched by tag, threads need no order: posts may overlap with other calls. */
    public void enter()
    {
        if (isPostShared)
        {
            callers.enterShared();
        }
        else
        {
            callers.enter();
        }
    }

    /** Ends posts. */
    public void leave()
    {
        if (isPostShared)
        {
            callers.leaveShared();
        }
        else
        {
            callers.leave();
        }
    }

    private void submit(final QueuedRequest request)
    {
        endpoint.checkFailure();
        if (null != failure)
        {
            throw failures.outOfStep(failure);
        }

        request.checkBuffers(owner);
        final boolean isEmpty = request.call().isEmpty() && !isSynchronized &&
            (null == checkedTask || null != request.activeSet());
        if (!isEmpty)
        {
            matching.onPost(request);
        }

        request.begin(
            !isEmpty && latency.isRecording(),
            isEmpty ? null : FlightRecording.beginCollective(),
            endpoint.device(),
            pause);
        if (isEmpty)
        {
            request.onRemoved();
            request.complete(null);
            progress.onCompleted(request);
            return;
        }

        countPost();
        if (!LOCK.compareAndSet(this, 0, 1))
        {
            push(request);
            poll();
        }
        else
        {
            drive(request, spins, false);
        }
    }

    /** Counts a post: one thread at a time posts, unless requests are matched by tag. */
    private void countPost()
    {
        if (null == sequencer)
        {
            POSTS.setRelease(this, posts + 1);
        }
        else
        {
            POSTS.getAndAddRelease(this, 1L);
        }
    }

    private void push(final QueuedRequest request)
    {
        QueuedRequest top;
        do
        {
            top = (QueuedRequest)PUSHED.getAcquire(this);
            request.next = top;
        }
        while (!PUSHED.compareAndSet(this, top, request));
    }

    /** Proceeds with the requests as far as possible, unless another thread does, and returns the work count. */
    public int poll()
    {
        if (isIdle() || !LOCK.compareAndSet(this, 0, 1))
        {
            return 0;
        }

        CALLER_POLLS.setOpaque(this, callerPolls + 1);
        return drive(null, spins, true);
    }

    /**
     * Polls for a thread that may have other work. While it has, the steps of a shared call are left to threads that
     * wait, here or on other PEs, but for one step in some polls. Returns a work count above 0 if a step was left.
     */
    int pollLimited()
    {
        if (isIdle() || !LOCK.compareAndSet(this, 0, 1))
        {
            return 0;
        }

        final boolean isWaiting = null == task || !task.isShared() || briefPolls.beginPoll();
        if (!isWaiting && 0 == limited && !briefPolls.takeStep())
        {
            LOCK.setRelease(this, 0);
            return 1;
        }

        CALLER_POLLS.setOpaque(this, callerPolls + 1);
        return drive(null, spins, isWaiting);
    }

    /**
     * Polls as the agent. While callers poll, the agent leaves the requests to them: the two would only wait for each
     * other's cache lines.
     */
    int pollAsAgent()
    {
        if (isIdle())
        {
            return 0;
        }

        final long polls = (long)CALLER_POLLS.getOpaque(this);
        final boolean isDriven = polls - lastCallerPolls > FEW_POLLS;
        lastCallerPolls = polls;
        return isDriven || !LOCK.compareAndSet(this, 0, 1) ? 0 : drive(null, 1, true);
    }

    /** Polls with the lock held, and releases it. */
    private int drive(final QueuedRequest postedOrNull, final int spins, final boolean isWaiting)
    {
        holder = Thread.currentThread();
        try
        {
            return pollLocked(postedOrNull, spins, isWaiting);
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

    private int pollLocked(final QueuedRequest postedOrNull, final int spins, final boolean isWaiting)
    {
        if (null != (QueuedRequest)PUSHED.getOpaque(this))
        {
            appendPushed();
        }

        if (null != postedOrNull)
        {
            append(postedOrNull);
        }

        if (null != failure)
        {
            failAll();
            return 1;
        }

        if (null != contradicted)
        {
            throw failures.mismatch(mailboxes.worldPe(contradictingRank), contradicted);
        }

        endpoint.checkFailure();
        final long nowNs = limited > 0 ? pause.nanoTime() : 0;
        int work = null == sequencer || null == first ? 0 : sequencer.poll(this);
        if (!activeSets.posted().isEmpty())
        {
            work += pollActiveSets();
        }

        work += pollTasks(nowNs, spins, isWaiting);
        if (null == running && null != first && CHECK_MASK == (waits++ & CHECK_MASK))
        {
            checkMatching();
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

    private int pollTasks(final long nowNs, final int spins, final boolean isWaiting)
    {
        int work = 0;
        for (int i = 0; i < POLLS; i++)
        {
            int result;
            if (null == running)
            {
                running = nextInTurn();
                if (null == running)
                {
                    break;
                }

                result = start(running);
            }
            else if (!isWaiting && i > 0 && task.isShared())
            {
                break;
            }
            else
            {
                result = task.poll();
            }

            for (int spin = 1; CollectiveTask.WAITING == result && spin < spins; spin++)
            {
                result = task.poll();
            }

            if (CollectiveTask.WAITING == result &&
                (CHECK_MASK == (waits++ & CHECK_MASK) ||
                limited > 0 && running.isOverdue(nowNs) && !running.isComplete()))
            {
                announceCall();
                result = pollAndCheck(task);
            }

            if (CollectiveTask.WAITING == result)
            {
                break;
            }

            work++;
            pause.step();
            if (CollectiveTask.DONE == result)
            {
                final QueuedRequest ended = running;
                running = null;
                task = null;
                end(ended, null == checkedTask ? null : checkedTask.error());
            }
        }

        return work;
    }

    /**
     * Announces the running call, which has waited for long. Members that post different requests may all wait for each
     * other, while no signal shows that the requests differ; so each compares the announced calls of the others with
     * its own. Checked calls are compared before they are performed, and not announced.
     */
    private void announceCall()
    {
        if (waits > ANNOUNCE_WAITS && announced != calls && null == checkedTask)
        {
            announced = calls;
            mailboxes.announceCall();
        }
    }

    @Override
    protected void checkCalls()
    {
        if (null != checkedTask)
        {
            return;
        }

        for (int rank = 0; rank < mailboxes.size(); rank++)
        {
            final long other = mailboxes.otherCall(rank);
            if (rank != mailboxes.myRank() && Stamp.NONE != other)
            {
                throw mismatch(mailboxes.worldPe(rank), other);
            }
        }
    }

    private QueuedRequest nextInTurn()
    {
        if (null != sequencer)
        {
            return sequencer.next();
        }

        final QueuedRequest next = firstInTurn;
        if (null != next)
        {
            firstInTurn = next.nextInTurn;
            next.nextInTurn = null;
        }

        return next;
    }

    private int start(final QueuedRequest request)
    {
        final CallArguments call = request.call();
        calls++;
        waits = 0;
        beginWait();
        task = null == request.device() ? selection.task(call) : selection.task(call, request.device());
        if (null != synchronizedTask)
        {
            task = synchronizedTask.of(task);
        }

        if (null == checkedTask)
        {
            resources.beginCall(call.signature());
        }
        else
        {
            task = checkedTask.of(request, task);
        }

        task.start(call);
        return task.poll();
    }

    private int pollActiveSets()
    {
        int work = activeSets.receive(this);
        final List<QueuedRequest> posted = activeSets.posted();
        for (int i = 0; i < posted.size(); i++)
        {
            final QueuedRequest request = posted.get(i);
            final int result = request.activeSet().poll();
            work += CollectiveTask.WAITING == result ? 0 : 1;
            if (CollectiveTask.DONE == result)
            {
                end(request, null);
                i--;
            }
        }

        return work;
    }

    @Override
    public void onMessage(final int rank, final int kind, final int keys, final long address)
    {
        if (RequestChannel.ANNOUNCED == kind || RequestChannel.AGREED == kind)
        {
            sequencer.onKeys(rank, kind, keys, address);
            return;
        }

        final QueuedRequest request = activeSets.onMessage(rank, kind, address);
        if (null != request)
        {
            throw failures.mismatch(mailboxes.worldPe(rank), request);
        }
    }

    private void appendPushed()
    {
        QueuedRequest top = (QueuedRequest)PUSHED.getAndSet(this, null);
        QueuedRequest oldest = null;
        while (null != top)
        {
            final QueuedRequest earlier = top.next;
            top.next = oldest;
            oldest = top;
            top = earlier;
        }

        while (null != oldest)
        {
            final QueuedRequest later = oldest.next;
            append(oldest);
            oldest = later;
        }
    }

    private void append(final QueuedRequest request)
    {
        request.next = null;
        request.previous = last;
        if (null == first)
        {
            first = request;
        }
        else
        {
            last.next = request;
        }

        last = request;
        limited += request.isLimited() ? 1 : 0;

        if (null != request.activeSet())
        {
            // after a failure no memory is accessed: that of a closed PE is gone
            final int rank = null == failure ? activeSets.add(request) : PeerMailboxes.NO_RANK;
            if (PeerMailboxes.NO_RANK != rank)
            {
                contradicted = request;
                contradictingRank = rank;
            }
        }
        else if (null != sequencer)
        {
            sequencer.add(request);
        }
        else if (null == firstInTurn)
        {
            firstInTurn = request;
            lastInTurn = request;
        }
        else
        {
            lastInTurn.nextInTurn = request;
            lastInTurn = request;
        }
    }

    /** Removes a request, then completes it, unless its limit has passed: from then on it may be posted again. */
    private void end(final QueuedRequest request, final ShmemException errorOrNull)
    {
        final boolean isTimedOut = request.isComplete();
        unlink(request);
        limited -= request.isLimited() ? 1 : 0;
        if (null != request.activeSet())
        {
            activeSets.remove(request);
        }
        else if (null != sequencer)
        {
            sequencer.remove(request);
        }

        if (isTimedOut)
        {
            request.onRemoved();
        }
        else
        {
            matching.onComplete(request);
            request.onRemoved();
            complete(request, errorOrNull);
        }
    }

    private void unlink(final QueuedRequest request)
    {
        if (null == request.previous)
        {
            first = request.next;
        }
        else
        {
            request.previous.next = request.next;
        }

        if (null == request.next)
        {
            last = request.previous;
        }
        else
        {
            request.next.previous = request.previous;
        }

        request.next = null;
        request.previous = null;
    }

    private void complete(final QueuedRequest request, final ShmemException errorOrNull)
    {
        if (null == errorOrNull)
        {
            request.record(latency, pause);
        }

        request.complete(errorOrNull);
        COMPLETIONS.setRelease(this, completions + 1);
        progress.onCompleted(request);
    }

    private void expire(final long nowNs)
    {
        for (QueuedRequest request = first; null != request; request = request.next)
        {
            if (request.isOverdue(nowNs) && !request.isComplete())
            {
                matching.onComplete(request);
                complete(request, failures.timeout(request, describeMissing(request)));
            }
        }
    }

    private String describeMissing(final QueuedRequest request)
    {
        if (null != request.activeSet())
        {
            return activeSets.describeMissing(request);
        }

        if (request == running)
        {
            return PeerMailboxes.NO_RANK == missingPe() ? "" : ": waiting for PE " + missingPe();
        }

        return null == sequencer ? ": earlier requests on the team are not complete" :
            sequencer.describeMissing(request.key());
    }

    /** Fails the job if a request waits for a post of a member that is gone. */
    private void checkMatching()
    {
        for (int rank = 0; rank < mailboxes.size(); rank++)
        {
            if (rank != mailboxes.myRank() && hasLeft(rank))
            {
                channel.receive(rank, this);
                final QueuedRequest broadcast = activeSets.waitingFor(rank);
                final QueuedRequest request =
                    null == broadcast && null != sequencer ? sequencer.missingAt(rank) : broadcast;
                if (null != request)
                {
                    throw gone(rank, request);
                }
            }
        }
    }

    /** Returns whether nothing more arrives from a member in this call. What it sent in the call before has arrived. */
    @Override
    protected boolean isGone(final int rank)
    {
        return hasLeft(rank) || mailboxes.hasPassedCall(rank);
    }

    /** Returns whether a member posts nothing more. What it sent before has arrived. */
    private boolean hasLeft(final int rank)
    {
        return endpoint.isFinalizing(mailboxes.worldPe(rank)) || blockingMailboxes.hasClosed(rank);
    }

    @Override
    protected RuntimeException mismatch(final int pe, final long other)
    {
        return failures.mismatch(pe, other, resources.barrier().signature(), calls);
    }

    @Override
    protected RuntimeException gone(final int rank)
    {
        return gone(rank, running);
    }

    /** Returns the team, as its own description does. */
    public String describeTeam()
    {
        return "Team{" + teamName + ", rank " + mailboxes.myRank() + " of " + mailboxes.size() + ", on " + owner + "}";
    }

    private RuntimeException gone(final int rank, final QueuedRequest request)
    {
        return failures.gone(
            mailboxes.worldPe(rank), hasLeft(rank), request, request == running ? ", request " + calls : "");
    }

    /**
     * Retires the queue: from then on no thread takes part in a request, or accesses memory. Requests that are queued
     * fail. A request whose post has not noticed the end fails in the next poll.
     */
    void retire(final ShmemException reason)
    {
        lock();
        try
        {
            failure = reason;
            appendPushed();
            failAll();
        }
        finally
        {
            LOCK.setRelease(this, 0);
        }
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
            end(first, failure);
        }

        running = null;
        task = null;
    }
}
