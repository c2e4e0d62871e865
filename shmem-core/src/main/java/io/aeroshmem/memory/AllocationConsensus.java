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
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.UnsafeApi;

/**
 * The agreement of all PEs on a collective heap call before it takes effect, so that an error becomes the same
 * exception on all of them. It synchronises too: no PE has a result before all have made the call.
 */
public final class AllocationConsensus
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
    /** Kind: {@link io.aeroshmem.Shmem#retain}; arguments: bytes, a hash of name and version. */
    public static final int RETAIN = 7;
    /** Kind: {@link io.aeroshmem.Shmem#release}; arguments: a hash of the name. */
    public static final int RELEASE = 8;

    /** Kind: {@link io.aeroshmem.Shmem#snapshot}. */
    public static final int SNAPSHOT = 9;
    /** Kind: {@link io.aeroshmem.Shmem#restore}. */
    public static final int RESTORE = 10;

    /** Added to a kind for a call on the device heap. */
    public static final int DEVICE = 16;

    /** Of the methods, by kind. */
    private static final String[] NAMES = {
        null, "malloc", "mallocWithHints", "calloc", "align", "realloc", "free", "retain", "release", "snapshot",
        "restore"
    };

    static final int OK = 0;
    static final int EXHAUSTED = 1;
    static final int REJECTED = 2;

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

    /*
     * Algorithm. Each PE contributes a record of its call. All PEs find a pair, the smallest and the greatest of all
     * records, by dissemination over the world: in round r a PE sends its current pair to the PE 2^r after it, and
     * merges the pair from the PE 2^r before it. Minimum and maximum are idempotent. So a record may arrive more than
     * once, any number of PEs is possible, and all PEs end with the same pair.
     *
     * Records are compared word by word, from the first on. So the first n words of the pair are equal if and only if
     * the first n words of all records are equal. The words of the call come first. The number of the PE follows them,
     * so each record of the pair names its contributor.
     *
     * Ordering. A pair travels as a put with a signal, into a cell of the receiver (SystemAreaDescriptor). The value of
     * the signal is the number of the call. The receiver waits for the signal with acquire, then reads the pair. Even
     * and odd calls have separate cells. A PE that begins call k + 2 has finished k + 1, which no PE finishes before
     * every PE has finished k. So no PE reads the cells of call k any more.
     */
    private final Endpoint endpoint;
    private final SystemAreaDescriptor descriptor;
    private final WorldSync world;
    private final int pe;
    private final int nPes;
    private final int rounds;

    /** The smallest record, then the greatest. */
    private final long[] state = new long[2 * RECORD_WORDS];
    private long calls;
    private int omitted;

    public AllocationConsensus(
        final Endpoint endpoint, final SystemAreaDescriptor descriptor, final WorldSync world)
    {
        this.endpoint = endpoint;
        this.descriptor = descriptor;
        this.world = world;
        pe = endpoint.pe();
        nPes = endpoint.nPes();
        rounds = SystemAreaDescriptor.rounds(nPes);
    }

    /** Records a call that does nothing, such as malloc of 0 bytes; the other PEs learn of it with the next call. */
    void omit(final int kind)
    {
        omitted = kind;
    }

    /**
     * Exchanges the call of this PE with all others and returns the worst status of any PE; throws
     * {@link CollectiveMismatchException} if PEs differ in anything but the status.
     */
    int agree(final int kind, final long first, final long second, final int status, final long address)
    {
        exchange(kind, first, second, status, address);
        final int worst = (int)state[RECORD_WORDS + STATUS];
        if (OK == worst && isDifferent(ADDRESS))
        {
            throw mismatch("must have made the same heap calls in the same order before", ADDRESS);
        }

        if (REJECTED == worst && isDifferent(STATUS))
        {
            throw mismatch("must make the same heap call with valid arguments", STATUS);
        }

        return worst;
    }

    /**
     * Exchanges a value within a call that all PEs have agreed on, and returns the greatest of any PE; throws
     * {@link CollectiveMismatchException} if a PE makes another call.
     */
    long greatest(final int kind, final long value)
    {
        exchange(kind, 0, 0, OK, value);
        return state[RECORD_WORDS + ADDRESS];
    }

    private void exchange(
        final int kind, final long first, final long second, final int status, final long address)
    {
        contribute(0, kind, first, second, status, address);
        contribute(RECORD_WORDS, kind, first, second, status, address);
        omitted = 0;
        world.begin(methodName(kind));
        try
        {
            exchange(++calls);
        }
        catch (final RuntimeException | Error ex)
        {
            world.abandon();
            throw ex;
        }

        if (isDifferent(KIND) || isDifferent(FIRST) || isDifferent(SECOND))
        {
            throw mismatch("must make the same heap call with the same arguments", 0);
        }
    }

    private void exchange(final long call)
    {
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
    }

    private void contribute(
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

    private CollectiveMismatchException mismatch(final String difference, final int word)
    {
        return new CollectiveMismatchException(
            "PEs " + difference + ": " + describe(0, word) + ", " + describe(RECORD_WORDS, word));
    }

    private String describe(final int at, final int word)
    {
        final String call = "PE " + state[at + PE] + " called " + describeOmitted((int)state[at + OMITTED]) +
            describe((int)state[at + KIND], state[at + FIRST], state[at + SECOND]);
        return switch (word)
        {
            case ADDRESS -> call + " and has room at address " + state[at + ADDRESS];
            case STATUS -> call + (OK == state[at + STATUS] ? "" : " and rejected it");
            default -> call;
        };
    }

    /**
     * Describes a call that did nothing, as the beginning of a text that continues with the next call; kind 0 is none.
     */
    public static String describeOmitted(final int kind)
    {
        return 0 == kind ? "" :
            (FREE == kind ? "free(null)" : CALLOC == kind ? "calloc(0 bytes)" : describe(kind, 0, 0)) +
            ", which does nothing, and then ";
    }

    /** Returns the name of a call, such as {@code malloc}; of a call on host memory without allocation. */
    public static String methodName(final int kind)
    {
        if (kind > DEVICE)
        {
            return "gpu." + methodName(kind - DEVICE);
        }

        return kind > 0 && kind < NAMES.length ? NAMES[kind] : "call " + kind;
    }

    /** Describes a call, such as {@code malloc(8 bytes)}. */
    public static String describe(final int kind, final long first, final long second)
    {
        return methodName(kind) + "(" + arguments(kind > DEVICE ? kind - DEVICE : kind, first, second) + ")";
    }

    private static String arguments(final int kind, final long first, final long second)
    {
        return switch (kind)
        {
            case MALLOC -> first + " bytes";
            case MALLOC_WITH_HINTS -> first + " bytes, hints " + second;
            case CALLOC -> first + " elements of " + second + " bytes";
            case ALIGN -> "alignment " + second + ", " + first + " bytes";
            case REALLOC -> "buffer at address " + second + ", " + first + " bytes";
            case FREE -> "buffer at address " + first;
            case RETAIN -> first + " bytes, name and version of hash " + Long.toHexString(second);
            case RELEASE -> "name of hash " + Long.toHexString(first);
            case SNAPSHOT, RESTORE -> "directory";
            default -> first + ", " + second;
        };
    }
}
