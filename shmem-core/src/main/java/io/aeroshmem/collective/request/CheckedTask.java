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

import io.aeroshmem.CollectiveMismatchException;
import io.aeroshmem.ElementType;
import io.aeroshmem.collective.selection.AlgorithmSelection;
import io.aeroshmem.collective.task.BlockLengths;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CallRecord;
import io.aeroshmem.collective.task.CallSignature;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamResources;

/**
 * The task of a request on a team whose calls are checked (property {@code aeroshmem.check.collectives}). The members
 * first exchange {@link CallRecord}s of their requests. If the requests are the same, the members perform them.
 * Otherwise the task ends with an error on all members before any of them begins the request itself.
 * <p>
 * In some routines, sender and receiver each specify the count of a block. Before the members perform such a routine,
 * any two of them also send each other the lengths of the blocks that they are to exchange. Then all members exchange
 * their findings ({@link BlockLengths}). If a length differs, the task ends with an error on all members.
 */
public final class CheckedTask extends CollectiveTask
{
    private static final long EXCHANGE_SIGNATURE = CallSignature.of(CallSignature.EXCHANGE);

    private static final int COMPARING_CALLS = 0;
    private static final int COMPARING_LENGTHS = 1;
    private static final int COMPARING_FINDINGS = 2;
    private static final int RUNNING = 3;

    /*
     * Each exchange is a call of its own on the PeerMailboxes of the team's requests. The signature of this call is the
     * same on all members, whatever they posted (CallSignature.EXCHANGE). All members derive the same outcome from the
     * same records, so they stay in step.
     */
    private final String teamName;
    private final TeamResources resources;
    private final AlgorithmSelection selection;
    private final RequestMatching matching;
    private final int size;
    private final int myRank;
    private final BlockLengths lengths;
    private final CallArguments exchangeCall = new CallArguments();
    private QueuedRequest request;
    private CallArguments call;
    private CollectiveTask exchange;
    private CollectiveTask task;
    private int phase;
    private CollectiveMismatchException error;

    /**
     * @param resources of the team's requests.
     */
    CheckedTask(
        final String teamName,
        final TeamResources resources,
        final AlgorithmSelection selection,
        final RequestMatching matching)
    {
        this.teamName = teamName;
        this.resources = resources;
        this.selection = selection;
        this.matching = matching;
        size = resources.mailboxes().size();
        myRank = resources.mailboxes().myRank();
        lengths = new BlockLengths(size, myRank);
    }

    /**
     * Returns this for the next request.
     *
     * @param task that performs it.
     */
    CheckedTask of(final QueuedRequest request, final CollectiveTask task)
    {
        this.request = request;
        this.task = task;
        return this;
    }

    /** Returns the error that the request has ended with, or null. */
    CollectiveMismatchException error()
    {
        return error;
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        error = null;
        phase = COMPARING_CALLS;
        CallRecord.putRequest(record(myRank), call, matching.comparedInit(request), request.tag());
        exchangeRecords();
    }

    private long record(final int rank)
    {
        return resources.workspace().records() + (long)rank * CallRecord.LENGTH;
    }

    private void exchangeRecords()
    {
        exchange(exchangeCall.of(Routine.FCOLLECT, ElementType.BYTE, CallRecord.LENGTH)
            .local(record(0), record(myRank)));
    }

    private void exchange(final CallArguments arguments)
    {
        resources.beginCall(EXCHANGE_SIGNATURE);
        exchange = selection.task(arguments);
        exchange.start(arguments);
    }

    @Override
    public int poll()
    {
        if (RUNNING == phase)
        {
            return task.poll();
        }

        final int result = exchange.poll();
        if (DONE != result)
        {
            return result;
        }

        switch (phase)
        {
            case COMPARING_CALLS:
                return compareCalls();

            case COMPARING_LENGTHS:
                lengths.compare(call, record(myRank));
                phase = COMPARING_FINDINGS;
                exchangeRecords();
                return MOVED;

            default:
                return compareFindings();
        }
    }

    private int compareCalls()
    {
        error = CallRecord.mismatch(teamName, record(0), resources.mailboxes().worldPes(), matching.rule());
        if (null != error || call.isEmpty())
        {
            return DONE;
        }

        if (!call.routine().isOfPairedCounts())
        {
            return run();
        }

        phase = COMPARING_LENGTHS;
        exchange(lengths.exchange(exchangeCall, call));
        return MOVED;
    }

    private int compareFindings()
    {
        for (int rank = 0; rank < size; rank++)
        {
            final String difference = BlockLengths.describe(record(rank), call, resources.mailboxes());
            if (null != difference)
            {
                error = new CollectiveMismatchException("members of team " + teamName + " posted " +
                    call.routine().methodName() + " with counts that differ: " + difference);
                return DONE;
            }
        }

        return run();
    }

    private int run()
    {
        phase = RUNNING;
        resources.beginCall(call.signature());
        task.start(call);
        return MOVED;
    }
}
