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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongPredicate;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Simulated worlds find each {@link PlantedBug} within a number of seeds. The test prints how many they needed.
 */
@Tag("ci")
class PlantedBugTest
{
    private static final int MAX_SEEDS = 200;
    private static final int TRIALS = Integer.getInteger("aeroshmem.test.trials", 1);

    @ParameterizedTest
    @EnumSource
    void shouldFind(final PlantedBug bug)
    {
        final LongPredicate world = bug.plant();
        final int[] needed = new int[TRIALS];
        for (int trial = 0; trial < TRIALS; trial++)
        {
            long seed = 1_000L * (trial + 1);
            while (!world.test(seed++))
            {
                assertTrue(++needed[trial] < MAX_SEEDS, () -> bug + " was not found in " + MAX_SEEDS + " seeds");
            }

            needed[trial]++;
        }

        Arrays.sort(needed);
        System.out.println(row(bug) + needed[TRIALS / 2] + " |");
    }

    /** The documentation has the table that this test prints. */
    @Test
    void shouldBeDocumented() throws IOException
    {
        final String text = Files.readString(Path.of("../docs/testing.md"));
        for (final PlantedBug bug : PlantedBug.values())
        {
            assertTrue(text.contains("\n" + row(bug)), () -> row(bug));
        }
    }

    private static String row(final PlantedBug bug)
    {
        return "| " + bug.what() + " | " + bug.where() + " | ";
    }
}
