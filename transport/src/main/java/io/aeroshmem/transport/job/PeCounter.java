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
package io.aeroshmem.transport.job;

/**
 * The counters that each PE has in the control file of its job. The ordinal is the id of the counter in the PE's part.
 * <p>
 * They count messages and errors: a mapped load or store is too cheap to be counted. Each PE has its own values, even
 * if it shares a JVM with others; errors of the services that such PEs share count for the first of them to join.
 */
public enum PeCounter
{
    /** Frames that Aeron took, acknowledgements alone included. */
    FRAMES_SENT(20_000, "frames sent"),

    /** Frames of peers that were performed. */
    FRAMES_RECEIVED(20_001, "frames received"),

    /** Records in the frames sent. */
    RECORDS_SENT(20_002, "records sent"),

    /** Records in the frames received. */
    RECORDS_RECEIVED(20_003, "records received"),

    /** Bytes of the frames sent, heads included. */
    BYTES_SENT(20_004, "bytes sent"),

    /** Bytes of the frames received, heads included. */
    BYTES_RECEIVED(20_005, "bytes received"),

    /** Offers that Aeron rejected because of back pressure. */
    BACK_PRESSURE(20_006, "back pressure"),

    /** Submissions that found their ring full. */
    RING_FULL(20_007, "ring full"),

    /** Requests that waited for a reply slot. */
    REPLY_SLOT_WAITS(20_008, "reply slot waits"),

    /** Frames of peers that violated the protocol. */
    MALFORMED_FRAMES(20_009, "malformed frames"),

    /** Frames that were rejected because they are not from a peer of this job, or from one at fault. */
    REJECTED_FRAMES(20_010, "rejected frames"),

    /** Exceptions passed to the error handler, other than those of a rendezvous server, which precedes the job. */
    ERRORS(20_011, "errors");

    private final int typeId;
    private final String text;

    PeCounter(final int typeId, final String text)
    {
        this.typeId = typeId;
        this.text = text;
    }

    /**
     * Returns the type id, by which viewers recognise the counter: 20 000 to 20 099, never used again for another one.
     */
    public int typeId()
    {
        return typeId;
    }

    /** Returns the label of a PE's counter, such as "aeroshmem frames sent: pe=3". */
    public String label(final int pe)
    {
        return "aeroshmem " + text + ": pe=" + pe;
    }

    /** Returns the name without the PE, such as "frames sent". */
    @Override
    public String toString()
    {
        return text;
    }
}
