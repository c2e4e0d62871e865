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
 * The record tables of one PE ({@link TeamRecordDescriptor}), one for each team unique id that this PE has made. A
 * table is reused for another id in these cases:
 * <ul>
 * <li>its team has been created, and all members know the outcome;</li>
 * <li>its attempt has failed, every participant that has arrived knows the outcome, and either more than
 * {@value #MAX_FAILED} such tables are kept or there is no room for another table. Until the table is reused,
 * participants that arrive late still get the reason of the failure from it;</li>
 * <li>no participant has used its id yet, and there is no room for another table.</li>
 * </ul>
 * The memory of a table is never used for anything else. So even an outdated id refers to the state word of a table.
 * The serial in that word shows that the id is outdated.
 * <p>
 * Thread-safe.
 */
final class TeamRecordSlots
{
    static final int MAX_TABLES = 1024;
    static final int MAX_FAILED = 64;

    private final TeamSlots slots;
    private final long systemRegion;
    private final long tableLength;

    /** In the order of the age of their ids. */
    private final Deque<Table> tables = new ArrayDeque<>();

    TeamRecordSlots(final TeamSlots slots, final long systemRegion, final int nPes)
    {
        this.slots = slots;
        this.systemRegion = systemRegion;
        tableLength = TeamRecordDescriptor.length(nPes);
    }

    /**
     * Returns a table for a new id, open.
     *
     * @throws TeamCreationException if there is none.
     */
    synchronized Table open()
    {
        Table table = reusable(tables.size() >= MAX_TABLES);
        if (null == table)
        {
            final long offset = tables.size() < MAX_TABLES ? slots.takeMemory(tableLength) : TeamSlots.TOO_MANY;
            if (offset >= 0)
            {
                table = new Table(offset, 1);
            }
            else
            {
                table = reusable(true);
                if (null == table)
                {
                    throw new TeamCreationException(
                        "no team unique id can be made: " + tables.size() + " of at most " + MAX_TABLES + " are in" +
                        " use, as their PEs have not all called teamInit" + (TeamSlots.TOO_MANY == offset ? "" :
                        ", and there is no memory for another (aeroshmem.heap.size, aeroshmem.shm.dir)"));
                }
            }
        }

        // The former id is invalidated first: a late reader of its outcome must not find zeros instead.
        final long address = systemRegion + table.offset;
        UnsafeApi.putLongVolatile(
            null, address, TeamRecordDescriptor.stateWord(table.serial, TeamRecordDescriptor.FAILED, 0, 0));
        UnsafeApi.setMemory(null, address + Long.BYTES, tableLength - Long.BYTES, (byte)0);
        UnsafeApi.putLongVolatile(
            null, address, TeamRecordDescriptor.stateWord(table.serial, TeamRecordDescriptor.OPEN, 0, 0));
        tables.addLast(table);
        return table;
    }

    /** Removes and returns the first reusable table, with the next serial, or returns null. */
    private Table reusable(final boolean isForced)
    {
        Table oldestFailed = null;
        Table oldestUnused = null;
        int failed = 0;
        final Iterator<Table> iterator = tables.iterator();
        while (iterator.hasNext())
        {
            final Table table = iterator.next();
            final long word = UnsafeApi.getLongVolatile(null, systemRegion + table.offset);
            final boolean isDeparted = TeamRecordDescriptor.arrivals(word) ==
                UnsafeApi.getLongVolatile(null, systemRegion + table.offset + TeamRecordDescriptor.DEPARTURES);
            if (isDeparted && TeamRecordDescriptor.MADE == TeamRecordDescriptor.state(word))
            {
                iterator.remove();
                return table.next();
            }

            if (isDeparted && TeamRecordDescriptor.FAILED == TeamRecordDescriptor.state(word))
            {
                failed++;
                oldestFailed = null == oldestFailed ? table : oldestFailed;
            }
            else if (isDeparted && null == oldestUnused)
            {
                oldestUnused = table;
            }
        }

        if (null != oldestFailed && (isForced || failed > MAX_FAILED))
        {
            tables.remove(oldestFailed);
            return oldestFailed.next();
        }

        return isForced && null != oldestUnused ? withdraw(oldestUnused) : null;
    }

    /** Withdraws an unused id, unless a participant arrives at the same time. */
    private Table withdraw(final Table table)
    {
        final long unused = TeamRecordDescriptor.stateWord(table.serial, TeamRecordDescriptor.OPEN, 0, 0);
        final Table next = table.next();
        final long closed = TeamRecordDescriptor.stateWord(next.serial, TeamRecordDescriptor.FAILED, 0, 0);
        if (!UnsafeApi.compareAndSetLong(null, systemRegion + table.offset, unused, closed))
        {
            return null;
        }

        tables.remove(table);
        return next;
    }

    /**
     * A table and its present use.
     *
     * @param offset in the system region.
     * @param serial of the use.
     */
    record Table(long offset, long serial)
    {
        Table next()
        {
            return new Table(offset, serial == TeamRecordDescriptor.MAX_SERIAL ? 1 : serial + 1);
        }
    }
}
