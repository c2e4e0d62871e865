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

import io.aeroshmem.CollectiveMismatchException;
import io.aeroshmem.ElementType;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CallRecord;
import io.aeroshmem.collective.task.CallSignature;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamWorkspace;
import org.agrona.UnsafeApi;

/**
 * An internal call of a team, by which each member sends one record to all other members. It serves the creation of
 * teams, the agreement on a call (property {@code aeroshmem.check.collectives}), and the exchange of the counts of a
 * collect. The received records are in private memory, in the order of ranks, until the next exchange overwrites them.
 * The calling thread must have entered the team's {@link io.aeroshmem.thread.CallerGuard}.
 */
public final class CallRecords
{
    private static final long EXCHANGE_SIGNATURE = CallSignature.of(CallSignature.EXCHANGE);

    private final CollectiveEngine engine;
    private final TeamWorkspace workspace;
    private final int myRank;
    private final CallArguments call = new CallArguments();
    private int omitted;

    CallRecords(final CollectiveEngine engine)
    {
        this.engine = engine;
        workspace = engine.resources().workspace();
        myRank = engine.resources().mailboxes().myRank();
    }

    /** Returns the address of the record that this member contributes to the next exchange. */
    public long own()
    {
        return of(myRank);
    }

    /** Returns the address of the record that a member contributed to the last exchange. */
    public long of(final int rank)
    {
        return workspace.records() + (long)rank * TeamWorkspace.RECORD_LENGTH;
    }

    /** Exchanges the records. Collective. */
    public void exchange()
    {
        exchange(EXCHANGE_SIGNATURE);
    }

    /**
     * Exchanges the records, and checks that all members make the same call, and that all of them or none can perform
     * it. Otherwise none has begun its call, and the team can serve the next one. Collective.
     *
     * @throws CollectiveMismatchException on all members, if not.
     */
    void agree()
    {
        UnsafeApi.putLong(null, own() + CallRecord.OMITTED, omitted);
        omitted = 0;
        exchange();
        final CollectiveMismatchException mismatch = CallRecord.mismatch(
            engine.teamName(), of(0), engine.resources().mailboxes().worldPes(), null);
        if (null != mismatch)
        {
            throw mismatch;
        }
    }

    /** Notes a call on the heap that has no effect: the next record names it. */
    void omitHeapCall(final int kind)
    {
        omitted = kind;
    }

    /**
     * Exchanges the records as part of a call.
     *
     * @param signature of the call.
     */
    void exchange(final long signature)
    {
        engine.checkInStep();
        engine.run(fill(call, workspace, myRank, signature));
    }

    /** Fills in the call that exchanges the records of a team, each of which is at its place in the workspace. */
    public static CallArguments fill(
        final CallArguments call, final TeamWorkspace workspace, final int myRank, final long signature)
    {
        final long records = workspace.records();
        return call.of(Routine.FCOLLECT, ElementType.BYTE, TeamWorkspace.RECORD_LENGTH)
            .local(records, records + (long)myRank * TeamWorkspace.RECORD_LENGTH)
            .sign(signature);
    }
}
