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

/**
 * A loop over blocks, in a method that is compiled separately. JDK 17 may not vectorise a loop that it inlines into a
 * method with other loops. Whether it inlines a loop depends on the order in which it compiles methods. So with inlined
 * loops, the same reduction took 0.25 ns per element in one run, and twice that in another.
 * <p>
 * All passes are called in {@link #run}, which takes the pass from an array. JDK 17 does not inline that call: it has
 * seen receivers of many classes there, and does not regard an element of an array as a constant.
 */
@FunctionalInterface
interface BlockPass
{
    /**
     * Runs the loop.
     *
     * @param dest   block to store to.
     * @param first  block to load from.
     * @param second block to load from, unless the pass has one operand only.
     * @param words  number of elements or longs in a block.
     */
    void apply(long dest, long first, long second, int words);

    static void run(
        final BlockPass[] passes,
        final int index,
        final long dest,
        final long first,
        final long second,
        final int words)
    {
        passes[index].apply(dest, first, second, words);
    }
}
