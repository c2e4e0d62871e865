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
package io.aeroshmem.team;

import io.aeroshmem.EndpointMap;
import io.aeroshmem.Synchronization;
import io.aeroshmem.TeamParams;
import io.aeroshmem.memory.MemoryBounds;
import org.agrona.concurrent.NanoClock;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * One PE's attempt to create a team with others by {@link io.aeroshmem.Shmem#createTeam} or
 * {@link io.aeroshmem.Team#split}. The PE takes a slot for the team ({@link TeamSlots}) before it exchanges
 * {@link CreationRecord}s, so that everything that can fail on a PE precedes the exchange. If the attempt fails, the PE
 * gives the slot back. But if the team may have been created on other PEs, the slot is never used again.
 */
public final class CreationAttempt
{
    private final CreationDomain domain;
    private final TeamSlots slots;
    private final int nPes;
    private final int myPe;
    private final boolean isSplit;
    private final long[] record = new long[CreationRecord.WORDS];
    private CreationExchange exchange;
    private long area;
    private boolean isEnded;
    private TeamDescriptor team;

    private CreationAttempt(
        final CreationDomain domain, final TeamSlots slots, final int nPes, final int myPe, final boolean isSplit)
    {
        this.domain = domain;
        this.slots = slots;
        this.nPes = nPes;
        this.myPe = myPe;
        this.isSplit = isSplit;
    }

    /**
     * Begins the creation of a team.
     *
     * @param domain         whose attempt has begun; this ends it, unless this method throws.
     * @param params         whose arguments were checked.
     * @param participants   PEs of the map or the world, in their order; null if the exchange alone finds them.
     * @param contextOptions bits of the options of each context.
     * @param held           synchronisation that will hold.
     * @param isIdInUse      whether this PE has an open team of the given id.
     */
    public static CreationAttempt ofTeam(
        final CreationDomain domain,
        final TeamSlots slots,
        final NanoClock clock,
        final int nPes,
        final int myPe,
        final TeamParams params,
        final int[] participants,
        final int[] contextOptions,
        final MemoryBounds memory,
        final Synchronization held,
        final boolean isIdInUse)
    {
        final CreationAttempt attempt = new CreationAttempt(domain, slots, nPes, myPe, false);
        final boolean hasExchange = null != params.outOfBand();
        attempt.take(hasExchange ? params.outOfBandRanks() : participants.length);
        attempt.describe(params, contextOptions, memory, held);
        if (isIdInUse)
        {
            attempt.record[CreationRecord.STATUS] = CreationRecord.ID_IN_USE;
            attempt.record[CreationRecord.STATUS_DETAIL] = params.id();
        }

        return attempt.start(clock, participants, hasExchange ?
            (exchange) -> exchange.start(params.outOfBand(), params.outOfBandRanks(), params.outOfBandRank()) :
            CreationExchange::start);
    }

    /**
     * Begins a split of a team by colour. The slot is as long as that of the parent, as the size of the new team is not
     * known yet.
     *
     * @param domain    of the parent, whose attempt has begun; this ends it, unless this method throws.
     * @param timeoutNs time limit in nanoseconds; 0 for none.
     */
    public static CreationAttempt ofSplit(
        final CreationDomain domain,
        final TeamSlots slots,
        final NanoClock clock,
        final int nPes,
        final int color,
        final int key,
        final long timeoutNs)
    {
        final CreationChannel channel = domain.channel();
        final CreationAttempt attempt = new CreationAttempt(
            domain, slots, nPes, channel.worldPe(channel.myMember()), true);
        attempt.area = TeamSlots.TOO_MANY;
        if (color >= 0)
        {
            attempt.take(channel.size());
        }

        attempt.record[CreationRecord.COLOR] = color;
        attempt.record[CreationRecord.KEY] = key;
        attempt.record[CreationRecord.TIMEOUT] = timeoutNs;
        final int[] participants = new int[channel.size()];
        Arrays.setAll(participants, (member) -> member);
        return attempt.start(clock, participants, CreationExchange::start);
    }

    /** Starts the exchange. If that throws, the slot is unused: no team is made before this PE reports READY. */
    private CreationAttempt start(
        final NanoClock clock, final int[] participants, final Consumer<CreationExchange> start)
    {
        try
        {
            exchange = new CreationExchange(domain, clock, participants, isSplit, record);
            start.accept(exchange);
        }
        catch (final Throwable ex)
        {
            slots.giveBack(area);
            throw ex;
        }

        return this;
    }

    private void take(final int size)
    {
        area = slots.take(size);
        CreationRecord.slot(record, slots, area, size);
    }

    private void describe(
        final TeamParams params, final int[] contextOptions, final MemoryBounds memory, final Synchronization held)
    {
        record[CreationRecord.CONFIG] = CreationRecord.config(params.ordering().ordinal(), held.ordinal());
        record[CreationRecord.FLAGS] = (params.hasEndpoint() ? CreationRecord.HAS_ENDPOINT : 0) |
            (params.contiguousEndpoints() ? CreationRecord.IS_CONTIGUOUS : 0) |
            (params.hasId() ? CreationRecord.HAS_ID : 0);
        record[CreationRecord.ENDPOINT] = params.endpoint();
        record[CreationRecord.ID] = params.id();
        record[CreationRecord.CONTEXTS] = contextOptions.length;
        record[CreationRecord.MEMORY_COUNT] = memory.count();
        record[CreationRecord.MEMORY_ADDRESS] = memory.firstAddress();
        record[CreationRecord.MEMORY_LENGTH] = memory.firstLength();
        record[CreationRecord.MEMORY_HASH] = memory.hash();
        record[CreationRecord.TIMEOUT] = params.timeoutNs();
        for (int i = 0; i < contextOptions.length; i++)
        {
            record[CreationRecord.CONTEXT_HASH] =
                CreationCellDescriptor.mix(record[CreationRecord.CONTEXT_HASH], contextOptions[i]);
            if (i < CreationRecord.SHOWN_CONTEXTS)
            {
                record[CreationRecord.CONTEXT_OPTIONS] |= (long)contextOptions[i] << i * CreationRecord.OPTION_BITS;
            }
        }

        final EndpointMap map = params.endpointMap();
        if (null != map)
        {
            record[CreationRecord.MAP_SIZE] = map.size();
            for (int rank = 0; rank < map.size(); rank++)
            {
                record[CreationRecord.MAP_HASH] =
                    CreationCellDescriptor.mix(record[CreationRecord.MAP_HASH], map.worldPe(rank));
            }
        }
    }

    /** Proceeds as far as possible; returns whether the attempt has ended. */
    public boolean poll()
    {
        if (!isEnded)
        {
            final int result = exchange.poll();
            if (CreationExchange.RUNNING != result)
            {
                end(result);
            }
        }

        return isEnded;
    }

    /** Withdraws from the attempt, if it has not ended and the team is not made. */
    public void abandon()
    {
        if (!isEnded)
        {
            end(exchange.abandon());
        }
    }

    /** Ends the attempt because the job has failed. */
    public void endAfterFailure()
    {
        if (!isEnded)
        {
            isEnded = true;
            slots.release(area, true);
            domain.end();
        }
    }

    /** Ends the attempt in a last step that cannot fail: an exception before it leaves the end to the next poll. */
    private void end(final int result)
    {
        if (CreationExchange.MADE == result)
        {
            team = isMember() ? describeTeam() : null;
        }
        else
        {
            slots.release(area, exchange.isUnknown());
        }

        isEnded = true;
        domain.end();
    }

    private boolean isMember()
    {
        return exchange.outcome().members().length > 0;
    }

    private TeamDescriptor describeTeam()
    {
        final CreationOutcome outcome = exchange.outcome();
        if (isSplit)
        {
            slots.shrink(area, outcome.members().length);
        }

        return TeamDescriptor.of(exchange.records(), outcome.members(), 0, outcome.endpoints(), nPes, myPe);
    }

    /** Returns whether the ended attempt has made teams. */
    public boolean isMade()
    {
        return null == failure();
    }

    /** Returns the team of an attempt that has made teams, or null if this PE is in none. */
    public TeamDescriptor team()
    {
        return team;
    }

    /** Returns why the ended attempt has failed, as part of a sentence; null if it has not. */
    public String failure()
    {
        return exchange.failure();
    }

    /** Returns what the program's exchange threw, or null. */
    public Throwable cause()
    {
        return exchange.cause();
    }
}
