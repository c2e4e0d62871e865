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

import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.UnsafeApi;

/**
 * Puts to several peers by one message to a multicast group. In the order of a caller's operations to each of the
 * peers, and for quiet and fence, it is a put to each of them: see {@link GroupOutbox}.
 */
public final class GroupTransport
{
    private static final int FRAMES_PER_CYCLE = 16;

    private final ProgressEngine engine;
    private final GroupOutbox outbox;
    private final Transport messages;
    private final BlockingWait blockingWait;
    /** Under the engine's lock. */
    private int frames;

    GroupTransport(
        final ProgressEngine engine,
        final GroupOutbox outbox,
        final Transport messages,
        final BlockingWait blockingWait)
    {
        this.engine = engine;
        this.outbox = outbox;
        this.messages = messages;
        this.blockingWait = blockingWait;
    }

    /** Returns whether {@link #put} may stand for puts by a transport: not for those that gather, record or copy. */
    public boolean isFor(final Transport transport)
    {
        return messages == transport;
    }

    /**
     * Puts a block, unless its length is 0, and then a signal, unless its operation is negative, to peers that are
     * reached by UDP.
     */
    public void put(
        final int[] pes,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final long length,
        final int signalRegion,
        final long signalOffset,
        final long value,
        final int signalOperation)
    {
        UnsafeApi.storeFence();
        int first = 0;
        while (first < pes.length && (length > 0 || signalOperation >= 0))
        {
            first = putToSome(
                pes,
                first,
                region,
                offset,
                sourceBase,
                sourceAddress,
                length,
                signalRegion,
                signalOffset,
                value,
                signalOperation);
        }
    }

    /** Puts to as many PEs as a frame has room for, and returns the index of the next. */
    private int putToSome(
        final int[] pes,
        final int first,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final long length,
        final int signalRegion,
        final long signalOffset,
        final long value,
        final int signalOperation)
    {
        final long deadlineNs = blockingWait.operationDeadline();
        int end = first;
        int round = 0;
        long done = 0;
        boolean isDone = false;
        while (!isDone)
        {
            boolean isSent = false;
            boolean isPollDue = false;
            if (engine.tryLock())
            {
                try
                {
                    end = addMembers(pes, first);
                    final int chunk = (int)Math.min(length - done, outbox.maxPutChunk());
                    final boolean isLast = done + chunk == length;
                    isSent = outbox.drainMembers() && outbox.send(
                        region,
                        offset + done,
                        sourceBase,
                        sourceAddress + done,
                        chunk,
                        signalRegion,
                        signalOffset,
                        value,
                        isLast ? signalOperation : -1);
                    if (isSent)
                    {
                        done += chunk;
                        isDone = isLast;
                        isPollDue = 0 == ++frames % FRAMES_PER_CYCLE;
                    }
                }
                finally
                {
                    engine.unlock();
                }
            }

            if (!isSent)
            {
                round = blockingWait.idle(round, deadlineNs, signalOperation < 0 ? "putAll" : "putSignalAll");
            }
            else if (isPollDue)
            {
                // acknowledgements arrive, also if the program only puts
                engine.pollAsSender();
            }
        }

        blockingWait.reset(round);
        return end;
    }

    private int addMembers(final int[] pes, final int first)
    {
        outbox.begin();
        int index = first;
        while (index < pes.length && outbox.add(engine.link(pes[index])))
        {
            index++;
        }

        return index;
    }
}
