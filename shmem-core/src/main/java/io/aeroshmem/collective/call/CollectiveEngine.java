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
package io.aeroshmem.collective.call;

import io.aeroshmem.collective.algorithm.BarrierTask;
import io.aeroshmem.collective.request.RequestArguments;
import io.aeroshmem.collective.request.RequestProgress;
import io.aeroshmem.collective.request.RequestQueue;
import io.aeroshmem.collective.selection.AlgorithmSelection;
import io.aeroshmem.collective.selection.AlgorithmTable;
import io.aeroshmem.collective.selection.SynchronizedTask;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CallRecord;
import io.aeroshmem.collective.task.CallSignature;
import io.aeroshmem.collective.task.CollectiveAttributes;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TaskWatch;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.WorldSync;
import io.aeroshmem.thread.CallerGuard;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.device.DeviceMemory;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.endpoint.TransportListener;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.progress.BlockedCall;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.UnsafeApi;

/**
 * The executor of the blocking collective calls of one team: it selects a task from the {@link AlgorithmTable}, and
 * polls the task to completion. Tasks are created on first use and kept.
 */
public final class CollectiveEngine extends TaskWatch implements BlockedCall, TransportListener
{
    /** Polls before the first round of waiting, where no messages have to be driven. */
    private static final int SPINS = 400;

    private static final String BARRIER = Routine.BARRIER.methodName();
    private static final long BARRIER_SIGNATURE = CallSignature.of(Routine.BARRIER.ordinal());
    private static final long SYNC_SIGNATURE = CallSignature.of(Routine.SYNC.ordinal());
    private static final long HEAP_SIGNATURE = CallSignature.of(CallSignature.HEAP);
    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    /*
     * Calls that cannot complete. All members number the calls of the team alike. Slots, grants and releases
     * (PeerMailboxes), and the signals of barriers, carry a sync.Stamp with the CallSignature of the call. A call that
     * has waited for a while fails the job in two cases:
     * - A member has made another call under the same number: its stamp, or the call that it has published
     *   (job.PeActivities), has another signature.
     * - The awaited member sends nothing more for this call: it has closed its PE or the team, or is blocked in a later
     *   call. When this PE observes that, everything that the member sent before has arrived here. So if one more poll
     *   does not find the signal, the signal will never arrive.
     * A call that ends with an exception after it has begun leaves this PE out of step with the other members. The team
     * then serves no further call.
     */
    private final PeIdentity owner;
    private final String teamName;
    private final String place;
    private final long teamKey;
    /** Name of the last call on the heap. */
    private String heapCall;
    private final Endpoint endpoint;
    private final BlockingWait waiting;
    private final CollectiveTask barrierTask;
    private final CallerGuard guard;
    private final Pause pause;
    private final int spins;
    private final AlgorithmSelection selection;
    /** Null unless the team is synchronised. */
    private final SynchronizedTask synchronizedTask;
    private final RequestProgress requestProgress;
    private final CollectiveAttributes attributes;
    /** Created under the monitor of this object, like the arguments. */
    private volatile RequestQueue requests;
    private RequestArguments requestArguments;
    private final TeamLatency latency;
    private final boolean isChecked;
    private long calls;
    /** Written by the thread that calls. */
    private boolean isOutOfStep;
    /** Written by the thread that changes the transports. */
    private boolean isPlain;
    /** Written by the thread that closes the team or the PE. */
    private volatile boolean isHistoryAnnounced;

    /**
     * @param attributes of which this obeys the synchronisation, and the queue of requests all.
     * @param latency    of the blocking calls.
     * @param isChecked  whether the members agree on each call before they perform it.
     */
    public CollectiveEngine(
        final PeIdentity owner,
        final String teamName,
        final TeamResources resources,
        final CollectiveAttributes attributes,
        final RequestProgress requestProgress,
        final TeamLatency latency,
        final boolean isChecked)
    {
        super(resources);
        this.attributes = attributes;
        this.latency = latency;
        this.isChecked = isChecked;
        this.requestProgress = requestProgress;
        synchronizedTask = attributes.isSynchronized() ?
            new SynchronizedTask(resources) : null;
        this.owner = owner;
        this.teamName = teamName;
        place = " on team " + teamName;
        teamKey = key(teamName);
        guard = new CallerGuard(teamName);
        endpoint = resources.endpoint();
        endpoint.register(this);
        waiting = endpoint.blockingWait();
        barrierTask = new BarrierTask(resources);
        pause = endpoint.pause();
        spins = endpoint.isMessaging() ? 0 : pause.polls(SPINS);
        selection = new AlgorithmSelection(resources, false);
    }

    private static long key(final String teamName)
    {
        long key = 1;
        for (int i = 0; i < teamName.length(); i++)
        {
            key = (key ^ teamName.charAt(i)) * HASH_FACTOR;
            key ^= key >>> Integer.SIZE;
        }

        return key & Long.MAX_VALUE | 1;
    }

    /** Returns the name of the team, the same on all members. */
    public String teamName()
    {
        return teamName;
    }

    public CollectiveAttributes attributes()
    {
        return attributes;
    }

    public TeamResources resources()
    {
        return resources;
    }

    /** Returns the queue of the team's requests, made at the first call. */
    public synchronized RequestQueue requests()
    {
        if (null == requests)
        {
            requests = new RequestQueue(
                owner, guard, teamName, resources, attributes, requestProgress, latency.forRequests(), isChecked);
            requestProgress.add(requests);
        }

        return requests;
    }

    /** Returns what makes requests for the queue. */
    public synchronized RequestArguments requestArguments()
    {
        if (null == requestArguments)
        {
            requestArguments = new RequestArguments(owner, mailboxes.size(), mailboxes.myRank(), requests());
        }

        return requestArguments;
    }

    /** Returns whether every call begins and ends with a barrier. */
    boolean isSynchronized()
    {
        return null != synchronizedTask;
    }

    /** Returns whether requests of the team are in flight. */
    public synchronized boolean hasRequestsInFlight()
    {
        if (null == requests)
        {
            return false;
        }

        requests.poll();
        return requests.inFlight() > 0;
    }

    /** Closes the queue of the team's requests, of which none is in flight; returns whether it left none behind. */
    public synchronized boolean closeRequests()
    {
        if (null == requests)
        {
            return true;
        }

        final boolean isDrained = requests.close();
        requestProgress.remove(requests);
        return isDrained;
    }

    /**
     * Returns the number of calls that this PE has begun on the team, and of requests that it has posted. Any thread;
     * the number of calls is a plain field of the thread that calls.
     */
    long collectives()
    {
        final RequestQueue requests = this.requests;
        return calls + (null == requests ? 0 : requests.posts());
    }

    /** Returns the guard that admits one thread at a time to the calls of the team. */
    public CallerGuard guard()
    {
        return guard;
    }

    /** Returns whether a call has ended in mid-step. The traffic towards this PE's area is unknown then. */
    public boolean isOutOfStep()
    {
        return isOutOfStep;
    }

    /**
     * Returns whether a call needs no step but the validation of its arguments and its performance: the thread level
     * allows all calls, calls are not checked, no device is attached, and the team is in step.
     */
    boolean isPlain()
    {
        return isPlain && !isOutOfStep;
    }

    /** Returns the latency of the blocking calls. */
    TeamLatency latency()
    {
        return latency;
    }

    /** Returns whether the members agree on each call before they perform it. */
    boolean isChecked()
    {
        return isChecked;
    }

    /** Throws if the team cannot serve calls any more: because its job has failed, or because it is out of step. */
    public void checkInStep()
    {
        if (isOutOfStep)
        {
            waiting.checkFailure();
            throw new IllegalStateException(outOfStep(teamName, "call"));
        }
    }

    /**
     * Completes what this PE has issued, then waits for all members. The call begins with the wait: if the completion
     * ends with an exception, the call does not count.
     */
    public void barrier()
    {
        complete(BARRIER);
        awaitAll();
    }

    /**
     * Completes what this PE has issued.
     *
     * @param callName name of the program's call.
     */
    public void complete(final String callName)
    {
        barrier.complete(callName);
    }

    /** Performs a barrier on a PE that has completed what it issued. */
    void awaitAll()
    {
        begin(BARRIER_SIGNATURE);
        performSync();
    }

    /** Waits for all members. */
    public void sync()
    {
        begin(SYNC_SIGNATURE);
        performSync();
    }

    /**
     * Returns the synchronisation of calls on the heap. A heap call counts as a call of the team from
     * {@link WorldSync#begin} on; one whose arguments its PE rejects does not count.
     */
    public WorldSync heapSync()
    {
        return new WorldSync()
        {
            @Override
            public void begin(final String callName)
            {
                heapCall = callName;
                CollectiveEngine.this.begin(HEAP_SIGNATURE);
            }

            @Override
            public void complete(final String callName)
            {
                barrier.complete(callName);
            }

            @Override
            public void barrier()
            {
                try
                {
                    barrier.complete(heapCall);
                }
                catch (final Throwable ex)
                {
                    outOfStep();
                    throw ex;
                }

                performSync();
            }

            @Override
            public void abandon()
            {
                outOfStep();
            }

            @Override
            public void await(final long address, final long value, final int writer)
            {
                if (UnsafeApi.getLongAcquire(null, address) < value)
                {
                    awaitTask(new WordTask(address, value, mailboxes.rank(writer)));
                }
            }
        };
    }

    /** Begins a call. None of it may have to wait, for example on a team of one, so the failure is checked here. */
    private void begin(final long signature)
    {
        waiting.checkFailure();
        calls++;
        barrier.sign(signature);
    }

    private void performSync()
    {
        try
        {
            if (!barrier.trySync())
            {
                awaitTask(barrierTask);
            }
        }
        catch (final Throwable ex)
        {
            outOfStep();
            throw ex;
        }
    }

    /**
     * Performs a call on host memory.
     *
     * @param call checked arguments, equal on all members.
     */
    public void run(final CallArguments call)
    {
        run(call, selection.task(call));
    }

    /**
     * Performs a call on memory of the host or of a device.
     *
     * @param call checked arguments, equal on all members but for the places of blocks in memory of different kinds.
     */
    void runOnAnyMemory(final CallArguments call)
    {
        final DeviceMemory device = endpoint.device();
        run(call, null == device ? selection.task(call) : selection.task(call, device));
    }

    private void run(final CallArguments call, final CollectiveTask selected)
    {
        final CollectiveTask task = isSynchronized() ? synchronizedTask.of(selected) : selected;
        try
        {
            begin(call.signature());
            mailboxes.beginCall(barrier.signature());
            mailboxes.beginStep();
            task.start(call);
            int spins = this.spins;
            int result = task.poll();
            while (CollectiveTask.DONE != result)
            {
                if (CollectiveTask.WAITING == result)
                {
                    if (--spins < 0)
                    {
                        awaitTask(task);
                        break;
                    }
                }
                else
                {
                    pause.step();
                }

                result = task.poll();
            }
        }
        catch (final Throwable ex)
        {
            outOfStep();
            endpoint.retain(resources.workspace());
            throw ex;
        }
    }

    /** Announces to the other members that this PE makes no more calls on the team, unless the job has failed. */
    public void announceClose()
    {
        if (null == endpoint.failure())
        {
            announceHistory();
            mailboxes.close();
        }
    }

    /** Announces to the other members which calls this PE has made on the team, unless it has announced that before. */
    void announceHistory()
    {
        if (!isHistoryAnnounced)
        {
            isHistoryAnnounced = true;
            mailboxes.announceHistory(history());
            if (null != requests)
            {
                requests.announceHistory();
            }
        }
    }

    private long history()
    {
        return isOutOfStep ? PeerMailboxes.UNKNOWN_HISTORY : barrier.history();
    }

    /**
     * Compares the calls that this PE has made on the team with those of the members that have announced theirs. If a
     * member has made others, the job fails.
     *
     * @param haveAllAnnounced whether all members have, and not only those that have closed the team.
     * @return the failure, or null.
     */
    public RuntimeException differentHistory(final boolean haveAllAnnounced)
    {
        for (int rank = 0; rank < mailboxes.size(); rank++)
        {
            if (null == endpoint.failure() && (haveAllAnnounced || mailboxes.hasClosed(rank)) &&
                (mailboxes.hasOtherHistory(rank, history()) || null != requests && requests.hasOtherHistory(rank)))
            {
                final int pe = mailboxes.worldPe(rank);
                return endpoint.failed(new JobFailure(
                    JobFailure.Kind.MISMATCH, pe, -1, "PE " + pe + " and PE " + endpoint.pe() +
                    " have made different calls" + place + ": all members must make the same calls in the same order" +
                    " (aeroshmem.check.collectives finds the first that differs)"));
            }
        }

        return null;
    }

    /** While a device is attached, calls may be on its memory. */
    @Override
    public void onTransportsChanged()
    {
        isPlain = null == owner.guard() && !isChecked && null == endpoint.device();
    }

    private void outOfStep()
    {
        isOutOfStep = true;
        owner.outOfStep(teamName);
    }

    private void awaitTask(final CollectiveTask task)
    {
        final long deadlineNs = waiting.operationDeadline();
        beginWait();
        int round = 0;
        int result = CollectiveTask.WAITING;
        do
        {
            if (CollectiveTask.WAITING == result)
            {
                round = waiting.idle(round, deadlineNs, this);
            }
            else
            {
                waiting.reset(round, this);
                round = 0;
                endpoint.flush();
                waiting.checkFailure();
                pause.step();
            }

            result = BlockingWait.isCheckDue(round) ? pollAndCheck(task) : task.poll();
        }
        while (CollectiveTask.DONE != result);
        waiting.reset(round, this);
    }

    /** Returns whether nothing more arrives from a member in this call. What it sent in the call before has arrived. */
    @Override
    protected boolean isGone(final int rank)
    {
        final int pe = mailboxes.worldPe(rank);
        return endpoint.isFinalizing(pe) ||
            mailboxes.hasClosed(rank) ||
            endpoint.activities().isPast(pe, teamKey, calls);
    }

    @Override
    protected void checkCalls()
    {
        for (int rank = 0; rank < mailboxes.size(); rank++)
        {
            final int pe = mailboxes.worldPe(rank);
            final long other = endpoint.activities().mismatch(pe, teamKey, calls, signature());
            if (other >= 0)
            {
                throw mismatch(pe, other);
            }
        }
    }

    @Override
    protected RuntimeException mismatch(final int pe, final long other)
    {
        return endpoint.failed(new JobFailure(
            JobFailure.Kind.MISMATCH, pe, -1, "PE " + pe + " called " + CallSignature.describe(other, signature()) +
            " and PE " + endpoint.pe() + " called " + ownCall() + " as call " + calls +
            place + ": all members must make the same calls in the same order" +
            " (aeroshmem.check.collectives names all arguments)"));
    }

    @Override
    protected RuntimeException gone(final int rank)
    {
        final int pe = mailboxes.worldPe(rank);
        final String own = "PE " + endpoint.pe() + " waits for it in " + name() + place + ", call " + calls;
        if (endpoint.isFinalizing(pe))
        {
            return endpoint.failed(new JobFailure(
                JobFailure.Kind.PE_FAILED, pe, -1, "PE " + pe + " called close, and " + own));
        }

        final String other = mailboxes.hasClosed(rank) ? " closed team " + teamName :
            " called something else before " + endpoint.activities().get(pe).text();
        return endpoint.failed(new JobFailure(
            JobFailure.Kind.MISMATCH, pe, -1, "PE " + pe + other + ", and " + own +
            ": all members must make the same calls in the same order"));
    }

    /** Called in waits, so without allocation. */
    @Override
    public String name()
    {
        return switch (CallSignature.kind(signature()))
        {
            case CallSignature.EXCHANGE -> CallRecord.methodName(exchangedRecord());
            case CallSignature.HEAP -> heapCall;
            default -> CallSignature.methodName(signature());
        };
    }

    private String ownCall()
    {
        return switch (CallSignature.kind(signature()))
        {
            case CallSignature.EXCHANGE -> CallRecord.describe(exchangedRecord());
            case CallSignature.HEAP -> heapCall;
            default -> CallSignature.describe(signature(), 0);
        };
    }

    /** Returns the address of the record of the program's call, which the members exchange. */
    private long exchangedRecord()
    {
        return resources.workspace().records() + (long)mailboxes.myRank() * TeamWorkspace.RECORD_LENGTH;
    }

    @Override
    public String place()
    {
        return place;
    }

    @Override
    public long team()
    {
        return teamKey;
    }

    @Override
    public long number()
    {
        return calls;
    }

    @Override
    public long signature()
    {
        return barrier.signature();
    }

    @Override
    public String missing()
    {
        final int pe = barrier.pendingPe() < 0 ? missingPe() : barrier.pendingPe();
        return PeerMailboxes.NO_RANK == pe ? "" : "PE " + pe;
    }

    /** The wait of a heap call for a word that one member writes. */
    private final class WordTask extends CollectiveTask
    {
        private final long address;
        private final long value;
        private final int writerRank;

        WordTask(final long address, final long value, final int writerRank)
        {
            this.address = address;
            this.value = value;
            this.writerRank = writerRank;
        }

        @Override
        public void start(final CallArguments call)
        {
        }

        @Override
        public int poll()
        {
            if (UnsafeApi.getLongAcquire(null, address) >= value)
            {
                return DONE;
            }

            mailboxes.onWait(writerRank);
            return WAITING;
        }
    }
}
