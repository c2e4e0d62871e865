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
 * The counter slots of a PE's cell of the control file. Each slot is a long that only the PE writes, so that a support
 * engineer can read the counters of a running, hung or dead PE.
 * <p>
 * Only messages are counted: a mapped load or store is too cheap to be counted.
 */
public final class ControlCounter
{
    /**
     * Frames offered to Aeron.
     */
    public static final int FRAMES_SENT = 0;

    /**
     * Frames taken from the inbox.
     */
    public static final int FRAMES_RECEIVED = 1;

    /**
     * Records in the frames sent.
     */
    public static final int RECORDS_SENT = 2;

    /**
     * Records in the frames received.
     */
    public static final int RECORDS_RECEIVED = 3;

    /**
     * Payload bytes sent.
     */
    public static final int BYTES_SENT = 4;

    /**
     * Payload bytes received.
     */
    public static final int BYTES_RECEIVED = 5;

    /** Offers that Aeron rejected because of back pressure. */
    public static final int BACK_PRESSURE = 6;

    /**
     * Submissions that found their ring full.
     */
    public static final int RING_FULL = 7;

    /**
     * Requests that waited for a reply slot.
     */
    public static final int REPLY_SLOT_WAITS = 8;

    /** Records that were rejected as malformed. */
    public static final int MALFORMED_RECORDS = 9;

    /** Exceptions passed to the error handler. */
    public static final int ERRORS = 10;

    /** Frames that were rejected because they are not from a peer of this job. */
    public static final int REFUSED_FRAMES = 11;

    /** Slots per cell; those above the last named one are spare. */
    public static final int CAPACITY = 32;

    private static final String[] NAMES =
    {
        "frames sent", "frames received", "records sent", "records received", "bytes sent", "bytes received",
        "back pressure", "ring full", "reply slot waits", "malformed records", "errors",
        "refused frames"
    };

    private ControlCounter()
    {
    }

    /** Returns the number of named slots, which come first. */
    public static int count()
    {
        return NAMES.length;
    }

    public static String name(final int counter)
    {
        return NAMES[counter];
    }
}
