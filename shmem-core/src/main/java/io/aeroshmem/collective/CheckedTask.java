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

import io.aeroshmem.CollectiveMismatchException;
import io.aeroshmem.ElementType;

/**
 * A request of a team whose calls are checked (property {@code aeroshmem.check.collectives}): the members exchange
 * {@link CallRecord}s of their requests, and perform the request if all of them posted the same. Otherwise the task
 * ends with an error on all members, and nothing has been done.
 * <p>
 * The exchange is a call of its own on the mailboxes of the requests. All members sign it alike, whatever they posted,
 * and all of them derive the same outcome from the same records, so they stay in step.
 */
final class CheckedTask extends CollectiveTask
{
    private static final long EXCHANGE_SIGNATURE = CallSignature.of(CallSignature.EXCHANGE);

    private final String teamName;
    private final TeamResources resources;
    private final AlgorithmSelection selection;
    private final RequestMatching matching;
    private final CallArguments exchangeCall = new CallArguments();
    private QueuedRequest request;
    private CallArguments call;
    private CollectiveTask exchange;
    private CollectiveTask task;
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
        final long records = resources.workspace().records();
        final long own = records + (long)resources.mailboxes().myRank() * CallRecord.LENGTH;
        CallRecord.putRequest(own, call, matching.comparedInit(request), request.tag());
        exchangeCall.of(Routine.FCOLLECT, ElementType.BYTE, CallRecord.LENGTH).local(records, own);
        resources.beginCall(EXCHANGE_SIGNATURE);
        exchange = selection.task(exchangeCall);
        exchange.start(exchangeCall);
    }

    @Override
    public int poll()
    {
        if (null == exchange)
        {
            return task.poll();
        }

        final int result = exchange.poll();
        if (DONE != result)
        {
            return result;
        }

        exchange = null;
        error = CallRecord.differentRequests(
            teamName, resources.workspace().records(), resources.mailboxes().worldPes(), matching.rule());
        if (null != error || call.isEmpty())
        {
            return DONE;
        }

        resources.beginCall(call.signature());
        task.start(call);
        return MOVED;
    }
}
