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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PeCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

import static io.aeroshmem.transport.endpoint.IpcDriverIdleStrategy.PRESSURE_NS;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class IpcDriverIdleStrategyTest
{
    @TempDir
    private Path root;
    private JobDirectory directory;
    private ControlFile control;
    private IpcDriverIdleStrategy strategy;

    @BeforeEach
    void before()
    {
        directory = JobDirectory.create(root, 3);
        control = directory.control();
        strategy = new IpcDriverIdleStrategy(control);
    }

    @AfterEach
    void after()
    {
        directory.delete();
        directory.close();
    }

    @Test
    void shouldBeUnderPressureForAWhileAfterAnOfferOfAnyPeWasRefused()
    {
        final long startNs = Long.MAX_VALUE - PRESSURE_NS / 2;
        assertFalse(strategy.isUnderPressure(startNs));
        for (int pe = 0; pe < 3; pe++)
        {
            final long nowNs = startNs + 10 * pe * PRESSURE_NS;
            control.counter(pe, PeCounter.BACK_PRESSURE).increment();
            assertTrue(strategy.isUnderPressure(nowNs));
            assertTrue(strategy.isUnderPressure(nowNs + PRESSURE_NS - 1));
            assertFalse(strategy.isUnderPressure(nowNs + PRESSURE_NS));
            assertFalse(strategy.isUnderPressure(nowNs + 2 * PRESSURE_NS));
        }
    }

    @Test
    void shouldStayUnderPressureWhileOffersAreRefused()
    {
        long nowNs = 0;
        for (int i = 0; i < 10; i++)
        {
            control.counter(1, PeCounter.BACK_PRESSURE).increment();
            assertTrue(strategy.isUnderPressure(nowNs));
            nowNs += PRESSURE_NS - 1;
            assertTrue(strategy.isUnderPressure(nowNs));
        }
        assertFalse(strategy.isUnderPressure(nowNs + 1));
    }

    @Test
    void shouldIgnoreOtherCounters()
    {
        control.counter(1, PeCounter.RING_FULL).increment();
        control.counter(1, PeCounter.FRAMES_SENT).increment();
        assertFalse(strategy.isUnderPressure(0));
    }
}
