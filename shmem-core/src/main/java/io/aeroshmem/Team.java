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

import io.aeroshmem.job.PeIdentity;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.rma.RmaContext;
import io.aeroshmem.sync.Barrier;
import io.aeroshmem.team.Membership;
import io.aeroshmem.transport.Endpoint;
import org.agrona.concurrent.AtomicBuffer;

/**
 * A set of PEs that act together, numbered from 0: {@code shmem_team_t}, {@code nvshmem_team_t}. The object is one
 * PE's handle on the team.
 * <p>
 * Collective calls are made by all members, in the same order, by one thread at a time of each PE.
 */
public final class Team implements AutoCloseable
{
    /**
     * No team: {@code SHMEM_TEAM_INVALID}, {@code NVSHMEM_TEAM_INVALID}. What is collective throws
     * {@link IllegalStateException} on it.
     */
    public static final Team INVALID = new Team("INVALID", null, null, null, null, null);

    private static final int NOT_A_MEMBER = -1;

    private final String name;
    private final PeIdentity identity;
    private final Endpoint endpoint;
    private final Membership membership;
    private final Barrier barrier;
    private final TeamConfig config;

    Team(
        final String name,
        final PeIdentity identity,
        final Endpoint endpoint,
        final Membership membership,
        final Barrier barrier,
        final TeamConfig config)
    {
        this.name = name;
        this.identity = identity;
        this.endpoint = endpoint;
        this.membership = membership;
        this.barrier = barrier;
        this.config = config;
    }

    /**
     * Rank of this PE in the team: {@code shmem_team_my_pe}.
     *
     * @return 0 to {@link #nPes()} - 1, or -1 on {@link #INVALID}.
     */
    public int myPe()
    {
        return null == membership ? NOT_A_MEMBER : membership.myRank();
    }

    /**
     * Number of members: {@code shmem_team_n_pes}.
     *
     * @return 1 or more, or -1 on {@link #INVALID}.
     */
    public int nPes()
    {
        return null == membership ? NOT_A_MEMBER : membership.size();
    }

    /**
     * What the team was created with: {@code shmem_team_get_config}.
     *
     * @return a copy; all defaults for a predefined team.
     * @throws IllegalStateException on {@link #INVALID}.
     */
    public TeamConfig config()
    {
        checkValid();
        return new TeamConfig().numContexts(config.numContexts()).mask(config.mask());
    }

    /**
     * The rank that a PE of this team has in another one: {@code shmem_team_translate_pe}.
     *
     * @param sourcePe rank in this team.
     * @param dest     the other team.
     * @return rank in the other team; -1 if the PE is not in both, if this team has no such rank, or if one of the
     *     teams
     * is {@link #INVALID}.
     * @throws IllegalArgumentException if the other team is the handle of another PE.
     */
    public int translatePe(final int sourcePe, final Team dest)
    {
        if (null == membership || null == dest.membership || sourcePe < 0 || sourcePe >= membership.size())
        {
            return NOT_A_MEMBER;
        }

        if (identity != dest.identity)
        {
            throw new IllegalArgumentException(
                "dest: given a team of " + dest.identity + ", allowed is one of " + identity);
        }

        return dest.membership.rank(membership.worldPe(sourcePe));
    }

    /**
     * Creates a context whose ranks are those of this team: {@code shmem_team_create_ctx}. Local.
     *
     * @param options what the program promises of its use.
     * @return the context, to be closed by the program; it is unusable after the PE is closed.
     * @throws IllegalStateException on {@link #INVALID}, or if the PE is closed.
     */
    public CommunicationContext createContext(final ContextOption... options)
    {
        checkOpen();
        return newContext(false, options);
    }

    /**
     * A view of the memory of a buffer on a member, for loads and stores: {@code shmem_team_ptr}. It stays readable,
     * detached, after the job is closed.
     *
     * @param dest the buffer.
     * @param pe   rank of the member.
     * @return the view, or null where loads and stores do not reach that memory.
     * @throws IllegalArgumentException if there is no such rank, or the buffer belongs to another PE.
     * @throws IllegalStateException    on {@link #INVALID}, if the buffer was freed or is longer than 2 GiB - 1, or
     *     if
     *                                  the PE is closed.
     */
    public AtomicBuffer ptr(final SymmetricBuffer dest, final int pe)
    {
        checkOpen();
        if (pe < 0 || pe >= membership.size())
        {
            throw new IllegalArgumentException(
                "pe: given " + pe + ", allowed is 0 to " + (membership.size() - 1) + " in team " + name);
        }

        final long length = dest.length();
        final long address = HeapAccess.address(dest, identity, 0, length);
        if (MemoryKind.HOST != dest.kind())
        {
            return null;
        }

        if (length > Integer.MAX_VALUE)
        {
            throw new IllegalStateException(
                "given is a " + HeapAccess.describe(dest) + ", allowed is one of at most " + Integer.MAX_VALUE +
                " bytes: use slices of it");
        }

        return endpoint.view(membership.worldPe(pe), HeapAccess.region(dest), address, (int)length);
    }

    /**
     * Completes what this PE issued, and then waits until all members have entered it: {@code shmem_team_sync} after
     * a quiet, {@code nvshmem_barrier}. Completed is everything that was issued before on the default context and on
     * contexts that threads share. A full fence: what any member wrote before is seen by all after it.
     *
     * @throws IllegalStateException on {@link #INVALID}, or if the PE is closed.
     */
    public void barrier()
    {
        checkOpen();
        barrier.barrier();
    }

    /**
     * Waits until all members have entered it, and completes nothing: {@code shmem_team_sync}, {@code
     * nvshmem_team_sync}. Stores to a PE's own memory before it are seen by members that read them after it.
     *
     * @throws IllegalStateException on {@link #INVALID}, or if the PE is closed.
     */
    public void sync()
    {
        checkOpen();
        barrier.sync();
    }

    /**
     * Destroys the team: {@code shmem_team_destroy}. Does nothing on {@link #INVALID}.
     *
     * @throws IllegalStateException on a predefined team, which ends with its PE.
     */
    @Override
    public void close()
    {
        if (null != membership)
        {
            throw new IllegalStateException("team " + name + " is predefined: it ends when its PE is closed");
        }
    }

    @Override
    public String toString()
    {
        return null == membership ? "Team{" + name + "}" :
            "Team{" + name + ", rank " + membership.myRank() + " of " + membership.size() + ", on " + identity + "}";
    }

    RmaContext newContext(final boolean isDefault, final ContextOption... options)
    {
        return new RmaContext(
            identity, endpoint, this, membership.worldPes(), membership.myRank(), isDefault, options);
    }

    Barrier barrierMachine()
    {
        return barrier;
    }

    private void checkValid()
    {
        if (null == membership)
        {
            throw new IllegalStateException("given Team.INVALID, allowed is a team that this PE is a member of");
        }
    }

    private void checkOpen()
    {
        checkValid();
        identity.checkOpen();
    }
}
