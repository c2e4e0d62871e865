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
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.ControlCounter;
import org.agrona.ErrorHandler;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Frames that reached an inbox and are not from a peer of the job: dropped, counted in the control file, and told to
 * the error handler, the first of each kind only, so that whoever sends them can fill no log.
 * <p>
 * Frames are counted under the engine's lock. What is to be told is queued there and told outside it, by whichever
 * thread drove the engine last, because the error handler is the application's.
 */
final class Refusals
{
    /**
     * Why a frame is refused.
     */
    enum Reason
    {
        /** Shorter than the head of a frame. */
        NO_FRAME("is no frame: too short"),

        /** Not the first eight bytes of a frame of this version. */
        OTHER_SCHEMA("is no frame of this schema and version"),

        /** The token of another job, or a guess. */
        OTHER_JOB("carries the token of another job"),

        /** No peer that sends messages to this PE. */
        UNKNOWN_PE("comes from a PE that is no peer of this one"),

        /** Another life of the PE. */
        OTHER_EPOCH("comes from another life of its PE"),

        /** What comes after the frame that failed its sender. */
        AFTER_FAULT("comes from a PE that has sent a malformed frame before");

        private final String text;

        Reason(final String text)
        {
            this.text = text;
        }
    }

    private final int pe;
    private final Control control;
    private final Queue<TransportException> news = new ConcurrentLinkedQueue<>();
    private final long[] counts = new long[Reason.values().length];
    private volatile boolean hasNews;
    private long total;

    Refusals(final int pe, final Control control)
    {
        this.pe = pe;
        this.control = control;
    }

    /**
     * Count a frame. Under the engine's lock.
     *
     * @param reason why it was refused.
     * @param header of the frame, or null where it did not come through an image.
     */
    void onFrame(final Reason reason, final Header header)
    {
        total++;
        control.counter(pe, ControlCounter.REFUSED_FRAMES, total);
        if (1 == ++counts[reason.ordinal()])
        {
            news.add(new TransportException("PE " + pe + " refused a frame" + from(header) + ": it " + reason.text +
                "; more of this kind are counted only ('" + ControlCounter.name(ControlCounter.REFUSED_FRAMES) +
                "' in the control file)"));
            hasNews = true;
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

    long total()
    {
        return total;
    }

    long count(final Reason reason)
    {
        return counts[reason.ordinal()];
    }

    /**
     * Tell what is new. Not under the engine's lock. Any thread.
     */
    void tell(final ErrorHandler errorHandler)
    {
        if (hasNews)
        {
            // before the queue is emptied: what comes meanwhile sets it again
            hasNews = false;
            for (TransportException first = news.poll(); null != first; first = news.poll())
            {
                errorHandler.onError(first);
            }
        }
    }
}
