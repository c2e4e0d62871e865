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

import io.aeron.Publication;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.PeCounter;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Counters of one PE's messages, in its part of the {@link ControlFile}. The holder of the lock of the
 * {@link ProgressEngine} is their only writer, with two exceptions: any thread counts, atomically, its waits for room
 * in a submission ring and its waits for a free slot of a {@link RequestTable}.
 */
final class MessageCounters
{
    private final AtomicCounter framesSent;
    private final AtomicCounter framesReceived;
    private final AtomicCounter recordsSent;
    private final AtomicCounter recordsReceived;
    private final AtomicCounter bytesSent;
    private final AtomicCounter bytesReceived;
    private final AtomicCounter backPressure;
    private final AtomicCounter ringFull;
    private final AtomicCounter replySlotWaits;
    private final AtomicCounter malformedFrames;
    private final AtomicCounter rejectedFrames;

    MessageCounters(final ControlFile control, final int pe)
    {
        framesSent = control.counter(pe, PeCounter.FRAMES_SENT);
        framesReceived = control.counter(pe, PeCounter.FRAMES_RECEIVED);
        recordsSent = control.counter(pe, PeCounter.RECORDS_SENT);
        recordsReceived = control.counter(pe, PeCounter.RECORDS_RECEIVED);
        bytesSent = control.counter(pe, PeCounter.BYTES_SENT);
        bytesReceived = control.counter(pe, PeCounter.BYTES_RECEIVED);
        backPressure = control.counter(pe, PeCounter.BACK_PRESSURE);
        ringFull = control.counter(pe, PeCounter.RING_FULL);
        replySlotWaits = control.counter(pe, PeCounter.REPLY_SLOT_WAITS);
        malformedFrames = control.counter(pe, PeCounter.MALFORMED_FRAMES);
        rejectedFrames = control.counter(pe, PeCounter.REJECTED_FRAMES);
    }

    /**
     * Counts a frame that a stream has taken, or pushed back, by the result of the offer; {@code recordCount} is 0 for
     * an acknowledgement alone. Returns whether the stream has taken it.
     */
    boolean onOffer(final long result, final int recordCount, final int length)
    {
        if (result >= 0)
        {
            onFrameSent(recordCount, length);
            return true;
        }

        if (Publication.BACK_PRESSURED == result)
        {
            backPressure.incrementOpaque();
        }

        return false;
    }

    private void onFrameSent(final int recordCount, final int length)
    {
        framesSent.incrementOpaque();
        recordsSent.getAndAddOpaque(recordCount);
        bytesSent.getAndAddOpaque(length);
    }

    /** Counts a frame; {@code recordCount} is 0 for an acknowledgement alone. */
    void onFrameReceived(final int recordCount, final int length)
    {
        framesReceived.incrementOpaque();
        recordsReceived.getAndAddOpaque(recordCount);
        bytesReceived.getAndAddOpaque(length);
    }

    void onMalformedFrame()
    {
        malformedFrames.incrementOpaque();
    }

    void onRejectedFrame()
    {
        rejectedFrames.incrementOpaque();
    }

    /** Counts a submission that waits for room in its ring. Any thread. */
    void onRingFull()
    {
        ringFull.increment();
    }

    /** Counts a request that waits for a reply slot. Any thread. */
    void onReplySlotWait()
    {
        replySlotWaits.increment();
    }
}
