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
package io.aeroshmem.lifecycle;

import io.aeroshmem.Generation;
import io.aeroshmem.Lost;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.transport.job.JobFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JobGenerationTest
{
    @Test
    void shouldHaveNoPreviousInGeneration0()
    {
        final Generation generation = new JobGeneration(new int[]{ -1, -1 }, 0, null, Map.of(), pes(0, 1));
        assertEquals(0, generation.number());
        assertEquals(-1, generation.previousPe(1));
        assertFalse(generation.isReplacement(1));
        assertEquals(List.of(), generation.lost());
        assertNull(generation.cause());
    }

    @Test
    void shouldNameThePesThatAreLostAndReplaced()
    {
        final Generation generation =
            new JobGeneration(
                new int[]{ 0, 2 }, 4, new JobFailure(JobFailure.Kind.PE_DIED, 1, 137, "PE 1 died"),
                Map.of(1, 137, 3, 139), pes(0));
        assertEquals(4, generation.number());
        assertEquals(2, generation.previousPe(1));
        assertTrue(generation.isReplacement(0));
        assertFalse(generation.isReplacement(1));
        assertEquals(List.of(new Lost(1, "PE 1 died"),
            new Lost(3, "PE 3 died: its process ended with exit code 139")), generation.lost());
        assertEquals(1, assertInstanceOf(PeFailureException.class, generation.cause()).pe());
        assertThrows(IndexOutOfBoundsException.class, () -> generation.previousPe(2));
        assertThrows(IndexOutOfBoundsException.class, () -> generation.isReplacement(-1));
    }

    @ParameterizedTest
    @CsvSource({ "PE_DIED, 0, 1", "PE_FAILED, 0, 1", "PE_FAILED, -1, 0", "RECOVERY_REQUESTED, 0, 0",
        "DRIVER_DIED, 0, 0", "MISMATCH, 0, 0", "PROTOCOL, 0, 0" })
    void shouldCountPesThatWereLost(final JobFailure.Kind kind, final int pe, final int count)
    {
        final JobFailure failure = new JobFailure(kind, pe, -1, "over");
        assertEquals(count, new JobGeneration(new int[]{ 0 }, 1, failure, Map.of(), pes()).lost().size());
    }

    private static BitSet pes(final int... pes)
    {
        final BitSet set = new BitSet();
        IntStream.of(pes).forEach(set::set);
        return set;
    }
}
