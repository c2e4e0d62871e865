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

import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.memory.HeapAllocator;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.Endpoint;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.function.BooleanSupplier;

/**
 * The slots of one PE: the pieces of its {@link Arena} that are the areas of the PE's teams. An area is the memory
 * through which the other members of a team signal this PE. Each member of a team has a slot of its own, at an offset
 * of its own. So PEs never have to agree on an offset that is free everywhere, even when their threads split different
 * parents concurrently.
 * <p>
 * Thread-safe: threads of the PE create and close teams at the same time.
 */
public final class TeamSlots
{
    /** Returned instead of an offset: the limit of open teams is reached. */
    public static final long TOO_MANY = -1;

    /** Returned instead of an offset: the arena has no room. */
    public static final long NO_ROOM = -2;

    /** Returned instead of an offset: the file system has no memory. */
    public static final long NO_MEMORY = -3;

    private static final long ALIGNMENT = 128;

    /*
     * Creation. A slot is taken, and backed with zeroed memory, before its offset is sent to any PE. So the area is
     * ready for the earliest signals of the members of the new team. If the creation fails, the slot is given back
     * unused. If this PE does not know whether the creation has failed, other members may use the slot, so it is never
     * used again.
     *
     * Close. When this PE closes the team, other members may still be in a call on it, or their traffic may be in
     * flight. So the slot is put in quarantine until all other members have announced that they have closed the team.
     * The announcement is the last signal that each of them sends to the slot (PeerMailboxes.areAllClosed). From then
     * on no PE writes to the slot. It is zeroed when it is taken again, and the counters of a new team begin at 0. So a
     * slot serves the next team as safely as an unused one does. If a call has failed and left members at different
     * steps, or a member may still be performing a request of the team, the slot is never used again.
     *
     * Memory that backs a slot is kept when the slot becomes free. A slot is taken from the smallest gap that is long
     * enough, so the backed part of the arena is about as large as the greatest need at one time.
     */
    private final Arena arena;
    private final int maxTeams;
    private final HeapAllocator allocator;
    private final Queue<ClosedSlot> quarantine = new ArrayDeque<>();
    private long created;
    private int open;

    public TeamSlots(final Endpoint endpoint, final int maxTeams)
    {
        this(new EndpointArena(endpoint), maxTeams);
    }

    TeamSlots(final Arena arena, final int maxTeams)
    {
        this.arena = arena;
        this.maxTeams = maxTeams;
        allocator = arena.length() < HeapAllocator.MIN_ALIGNMENT ? null : new HeapAllocator(arena.length());
    }

    /** Returns whether {@link #take} on a PE with this arena can have returned an offset for a team of this size. */
    static boolean isArea(final Arena arena, final long offset, final int size)
    {
        final long block = offset - arena.offset();
        return block >= 0 && 0 == block % ALIGNMENT && block <= arena.length() - new TeamAreaDescriptor(size).length();
    }

    /** Returns the limit of open teams, besides the predefined ones. */
    public int maxTeams()
    {
        return maxTeams;
    }

    /** Returns the number of open teams and of those that are being created. */
    public synchronized int open()
    {
        return open;
    }

    /** Returns a unique number for a new team, from 1. */
    public synchronized long nextNumber()
    {
        return ++created;
    }

    /**
     * Takes a slot for a team.
     *
     * @param size number of members.
     * @return the offset of its zeroed area in the system region; or {@link #TOO_MANY}, {@link #NO_ROOM} or
     *         {@link #NO_MEMORY}, and then nothing has changed.
     */
    public synchronized long take(final int size)
    {
        if (open >= maxTeams)
        {
            return TOO_MANY;
        }

        final long area = takeMemory(new TeamAreaDescriptor(size).length());
        if (area >= 0)
        {
            open++;
        }

        return area;
    }

    /**
     * Takes memory of the arena that is not a slot.
     *
     * @return its offset in the system region, zeroed; or {@link #NO_ROOM} or {@link #NO_MEMORY}.
     */
    synchronized long takeMemory(final long length)
    {
        reclaim();
        final long block = null == allocator ? HeapAllocator.EXHAUSTED : allocator.allocate(length, ALIGNMENT);
        if (HeapAllocator.EXHAUSTED == block)
        {
            return NO_ROOM;
        }

        try
        {
            arena.reserve(arena.offset() + block, length);
        }
        catch (final TransportException ex)
        {
            // The members exchange this status, and derive the exception from it.
            allocator.free(block);
            return NO_MEMORY;
        }

        return arena.offset() + block;
    }

    /**
     * Shortens the slot of a team that has fewer members than it was taken for.
     *
     * @param area what {@link #take} returned.
     * @param size number of members.
     */
    public synchronized void shrink(final long area, final int size)
    {
        allocator.resize(area - arena.offset(), new TeamAreaDescriptor(size).length());
    }

    /**
     * Gives back an unused slot. Does nothing if none was taken.
     *
     * @param area what {@link #take} returned.
     */
    public synchronized void giveBack(final long area)
    {
        if (area >= 0)
        {
            allocator.free(area - arena.offset());
            open--;
        }
    }

    /**
     * Releases the slot of a team that was not made here.
     *
     * @param area      what {@link #take} returned.
     * @param isUnknown whether other members may have found the team made, and use the slot.
     */
    void release(final long area, final boolean isUnknown)
    {
        if (!isUnknown)
        {
            giveBack(area);
        }
        else if (area >= 0)
        {
            abandon();
        }
    }

    /**
     * Closes the team of a slot, which is reused when no traffic is under way to it.
     *
     * @param area    what {@link #take} returned.
     * @param isQuiet whether no traffic is under way to the area.
     */
    public synchronized void close(final long area, final BooleanSupplier isQuiet)
    {
        open--;
        quarantine.add(new ClosedSlot(area, isQuiet));
    }

    /** Closes the team of a slot that must never be used again. */
    public synchronized void abandon()
    {
        open--;
    }

    private void reclaim()
    {
        final Iterator<ClosedSlot> slots = quarantine.iterator();
        while (slots.hasNext())
        {
            final ClosedSlot slot = slots.next();
            if (slot.isQuiet.getAsBoolean())
            {
                allocator.free(slot.area - arena.offset());
                slots.remove();
            }
        }
    }

    private record ClosedSlot(long area, BooleanSupplier isQuiet)
    {
    }
}
