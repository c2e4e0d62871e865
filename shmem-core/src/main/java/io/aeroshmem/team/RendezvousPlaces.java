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

import io.aeroshmem.TeamCreationException;
import org.agrona.UnsafeApi;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * The rendezvous places of one PE. A place is used again, for another id, when the team is made and all of its members
 * know. Those of attempts that failed are kept for a while, so that participants who come late hear why; those of ids
 * that nobody has used yet, until there are too many.
 * <p>
 * Places stay places: memory that an outdated id points to has a gate whose serial tells that it is outdated.
 * <p>
 * Thread-safe.
 */
final class RendezvousPlaces
{
    static final int MOST_PLACES = 1024;
    static final int MOST_FAILED = 64;

    private final TeamSlots slots;
    private final long systemRegion;
    private final long placeLength;

    /**
     * By age of their ids.
     */
    private final Deque<Place> places = new ArrayDeque<>();

    /**
     * Construct without places.
     *
     * @param slots        whose arena they are taken from.
     * @param systemRegion address of this PE's system region.
     * @param nPes         number of PEs in the world.
     */
    RendezvousPlaces(final TeamSlots slots, final long systemRegion, final int nPes)
    {
        this.slots = slots;
        this.systemRegion = systemRegion;
        placeLength = RendezvousDescriptor.length(nPes);
    }

    /**
     * A place for a new id, with its gate open.
     *
     * @return the place.
     * @throws TeamCreationException if there is none.
     */
    synchronized Place open()
    {
        Place place = reusable(places.size() >= MOST_PLACES);
        if (null == place)
        {
            final long offset = places.size() < MOST_PLACES ? slots.takeMemory(placeLength) : TeamSlots.TOO_MANY;
            if (offset >= 0)
            {
                place = new Place(offset, 1);
            }
            else
            {
                place = reusable(true);
                if (null == place)
                {
                    throw new TeamCreationException(
                        "no team unique id can be made: " + places.size() + " are in use, whose PEs have not all" +
                        " come to teamInit, of at most " + MOST_PLACES + (TeamSlots.TOO_MANY == offset ? "" :
                        ", and there is no memory for another: see aeroshmem.heap.size and aeroshmem.shm.dir"));
                }
            }
        }

        // The gate closes for the former id first: whoever still looks at its outcome must not find zeros instead.
        final long address = systemRegion + place.offset;
        UnsafeApi.putLongVolatile(
            null, address, RendezvousDescriptor.gate(place.serial, RendezvousDescriptor.FAILED, 0, 0));
        UnsafeApi.setMemory(null, address + Long.BYTES, placeLength - Long.BYTES, (byte)0);
        UnsafeApi.putLongVolatile(
            null, address, RendezvousDescriptor.gate(place.serial, RendezvousDescriptor.OPEN, 0, 0));
        places.addLast(place);
        return place;
    }

    /**
     * Take out the first place that can be used again, with the next serial.
     */
    private Place reusable(final boolean isPressing)
    {
        Place oldestFailed = null;
        Place oldestUnused = null;
        int failed = 0;
        final Iterator<Place> iterator = places.iterator();
        while (iterator.hasNext())
        {
            final Place place = iterator.next();
            final long gate = UnsafeApi.getLongVolatile(null, systemRegion + place.offset);
            final boolean isLeft = RendezvousDescriptor.arrivals(gate) ==
                UnsafeApi.getLongVolatile(null, systemRegion + place.offset + RendezvousDescriptor.LEFT);
            if (isLeft && RendezvousDescriptor.MADE == RendezvousDescriptor.state(gate))
            {
                iterator.remove();
                return place.next();
            }

            if (isLeft && RendezvousDescriptor.FAILED == RendezvousDescriptor.state(gate))
            {
                failed++;
                oldestFailed = null == oldestFailed ? place : oldestFailed;
            }
            else if (isLeft && null == oldestUnused)
            {
                oldestUnused = place;
            }
        }

        if (null != oldestFailed && (isPressing || failed > MOST_FAILED))
        {
            places.remove(oldestFailed);
            return oldestFailed.next();
        }

        return isPressing && null != oldestUnused ? withdraw(oldestUnused) : null;
    }

    /**
     * Take back an id that nobody has used, unless somebody begins to.
     */
    private Place withdraw(final Place place)
    {
        final long unused = RendezvousDescriptor.gate(place.serial, RendezvousDescriptor.OPEN, 0, 0);
        final Place next = place.next();
        final long closed = RendezvousDescriptor.gate(next.serial, RendezvousDescriptor.FAILED, 0, 0);
        if (!UnsafeApi.compareAndSetLong(null, systemRegion + place.offset, unused, closed))
        {
            return null;
        }

        places.remove(place);
        return next;
    }

    /**
     * A place and its present use.
     *
     * @param offset in the system region.
     * @param serial of the use.
     */
    record Place(long offset, long serial)
    {
        Place next()
        {
            return new Place(offset, serial == RendezvousDescriptor.MAX_SERIAL ? 1 : serial + 1);
        }
    }
}
