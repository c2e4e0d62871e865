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
import org.agrona.UnsafeApi;

/**
 * How two blocks of elements are combined.
 */
public abstract class Reduction
{
    private final ReduceOp op;
    private final ElementType type;

    Reduction(final ReduceOp op, final ElementType type)
    {
        this.op = op;
        this.type = type;
    }

    /**
     * The reduction of a pair.
     *
     * @param op   the operation.
     * @param type the type of the elements.
     * @return shared by all.
     */
    public static Reduction of(final ReduceOp op, final ElementType type)
    {
        if (ReduceOp.SUM == op && ElementType.LONG == type)
        {
            return new LongSum();
        }

        throw new IllegalArgumentException("given " + op + " of " + type + ", allowed is SUM of LONG");
    }

    /**
     * Combine: {@code dest[i] = left[i] op right[i]}.
     *
     * @param destBase     object that holds dest, or null.
     * @param destAddress  of dest, which is disjoint from the others, or exactly one of them.
     * @param leftBase     object that holds left, or null.
     * @param leftAddress  of left.
     * @param rightBase    object that holds right, or null.
     * @param rightAddress of right.
     * @param count        number of elements.
     */
    public abstract void combine(
        Object destBase,
        long destAddress,
        Object leftBase,
        long leftAddress,
        Object rightBase,
        long rightAddress,
        long count);

    /**
     * Fill with the identity.
     *
     * @param base    object that holds the elements, or null.
     * @param address of the elements.
     * @param count   number of elements.
     */
    public abstract void identity(Object base, long address, long count);

    /**
     * May elements be combined in any order without changing the result?
     *
     * @return false for sums and products of floating-point numbers.
     */
    public boolean isReorderable()
    {
        return type.isInteger() || ReduceOp.SUM != op && ReduceOp.PROD != op;
    }

    /**
     * The operation.
     *
     * @return never null.
     */
    public ReduceOp op()
    {
        return op;
    }

    /**
     * The type.
     *
     * @return never null.
     */
    public ElementType type()
    {
        return type;
    }

    /**
     * Size of an element.
     *
     * @return in bytes.
     */
    public int elementBytes()
    {
        return type.bytes();
    }

    private static final class LongSum extends Reduction
    {
        LongSum()
        {
            super(ReduceOp.SUM, ElementType.LONG);
        }

        @Override
        public void combine(
            final Object destBase,
            final long destAddress,
            final Object leftBase,
            final long leftAddress,
            final Object rightBase,
            final long rightAddress,
            final long count)
        {
            for (long at = 0; at < count * Long.BYTES; at += Long.BYTES)
            {
                UnsafeApi.putLong(
                    destBase,
                    destAddress + at,
                    UnsafeApi.getLong(leftBase, leftAddress + at) + UnsafeApi.getLong(rightBase, rightAddress + at));
            }
        }

        @Override
        public void identity(final Object base, final long address, final long count)
        {
            UnsafeApi.setMemory(base, address, count * Long.BYTES, (byte)0);
        }
    }
}
