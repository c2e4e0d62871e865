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

import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.team.CreationAttempt;
import io.aeroshmem.transport.endpoint.Endpoint;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A team that is being created: the state between {@code ucc_team_create_post} and the last
 * {@code ucc_team_create_test}. {@link Shmem#createTeam} and {@link Team#split} return such an object.
 * <p>
 * All participants call the same one of these two methods, and then poll until the creation ends. Unless the job fails,
 * either all participants succeed, or all of them get {@link TeamCreationException}. The outcomes can differ in two
 * cases only:
 * <ul>
 *     <li>a participant has set a time limit ({@link TeamParams#timeoutNs(long)}), and a message is in transit for more
 *     than a second;</li>
 *     <li>a participant withdraws too late, as {@link #close} describes.</li>
 * </ul>
 * <p>
 * Any thread may poll. If several threads poll at the same time, one proceeds and the others return immediately.
 */
public final class TeamCreation implements AutoCloseable
{
    private final PeIdentity identity;
    private final Endpoint endpoint;
    private final CreationAttempt attempt;
    private final TeamHoldings holdings;
    private final String problem;
    private final Supplier<Team> completion;
    private final AtomicBoolean isPolled = new AtomicBoolean();
    private volatile Team team;
    private volatile RuntimeException failure;
    private volatile boolean isClosed;

    /** Constructs a creation that is complete. */
    TeamCreation(final Team made)
    {
        this(null, null, null, null, null, null);
        team = made;
    }

    /**
     * @param holdings   of the team, released when there will be none.
     * @param problem    for messages: what did not succeed.
     * @param completion makes the handle of the team, of an attempt that has succeeded.
     */
    TeamCreation(
        final PeIdentity identity,
        final Endpoint endpoint,
        final CreationAttempt attempt,
        final TeamHoldings holdings,
        final String problem,
        final Supplier<Team> completion)
    {
        this.identity = identity;
        this.endpoint = endpoint;
        this.attempt = attempt;
        this.holdings = holdings;
        this.problem = problem;
        this.completion = completion;
    }

    /**
     * Drives progress and the creation: {@code ucc_team_create_test}. Never blocks.
     *
     * @return true if the team is made.
     * @throws TeamCreationException if there will be no team, on all participants, and again in every later call: the
     *                               participants gave different parameters, one of them has reached its number of teams
     *                               or has no memory, its time limit has passed, its out-of-band exchange has thrown or
     *                               has not delivered what the ranks sent, or it has withdrawn.
     * @throws ShmemException        if the job has failed.
     * @throws IllegalStateException if this was closed before the team was made, or the PE is closed.
     */
    public boolean poll()
    {
        if (isDone())
        {
            return true;
        }

        identity.checkOpen();
        if (!isPolled.compareAndSet(false, true))
        {
            return false;
        }

        try
        {
            return null == identity.guard() ? pollAlone() : identity.call("TeamCreation.poll", this::pollAlone);
        }
        finally
        {
            isPolled.set(false);
        }
    }

    /** Returns whether the team is made. */
    private boolean isDone()
    {
        final RuntimeException ex = failure;
        if (null != ex)
        {
            throw ex;
        }

        if (isClosed && null == team)
        {
            throw new IllegalStateException("creation must be open: it was closed before the team was made");
        }

        return null != team;
    }

    private boolean pollAlone()
    {
        if (isDone())
        {
            return true;
        }

        endpoint.progress();
        try
        {
            endpoint.checkFailure();
        }
        catch (final RuntimeException ex)
        {
            attempt.endAfterFailure();
            holdings.release();
            failure = ex;
            throw ex;
        }

        return attempt.poll() && complete();
    }

    private boolean complete()
    {
        if (!attempt.isMade())
        {
            holdings.release();
            failure = new TeamCreationException(problem + ": " + attempt.failure(), attempt.cause());
            throw failure;
        }

        team = completion.get();
        return true;
    }

    /**
     * Returns the team: what {@code ucc_team_create_test} leaves in {@code ucc_team_h}.
     *
     * @return the team, to be closed by the program; {@link Team#INVALID} after a split with a negative colour.
     * @throws IllegalStateException if {@link #poll} has not returned true.
     */
    public Team team()
    {
        final Team made = team;
        if (null == made)
        {
            throw new IllegalStateException("team must be made first: poll must have returned true");
        }

        return made;
    }

    /**
     * Withdraws from the creation, unless the team is made. The creations of the other participants then end with
     * {@link TeamCreationException}, unless this participant was already bound to its success. After success, failure
     * or a first call of this method it has no effect; a team that was made stays open.
     *
     * @throws IllegalStateException if another thread polls, or the thread level does not permit the call.
     */
    @Override
    public void close()
    {
        if (null != team || null != failure || isClosed)
        {
            return;
        }

        if (!identity.isClosed())
        {
            identity.checkCaller();
        }

        if (!isPolled.compareAndSet(false, true))
        {
            throw new IllegalStateException("creation must not be closed while another thread polls it");
        }

        try
        {
            if (null == team && null == failure && !isClosed)
            {
                isClosed = true;
                abandon();
            }
        }
        finally
        {
            isPolled.set(false);
        }
    }

    private void abandon()
    {
        if (null != endpoint.failure() || identity.isClosed())
        {
            attempt.endAfterFailure();
            holdings.release();
            return;
        }

        attempt.abandon();
        if (attempt.isMade())
        {
            completion.get().close();
        }
        else
        {
            holdings.release();
        }
    }
}
