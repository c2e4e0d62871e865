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
package io.aeroshmem;

/**
 * The comparison that a wait or a test makes between a variable and a value: {@code SHMEM_CMP_*},
 * {@code NVSHMEM_CMP_*}. Values are signed.
 */
public enum Comparison
{
    /** The variable equals the value. */
    EQ(0b010),

    /** The variable differs from the value. */
    NE(0b101),

    /** The variable is greater than the value. */
    GT(0b100),

    /** The variable is greater than or equal to the value. */
    GE(0b110),

    /** The variable is less than the value. */
    LT(0b001),

    /** The variable is less than or equal to the value. */
    LE(0b011);

    /** Bit 0: holds when less; bit 1: when equal; bit 2: when greater. So a wait needs no branch on the operator. */
    private final int outcomes;

    Comparison(final int outcomes)
    {
        this.outcomes = outcomes;
    }

    /**
     * Compares a variable with a value.
     *
     * @param variable the left side, read from memory; an {@code int} widened with its sign.
     * @param value    the right side.
     * @return whether the comparison holds.
     */
    public boolean test(final long variable, final long value)
    {
        return 0 != (outcomes & (1 << (Long.compare(variable, value) + 1)));
    }
}
