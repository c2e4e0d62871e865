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

import io.aeron.Image;
import io.aeron.logbuffer.Header;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.PeCounter;
import org.agrona.ErrorHandler;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Counts of the frames that an inbox rejects, by {@link Reason}. Rejected frames are dropped, and are also counted in
 * the control file. The error handler receives an exception only for the first frame of each reason, so that a sender
 * cannot fill a log.
 * <p>
 * Frames are counted under the engine's lock, and the exceptions for the error handler are queued under it. The thread
 * that drove the engine reports them after it has released the lock, because the error handler is code of the
 * application.
 */
final class RejectedFrames
{
    /** Reason for which a frame is rejected. */
    enum Reason
    {
        /** Shorter than the header of a frame. */
        TOO_SHORT("is too short"),

        /** Does not begin with the eight bytes with which frames of this version begin. */
        OTHER_SCHEMA("has another schema or version"),

        /** Carries the token of another job, or a guessed one. */
        OTHER_JOB("carries the token of another job"),

        /** From a PE that sends no messages to this PE. */
        UNKNOWN_PE("is from a PE that is not a peer"),

        /** From an earlier incarnation of the PE. */
        OTHER_EPOCH("is from another epoch of its PE"),

        /** From a peer that has violated the protocol before. */
        AFTER_FAULT("is from a PE that violated the protocol before");

        private final String text;

        Reason(final String text)
        {
            this.text = text;
        }
    }

    private final int pe;
    private final MessageCounters messageCounters;
    private final Queue<TransportException> unreported = new ConcurrentLinkedQueue<>();
    private final long[] counts = new long[Reason.values().length];
    private volatile boolean isReportDue;

    RejectedFrames(final int pe, final MessageCounters messageCounters)
    {
        this.pe = pe;
        this.messageCounters = messageCounters;
    }

    /** Counts a frame. Under the engine's lock. The header is null for a frame that came through no image. */
    void onFrame(final Reason reason, final Header header)
    {
        messageCounters.onRejectedFrame();
        if (1 == ++counts[reason.ordinal()])
        {
            unreported.add(new TransportException("PE " + pe + " rejected a frame" + from(header) + ": it " +
                reason.text + "; further ones are counted only ('" +
                PeCounter.REJECTED_FRAMES + "' in the control file)"));
            isReportDue = true;
        }
    }

    private static String from(final Header header)
    {
        if (null == header || !(header.context() instanceof Image))
        {
            return "";
        }

        final Image image = (Image)header.context();
        return " from " + image.sourceIdentity() + ", session " + image.sessionId() + " of stream " +
            header.streamId();
    }

    long count(final Reason reason)
    {
        return counts[reason.ordinal()];
    }

    /** Reports what is queued. Any thread, not under the engine's lock. */
    void report(final ErrorHandler errorHandler)
    {
        if (isReportDue)
        {
            // Before the queue is emptied: a frame that arrives meanwhile sets it again.
            isReportDue = false;
            for (TransportException first = unreported.poll(); null != first; first = unreported.poll())
            {
                errorHandler.onError(first);
            }
        }
    }
}
