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
 * Which slot of a PE's cell of the control file counts what. Slots are longs that the PE alone writes, so that a
 * support engineer can read the counts of a running, hung or dead PE without its help.
 * <p>
 * Only what goes over messages is counted: a mapped load or store is too cheap to be counted.
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

    /**
     * Offers that Aeron refused for back pressure.
     */
    public static final int BACK_PRESSURE = 6;

    /**
     * Submissions that found their ring full.
     */
    public static final int RING_FULL = 7;

    /**
     * Requests that waited for a reply slot.
     */
    public static final int REPLY_SLOT_WAITS = 8;

    /**
     * Records that were refused as malformed.
     */
    public static final int MALFORMED_RECORDS = 9;

    /**
     * Exceptions handed to the error handler.
     */
    public static final int ERRORS = 10;

    /**
     * Frames that were refused, since they are not from a peer of this job.
     */
    public static final int REFUSED_FRAMES = 11;

    /**
     * Slots in a cell; those above the last named one are spare.
     */
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

    /**
     * How many slots have a name; they are the first ones.
     *
     * @return the number of counters in use.
     */
    public static int count()
    {
        return NAMES.length;
    }

    /**
     * The name of a counter, for people.
     *
     * @param counter 0 to {@link #count()} - 1.
     * @return its name in lower case.
     */
    public static String name(final int counter)
    {
        return NAMES[counter];
    }
}
