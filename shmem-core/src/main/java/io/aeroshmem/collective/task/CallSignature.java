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

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.sync.Stamp;

/**
 * Layout of the signature of a collective call: the lower half of a {@link io.aeroshmem.sync.Stamp}. By comparing
 * signatures, members detect that they made different calls.
 * <pre>
 *   31     27  26  25  22 21  18 17                  0
 *   +--------+----+------+------+---------------------+
 *   | kind   | sc | type |  op  | root and count      |
 *   +--------+----+------+------+---------------------+
 * </pre>
 * The kind is a {@link Routine}, {@link #HEAP} or {@link #EXCHANGE}; "sc" is set for calls on scalars, whose blocks are
 * not in symmetric memory. Root and count are hashed into 18 bits. The hash may also include a number on which the
 * members must agree, such as the tag of a request; in a stamp it includes the calls before. Two calls that differ only
 * in the root, or only in counts below 2^18, always differ in these bits; greater counts may collide.
 */
public final class CallSignature
{
    /** Kind: malloc, free or another call on the heap. */
    public static final int HEAP = 30;
    /** Kind: an exchange of records, which the members compare themselves: to create teams, or to check a call. */
    public static final int EXCHANGE = 31;

    private static final int KIND_SHIFT = 27;
    private static final int SCALAR_SHIFT = 26;
    private static final int TYPE_SHIFT = 22;
    private static final int OP_SHIFT = Stamp.HASH_BITS;
    private static final int FIELD_MASK = 0xF;
    private static final int NONE = 0xF;
    private static final int ARGUMENTS_MASK = (1 << OP_SHIFT) - 1;
    private static final int ROOT_FACTOR = 0x2A5D3;
    private static final int HIGH_FACTOR = 0x1C6EF;
    private static final Routine[] ROUTINES = Routine.values();
    private static final ElementType[] TYPES = ElementType.values();
    private static final ReduceOp[] OPS = ReduceOp.values();

    private CallSignature()
    {
    }

    /**
     * Returns the signature of a call without arguments.
     *
     * @param kind ordinal of a {@link Routine}, {@link #HEAP} or {@link #EXCHANGE}.
     */
    public static long of(final int kind)
    {
        return (long)kind << KIND_SHIFT | NONE << TYPE_SHIFT | NONE << OP_SHIFT;
    }

    /** Returns the signature of a call that has a root and moves no data. */
    static long of(final Routine routine, final int root)
    {
        return of(routine.ordinal()) | root * ROOT_FACTOR & ARGUMENTS_MASK;
    }

    /**
     * Returns the signature of a call, 0 to 2^32 - 1.
     *
     * @param isScalar whether its blocks are not symmetric.
     * @param op       of the reduction, or null.
     * @param root     of a call that has one, or 0.
     * @param count    number of elements, or a hash of several, or 0 where it may differ between members.
     */
    public static long of(
        final Routine routine,
        final boolean isScalar,
        final ElementType type,
        final ReduceOp op,
        final int root,
        final long count)
    {
        final int arguments = (int)(count + (count >>> OP_SHIFT) * HIGH_FACTOR) + root * ROOT_FACTOR;
        return (long)routine.ordinal() << KIND_SHIFT |
            (isScalar ? 1 << SCALAR_SHIFT : 0) |
            type.ordinal() << TYPE_SHIFT |
            (null == op ? NONE : op.ordinal()) << OP_SHIFT |
            arguments & ARGUMENTS_MASK;
    }

    /** Returns the signature of a call whose members must also agree on a number, a tag for example. */
    public static long with(final long signature, final long number)
    {
        return Stamp.signature(signature, Stamp.hash(number));
    }

    /** Returns the ordinal of a {@link Routine}, {@link #HEAP} or {@link #EXCHANGE}. */
    public static int kind(final long signature)
    {
        return (int)(signature >>> KIND_SHIFT);
    }

    /** Returns the name of the method that was called, such as "reduce". */
    public static String methodName(final long signature)
    {
        final int kind = kind(signature);
        return switch (kind)
        {
            case HEAP -> "malloc, free or another call on the heap";
            case EXCHANGE -> "split, duplicate or the check of a call";
            default -> kind < ROUTINES.length ? ROUTINES[kind].methodName() : "call " + kind;
        };
    }

    private static boolean hasArguments(final long signature)
    {
        final int kind = (int)(signature >>> KIND_SHIFT);
        return Routine.BARRIER.ordinal() != kind && Routine.SYNC.ordinal() != kind && HEAP != kind && EXCHANGE != kind;
    }

    /**
     * Returns a description of another member's call, such as "reduce(SUM, LONG)".
     *
     * @param own signature of this member's call, which differs.
     */
    public static String describe(final long signature, final long own)
    {
        final String name = methodName(signature);
        final int type = (int)(signature >>> TYPE_SHIFT) & FIELD_MASK;
        final int op = (int)(signature >>> OP_SHIFT) & FIELD_MASK;
        final StringBuilder text = new StringBuilder(name);
        if (NONE != type)
        {
            text.append('(').append(op < OPS.length ? OPS[op] + ", " : "")
                .append(type < TYPES.length ? TYPES[type] : "type " + type).append(')');
        }

        if ((signature & ~ARGUMENTS_MASK) == (own & ~ARGUMENTS_MASK))
        {
            text.append(hasArguments(signature) ? " with another count or root, or after other calls" :
                " after other calls");
        }
        else if (0 != (signature >>> SCALAR_SHIFT & 1))
        {
            text.append(" of a scalar");
        }

        return text.toString();
    }
}
