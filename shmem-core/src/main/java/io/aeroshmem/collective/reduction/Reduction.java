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
package io.aeroshmem.collective.reduction;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.config.Arguments;

import java.util.EnumSet;
import java.util.Set;

/**
 * A reduction operation on an element type, which combines two blocks of elements. Instances are shared, stateless and
 * thread-safe.
 */
public abstract class Reduction
{
    private static final Reduction[][] REDUCTIONS = Kernels.create();

    /*
     * The meaning of an operation does not depend on the path that computes it, on the processor or on the compiler:
     * - integers wrap around; ElementType.BYTE is signed; unsigned types are ordered as unsigned numbers;
     * - MAX and MIN of reals are those of double) and double): the result is NaN if an operand is NaN, and −0.0 is
     *   smaller than 0.0;
     * - HALF and BFLOAT16 are computed as float, without fused operations, and rounded to the nearest value of their
     *   type, ties to even;
     * - the product of complex numbers is (ac − bd) + (ad + bc)i, without fused operations;
     * - LAND, LOR and LXOR give 1 or 0;
     * - AVG is SUM, then one division by the number of members: finish;
     * - MAXLOC and MINLOC combine pairs of a value and its place, both elements of the type. Values are ordered as by
     *   MAX and MIN; of two pairs with equal values, the pair with the lower place is the result;
     * - a result that is NaN is the NaN that Java calls canonical (HALF 0x7e00, BFLOAT16 0x7fc0): the payload would
     *   otherwise depend on the compiler.
     */
    private final ReduceOp op;
    private final ElementType type;

    Reduction(final ReduceOp op, final ElementType type)
    {
        this.op = op;
        this.type = type;
    }

    /**
     * Returns the reduction by an operation of blocking calls and scans, one of the first seven, on a type.
     *
     * @param type of the elements: integers have all seven operations, reals MAX, MIN, SUM and PROD, complex numbers
     *             SUM and PROD.
     * @throws IllegalArgumentException if the operation is not defined for the type, or is one of requests only.
     */
    public static Reduction of(final ReduceOp op, final ElementType type)
    {
        return of(op, type, ReduceOp.PROD);
    }

    /**
     * Returns the reduction by an operation of requests on a type.
     *
     * @param type of the elements: all have AVG besides those of {@link #of(ReduceOp, ElementType)}, integers LAND, LOR
     *             and LXOR, integers and reals MAXLOC and MINLOC.
     * @throws IllegalArgumentException if the operation is not defined for the type.
     */
    public static Reduction ofRequest(final ReduceOp op, final ElementType type)
    {
        return of(op, type, ReduceOp.MINLOC);
    }

    private static Reduction of(final ReduceOp op, final ElementType type, final ReduceOp last)
    {
        Arguments.notNull(op, "op");
        Arguments.notNull(type, "type");
        final Reduction reduction = REDUCTIONS[op.ordinal()][type.ordinal()];
        if (null == reduction || op.compareTo(last) > 0)
        {
            throw new IllegalArgumentException(
                "no reduction by " + op + " of " + type + ": " + type + " has " + operationsOf(type, last));
        }

        return reduction;
    }

    private static Set<ReduceOp> operationsOf(final ElementType type, final ReduceOp last)
    {
        final Set<ReduceOp> operations = EnumSet.noneOf(ReduceOp.class);
        for (final ReduceOp op : EnumSet.range(ReduceOp.AND, last))
        {
            if (null != REDUCTIONS[op.ordinal()][type.ordinal()])
            {
                operations.add(op);
            }
        }

        return operations;
    }

    /**
     * Combines two blocks element by element: {@code dest[i] = left[i] op right[i]}. A block is specified as for
     * {@code Unsafe}: an array and an offset in it, or null and an address, a multiple of
     * {@link ElementType#alignment()}. The destination may be exactly the left or exactly the right block, or both;
     * otherwise it overlaps neither.
     */
    public abstract void combine(
        Object destBase, long destAddress, Object leftBase, long leftAddress, Object rightBase, long rightAddress,
        long count);

    /**
     * Fills a block with the neutral element: 0 for SUM, OR and XOR, 1 (1 + 0i) for PROD, all bits set for AND, the
     * smallest value (−∞) for MAX and the greatest (∞) for MIN.
     *
     * @throws UnsupportedOperationException for operations of requests only.
     */
    public final void identity(final Object base, final long address, final long count)
    {
        final long last = address + count * elementBytes();
        for (long element = address; element < last; element += elementBytes())
        {
            putIdentity(base, element);
        }
    }

    /** Stores the neutral element, which scans need: operations of requests only have none here. */
    void putIdentity(final Object base, final long address)
    {
        throw new UnsupportedOperationException("identity of " + this);
    }

    /**
     * Returns whether the combination of the elements of that many members is not their result before {@link #finish}:
     * the sum of an average, and the only operand of a logical operation.
     */
    public final boolean needsFinish(final int members)
    {
        return ReduceOp.AVG == op ? members > 1 : isLogical() && 1 == members;
    }

    /**
     * Turns a combination of the elements of all members into the result, in place. Once, if {@link #needsFinish}.
     *
     * @param address of the combination, in memory outside the heap.
     * @param count   number of elements.
     */
    public void finish(final long address, final long count, final int members)
    {
        REDUCTIONS[ReduceOp.LOR.ordinal()][type.ordinal()]
            .combine(null, address, null, address, null, address, count);
    }

    private boolean isLogical()
    {
        return ReduceOp.LAND == op || ReduceOp.LOR == op || ReduceOp.LXOR == op;
    }

    /** Returns whether elements are pairs of a value and its place, so that their number is even. */
    public final boolean isOfPairs()
    {
        return ReduceOp.MAXLOC == op || ReduceOp.MINLOC == op;
    }

    /**
     * Returns whether the result is independent, bit for bit, of the grouping and order of operands: not for SUM, PROD
     * and AVG of types that round.
     */
    public final boolean isReorderable()
    {
        return type.isInteger() || (ReduceOp.SUM != op && ReduceOp.PROD != op && ReduceOp.AVG != op);
    }

    public final ReduceOp op()
    {
        return op;
    }

    public final ElementType type()
    {
        return type;
    }

    /** Returns the size of an element in bytes. */
    public final int elementBytes()
    {
        return type.bytes();
    }

    /** Returns the name of the pair, such as {@code SUM of LONG}. */
    @Override
    public final String toString()
    {
        return op + " of " + type;
    }
}
