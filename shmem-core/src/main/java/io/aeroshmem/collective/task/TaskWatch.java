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
package io.aeroshmem.collective.task;

import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.sync.Barrier;
import io.aeroshmem.sync.Stamp;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * The watchdog of a team's blocking calls ({@code CollectiveEngine}) or of its requests ({@code RequestQueue}). When a
 * task has waited for a long time, the thread that polls the task makes some of the polls through this class. Such a
 * poll also checks that the awaited signals can still arrive. If they cannot, the job fails. Only the thread that polls
 * the task uses this class.
 */
public abstract class TaskWatch
{
    /** Of the team's calls, or of its requests. */
    protected final TeamResources resources;
    protected final PeerMailboxes mailboxes;
    protected final Barrier barrier;
    private final IntPredicate goneRanks = this::isGone;
    private int missingPe = PeerMailboxes.NO_RANK;

    protected TaskWatch(final TeamResources resources)
    {
        this.resources = resources;
        mailboxes = resources.mailboxes();
        barrier = resources.barrier();
    }

    /**
     * Returns the message that a call or request on a team is rejected with, since an earlier one ended with an
     * exception. A predefined team cannot be closed.
     */
    public static String outOfStep(final String teamName, final String callName)
    {
        final boolean isPredefined =
            Arrays.stream(PredefinedTeam.values()).anyMatch((which) -> which.name().equals(teamName));
        return "team " + teamName + " is out of step with its other members, as an earlier " + callName +
            " on it ended with an exception; " +
            (isPredefined ? "the job must end, as the team is predefined" : "it must be closed");
    }

    /** Begins the wait of a task, which no PE is known to be missing in. */
    protected final void beginWait()
    {
        missingPe = PeerMailboxes.NO_RANK;
    }

    /** Returns the PE that the last check found missing, or {@link PeerMailboxes#NO_RANK}. */
    protected final int missingPe()
    {
        return missingPe;
    }

    /** Polls, and checks that what the task waits for can still arrive. */
    protected final int pollAndCheck(final CollectiveTask task)
    {
        mailboxes.watch(goneRanks);
        try
        {
            int result = task.poll();
            if (CollectiveTask.WAITING == result)
            {
                final int goneRank = checkMissing();
                if (PeerMailboxes.NO_RANK != goneRank)
                {
                    mailboxes.watch(goneRanks);
                    result = task.poll();
                    if (CollectiveTask.WAITING == result && goneRank == checkMissing())
                    {
                        throw gone(goneRank);
                    }
                }
            }

            return result;
        }
        finally
        {
            mailboxes.stopWatching();
        }
    }

    /**
     * Throws if a member that the task waits for has made another call; returns the rank of a member that the task
     * waits for and that is gone, or {@link PeerMailboxes#NO_RANK}.
     */
    private int checkMissing()
    {
        if (PeerMailboxes.NO_RANK != mailboxes.mismatchRank())
        {
            throw mismatch(mailboxes.worldPe(mailboxes.mismatchRank()), mailboxes.mismatch());
        }

        final int barrierPe = barrier.pendingPe();
        if (Stamp.NONE != barrier.mismatch())
        {
            throw mismatch(barrierPe, barrier.mismatch());
        }

        checkCalls();
        if (PeerMailboxes.NO_RANK != mailboxes.missingRank())
        {
            missingPe = mailboxes.worldPe(mailboxes.missingRank());
            return mailboxes.goneRank();
        }

        missingPe = barrierPe;
        final int rank = mailboxes.rank(barrierPe);
        return PeerMailboxes.NO_RANK != rank && isGone(rank) ? rank : PeerMailboxes.NO_RANK;
    }

    /** Returns whether nothing more arrives from a member. What it sent before has arrived. */
    protected abstract boolean isGone(int rank);

    /** Throws if other means than the mailboxes show that a member has made another call. */
    protected void checkCalls()
    {
    }

    /** Fails the job because a PE has made another call; returns the exception to throw. */
    protected abstract RuntimeException mismatch(int pe, long otherSignature);

    /** Fails the job because a member that the task waits for is gone; returns the exception to throw. */
    protected abstract RuntimeException gone(int rank);
}
