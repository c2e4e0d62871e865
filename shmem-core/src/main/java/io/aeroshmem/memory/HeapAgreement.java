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
package io.aeroshmem.memory;

import io.aeroshmem.CollectiveMismatchException;
import io.aeroshmem.sync.SystemAreaDescriptor;
import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import org.agrona.UnsafeApi;

/**
 * Makes sure that all PEs ask the same of their heaps before any of them acts, so that what is wrong becomes the same
 * exception on all of them. It is a synchronisation too: no PE has an answer before all have asked.
 * <p>
 * Each PE brings a record of what it asks. The smallest and the greatest of all records, with the PEs that brought
 * them, are found by dissemination over the world: in round {@code r} a PE sends what it has so far to the one
 * {@code 2^r} after it, and merges what comes from the one {@code 2^r} before it. Minimum and maximum do not mind
 * hearing of a PE twice, so any number of PEs will do, and all of them end with the same two records. These are
 * equal if and only if all are. Records are ordered word by word, hence two whose first words agree bound records
 * whose first words all agree.
 * <p>
 * Ordering: a record travels as a put with a signal, which is the number of the call; the flag is awaited with
 * acquire. The cells are double-buffered by the parity of the call. A PE that begins call {@code k + 2} has finished
 * {@code k + 1}, for which every PE had to finish {@code k}; so nobody reads the cells of call {@code k} any more.
 */
public final class HeapAgreement
{
    /** Kind: {@link io.aeroshmem.Shmem#malloc}; arguments: bytes. */
    public static final int MALLOC = 1;
    /** Kind: {@link io.aeroshmem.Shmem#mallocWithHints}; arguments: bytes, hints. */
    public static final int MALLOC_WITH_HINTS = 2;
    /** Kind: {@link io.aeroshmem.Shmem#calloc}; arguments: count, bytes of an element. */
    public static final int CALLOC = 3;
    /** Kind: {@link io.aeroshmem.Shmem#align}; arguments: bytes, alignment. */
    public static final int ALIGN = 4;
    /** Kind: {@link io.aeroshmem.Shmem#realloc}; arguments: bytes, address. */
    public static final int REALLOC = 5;
    /** Kind: {@link io.aeroshmem.Shmem#free}; arguments: address. */
    public static final int FREE = 6;

    static final int OK = 0;
    static final int EXHAUSTED = 1;
    static final int REFUSED = 2;

    private static final int KIND = 0;
    private static final int FIRST = 1;
    private static final int SECOND = 2;
    private static final int STATUS = 3;
    private static final int ADDRESS = 4;
    private static final int PE = 5;
    private static final int OMITTED = 6;
    private static final int RECORD_WORDS = 7;
    private static final int STATE_BYTES = 2 * RECORD_WORDS * Long.BYTES;
    private static final long ARRAY_BASE = UnsafeApi.arrayBaseOffset(long[].class);

    private final Endpoint endpoint;
    private final SystemAreaDescriptor descriptor;
    private final WorldSync world;
    private final int pe;
    private final int nPes;
    private final int rounds;

    /**
     * The smallest record, then the greatest.
     */
    private final long[] state = new long[2 * RECORD_WORDS];
    private long calls;
    private int omitted;

    /**
     * Construct for one PE.
     *
     * @param endpoint   of the PE.
     * @param descriptor layout of the system area.
     * @param world      how it waits for the other PEs.
     */
    public HeapAgreement(
        final Endpoint endpoint, final SystemAreaDescriptor descriptor, final WorldSync world)
    {
        this.endpoint = endpoint;
        this.descriptor = descriptor;
        this.world = world;
        pe = endpoint.pe();
        nPes = endpoint.nPes();
        rounds = SystemAreaDescriptor.rounds(nPes);
    }

    /**
     * This PE has made a call that does nothing, such as malloc of 0 bytes, and of which the others are not told before
     * its next one.
     *
     * @param kind of call.
     */
    void omit(final int kind)
    {
        omitted = kind;
    }

    /**
     * Exchange what this PE asks with all others.
     *
     * @param kind    of call.
     * @param first   argument.
     * @param second  argument.
     * @param status  whether this PE can do it.
     * @param address that it would do it at, or 0.
     * @return the worst status of any PE.
     * @throws CollectiveMismatchException if PEs differ in anything but the status.
     */
    int agree(final int kind, final long first, final long second, final int status, final long address)
    {
        world.begin();
        final long call = ++calls;
        bring(0, kind, first, second, status, address);
        bring(RECORD_WORDS, kind, first, second, status, address);
        omitted = 0;

        for (int round = 0; round < rounds; round++)
        {
            final int peer = (int)((pe + (1L << round)) % nPes);
            final long flagOffset = descriptor.agreementFlagOffset(call, round);
            final long payloadOffset = descriptor.agreementPayloadOffset(call, round);
            endpoint.transport(peer).putSignal(
                peer,
                Region.SYSTEM,
                payloadOffset,
                state,
                ARRAY_BASE,
                STATE_BYTES,
                Region.SYSTEM,
                flagOffset,
                call,
                SignalOperation.SET);

            final long systemArea = endpoint.localAddress(Region.SYSTEM);
            world.await(systemArea + flagOffset, call, (int)((pe - (1L << round) + nPes) % nPes));
            merge(systemArea + payloadOffset);
        }

        if (isDifferent(KIND) || isDifferent(FIRST) || isDifferent(SECOND))
        {
            throw mismatch("asked for different things of their heaps", 0);
        }

        final int worst = (int)state[RECORD_WORDS + STATUS];
        if (OK == worst && isDifferent(ADDRESS))
        {
            throw mismatch("have heaps that differ, by an earlier call that not all of them made", ADDRESS);
        }

        if (REFUSED == worst && isDifferent(STATUS))
        {
            throw mismatch("made a heap call which one of them refused because of its arguments", STATUS);
        }

        return worst;
    }

    private void bring(
        final int at,
        final int kind,
        final long first,
        final long second,
        final int status,
        final long address)
    {
        state[at + KIND] = kind;
        state[at + FIRST] = first;
        state[at + SECOND] = second;
        state[at + STATUS] = status;
        state[at + ADDRESS] = address;
        state[at + PE] = pe;
        state[at + OMITTED] = omitted;
    }

    private void merge(final long payload)
    {
        if (compare(payload, 0) < 0)
        {
            copy(payload, 0);
        }

        final long greatest = payload + RECORD_WORDS * Long.BYTES;
        if (compare(greatest, RECORD_WORDS) > 0)
        {
            copy(greatest, RECORD_WORDS);
        }
    }

    private int compare(final long record, final int at)
    {
        for (int i = 0; i < RECORD_WORDS; i++)
        {
            final int order = Long.compare(UnsafeApi.getLong(null, record + (long)i * Long.BYTES), state[at + i]);
            if (0 != order)
            {
                return order;
            }
        }

        return 0;
    }

    private void copy(final long record, final int at)
    {
        for (int i = 0; i < RECORD_WORDS; i++)
        {
            state[at + i] = UnsafeApi.getLong(null, record + (long)i * Long.BYTES);
        }
    }

    private boolean isDifferent(final int word)
    {
        return state[word] != state[RECORD_WORDS + word];
    }

    private CollectiveMismatchException mismatch(final String what, final int word)
    {
        return new CollectiveMismatchException(
            "PEs " + what + ": " + describe(0, word) + ", " + describe(RECORD_WORDS, word) + "; allowed is the same" +
            " call with the same arguments on all PEs, in the same order");
    }

    private String describe(final int at, final int word)
    {
        final String call = "PE " + state[at + PE] + " called " + describeOmitted((int)state[at + OMITTED]) +
            describe((int)state[at + KIND], state[at + FIRST], state[at + SECOND]);
        switch (word)
        {
            case ADDRESS:
                return call + " and has room at address " + state[at + ADDRESS];

            case STATUS:
                return call + (OK == state[at + STATUS] ? "" : " and refused it");

            default:
                return call;
        }
    }

    /**
     * A call that did nothing, before another one.
     *
     * @param kind of call, or 0 for none.
     * @return the beginning of a text that goes on with the other one.
     */
    public static String describeOmitted(final int kind)
    {
        return 0 == kind ? "" :
            (FREE == kind ? "free(null)" : CALLOC == kind ? "calloc(0 bytes)" : describe(kind, 0, 0)) +
            ", which does nothing, and then ";
    }

    /**
     * A call in words.
     *
     * @param kind   of call.
     * @param first  argument.
     * @param second argument.
     * @return such as {@code malloc(8 bytes)}.
     */
    public static String describe(final int kind, final long first, final long second)
    {
        switch (kind)
        {
            case MALLOC:
                return "malloc(" + first + " bytes)";

            case MALLOC_WITH_HINTS:
                return "mallocWithHints(" + first + " bytes, hints " + second + ")";

            case CALLOC:
                return "calloc(" + first + " elements of " + second + " bytes)";

            case ALIGN:
                return "align(alignment " + second + ", " + first + " bytes)";

            case REALLOC:
                return "realloc(buffer at address " + second + ", " + first + " bytes)";

            case FREE:
                return "free(buffer at address " + first + ")";

            default:
                return "call " + kind + "(" + first + ", " + second + ")";
        }
    }
}
