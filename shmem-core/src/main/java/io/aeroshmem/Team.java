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

import io.aeroshmem.collective.call.CollectiveEngine;
import io.aeroshmem.collective.call.TeamCollectives;
import io.aeroshmem.collective.request.RequestQueue;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.rma.RmaContext;
import io.aeroshmem.team.CreationDomain;
import io.aeroshmem.team.Membership;
import io.aeroshmem.team.TeamDescriptor;
import io.aeroshmem.team.TeamSplitting;
import io.aeroshmem.thread.CallerGuard;
import io.aeroshmem.thread.GuardedProxy;
import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.concurrent.AtomicBuffer;

import java.util.function.Supplier;

/**
 * A set of PEs that act together: {@code shmem_team_t}, {@code nvshmem_team_t}. The members of a team have ranks,
 * numbered from 0. The object is one PE's handle of the team.
 * <p>
 * <b>Blocking calls.</b> All members make the blocking collective calls in the same order. On each PE, one thread at a
 * time makes them. The blocking methods that create teams from this team are collective calls too. Unless a timeout, an
 * interrupt or a failure of the job ends a creating call, the call either succeeds on all members, or throws the same
 * exception on all members and leaves this team usable. A created team is usable at once, without further
 * synchronisation. {@link #split} does not block; {@link TeamCreation} specifies its outcome.
 * <p>
 * <b>Memory.</b> Each buffer of a collective may be memory of the host or of a device ({@link MemoryKind}), whatever
 * the kind of the other members' buffers.
 */
public final class Team implements AutoCloseable
{
    /**
     * No team: {@code SHMEM_TEAM_INVALID}, {@code NVSHMEM_TEAM_INVALID}. Collective calls on it throw
     * {@link IllegalStateException}. The creation of teams from it gives this again, and its destruction does nothing:
     * neither is an error, and neither involves another PE.
     */
    public static final Team INVALID = new Team("INVALID", null, null, null, null, null);

    private static final int NOT_A_MEMBER = -1;

    private final String name;
    private final PeIdentity identity;
    private final Membership membership;
    private final TeamConfig config;
    private final TeamAttributes attributes;
    private final TeamLifetime lifetime;
    private final boolean isWorld;

    /** Set before the PE is open, which every call that needs them checks first. */
    private Endpoint endpoint;
    private TeamCollectives collectives;
    private TeamFactory factory;
    private TeamSplitting splitting;
    private CallerGuard callers;
    /** Made by the first split by colour. */
    private volatile CreationDomain domain;

    Team(
        final String name,
        final PeIdentity identity,
        final Membership membership,
        final TeamConfig config,
        final TeamAttributes attributes,
        final TeamLifetime lifetime)
    {
        this.attributes = attributes;
        this.name = name;
        this.identity = identity;
        this.membership = membership;
        this.config = config;
        this.lifetime = lifetime;
        isWorld = PredefinedTeam.WORLD.name().equals(name);
    }

    /** Connects the team, so that its members can communicate. */
    Team connect(
        final Endpoint endpoint,
        final TeamCollectives collectives,
        final TeamFactory factory,
        final TeamSplitting splitting)
    {
        this.endpoint = endpoint;
        this.collectives = collectives;
        this.factory = factory;
        this.splitting = splitting;
        callers = collectives.engine().guard();
        return this;
    }

    String name()
    {
        return name;
    }

    Membership membership()
    {
        return membership;
    }

    TeamAttributes internalAttributes()
    {
        return attributes;
    }

    /**
     * Returns the rank of this PE in the team: {@code shmem_team_my_pe}.
     *
     * @return 0 to {@link #nPes()} - 1, or -1 on {@link #INVALID}.
     * @throws IllegalStateException if the team is closed.
     */
    public int myPe()
    {
        checkTeamOpen();
        return null == membership ? NOT_A_MEMBER : membership.myRank();
    }

    /**
     * Returns the number of members: {@code shmem_team_n_pes}.
     *
     * @return 1 or more, or -1 on {@link #INVALID}.
     * @throws IllegalStateException if the team is closed.
     */
    public int nPes()
    {
        checkTeamOpen();
        return null == membership ? NOT_A_MEMBER : membership.size();
    }

    /**
     * Returns the configuration of the team: {@code shmem_team_get_config}.
     *
     * @return a copy; all defaults for a predefined team.
     * @throws IllegalStateException on {@link #INVALID}, or if the team is closed.
     */
    public TeamConfig config()
    {
        checkValid();
        checkTeamOpen();
        return config.copy();
    }

    /**
     * Returns the parameters of the team that are in effect: {@code ucc_team_get_attr}. Predefined teams, and teams of
     * {@link Shmem#teamInit} without a parent, have the defaults.
     *
     * @return a copy: the contexts, the endpoint of this PE, the members as endpoint map, ordering, hint of outstanding
     *     calls, synchronisation, memory, id and time limit.
     * @throws IllegalStateException on {@link #INVALID}, or if the team is closed.
     */
    public TeamParams attributes()
    {
        checkValid();
        checkTeamOpen();
        return attributes.params(membership, null == factory ? null : factory.defaultContext());
    }

    /**
     * Returns the endpoint of a member: {@code ep} of {@code ucc_team_params_t}.
     *
     * @param pe rank of the member.
     * @return an unsigned integer; the rank, unless the team was created with endpoints.
     * @throws IllegalArgumentException if there is no such rank.
     * @throws IllegalStateException    on {@link #INVALID}, or if the team is closed.
     */
    public long endpoint(final int pe)
    {
        checkValid();
        checkTeamOpen();
        if (pe < 0 || pe >= membership.size())
        {
            throw Arguments.mustBe("pe", "0 to " + (membership.size() - 1) + " in team " + name, pe);
        }

        return attributes.endpoint(pe);
    }

    /**
     * Returns the member that has an endpoint. No counterpart in C, which has only the list of all endpoints,
     * {@code eps} of {@code ucc_team_attr_t}.
     *
     * @param endpoint an unsigned integer.
     * @return the rank of the member; -1 if there is none, and on {@link #INVALID}.
     * @throws IllegalStateException if the team is closed.
     */
    public int peOfEndpoint(final long endpoint)
    {
        checkTeamOpen();
        return null == membership ? NOT_A_MEMBER : attributes.rank(endpoint, membership.size());
    }

    /**
     * Returns the rank that a PE of this team has in another one: {@code shmem_team_translate_pe}.
     *
     * @param sourcePe rank in this team.
     * @param dest     the other team.
     * @return rank in the other team; -1 if the PE is not in both, if this team has no such rank, or if one of the
     *     teams is {@link #INVALID}.
     * @throws IllegalArgumentException if the other team is null, or the handle of another PE.
     * @throws IllegalStateException    if one of the teams is closed.
     */
    public int translatePe(final int sourcePe, final Team dest)
    {
        checkTeamOpen();
        Arguments.notNull(dest, "dest").checkTeamOpen();
        if (null == membership || null == dest.membership || sourcePe < 0 || sourcePe >= membership.size())
        {
            return NOT_A_MEMBER;
        }

        if (identity != dest.identity)
        {
            throw new IllegalArgumentException(
                "dest must be a team of " + identity + ": dest is a team of " + dest.identity +
                (identity.toString().equals(dest.identity.toString()) ? " of another job" : ""));
        }

        return dest.membership.rank(membership.worldPe(sourcePe));
    }

    /**
     * Creates the team of a subset of the members, with all defaults: {@code shmem_team_split_strided},
     * {@code nvshmem_team_split_strided}. Otherwise as {@link #splitStrided(int, int, int, TeamConfig)}.
     *
     * @param start  rank of the first.
     * @param stride between the ranks of neighbours.
     * @param size   number of members.
     * @return the team, to be closed by the program, or {@link #INVALID} on members that are not in it.
     * @throws TeamCreationException on all members, if the team cannot be created.
     * @throws IllegalStateException if the PE or the team is closed.
     */
    public Team splitStrided(final int start, final int stride, final int size)
    {
        return splitStrided(start, stride, size, null);
    }

    /**
     * Creates the team of the members with the ranks {@code start + stride * i}, {@code i} from 0 to {@code size - 1},
     * which will be their ranks in it: {@code shmem_team_split_strided}, {@code nvshmem_team_split_strided}. With a
     * negative stride they are in reverse order. Collective over this team, the same triplet on all members; the stride
     * of a size of 1 is ignored. On {@link #INVALID}, returns it.
     *
     * @param start  rank of the first.
     * @param stride between the ranks of neighbours, not 0; any for a size of 1.
     * @param size   number of members, 1 or more.
     * @param config of the team, the same on all its members; null: all defaults.
     * @return the team, to be closed by the program, or {@link #INVALID} on members that are not in it.
     * @throws TeamCreationException on all members, with the same message: if the triplet has a rank outside this
     *                               team, members pass different triplets, those of the new team different
     *                               configurations, a configuration has a unique id, or a member has reached its
     *                               number of teams (property {@code aeroshmem.teams.max}) or has no memory.
     * @throws CollectiveMismatchException if collectives are checked and members made other calls, on all members.
     * @throws IllegalStateException if the PE or the team is closed.
     */
    public Team splitStrided(final int start, final int stride, final int size, final TeamConfig config)
    {
        if (isInvalid())
        {
            return INVALID;
        }

        checkOpen();
        final TeamConfig copy = copyOf(config);
        return create("Team.splitStrided", () ->
            factory.created(splitting.splitStrided(start, stride, size, copy), copy, attributes));
    }

    /**
     * Creates the teams of the rows and columns of a grid, with all defaults: {@code shmem_team_split_2d},
     * {@code nvshmem_team_split_2d}. Otherwise as {@link #split2d(int, TeamConfig, TeamConfig)}.
     *
     * @param xRange length of a row.
     * @return the teams of this PE's row and column, to be closed by the program.
     * @throws TeamCreationException on all members, if one of the teams cannot be created.
     * @throws IllegalStateException if the PE or the team is closed.
     */
    public Teams2d split2d(final int xRange)
    {
        return split2d(xRange, null, null);
    }

    /**
     * Creates the teams of the rows and columns of a grid in which the member of rank {@code r} has the coordinates
     * {@code x = r mod xRange}, {@code y = r div xRange}: {@code shmem_team_split_2d}, {@code nvshmem_team_split_2d}.
     * The last row may be short. Collective over this team, the same xRange on all members. Either all of the teams are
     * created, or none. On {@link #INVALID}, both teams are INVALID.
     *
     * @param xRange  length of a row, 1 or more; limited to the number of members.
     * @param xConfig of the team of this PE's row, the same on all its members; null: all defaults.
     * @param yConfig of the team of this PE's column, the same on all its members; null: all defaults.
     * @return the teams of this PE's row, where its rank is x, and column, where it is y; to be closed by the program.
     * @throws TeamCreationException on all members, with the same message: if xRange is less than 1, members pass
     *                               different ones, those of a new team different configurations, a configuration has a
     *                               unique id, or a member has reached its number of teams (property
     *                               {@code aeroshmem.teams.max}) or has no memory.
     * @throws CollectiveMismatchException if collectives are checked and members made other calls, on all members.
     * @throws IllegalStateException if the PE or the team is closed.
     */
    public Teams2d split2d(final int xRange, final TeamConfig xConfig, final TeamConfig yConfig)
    {
        if (isInvalid())
        {
            return new Teams2d(INVALID, INVALID);
        }

        checkOpen();
        final TeamConfig xCopy = copyOf(xConfig);
        final TeamConfig yCopy = copyOf(yConfig);
        return create("Team.split2d", () ->
        {
            final TeamDescriptor[] teams = splitting.split2d(xRange, xCopy, yCopy);
            return new Teams2d(
                factory.created(teams[0], xCopy, attributes), factory.created(teams[1], yCopy, attributes));
        });
    }

    /**
     * Creates a team of the same members with the same ranks and configuration, for collectives concurrent with those
     * of this team. Collective over this team. No counterpart in C; {@code shmem_team_split_strided} of all members is
     * equivalent. On {@link #INVALID}, returns it.
     *
     * @return the team, to be closed by the program.
     * @throws TeamCreationException on all members, if a member has reached its number of teams (property
     *                               {@code aeroshmem.teams.max}) or has no memory.
     * @throws CollectiveMismatchException if collectives are checked and members made other calls, on all members.
     * @throws IllegalStateException if the PE or the team is closed.
     */
    public Team duplicate()
    {
        if (isInvalid())
        {
            return INVALID;
        }

        checkOpen();
        final TeamConfig copy = config.copy().mask(config.mask() & ~TeamConfig.UNIQUE_ID);
        return create("Team.duplicate", () -> factory.created(splitting.duplicate(copy), copy, attributes));
    }

    /**
     * Begins to create a team of the members that pass the same colour: {@code ucc_team_create_from_parent}. Returns at
     * once. Collective over this team: the teams are made on all members, when all have made the call and then polled,
     * or on none. Ranks follow the keys; members with equal keys follow their ranks in this team. Endpoints are the
     * ranks. A new team shares the contexts of this team, and inherits its ordering, synchronisation, hint of
     * outstanding calls, memory and time limit; that limit applies to this creation too. One split of a team may be in
     * progress at a time. Splits of different teams may overlap, from different threads.
     *
     * @param color of the team that this PE will be in; negative: of none.
     * @param key   by which the members of the new team are ordered.
     * @return the creation, to be polled; its team is {@link #INVALID} for a negative colour. On {@link #INVALID} the
     *         creation is complete. {@link TeamCreation#poll} throws {@link TeamCreationException} on all members if a
     *         member has reached its number of teams (property {@code aeroshmem.teams.max}), has no memory, has not
     *         polled before its limit, or has withdrawn.
     * @throws IllegalStateException if an earlier split of this team is in progress, or the PE or the team is closed.
     */
    public TeamCreation split(final int color, final int key)
    {
        if (isInvalid())
        {
            return new TeamCreation(INVALID);
        }

        checkOpen();
        collectives.engine().checkInStep();
        return identity.call("Team.split", () -> splitOpen(color, key));
    }

    /** Begins a split, unless another thread has closed the team meanwhile. */
    private TeamCreation splitOpen(final int color, final int key)
    {
        if (null == lifetime)
        {
            return factory.split(this, domain(), color, key);
        }

        synchronized (lifetime)
        {
            lifetime.checkOpen();
            return factory.split(this, domain(), color, key);
        }
    }

    private CreationDomain domain()
    {
        if (null == domain)
        {
            synchronized (this)
            {
                if (null == domain)
                {
                    domain = factory.domain(collectives.engine());
                }
            }
        }

        return domain;
    }

    /**
     * Creates a context whose ranks are those of this team: {@code shmem_team_create_ctx}. Local.
     *
     * @param options promises of the program about its use.
     * @return the context, to be closed by the program; it is unusable after the team or the PE is closed.
     * @throws IllegalArgumentException if the options, or one of them, are null.
     * @throws IllegalStateException    on {@link #INVALID}, or if the PE or the team is closed.
     */
    public CommunicationContext createContext(final ContextOption... options)
    {
        checkOpen();
        endpoint.checkFailure();
        for (final ContextOption option : Arguments.notNull(options, "options"))
        {
            Arguments.notNull(option, "an element of options");
        }

        final RmaContext context = newContext(false, options);
        if (null != lifetime)
        {
            lifetime.register(context.use(), context);
        }

        return GuardedProxy.of(identity.guard(), CommunicationContext.class, context);
    }

    /**
     * Returns a view of the memory of a buffer on a member, for loads and stores: {@code shmem_team_ptr}. It stays
     * readable, detached, after the job is closed. It does not detect {@link Shmem#free}: see
     * {@link SymmetricBuffer#local()}.
     *
     * @param dest the buffer.
     * @param pe   rank of the member.
     * @return the view, or null where loads and stores do not reach that memory.
     * @throws IllegalArgumentException if there is no such rank, or the buffer belongs to another PE.
     * @throws IllegalStateException    on {@link #INVALID}, if the buffer was freed or is longer than 2 GiB - 1, or
     *                                  if the PE is closed.
     */
    public AtomicBuffer ptr(final SymmetricBuffer dest, final int pe)
    {
        checkOpen();
        if (pe < 0 || pe >= membership.size())
        {
            throw new IllegalArgumentException(
                "pe must be 0 to " + (membership.size() - 1) + " in team " + name + ": pe=" + pe);
        }

        final long length = Arguments.notNull(dest, "dest").length();
        final long address = HeapAccess.address(dest, identity, 0, length, Operand.COLLECTIVE_DEST);
        if (MemoryKind.HOST != dest.kind())
        {
            return null;
        }

        if (length > Integer.MAX_VALUE)
        {
            throw new IllegalStateException(
                Operand.COLLECTIVE_DEST.given(HeapAccess.describe(dest)) + " must have <= " + Integer.MAX_VALUE +
                " bytes: use slices of it");
        }

        return endpoint.view(membership.worldPe(pe), HeapAccess.region(dest), address, (int)length);
    }

    /**
     * Completes what this PE issued, and then waits until all members have entered it: {@code shmem_team_sync} after a
     * quiet, {@code nvshmem_barrier}. This covers everything issued before on the default context and on contexts that
     * threads share. A full fence: all members see after it what any member wrote before it.
     *
     * @throws IllegalStateException on {@link #INVALID}, or if the PE is closed.
     */
    public void barrier()
    {
        enter();
        collectives.barrier();
    }

    /**
     * Waits until all members have entered it, and completes nothing: {@code shmem_team_sync},
     * {@code nvshmem_team_sync}. Stores to a PE's own memory before it are visible to members that read them after it.
     *
     * @throws IllegalStateException on {@link #INVALID}, or if the PE is closed.
     */
    public void sync()
    {
        enter();
        collectives.sync();
    }

    /**
     * Copies the source of one member to the dest of all, including its own: {@code shmem_broadcast},
     * {@code nvshmem_broadcast}; {@link ElementType#BYTE} is {@code broadcastmem}. On return this member's dest is
     * complete and, on the root, the source may be reused. Collective; type, nelems, root and the addresses are the
     * same on all members. It orders no memory other than dest.
     *
     * @param type   of the elements.
     * @param dest   nelems elements; the same memory as source, or disjoint.
     * @param source nelems elements.
     * @param nelems 0 or more.
     * @param root   rank of the member whose source is copied.
     * @throws IllegalArgumentException  if an argument is not as specified here.
     * @throws IndexOutOfBoundsException if a buffer is too short.
     * @throws IllegalStateException     on {@link #INVALID}, or if the PE or the team is closed.
     */
    public void broadcast(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems,
        final int root)
    {
        checkOpen();
        collectives.broadcast(type, dest, source, nelems, root);
    }

    /**
     * Concatenates the sources of all members, in the order of ranks, in the dest of each: {@code shmem_collect},
     * {@code nvshmem_collect}; {@link ElementType#BYTE} is {@code collectmem}. On return this member's dest is complete
     * and its source may be reused. Collective; type and addresses are the same on all members.
     *
     * @param type   of the elements.
     * @param dest   as many elements as all members pass together; disjoint from source.
     * @param source nelems elements.
     * @param nelems 0 or more; members may differ in it.
     * @throws IllegalArgumentException  if an argument is not as specified here; on all members if the dest of one has
     *                                   room for its own elements but overlaps its source with those of all.
     * @throws IndexOutOfBoundsException if a buffer is too short; on all members if the dest of one has room for its
     *                                   own elements but not for those of all, before anything is written.
     * @throws IllegalStateException     on {@link #INVALID}, or if the PE or the team is closed.
     */
    public void collect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        checkOpen();
        collectives.call(Routine.COLLECT, null, type, dest, source, nelems, 0);
    }

    /**
     * Concatenates the sources of all members, of equal length, in the order of ranks, in the dest of each:
     * {@code shmem_fcollect}, {@code nvshmem_fcollect}; {@link ElementType#BYTE} is {@code fcollectmem}. On return this
     * member's dest is complete and its source may be reused. Collective; type, nelems and addresses are the same on
     * all members.
     *
     * @param type   of the elements.
     * @param dest   nelems elements for each member; disjoint from source.
     * @param source nelems elements.
     * @param nelems 0 or more.
     * @throws IllegalArgumentException  if an argument is not as specified here.
     * @throws IndexOutOfBoundsException if a buffer is too short.
     * @throws IllegalStateException     on {@link #INVALID}, or if the PE or the team is closed.
     */
    public void fcollect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        checkOpen();
        collectives.fcollect(type, dest, source, nelems);
    }

    /**
     * Sends every member a block of each member's source: block {@code l} of the source of member {@code k} becomes
     * block {@code k} of the dest of member {@code l}: {@code shmem_alltoall}, {@code nvshmem_alltoall};
     * {@link ElementType#BYTE} is {@code alltoallmem}. On return this member's dest is complete and its source may be
     * reused. Collective; type, nelems and addresses are the same on all members.
     *
     * @param type   of the elements.
     * @param dest   nelems elements for each member; disjoint from source.
     * @param source nelems elements for each member.
     * @param nelems number of elements of a block, 0 or more.
     * @throws IllegalArgumentException  if an argument is not as specified here.
     * @throws IndexOutOfBoundsException if a buffer is too short.
     * @throws IllegalStateException     on {@link #INVALID}, or if the PE or the team is closed.
     */
    public void alltoall(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        checkOpen();
        collectives.alltoall(type, dest, source, nelems);
    }

    /**
     * Exchanges blocks as {@link #alltoall} does, with strided elements: {@code shmem_alltoalls}. Element {@code j} of
     * block {@code k} is at {@code (k * nelems + j) * stride}; the gaps between the elements of dest are not written.
     *
     * @param type         of the elements.
     * @param dest         the range of its elements; disjoint from source.
     * @param source       the range of its elements.
     * @param destStride   distance of neighbours in dest, in elements, 1 or more.
     * @param sourceStride distance of neighbours in source, in elements, 1 or more.
     * @param nelems       number of elements of a block, 0 or more.
     * @throws IllegalArgumentException  if an argument is not as specified here.
     * @throws IndexOutOfBoundsException if a buffer is too short.
     * @throws IllegalStateException     on {@link #INVALID}, or if the PE or the team is closed.
     */
    public void alltoalls(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long destStride,
        final long sourceStride,
        final long nelems)
    {
        checkOpen();
        collectives.alltoalls(type, dest, source, destStride, sourceStride, nelems);
    }

    /**
     * Combines the sources of all members element by element in the dest of each: {@code shmem_sum_reduce} and its
     * variants, {@code nvshmem_sum_reduce}. The same inputs in the same team give the same bits on every member, in
     * every run and over every transport: sums and products of floating-point numbers are rounded in the order of one
     * fixed tree over the ranks. On return this member's dest is complete and its source may be reused. Collective; all
     * arguments are the same on all members.
     *
     * @param op      one of the first seven.
     * @param type    of the elements; bitwise operations take integers, {@link ReduceOp#MAX} and {@link ReduceOp#MIN}
     *                integers and reals, sums and products all.
     * @param dest    nreduce elements; the same memory as source, or disjoint.
     * @param source  nreduce elements.
     * @param nreduce 0 or more.
     * @throws IllegalArgumentException  if an argument is not as specified here.
     * @throws IndexOutOfBoundsException if a buffer is too short.
     * @throws IllegalStateException     on {@link #INVALID}, or if the PE or the team is closed.
     */
    public void reduce(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nreduce)
    {
        checkOpen();
        collectives.reduce(op, type, dest, source, nreduce);
    }

    /**
     * Combines the sources of all members element by element, and leaves block {@code k} of the result in the dest of
     * member {@code k}: {@code ucc_reduce_scatter}. Results are as exact as those of {@link #reduce}. On return this
     * member's dest is complete and its source may be reused. Collective; all arguments are the same on all members.
     *
     * @param op      one of the first seven.
     * @param type    of the elements, as in {@link #reduce}.
     * @param dest    nreduce elements; at the beginning of source, or disjoint.
     * @param source  nreduce elements for each member.
     * @param nreduce number of elements of a block, 0 or more.
     * @throws IllegalArgumentException  if an argument is not as specified here.
     * @throws IndexOutOfBoundsException if a buffer is too short.
     * @throws IllegalStateException     on {@link #INVALID}, or if the PE or the team is closed.
     */
    public void reduceScatter(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nreduce)
    {
        checkOpen();
        collectives.call(Routine.REDUCE_SCATTER, op, type, dest, source, nreduce, 0);
    }

    /**
     * Combines, element by element, the sources of the members up to this one in its dest: {@code shmem_sum_inscan} and
     * its variants. The order of rounding is that of {@link #reduce} over these members. On return this member's dest
     * is complete and its source may be reused. Collective; all arguments are the same on all members.
     *
     * @param op     one of the first seven.
     * @param type   of the elements, as in {@link #reduce}.
     * @param dest   n elements; the same memory as source, or disjoint.
     * @param source n elements.
     * @param n      0 or more.
     * @throws IllegalArgumentException  if an argument is not as specified here.
     * @throws IndexOutOfBoundsException if a buffer is too short.
     * @throws IllegalStateException     on {@link #INVALID}, or if the PE or the team is closed.
     */
    public void inclusiveScan(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long n)
    {
        checkOpen();
        collectives.call(Routine.INCLUSIVE_SCAN, op, type, dest, source, n, 0);
    }

    /**
     * Combines as {@link #inclusiveScan} does, without this member's own source: {@code shmem_sum_exscan} and its
     * variants. Member 0 gets the identity of the operation: 0 for sums, 1 for products, all bits set for
     * {@link ReduceOp#AND}, none for {@link ReduceOp#OR} and {@link ReduceOp#XOR}, the least value for
     * {@link ReduceOp#MAX} and the greatest for {@link ReduceOp#MIN}, infinities with reals.
     *
     * @param op     one of the first seven.
     * @param type   of the elements, as in {@link #reduce}.
     * @param dest   n elements; the same memory as source, or disjoint.
     * @param source n elements.
     * @param n      0 or more.
     * @throws IllegalArgumentException  if an argument is not as specified here.
     * @throws IndexOutOfBoundsException if a buffer is too short.
     * @throws IllegalStateException     on {@link #INVALID}, or if the PE or the team is closed.
     */
    public void exclusiveScan(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long n)
    {
        checkOpen();
        collectives.call(Routine.EXCLUSIVE_SCAN, op, type, dest, source, n, 0);
    }

    /**
     * Reduces one {@link ElementType#LONG} as {@link #reduce} does, without symmetric memory:
     * {@code shmem_long_sum_reduce} and its variants for one element.
     *
     * @param op    one of the first seven.
     * @param value of this member.
     * @return the values of all members, combined.
     * @throws IllegalArgumentException if op is not allowed.
     * @throws IllegalStateException    on {@link #INVALID}, or if the PE or the team is closed.
     */
    public long reduceLong(final ReduceOp op, final long value)
    {
        checkOpen();
        return collectives.scalar(Routine.REDUCE, op, ElementType.LONG, value, 0);
    }

    /**
     * Reduces one {@link ElementType#DOUBLE} as {@link #reduce} does, without symmetric memory:
     * {@code shmem_double_sum_reduce} and its variants for one element.
     *
     * @param op    {@link ReduceOp#MAX}, {@link ReduceOp#MIN}, {@link ReduceOp#SUM} or {@link ReduceOp#PROD}.
     * @param value of this member.
     * @return the values of all members, combined.
     * @throws IllegalArgumentException if op is not allowed.
     * @throws IllegalStateException    on {@link #INVALID}, or if the PE or the team is closed.
     */
    public double reduceDouble(final ReduceOp op, final double value)
    {
        checkOpen();
        final long bits = Double.doubleToRawLongBits(value);
        return Double.longBitsToDouble(collectives.scalar(Routine.REDUCE, op, ElementType.DOUBLE, bits, 0));
    }

    /**
     * Broadcasts one {@link ElementType#LONG} as {@link #broadcast} does, without symmetric memory:
     * {@code shmem_long_broadcast} of one element.
     *
     * @param value of the root; those of other members are ignored.
     * @param root  rank of the root.
     * @return the value of the root.
     * @throws IllegalArgumentException if there is no such rank.
     * @throws IllegalStateException    on {@link #INVALID}, or if the PE or the team is closed.
     */
    public long broadcastLong(final long value, final int root)
    {
        checkOpen();
        return collectives.scalar(Routine.BROADCAST, null, ElementType.LONG, value, root);
    }

    /**
     * Makes a request of a nonblocking collective operation: {@code ucc_collective_init}. Local.
     *
     * @param args operation and buffers; copied.
     * @return the request, to be posted.
     * @throws IllegalArgumentException  if an argument is null, of another type than its operation has, or malformed.
     * @throws IndexOutOfBoundsException if a buffer is too small.
     * @throws IllegalStateException     on {@link #INVALID}, if the tag is in use ({@link CollectiveArgs#tag(long)}),
     *                                   or if the PE or the team is closed.
     */
    public CollectiveRequest request(final CollectiveArgs args)
    {
        checkOpen();
        final CollectiveArgs copy = Arguments.notNull(args, "args").copy();
        final CollectiveEngine engine = collectives.engine();
        return new CollectiveRequest(
            identity.guard(), endpoint, engine.requests(), engine.requestArguments(), copy);
    }

    /**
     * Makes and posts a request of a nonblocking collective operation: {@code ucc_collective_init_and_post}.
     *
     * @param args operation and buffers; copied.
     * @return the request, in flight or complete.
     * @throws IllegalArgumentException  as {@link #request} does.
     * @throws IndexOutOfBoundsException as {@link #request} does.
     * @throws IllegalStateException     as {@link #request} does, or if the team is out of step.
     * @throws ShmemException            if the job has failed.
     */
    public CollectiveRequest post(final CollectiveArgs args)
    {
        checkOpen();
        return identity.call("Team.post", () -> makeAndPost(args));
    }

    /** A thread that is refused makes no request: its tag or number would stay taken. */
    private CollectiveRequest makeAndPost(final CollectiveArgs args)
    {
        final RequestQueue queue = collectives.engine().requests();
        queue.enter();
        try
        {
            final CollectiveRequest request = request(args);
            request.post();
            return request;
        }
        finally
        {
            queue.leave();
        }
    }

    /**
     * Destroys the team: {@code shmem_team_destroy}, {@code nvshmem_team_destroy}. Every member calls it, and waits for
     * no other. It closes the contexts created from the team, which completes what was issued on them. No effect on
     * {@link #INVALID} and on a closed team. A member closes the team after it has made all calls that the others have
     * made: a member that is blocked in a call with it fails the job with {@link CollectiveMismatchException}. The
     * team's memory is reused when all members have closed it.
     *
     * @throws IllegalStateException on a predefined team, which ends with its PE, and while another thread of this PE
     *                               is in a call on the team, a request is in flight, a split is in progress, or a
     *                               context of the team serves another open team; then it stays open.
     * @throws CollectiveMismatchException if a member that has closed the team before has made other calls on it than
     *                               this one, without any wait of one for the other; then the job fails.
     */
    @Override
    public void close()
    {
        if (null != lifetime)
        {
            lifetime.close(() -> domain);
        }
        else if (!isInvalid())
        {
            throw predefined();
        }
    }

    /**
     * Destroys the team with the other members: {@code ucc_team_destroy}. Returns at once; the destruction is complete
     * when all members have called this or {@link #close()}. On this PE the team is closed, as by {@link #close()}.
     *
     * @return the destruction, to be polled or waited for; on {@link #INVALID}, a complete one.
     * @throws IllegalStateException on a predefined team, if the team or the PE is closed, and while a
     *                               request is in flight, a split is in progress, another thread of this PE is in a
     *                               call on the team, or a context of it serves another open team; then it stays open.
     * @throws CollectiveMismatchException as {@link #close} does.
     */
    public TeamDestruction destroy()
    {
        if (isInvalid())
        {
            return new TeamDestruction(null, () -> true);
        }

        if (null == lifetime)
        {
            throw predefined();
        }

        checkOpen();
        lifetime.close(() -> domain);
        return new TeamDestruction(endpoint, lifetime::isDestroyed);
    }

    private IllegalStateException predefined()
    {
        return new IllegalStateException("team " + name + " is predefined: it ends when its PE is closed");
    }

    @Override
    public String toString()
    {
        return null == membership ? "Team{" + name + "}" :
            "Team{" + name + ", rank " + membership.myRank() + " of " + membership.size() + ", on " + identity + "}";
    }

    RmaContext newContext(final boolean isDefault, final ContextOption... options)
    {
        return new TeamContext(
            identity, endpoint, factory.operations(), this, membership, isDefault, options);
    }

    /** Returns true if all members are on one node. */
    boolean isOneNode()
    {
        checkOpen();
        final int[] worldPes = membership.worldPes();
        for (final int worldPe : worldPes)
        {
            if (endpoint.host(worldPes[0]) != endpoint.host(worldPe))
            {
                return false;
            }
        }

        return true;
    }

    boolean isJvmShared()
    {
        return identity.isJvmShared();
    }

    CollectiveEngine engine()
    {
        return collectives.engine();
    }

    private boolean isInvalid()
    {
        return null == membership;
    }

    private void checkValid()
    {
        if (isInvalid())
        {
            throw new IllegalStateException("team must be one that this PE is a member of: it is Team.INVALID");
        }
    }

    <T> T callOnHeap(final int kind, final long first, final long second, final Supplier<T> call)
    {
        checkOpen();
        callers.enter();
        try
        {
            collectives.beginHeapCall(kind, first, second);
            return call.get();
        }
        finally
        {
            callers.leave();
        }
    }

    /** Records a call on the heap that does nothing. */
    void omitHeapCall(final int kind)
    {
        collectives.omitHeapCall(kind);
    }

    private void checkOpen()
    {
        checkValid();
        identity.checkOpen();
        checkTeamOpen();
    }

    private void enter()
    {
        checkValid();
        identity.enter(isWorld);
        checkTeamOpen();
    }

    private <T> T create(final String name, final Supplier<T> call)
    {
        return identity.call(name, () -> createAlone(call));
    }

    private <T> T createAlone(final Supplier<T> call)
    {
        callers.enter();
        try
        {
            return call.get();
        }
        finally
        {
            callers.leave();
        }
    }

    private void checkTeamOpen()
    {
        if (null != lifetime)
        {
            lifetime.checkOpen();
        }
    }

    private static TeamConfig copyOf(final TeamConfig config)
    {
        return null == config ? new TeamConfig() : config.copy();
    }
}
