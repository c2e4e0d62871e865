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

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class ProcessorTest
{
    /** Without it the worlds of all JVMs share one processor. */
    @Test
    void shouldKnowTheNumberOfTheJvm()
    {
        final String number = System.getProperty(Processor.FORK_PROPERTY);
        assumeTrue(null != number, "skipped: not started by the build");
        assertNotNull(Integer.getInteger(Processor.FORK_PROPERTY), () -> "no number: '" + number + "'");
    }
}
