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
package io.aeroshmem.collective.call;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.collective.task.CallRecord;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.MemoryBounds;

/**
 * The arguments of one blocking call as the program passed them, not yet validated: the input of the validation, the
 * agreement of the members, the execution and the latency record. A team has one instance. A call fills it inside the
 * {@link io.aeroshmem.thread.CallerGuard} of the team, so it belongs to one thread at a time.
 */
final class RawArguments
{
    private static final String[] METHODS = methods();

    Routine routine;
    ReduceOp op;
    ElementType type;
    SymmetricBuffer dest;
    SymmetricBuffer source;
    long nelems;
    long destStride;
    long sourceStride;
    int root;
    boolean isScalar;
    /** Bits of the scalar. */
    long scalar;

    private static String[] methods()
    {
        final Routine[] routines = Routine.values();
        final String[] methods = new String[routines.length];
        for (final Routine routine : routines)
        {
            methods[routine.ordinal()] = "Team." + routine.methodName();
        }

        return methods;
    }

    /** Fills in a barrier or sync. */
    RawArguments of(final Routine routine)
    {
        return of(routine, null, null, null, null, 0, 0);
    }

    /**
     * Fills in a call on blocks.
     *
     * @param op   of the reduction, or null for other routines.
     * @param root of the broadcast, or 0.
     */
    RawArguments of(
        final Routine routine,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems,
        final int root)
    {
        this.routine = routine;
        this.op = op;
        this.type = type;
        this.dest = dest;
        this.source = source;
        this.nelems = nelems;
        this.root = root;
        destStride = 0;
        sourceStride = 0;
        isScalar = false;
        return this;
    }

    /** Adds the strides of {@code alltoalls}. */
    RawArguments strides(final long destStride, final long sourceStride)
    {
        this.destStride = destStride;
        this.sourceStride = sourceStride;
        return this;
    }

    /** Fills in a call on one element without symmetric memory, which has these bits. */
    RawArguments scalar(
        final Routine routine, final ReduceOp op, final ElementType type, final long bits, final int root)
    {
        of(routine, op, type, null, null, 1, root);
        isScalar = true;
        scalar = bits;
        return this;
    }

    /**
     * Writes the record that the members compare.
     *
     * @param isRejected whether this member rejects the arguments.
     * @param agreed     memory of the team, whose bounds its members have agreed on: addresses in it are not compared.
     */
    void put(final long record, final boolean isRejected, final MemoryBounds agreed)
    {
        // Members of a collect that contribute nothing need no source, so counts and sources are not compared.
        final boolean isCollect = Routine.COLLECT == routine;
        final long count = isCollect ? CallRecord.ANY_COUNT : nelems;
        CallRecord.put(
            record,
            CallRecord.head(routine.ordinal(), isRejected ? CallRecord.REJECTED : CallRecord.OK, type, op, root),
            count,
            address(0 == count ? null : dest, agreed),
            address(0 == count || isCollect ? null : source, agreed),
            destStride,
            sourceStride);
    }

    private static long address(final SymmetricBuffer buffer, final MemoryBounds agreed)
    {
        return null == buffer || agreed.contains(buffer) ? CallRecord.NO_ADDRESS :
            CallRecord.address(HeapAccess.region(buffer), HeapAccess.start(buffer));
    }

    /** Returns the length in bytes of this PE's block; the arguments are valid. */
    long blockBytes()
    {
        return null == type ? 0 : nelems * type.bytes();
    }

    /** Returns the method that the program called, such as {@code Team.reduceLong}. */
    String method()
    {
        if (!isScalar)
        {
            return METHODS[routine.ordinal()];
        }

        return Routine.BROADCAST == routine ? "Team.broadcastLong" :
            ElementType.DOUBLE == type ? "Team.reduceDouble" : "Team.reduceLong";
    }
}
