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
 * The word by which a member of a team signals another member in a collective. Its number grows by one with each use of
 * the word. Its signature is that of the call, equal on all members that make the same call.
 * <pre>
 *   63                    32 31                     0
 *   +-----------------------+-----------------------+
 *   |        number         |       signature       |
 *   +-----------------------+-----------------------+
 * </pre>
 * A reader waits for one value, its own number and signature, which costs as much as waiting for a number. Only when it
 * waits in vain does it compare the halves. Numbers wrap. A word whose reader accepts later numbers must be written
 * again before its number is 2^31 behind that of its reader.
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
