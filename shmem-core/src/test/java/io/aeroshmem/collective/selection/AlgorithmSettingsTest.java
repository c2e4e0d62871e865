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
package io.aeroshmem.collective.selection;

import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.config.Settings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AlgorithmSettingsTest
{
    private static final String REDUCE = "aeroshmem.algorithm.reduce";

    @AfterEach
    void clear()
    {
        System.clearProperty(REDUCE);
    }

    @Test
    void shouldLeaveAllToTheTableByDefault()
    {
        final AlgorithmSettings settings = new AlgorithmSettings(read());
        assertEquals("auto", AlgorithmSettings.name(read(), "scan"));
        for (final Routine routine : Routine.values())
        {
            assertNull(settings.forced(routine));
        }
    }

    @Test
    void shouldTakeAPropertyAndASetter()
    {
        System.setProperty(REDUCE, "Flat");
        final Settings settings = read();
        assertEquals(Algorithm.FLAT, new AlgorithmSettings(settings).forced(Routine.REDUCE));
        assertEquals("flat", AlgorithmSettings.name(settings, "reduce"));
        assertEquals("flat", settings.compared().get(REDUCE));

        final Settings other = settings.clone();
        AlgorithmSettings.set(other, "collect", "FLAT");
        AlgorithmSettings.set(other, "reduce", "auto");
        assertEquals(Algorithm.FLAT, new AlgorithmSettings(other).forced(Routine.COLLECT));
        assertEquals(Algorithm.FLAT, new AlgorithmSettings(other).forced(Routine.FCOLLECT));
        assertEquals("auto", AlgorithmSettings.name(other, "reduce"));
        assertEquals("flat", AlgorithmSettings.name(settings, "reduce"));
    }

    @Test
    void shouldRefuseWhatARoutineDoesNotHave()
    {
        System.setProperty(REDUCE, "best");
        final Exception ex = assertThrows(IllegalArgumentException.class, AlgorithmSettingsTest::read);
        assertTrue(ex.getMessage().startsWith(REDUCE + " must be auto, "), ex.getMessage());
        assertTrue(ex.getMessage().endsWith(": " + REDUCE + "=best"), ex.getMessage());
        assertTrue(ex.getMessage().contains("flat"), ex.getMessage());

        System.clearProperty(REDUCE);
        final Settings settings = read();
        final Exception noRoutine =
            assertThrows(IllegalArgumentException.class, () -> AlgorithmSettings.set(settings, "gather", "flat"));
        assertTrue(noRoutine.getMessage().contains("reduce_scatter"), noRoutine.getMessage());
        assertThrows(IllegalArgumentException.class, () -> AlgorithmSettings.set(settings, "reduce", "pairwise"));
    }

    private static Settings read()
    {
        final Settings settings = new Settings();
        AlgorithmSettings.read(settings);
        return settings;
    }
}
