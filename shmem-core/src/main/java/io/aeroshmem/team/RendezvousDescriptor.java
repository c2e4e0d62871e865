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

/**
 * Layout of a rendezvous place: memory in the arena of the PE that made a team unique id, where the PEs that make the
 * team meet. Nobody but the library of the participants acts on it; its owner need not take part.
 * <pre>
 *   0     +----------------------------------------------------------+
 *         |  gate: serial (26 bits), state (2), arrivals (18),       |
 *         |        PE that decided (18)                              |
 *   64    +----------------------------------------------------------+
 *         |  LEFT: how many have arrived and know the outcome        |
 *   128   +----------------------------------------------------------+
 *         |  row of PE 0 of the world, written by it alone           |
 *         |    +0   STAMP: serial of the rendezvous                  |
 *         |    +8   SIZE and INDEX it gave                           |
 *         |    +16  STATUS: whether it has a slot                    |
 *         |    +24  AREA of its slot                                 |
 *         |    +32  CONFIG it gave                                   |
 *         |    +40  NUMBER of the team, if it is the first member    |
 *         |    +48  DETAIL of the status                             |
 *         |    +64  REASON and its details, if it decided to fail    |
 *         |  row of PE 1 of the world ...                            |
 *         +----------------------------------------------------------+
 * </pre>
 * The gate changes by compare and swap only. Its serial is new for each use of the place, so that a PE with an id of a
 * former use touches nothing.
 */
final class RendezvousDescriptor
{
    static final long OPEN = 0;
    static final long MADE = 1;
    static final long FAILED = 2;

    static final int LEFT = 64;
    static final int ROW_LENGTH = 128;
    static final int ROW_WORDS = ROW_LENGTH / Long.BYTES;

    static final int STAMP = 0;
    static final int SIZE_AND_INDEX = 1;
    static final int STATUS = 2;
    static final int AREA = 3;
    static final int CONFIG = 4;
    static final int NUMBER = 5;
    static final int DETAIL = 6;
    static final int RECORD_WORDS = 7;
    static final int REASON = 8;
    static final int REASON_WORDS = 5;

    static final long MAX_SERIAL = (1L << 26) - 1;

    private static final int ROWS = 128;
    private static final int PE_BITS = 18;
    private static final long PE_MASK = (1L << PE_BITS) - 1;
    private static final int ARRIVALS_SHIFT = PE_BITS;
    private static final int STATE_SHIFT = ARRIVALS_SHIFT + PE_BITS;
    private static final int SERIAL_SHIFT = STATE_SHIFT + 2;

    private RendezvousDescriptor()
    {
    }

    static long length(final int nPes)
    {
        return ROWS + (long)nPes * ROW_LENGTH;
    }

    static long rowOffset(final int pe)
    {
        return ROWS + (long)pe * ROW_LENGTH;
    }

    static long gate(final long serial, final long state, final int arrivals, final int pe)
    {
        return serial << SERIAL_SHIFT | state << STATE_SHIFT | (long)arrivals << ARRIVALS_SHIFT | pe;
    }

    static long serial(final long gate)
    {
        return gate >>> SERIAL_SHIFT;
    }

    static long state(final long gate)
    {
        return gate >>> STATE_SHIFT & 3;
    }

    static int arrivals(final long gate)
    {
        return (int)(gate >>> ARRIVALS_SHIFT & PE_MASK);
    }

    static int pe(final long gate)
    {
        return (int)(gate & PE_MASK);
    }
}
