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
package com.example;

import io.aeroshmem.Shmem;
import io.aeroshmem.simulation.Simulation;
import org.junit.jupiter.api.Test;

class NeighboursTest
{
    /** In any order of the steps of both PEs, and of the effects of their puts. */
    @Test
    void shouldExchangeNumbers()
    {
        Simulation.explore(
            new Simulation.Context().pes(2).seeds(1, 100),
            new Shmem.Context().heapSize(1 << 20),
            Neighbours::exchange);
    }
}
