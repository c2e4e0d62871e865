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
 * The low {@value #HASH_BITS} bits of a signature are a hash, to which each member adds the history of its calls before
 * this one ({@link #signature}). So members that have made different calls find that out when one of them awaits a
 * stamp of the other in any later call, even if neither awaited one in the calls that differed.
 */
public final class Stamp
{
    /** No signature. */
    public static final long NONE = -1;

    /** Number of the low bits of a signature that are a hash. */
    public static final int HASH_BITS = 18;

    private static final long SIGNATURE_MASK = 0xFFFF_FFFFL;
    private static final long HASH_MASK = (1L << HASH_BITS) - 1;
    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    /*
     * A reader awaits the stamp of its own number and signature. It compares the whole word with that one value, which
     * costs as much as the comparison of a number alone. Only if the word has another value does the reader compare the
     * halves: the number may be a later one (isPast), or the signature that of another call (mismatch).
     *
     * Numbers wrap. A number that is more than 2^31 behind the reader's looks like a later one. So a word whose reader
     * accepts later numbers must be written again, with a current number, before its number is that far behind the
     * reader's.
     */
    private Stamp()
    {
    }

    /** Returns a stamp of the low half of a number and a signature from 0 to 2^32 - 1. */
    public static long of(final long number, final long signature)
    {
        return number << Integer.SIZE | signature;
    }

    /** Returns the signature of a call with a hash added to its own: that of a number, or the history before it. */
    public static long signature(final long signature, final long hash)
    {
        return signature & ~HASH_MASK | signature + (hash >>> Long.SIZE - HASH_BITS) & HASH_MASK;
    }

    /** Returns the history after a call: a hash of its signature and of the history before it, which is 0 at first. */
    public static long history(final long before, final long signature)
    {
        return hash(before + signature + 1);
    }

    /** Returns a hash of a number. Its upper bits depend on all bits of the number. */
    public static long hash(final long number)
    {
        return number * FACTOR;
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
