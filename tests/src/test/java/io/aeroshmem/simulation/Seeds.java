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
package io.aeroshmem.simulation;

import java.util.stream.LongStream;

/**
 * The seeds of a test: successive ones from a start that differs from run to run, or the one that a property
 * specifies. Another property specifies how many.
 */
public final class Seeds
{
    /** The one seed to run, which a failure names. */
    public static final String SEED_PROPERTY = "aeroshmem.test.seed";

    /** How many times as many seeds as by default a run has. */
    private static final int FACTOR = Integer.getInteger("aeroshmem.test.volume", 1);
    /** As specified, or 0. */
    private static final int COUNT = Integer.getInteger("aeroshmem.test.seeds", 0);
    private static final long FIRST = Long.getLong(SEED_PROPERTY, System.nanoTime() >>> 10 & 0xFFFFFF);

    private Seeds()
    {
    }

    /** Returns how often to do what is done {@code count} times by default. */
    public static int repetitions(final int count)
    {
        return count * FACTOR;
    }

    /** Returns the seeds of a test: as many as specified, or as given. */
    public static long[] of(final int count)
    {
        return of(count, COUNT);
    }

    /** Returns the seeds of one algorithm of many: a quarter of as many as specified, or as many as given. */
    public static long[] ofAlgorithm(final int count)
    {
        return of(count, COUNT / 4);
    }

    private static long[] of(final int count, final int specified)
    {
        final boolean isOne = null != System.getProperty(SEED_PROPERTY) && 0 == COUNT;
        return isOne ? new long[]{FIRST} :
            LongStream.range(FIRST, FIRST + (0 == specified ? count * FACTOR : specified)).toArray();
    }
}
