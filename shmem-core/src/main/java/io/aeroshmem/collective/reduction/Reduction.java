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
 * An operation on a type, which combines two blocks of elements. Instances are shared, stateless and thread-safe.
 * <p>
 * The meaning of an operation does not depend on the path that computes it, on the processor or on the compiler:
 * <ul>
 * <li>integers wrap around; {@link ElementType#BYTE} has a sign; the unsigned types have the order of their
 * values;</li>
 * <li>MAX and MIN of reals are those of {@link Math#max(double, double)} and {@link Math#min(double, double)}: NaN
 * wins, and −0.0 is smaller than 0.0;</li>
 * <li>HALF and BFLOAT16 are computed as {@code float}, without fused operations, and rounded to the nearest even value
 * of their type;</li>
 * <li>the product of complex numbers is (ac − bd) + (ad + bc)i, without fused operations;</li>
 * <li>a result that is NaN is the NaN that Java calls canonical (HALF {@code 0x7e00}, BFLOAT16 {@code 0x7fc0}): the
 * payload would otherwise depend on the compiler.</li>
 * </ul>
 */
public abstract class Reduction
{
    private static final Reduction[][] REDUCTIONS = Kernels.create();

    private final ReduceOp op;
    private final ElementType type;

    Reduction(final ReduceOp op, final ElementType type)
    {
        this.op = op;
        this.type = type;
    }

    /**
     * Returns the reduction by an operation on a type.
     *
     * @param type of the elements: integers have all seven operations, reals MAX, MIN, SUM and PROD, complex numbers
     *             SUM and PROD.
     * @throws IllegalArgumentException if the operation is not defined for the type.
     */
    public static Reduction of(final ReduceOp op, final ElementType type)
    {
        Arguments.notNull(op, "op");
        Arguments.notNull(type, "type");
        final Reduction reduction = REDUCTIONS[op.ordinal()][type.ordinal()];
        if (null == reduction)
        {
            throw new IllegalArgumentException(
                "no reduction by " + op + " of " + type + ": " + type + " has " + operationsOf(type));
        }
        return reduction;
    }

    private static Set<ReduceOp> operationsOf(final ElementType type)
    {
        final Set<ReduceOp> operations = EnumSet.noneOf(ReduceOp.class);
        for (final ReduceOp op : ReduceOp.values())
        {
            if (null != REDUCTIONS[op.ordinal()][type.ordinal()])
            {
                operations.add(op);
            }
        }
        return operations;
    }

    /**
     * Combines two blocks element by element: {@code dest[i] = left[i] op right[i]}. A block is specified as for {@code
     * Unsafe}: an array and an offset in it, or null and an address, a multiple of {@link ElementType#alignment()}. The
     * destination may be exactly the left or exactly the right block, or both; otherwise it overlaps neither.
     */
    public abstract void combine(
        Object destBase, long destAddress, Object leftBase, long leftAddress, Object rightBase, long rightAddress,
        long count);

    /**
     * Fills a block with the neutral element: 0 for SUM, OR and XOR, 1 (1 + 0i) for PROD, all bits set for AND, the
     * smallest value (−∞) for MAX and the greatest (∞) for MIN.
     */
    public final void identity(final Object base, final long address, final long count)
    {
        final long last = address + count * elementBytes();
        for (long element = address; element < last; element += elementBytes())
        {
            putIdentity(base, element);
        }
    }

    abstract void putIdentity(Object base, long address);

    /**
     * Returns whether the result is independent, bit for bit, of the grouping and order of operands: not for SUM and
     * PROD of types that round.
     */
    public final boolean isReorderable()
    {
        return type.isInteger() || (ReduceOp.SUM != op && ReduceOp.PROD != op);
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
