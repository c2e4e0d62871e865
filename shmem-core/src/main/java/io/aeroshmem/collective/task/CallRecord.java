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
package io.aeroshmem.collective.task;

import io.aeroshmem.CollectiveMismatchException;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.memory.AllocationConsensus;
import io.aeroshmem.transport.Region;
import org.agrona.UnsafeApi;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Layout of the record by which the members of a team compare their calls. They exchange records in the blocking
 * methods that create teams, and before every collective call if calls are checked. Each kind of call has its own
 * number, so the record of a team creation can be compared with that of any other call. In the layout, the numbers in
 * parentheses are lengths in bytes. <i>Area</i> is the offset of the area ({@link TeamAreaDescriptor}) that the member
 * has reserved for a new team.
 * <pre>
 *   0   kind (1)  status (1)  type (1)  op (1)  root (4)
 *   8   first argument
 *   16  second argument
 *   24  third argument
 *   32  fourth argument
 *   40  fifth argument
 *   48  team creation: area of the second new team, if there are two
 *       request:       tag
 *   56  team creation: if the status is OK, number that identifies the new teams whose first member is this one;
 *                      otherwise detail of the status
 *       blocking call: kind of the preceding call on the heap, if that call had no effect; otherwise 0
 * </pre>
 * The arguments of a {@link Routine} are: elements, dest, source, stride of dest, stride of source; as a request:
 * elements or a hash of the counts, dest, source, and the number of the request if the order in which requests are made
 * is compared.
 */
public final class CallRecord
{
    /** Length in bytes. */
    public static final int LENGTH = TeamWorkspace.RECORD_LENGTH;

    /**
     * Kind: a call on the heap. First its kind in {@link io.aeroshmem.memory.AllocationConsensus}, which compares its
     * arguments, the second and third.
     */
    public static final int HEAP = 63;
    /**
     * Kind: {@link io.aeroshmem.Team#splitStrided(int, int, int)}. First start and stride, 4 bytes each; then size,
     * configuration of the new team, nothing, area.
     */
    public static final int SPLIT_STRIDED = 64;
    /**
     * Kind: {@link io.aeroshmem.Team#split2d(int)}. First xRange; then nothing, configurations of the teams along x and
     * y, area of the team along x.
     */
    public static final int SPLIT_2D = 65;
    /** Kind: {@link io.aeroshmem.Team#duplicate()}. Third the configuration of the new team, fifth the area. */
    public static final int DUPLICATE = 66;

    /** Status: the member can perform the call. */
    public static final int OK = 0;
    /** Status: the member has rejected the arguments. */
    public static final int REJECTED = 1;
    /** Address of a block that is not symmetric, or of no block. */
    public static final long NO_ADDRESS = -1;
    /** Number of elements that may differ between members. */
    public static final long ANY_COUNT = -1;

    /** Offset of the first argument. */
    public static final int FIRST = 8;
    /** Offset of the second argument. */
    public static final int SECOND = 16;
    /** Offset of the third argument. */
    public static final int THIRD = 24;
    /** Offset of the fourth argument. */
    public static final int FOURTH = 32;
    /** Offset of the fifth argument. */
    public static final int FIFTH = 40;
    /** Offset of the area of the second new team. */
    public static final int SECOND_AREA = 48;
    /** Offset of the tag of a request. */
    static final int TAG = SECOND_AREA;
    /** Offset of the number of the new teams, or of the detail of the status. */
    public static final int DETAIL = 56;

    /** Offset of the kind of a call on the heap that the member made before and that had no effect. */
    public static final int OMITTED = DETAIL;

    private static final int REGION_SHIFT = 60;
    private static final int KIND_MASK = 0xFF;
    private static final int STATUS_SHIFT = 8;
    private static final int TYPE_SHIFT = 16;
    private static final int OP_SHIFT = 24;
    private static final int ROOT_SHIFT = 32;
    private static final long STATUS_MASK = 0xFFL << STATUS_SHIFT;
    private static final int NONE = 0xFF;
    private static final int MAX_GROUPS = 8;

    private static final Routine[] ROUTINES = Routine.values();
    private static final ElementType[] TYPES = ElementType.values();
    private static final ReduceOp[] OPS = ReduceOp.values();

    private CallRecord()
    {
    }

    /**
     * Returns the first word of a record.
     *
     * @param type of the elements, or null.
     * @param op   of the reduction, or null.
     * @param root of the broadcast, or 0.
     */
    public static long head(
        final int kind, final int status, final ElementType type, final ReduceOp op, final int root)
    {
        return kind |
            (long)status << STATUS_SHIFT |
            (long)(null == type ? NONE : type.ordinal()) << TYPE_SHIFT |
            (long)(null == op ? NONE : op.ordinal()) << OP_SHIFT |
            (long)root << ROOT_SHIFT;
    }

    /** Returns the word of the address of a block. */
    public static long address(final int region, final long offset)
    {
        return (long)region << REGION_SHIFT | offset;
    }

    /** Writes a record, whose other words become 0. */
    public static void put(
        final long record,
        final long head,
        final long first,
        final long second,
        final long third,
        final long fourth,
        final long fifth)
    {
        UnsafeApi.putLong(null, record, head);
        UnsafeApi.putLong(null, record + FIRST, first);
        UnsafeApi.putLong(null, record + SECOND, second);
        UnsafeApi.putLong(null, record + THIRD, third);
        UnsafeApi.putLong(null, record + FOURTH, fourth);
        UnsafeApi.putLong(null, record + FIFTH, fifth);
        UnsafeApi.putLong(null, record + SECOND_AREA, 0);
        UnsafeApi.putLong(null, record + DETAIL, 0);
    }

    /**
     * Writes the record of a request.
     *
     * @param init number among the requests made, or 0 if it is not compared.
     * @param tag  of the request, or 0.
     */
    public static void putRequest(final long record, final CallArguments call, final long init, final long tag)
    {
        final Routine routine = call.routine();
        final boolean isEmpty = call.isEmpty();
        put(
            record,
            head(
                routine.ordinal(),
                OK,
                routine.isSynchronising() ? null : call.type(),
                null == call.reduction() ? null : call.reduction().op(),
                call.root()),
            routine.isOfPairedCounts() ? ANY_COUNT : call.countHash(),
            isEmpty || !call.isDestAlike() ? NO_ADDRESS : address(call.destRegion(), call.destOffset()),
            isEmpty || !call.isSourceAlike() ? NO_ADDRESS : address(call.sourceRegion(), call.sourceOffset()),
            init,
            0);
        UnsafeApi.putLong(null, record + TAG, tag);
    }

    /** Returns the status of a record. */
    public static int status(final long record)
    {
        return (int)(UnsafeApi.getLong(null, record) >>> STATUS_SHIFT) & 0xFF;
    }

    /** Returns whether a record describes the creation of teams. */
    public static boolean isCreation(final long record)
    {
        return kind(record) >= SPLIT_STRIDED;
    }

    private static int kind(final long record)
    {
        return (int)UnsafeApi.getLong(null, record) & KIND_MASK;
    }

    /**
     * Returns whether two records describe the same call with the same arguments. The status does not count, nor do the
     * configurations of new teams, which may differ between members, nor the arguments of a call on the heap, which are
     * compared with its outcome, nor the places of a block if one is in device memory and the other is not.
     */
    public static boolean isSameCall(final long one, final long other)
    {
        if (0 != ((UnsafeApi.getLong(null, one) ^ UnsafeApi.getLong(null, other)) & ~STATUS_MASK))
        {
            return false;
        }

        final int end = HEAP == kind(one) ? FIRST : isCreation(one) ? THIRD : DETAIL;
        for (int at = FIRST; at < end; at += Long.BYTES)
        {
            final long first = UnsafeApi.getLong(null, one + at);
            final long second = UnsafeApi.getLong(null, other + at);
            if (first != second && !(isPlace(kind(one), at) && isOnDevice(first) != isOnDevice(second)))
            {
                return false;
            }
        }

        return true;
    }

    /** Returns whether a word is the address of a block. */
    private static boolean isPlace(final int kind, final int at)
    {
        return kind < ROUTINES.length && (SECOND == at || THIRD == at);
    }

    private static boolean isOnDevice(final long address)
    {
        return Region.DEVICE == address >>> REGION_SHIFT;
    }

    /** Returns whether the records of all members describe the same call. */
    public static boolean isSameCallOnAll(final long records, final int count)
    {
        for (int i = 1; i < count; i++)
        {
            if (!isSameCall(records, records + (long)i * LENGTH))
            {
                return false;
            }
        }

        return kind(records) >= ROUTINES.length ||
            isSamePlace(records + SECOND, count) && isSamePlace(records + THIRD, count);
    }

    /** Returns whether all blocks in device memory have the same place there, and all others theirs. */
    private static boolean isSamePlace(final long words, final int count)
    {
        int firstOnDevice = -1;
        int firstOther = -1;
        for (int i = 0; i < count; i++)
        {
            final long address = UnsafeApi.getLong(null, words + (long)i * LENGTH);
            final int first = isOnDevice(address) ? firstOnDevice : firstOther;
            if (first >= 0 && address != UnsafeApi.getLong(null, words + (long)first * LENGTH))
            {
                return false;
            }

            firstOnDevice = isOnDevice(address) && first < 0 ? i : firstOnDevice;
            firstOther = !isOnDevice(address) && first < 0 ? i : firstOther;
        }

        return true;
    }

    /**
     * Returns the exception that all members of a team throw, or complete their requests with, if they make different
     * calls, or if some of them have rejected the arguments of the same call; otherwise null.
     *
     * @param ruleOfRequestsOrNull what members have to do for their requests to match, as part of a sentence; null for
     *                             calls that are no requests.
     */
    public static CollectiveMismatchException mismatch(
        final String teamName, final long records, final int[] worldPes, final String ruleOfRequestsOrNull)
    {
        final int size = worldPes.length;
        final boolean isSame = isSameCallOnAll(records, size);
        int rejections = 0;
        for (int rank = 0; rank < size; rank++)
        {
            rejections += REJECTED == status(records + (long)rank * LENGTH) ? 1 : 0;
        }

        if (isSame && (0 == rejections || size == rejections))
        {
            return null;
        }

        final boolean isRequest = null != ruleOfRequestsOrNull;
        return new CollectiveMismatchException(
            "members of team " + teamName + (isRequest ? " posted different requests: " :
            isSame ? " made a call that some of them rejected: " : " made different calls: ") +
            describeAll(records, worldPes, isRequest ? "posted" : "called") + "; " + (isRequest ?
            ruleOfRequestsOrNull : "all members must make the same calls with the same arguments in the same order"));
    }

    /** Returns who called what, such as {@code PEs 0-2 called barrier(); PE 3 called sync()}. */
    public static String describeAll(final long records, final int[] worldPes)
    {
        return describeAll(records, worldPes, "called");
    }

    private static String describeAll(final long records, final int[] worldPes, final String verb)
    {
        final Map<String, PeList> callers = new LinkedHashMap<>();
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            final long record = records + (long)rank * LENGTH;
            final String call = describe(record) +
                (REJECTED == status(record) ? " and rejected its arguments" : "");
            callers.computeIfAbsent(call, (key) -> new PeList()).add(worldPes[rank]);
        }

        final StringBuilder text = new StringBuilder();
        int groups = 0;
        for (final Map.Entry<String, PeList> entry : callers.entrySet())
        {
            if (MAX_GROUPS == groups++)
            {
                return text.append("; and ").append(callers.size() - MAX_GROUPS).append(" other calls").toString();
            }

            text.append(text.length() > 0 ? "; " : "").append(entry.getValue()).append(' ').append(verb)
                .append(' ').append(entry.getKey());
        }

        return text.toString();
    }

    /** Returns the name of the method that was called, such as {@code splitStrided}, mostly without allocation. */
    public static String methodName(final long record)
    {
        final int kind = kind(record);
        return switch (kind)
        {
            case HEAP -> AllocationConsensus.methodName((int)UnsafeApi.getLong(null, record + FIRST));
            case SPLIT_STRIDED -> "splitStrided";
            case SPLIT_2D -> "split2d";
            case DUPLICATE -> "duplicate";
            default -> kind < ROUTINES.length ? ROUTINES[kind].methodName() : "call " + kind;
        };
    }

    /** Returns a call as text, such as {@code splitStrided(start 0, stride 1, size 3)}. */
    public static String describe(final long record)
    {
        return isCreation(record) ? describeCall(record) :
            AllocationConsensus.describeOmitted((int)UnsafeApi.getLong(null, record + OMITTED)) + describeCall(record);
    }

    private static String describeCall(final long record)
    {
        final int kind = kind(record);
        final long first = UnsafeApi.getLong(null, record + FIRST);
        return switch (kind)
        {
            case HEAP -> AllocationConsensus.describe(
                (int)first,
                UnsafeApi.getLong(null, record + SECOND),
                UnsafeApi.getLong(null, record + THIRD));
            case SPLIT_STRIDED ->
                "splitStrided(start " + (int)(first >> Integer.SIZE) + ", stride " + (int)first + ", size " +
                    UnsafeApi.getLong(null, record + SECOND) + ")";
            case SPLIT_2D -> "split2d(xRange " + first + ")";
            case DUPLICATE -> "duplicate()";
            default -> kind < ROUTINES.length ? describe(ROUTINES[kind], record) : "call " + kind;
        };
    }

    private static String describe(final Routine routine, final long record)
    {
        final StringBuilder text = new StringBuilder(routine.methodName()).append('(');
        final int start = text.length();
        if (!routine.isSynchronising())
        {
            describeBlocks(text, routine, record);
        }

        final long head = UnsafeApi.getLong(null, record);
        if (routine.isRooted())
        {
            text.append(", root ").append((int)(head >> ROOT_SHIFT));
        }

        final long tag = UnsafeApi.getLong(null, record + TAG);
        if (0 != tag)
        {
            text.append(", tag ").append(tag);
        }

        if (Routine.ALLTOALLS != routine && 0 != UnsafeApi.getLong(null, record + FOURTH))
        {
            text.append(", made as request ").append(UnsafeApi.getLong(null, record + FOURTH));
        }

        if (text.indexOf(", ", start) == start)
        {
            text.delete(start, start + 2);
        }

        return text.append(')').toString();
    }

    private static void describeBlocks(final StringBuilder text, final Routine routine, final long record)
    {
        final long head = UnsafeApi.getLong(null, record);
        final int type = (int)(head >>> TYPE_SHIFT) & 0xFF;
        final int op = (int)(head >>> OP_SHIFT) & 0xFF;
        final long count = UnsafeApi.getLong(null, record + FIRST);
        if (op < OPS.length)
        {
            text.append(OPS[op]).append(", ");
        }

        text.append(type < TYPES.length ? TYPES[type].toString() : "no type")
            .append(address(", dest at ", record + SECOND))
            .append(address(", source at ", record + THIRD));
        if (Routine.ALLTOALLS == routine)
        {
            text.append(", strides ").append(UnsafeApi.getLong(null, record + FOURTH))
                .append(" and ").append(UnsafeApi.getLong(null, record + FIFTH));
        }

        if (Routine.REDUCE_SCATTERV == routine)
        {
            text.append(", counts with hash ").append(Long.toHexString(count));
        }
        else if (ANY_COUNT != count)
        {
            text.append(", ").append(count).append(1 == count ? " element" : " elements");
        }
    }

    private static String address(final String name, final long word)
    {
        final long address = UnsafeApi.getLong(null, word);
        return NO_ADDRESS == address ? "" : isOnDevice(address) ?
            name + (address & (1L << REGION_SHIFT) - 1) + " of device memory" : name + address;
    }
}
