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
package io.aeroshmem.tests.collective;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The PEs of a team of the matrix, in the order of their ranks, by the definition of its creation.
 */
enum TeamShape
{
    WORLD,
    /** Every second one, not from the first on. */
    STRIDED,
    /** All, from the last to the first. */
    REVERSED,
    /** Every second one, from the last on. */
    STRIDED_BACK,
    X_AXIS,
    Y_AXIS,
    /** All but one, in any order. */
    ARBITRARY,
    /** A reversed one of every second of a reversed one. */
    GRANDCHILD;

    /**
     * The team of this shape that a PE is in.
     *
     * @return numbers in the world by rank; null if the PE is in none.
     */
    int[] members(final int n, final int me, final long seed)
    {
        final int[] members = switch (this)
        {
            case WORLD -> IntStream.range(0, n).toArray();
            case STRIDED -> IntStream.range(0, n).filter((pe) -> 1 == n || 1 == pe % 2).toArray();
            case REVERSED -> IntStream.range(0, n).map((i) -> n - 1 - i).toArray();
            case STRIDED_BACK -> IntStream.range(0, (n + 1) / 2).map((i) -> n - 1 - 2 * i).toArray();
            case X_AXIS -> IntStream.range(0, n).filter((pe) -> pe / xRange(n) == me / xRange(n)).toArray();
            case Y_AXIS -> IntStream.range(0, n).filter((pe) -> pe % xRange(n) == me % xRange(n)).toArray();
            case ARBITRARY -> arbitrary(n, seed);
            case GRANDCHILD -> IntStream.range(0, n).filter((pe) -> 0 == (n - 1 - pe) % 2).toArray();
        };
        return IntStream.of(members).anyMatch((pe) -> pe == me) ? members : null;
    }

    static int xRange(final int n)
    {
        return n > 4 ? 3 : 2;
    }

    private static int[] arbitrary(final int n, final long seed)
    {
        final int[] all = permutation(new SplittableRandom(seed), n);
        return n < 3 ? all : Arrays.copyOf(all, n - 1);
    }

    /** Returns the numbers from 0 to n - 1 in any order. */
    static int[] permutation(final SplittableRandom random, final int n)
    {
        final int[] all = IntStream.range(0, n).toArray();
        for (int i = n - 1; i > 0; i--)
        {
            final int other = random.nextInt(i + 1);
            final int swapped = all[i];
            all[i] = all[other];
            all[other] = swapped;
        }

        return all;
    }
}
