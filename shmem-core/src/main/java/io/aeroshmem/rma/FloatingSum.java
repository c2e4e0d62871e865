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
package io.aeroshmem.rma;

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;

/**
 * The atomic addition to floating-point numbers in device memory, where transports do not offer it. It repeats a
 * compare-and-swap until the swap succeeds, so it is atomic with respect to every other atomic operation on the word.
 */
final class FloatingSum
{
    private FloatingSum()
    {
    }

    /** Adds a number and returns the bits of the previous value. */
    static int fetchAddFloat(final Transport transport, final int pe, final long offset, final float value)
    {
        int expected = transport.fetchAtomicInt(pe, AtomicOp.FETCH, Region.DEVICE, offset, 0, 0);
        while (true)
        {
            final int sum = Float.floatToRawIntBits(Float.intBitsToFloat(expected) + value);
            final int before = transport.fetchAtomicInt(
                pe, AtomicOp.COMPARE_SWAP, Region.DEVICE, offset, sum, expected);
            if (before == expected)
            {
                return before;
            }

            expected = before;
        }
    }

    /** Adds a number and returns the bits of the previous value. */
    static long fetchAddDouble(final Transport transport, final int pe, final long offset, final double value)
    {
        long expected = transport.fetchAtomicLong(pe, AtomicOp.FETCH, Region.DEVICE, offset, 0, 0);
        while (true)
        {
            final long sum = Double.doubleToRawLongBits(Double.longBitsToDouble(expected) + value);
            final long before = transport.fetchAtomicLong(
                pe, AtomicOp.COMPARE_SWAP, Region.DEVICE, offset, sum, expected);
            if (before == expected)
            {
                return before;
            }

            expected = before;
        }
    }
}
