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
package io.aeroshmem.sync;

/**
 * The word by which a member of a team signals another member in a collective: a number and a signature. The number
 * counts barriers, steps, slots or calls, depending on the word. From one use of the word to the next, the number may
 * grow by more than one. The signature is that of the call, equal on all members that make the same call.
 * <pre>
 *   63                    32 31                     0
 *   +-----------------------+-----------------------+
 *   |        number         |       signature       |
 *   +-----------------------+-----------------------+
 * </pre>
 * A reader awaits the stamp of its own number and signature. It compares the whole word with that one value, which
 * costs as much as the comparison of a number alone. Only if the word has another value does the reader compare the
 * halves: the number may be a later one ({@link #isPast}), or the signature that of another call ({@link #mismatch}).
 * <p>
 * Numbers wrap. A number that is more than 2^31 behind the reader's looks like a later one. So a word whose reader
 * accepts later numbers must be written again, with a current number, before its number is that far behind the
 * reader's.
 */
public final class Stamp
{
    /** No signature. */
    public static final long NONE = -1;

    private static final long SIGNATURE_MASK = 0xFFFF_FFFFL;

    private Stamp()
    {
    }

    /** Returns a stamp of the low half of a number and a signature from 0 to 2^32 - 1. */
    public static long of(final long number, final long signature)
    {
        return number << Integer.SIZE | signature;
    }

    /** Returns whether a stamp has a later number than the awaited one. */
    public static boolean isPast(final long seen, final long number)
    {
        return (int)(seen >>> Integer.SIZE) - (int)number > 0;
    }

    /** Returns the signature of a stamp with the awaited number and another signature, or {@link #NONE}. */
    public static long mismatch(final long seen, final long awaited)
    {
        return seen != awaited && seen >>> Integer.SIZE == awaited >>> Integer.SIZE ? seen & SIGNATURE_MASK : NONE;
    }
}
