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

import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * Queue of the replies that this PE owes one peer for the peer's runs of fetches ({@link FetchRuns}). The replies to a
 * run are the previous values of the fetched words. The queue has room for as many runs as the peer may have
 * outstanding. So the {@link Inbox} never waits for room in the queue. The previous values are sent in order, as many
 * at a time as fit into the frame that the {@link Outbox} is filling. The memory, 128 KiB, is allocated for the peer's
 * first run.
 * <p>
 * Accessed only under the engine's lock.
 */
final class FetchRunReplies
{
    private static final int MASK = FetchRuns.CAPACITY - 1;
    private static final int RUN_LENGTH = FetchRuns.LENGTH_LIMIT * Long.BYTES;

    private final int[] numbers = new int[FetchRuns.CAPACITY];
    private final int[] counts = new int[FetchRuns.CAPACITY];
    private UnsafeBuffer values;
    private int head;
    private int tail;
    /** Words of the first run that have been replied. */
    private int replied;

    /** Returns the address of the values of the next run, or 0 if the peer has as many runs outstanding as it may. */
    long nextAddress()
    {
        if (FetchRuns.CAPACITY == tail - head)
        {
            return 0;
        }

        if (null == values)
        {
            values = new UnsafeBuffer(
                BufferUtil.allocateDirectAligned(FetchRuns.CAPACITY * RUN_LENGTH, Long.BYTES));
        }

        return values.addressOffset() + (long)(tail & MASK) * RUN_LENGTH;
    }

    /** Adds the run whose values have been stored at {@link #nextAddress()}. */
    void add(final int number, final int count)
    {
        final int slot = tail++ & MASK;
        numbers[slot] = number;
        counts[slot] = count;
    }

    boolean isEmpty()
    {
        return head == tail;
    }

    /** Appends replies to the open frame while it has room. */
    void appendTo(final Outbox outbox)
    {
        while (head != tail)
        {
            final int slot = head & MASK;
            final int count = Math.min(counts[slot] - replied, outbox.fetchRunReplyRoom());
            if (0 == count)
            {
                return;
            }

            final MutableDirectBuffer frame = outbox.frame();
            final int index = outbox.appendIndex();
            final int length = count * Long.BYTES;
            frame.putLong(index, FETCH_RUN_REPLY_HEADER);
            frame.putInt(index + FETCH_RUN_REPLY_NUMBER, numbers[slot]);
            frame.putInt(index + FETCH_RUN_REPLY_POSITION, replied);
            frame.putLong(
                index + FETCH_RUN_REPLY_PADDING, (long)groupSize(FETCH_RUN_REPLY_WORD, count) << Integer.SIZE);
            UnsafeApi.copyMemory(
                values.addressOffset() + (long)slot * RUN_LENGTH + (long)replied * Long.BYTES,
                frame.addressOffset() + index + FETCH_RUN_REPLY_LENGTH,
                length);
            outbox.append(FETCH_RUN_REPLY_LENGTH + length, false);
            replied += count;
            if (counts[slot] == replied)
            {
                replied = 0;
                head++;
            }
        }
    }
}
