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
package io.aeroshmem.transport;

/** Wire codes of the atomic memory operations. An increment is an {@link #ADD} of one. */
public final class AtomicOp
{
    /** Reads the word. */
    public static final int FETCH = 0;
    /** Replaces the word. */
    public static final int SET = 1;
    /** Replaces the word and returns its previous value. */
    public static final int SWAP = 2;
    /** Replaces the word if it equals the condition; returns its previous value. */
    public static final int COMPARE_SWAP = 3;
    /** Adds to the word. */
    public static final int ADD = 4;
    /** Bitwise and with the word. */
    public static final int AND = 5;
    /** Bitwise or with the word. */
    public static final int OR = 6;
    /** Bitwise exclusive or with the word. */
    public static final int XOR = 7;
    /** Adds to the word as a floating-point number: a float of 4 bytes, a double of 8. */
    public static final int ADD_FLOATING = 8;
    /** Replaces the word if the operand is less, as signed integers. */
    public static final int MIN = 9;
    /** Replaces the word if the operand is greater, as signed integers. */
    public static final int MAX = 10;
    /** Replaces the word by {@link Math#min(double, double)} of floating-point numbers; a NaN is the canonical one. */
    public static final int MIN_FLOATING = 11;
    /** Replaces the word by {@link Math#max(double, double)} of floating-point numbers; a NaN is the canonical one. */
    public static final int MAX_FLOATING = 12;

    private AtomicOp()
    {
    }

    /** Returns whether a number is the code of an operation. */
    public static boolean isValid(final int op)
    {
        return op >= FETCH && op <= MAX_FLOATING;
    }

    /** Returns whether a number is the code of an operation that changes the word and needs no reply. */
    public static boolean isUpdate(final int op)
    {
        return SET == op || op >= ADD && op <= MAX_FLOATING;
    }
}
