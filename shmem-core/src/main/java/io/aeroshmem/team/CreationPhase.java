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
package io.aeroshmem.team;

/**
 * The phases of an attempt to create a team ({@link CreationExchange}), and the words that a participant publishes with
 * them.
 */
final class CreationPhase
{
    /** To the coordinator: has derived a team from the records, and does not withdraw unless its time is limited. */
    static final int READY = 1;
    /** From the coordinator: all are ready, confirm within the time limits. */
    static final int PREPARE = 2;
    /** To the coordinator: does not withdraw before its time and the slack have passed. */
    static final int CONFIRMED = 3;
    /** The writer has ended its attempt without a team. */
    static final int FAILED = 4;

    /** Word: number of the creation among those that writer and reader have in common; 0 after an exchange. */
    static final int COMMON = 0;
    /** Word: hash of all records. */
    static final int HASH = 1;
    /** Word: time that the writer has left in nanoseconds, or {@link #UNLIMITED}. */
    static final int TIME_LEFT = 2;
    /** Word: reason of a failure, {@link CreationReason#WORDS} words. */
    static final int REASON = 3;
    static final int WORDS = REASON + CreationReason.WORDS;

    static final long UNLIMITED = Long.MAX_VALUE;

    private static final int PHASE_BITS = 8;
    private static final long PHASE_MASK = (1L << PHASE_BITS) - 1;

    /** The greatest number of an attempt that a stamp holds. */
    static final long MAX_ATTEMPT = Long.MAX_VALUE >>> PHASE_BITS;

    private CreationPhase()
    {
    }

    static long stamp(final long attempt, final int phase)
    {
        return attempt << PHASE_BITS | phase;
    }

    static long attempt(final long stamp)
    {
        return stamp >>> PHASE_BITS;
    }

    static int phase(final long stamp)
    {
        return (int)(stamp & PHASE_MASK);
    }
}
