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
package io.aeroshmem.tools.latency;

import io.aeroshmem.ElementType;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;

/**
 * A collective over all PEs. Each has a loop of its own, so that what is measured is compiled for that one call.
 */
abstract class CollectiveMeasurement extends Measurement
{
    final Team world;
    final ElementType type;
    final SymmetricBuffer dest;
    final SymmetricBuffer source;
    final long nelems;

    CollectiveMeasurement(
        final Shmem shmem,
        final int peer,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final ElementType type,
        final long nelems)
    {
        super(shmem, peer);
        this.world = shmem.world();
        this.type = type;
        this.dest = dest;
        this.source = source;
        this.nelems = nelems;
    }
}
