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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.Pending;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RequestTableTest
{
    private final RequestTable table = new RequestTable();
    private final UnsafeBuffer source = new UnsafeBuffer(ByteBuffer.allocateDirect(64));
    private final UnsafeBuffer dest = new UnsafeBuffer(ByteBuffer.allocateDirect(64));

    @Test
    void shouldGiveEachSlotOnceUntilNoneIsLeft()
    {
        long taken = 0;
        for (int i = 0; i < RequestTable.CAPACITY; i++)
        {
            taken |= 1L << table.tryAcquire();
        }

        assertEquals(-1L, taken);
        assertEquals(-1, table.tryAcquire());
        table.release(17);
        assertEquals(17, table.tryAcquire());
    }

    @Test
    void shouldCompleteAFetchWithItsValue()
    {
        final int slot = table.tryAcquire();
        table.fetch(slot);
        assertFalse(table.isDone(slot));
        assertEquals(RequestTable.ACCEPTED, table.onFetchReply(slot, table.generation(slot), 42));
        assertTrue(table.isDone(slot));
        assertEquals(42, table.result(slot));
    }

    @Test
    void shouldDropAReplyToAnEarlierUseOfTheSlot()
    {
        final int slot = table.tryAcquire();
        final int earlier = table.generation(slot);
        table.fetch(slot);
        table.onFetchReply(slot, earlier, 1);
        table.release(slot);

        assertEquals(slot, table.tryAcquire());
        table.fetch(slot);
        assertEquals(RequestTable.LATE, table.onFetchReply(slot, earlier, 2));
        assertFalse(table.isDone(slot));
    }

    @Test
    void shouldDropRepliesToFreeSlotsAndRejectThoseToSlotsThatDoNotExist()
    {
        assertEquals(RequestTable.LATE, table.onFetchReply(0, 0, 1));
        assertEquals(RequestTable.INVALID, table.onFetchReply(-1, 0, 1));
        assertEquals(RequestTable.INVALID, table.onFetchReply(RequestTable.CAPACITY, 0, 1));
        assertEquals(RequestTable.LATE, table.onGetReply(3, 0, 0, source.addressOffset(), 8));
    }

    @Test
    void shouldRejectAReplyToARequestThatIsNotMadeYet()
    {
        final Pending pending = new Pending();
        final int slot = table.tryAcquire();
        pending.begin();
        table.fetchNbi(slot, true, dest.addressOffset(), pending);
        assertEquals(RequestTable.ACCEPTED, table.onFetchReply(slot, table.generation(slot), 1));

        assertEquals(slot, table.tryAcquire());
        assertEquals(RequestTable.INVALID, table.onFetchReply(slot, table.generation(slot), 2));
        assertEquals(
            RequestTable.INVALID, table.onGetReply(slot, table.generation(slot), 0, source.addressOffset(), 8));
        assertEquals(1, dest.getLong(0));
        assertEquals(1L << slot, table.inUse());
    }

    @Test
    void shouldRejectASecondReply()
    {
        final int slot = table.tryAcquire();
        table.fetch(slot);
        assertEquals(RequestTable.ACCEPTED, table.onFetchReply(slot, table.generation(slot), 1));
        assertEquals(RequestTable.INVALID, table.onFetchReply(slot, table.generation(slot), 2));
        assertEquals(1, table.result(slot));
    }

    @Test
    void shouldAssembleAGetFromItsChunksInOrder()
    {
        source.putLong(0, 7);
        source.putLong(8, 8);
        final int slot = table.tryAcquire();
        final int generation = table.generation(slot);
        table.get(slot, null, dest.addressOffset(), 12);

        assertEquals(
            RequestTable.INVALID,
            table.onGetReply(slot, generation, 8, source.addressOffset() + 8, 4),
            "out of order");
        assertEquals(RequestTable.ACCEPTED, table.onGetReply(slot, generation, 0, source.addressOffset(), 8));
        assertFalse(table.isDone(slot));
        assertEquals(
            RequestTable.INVALID,
            table.onGetReply(slot, generation, 8, source.addressOffset() + 8, 8),
            "longer than asked for");
        assertEquals(RequestTable.ACCEPTED, table.onGetReply(slot, generation, 8, source.addressOffset() + 8, 4));
        assertTrue(table.isDone(slot));
        assertEquals(7, dest.getLong(0));
        assertEquals(8, dest.getLong(8));
    }

    @Test
    void shouldNotTakeAChunkForAFetchNorAFetchReplyForAGet()
    {
        final int fetch = table.tryAcquire();
        table.fetch(fetch);
        assertEquals(
            RequestTable.INVALID, table.onGetReply(fetch, table.generation(fetch), 0, source.addressOffset(), 8));

        final int get = table.tryAcquire();
        table.get(get, null, dest.addressOffset(), 8);
        assertEquals(RequestTable.INVALID, table.onFetchReply(get, table.generation(get), 1));
        assertFalse(table.isDone(get));
    }

    @Test
    void shouldFreeANonblockingRequestBeforeItCountsAsComplete()
    {
        final Pending pending = new Pending();
        final int slot = table.tryAcquire();
        final int generation = table.generation(slot);
        pending.begin();
        table.fetchNbi(slot, true, dest.addressOffset() + 8, pending);
        assertFalse(pending.isIdle());
        assertFalse(table.hasEnded(slot, generation));

        assertEquals(RequestTable.ACCEPTED, table.onFetchReply(slot, generation, -5));
        assertTrue(pending.isIdle());
        assertTrue(table.hasEnded(slot, generation));
        assertEquals(-5, dest.getLong(8));
        assertEquals(0, table.inUse());
    }

    @Test
    void shouldKeepAnAbandonedGetUntilItsLastChunkAndWriteNothing()
    {
        source.putLong(0, 7);
        final int slot = table.tryAcquire();
        final int generation = table.generation(slot);
        table.get(slot, null, dest.addressOffset(), 16);
        table.abandon(slot);
        assertEquals(1L << slot, table.inUse());

        assertEquals(RequestTable.ACCEPTED, table.onGetReply(slot, generation, 0, source.addressOffset(), 8));
        assertEquals(1L << slot, table.inUse());
        assertEquals(RequestTable.ACCEPTED, table.onGetReply(slot, generation, 8, source.addressOffset(), 8));
        assertEquals(0, table.inUse());
        assertEquals(0, dest.getLong(0));
    }

    @Test
    void shouldFreeAnAbandonedRequestThatReceivedItsReplyMeanwhile()
    {
        final int slot = table.tryAcquire();
        table.fetch(slot);
        table.onFetchReply(slot, table.generation(slot), 1);
        table.abandon(slot);
        assertEquals(0, table.inUse());
    }
}
