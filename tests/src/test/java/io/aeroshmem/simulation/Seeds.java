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
 * specifies. Another property specifies how many, of every test.
 */
public final class Seeds
{
    /** How many times as many seeds as by default a run has. */
    private static final int FACTOR = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final Integer COUNT = Integer.getInteger("aeroshmem.test.seeds");
    private static final long FIRST = Long.getLong(World.SEED_PROPERTY, System.nanoTime() >>> 10 & 0xFFFFFF);

    private Seeds()
    {
    }

    /** Returns how often to do what is done {@code count} times by default. */
    public static int repetitions(final int count)
    {
        return count * FACTOR;
    }

    public static long[] of(final int count)
    {
        return null != System.getProperty(World.SEED_PROPERTY) ? new long[]{FIRST} :
            LongStream.range(FIRST, FIRST + (null == COUNT ? count * FACTOR : COUNT)).toArray();
    }
}
