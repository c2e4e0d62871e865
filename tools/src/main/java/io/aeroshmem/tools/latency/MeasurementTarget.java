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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ElementType;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * Operands of one measurement: the PE, its peer, and the buffers and size of a call.
 */
final class MeasurementTarget
{
    final Shmem shmem;
    final CommunicationContext ctx;
    final int peer;
    final SymmetricBuffer dest;
    final SymmetricBuffer source;
    final SymmetricBuffer signal;
    final long bytes;

    /** Element type of a reduction. */
    final ElementType reducedType;

    /** Element type of a collective that only moves data. */
    final ElementType movedType;

    /** Number of the last round of ping-pong; continues from call to call. */
    long sequence;

    MeasurementTarget(
        final Shmem shmem,
        final int peer,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final SymmetricBuffer signal,
        final long bytes,
        final ElementType reducedType)
    {
        this.shmem = shmem;
        this.ctx = shmem.defaultContext();
        this.peer = peer;
        this.dest = dest;
        this.source = source;
        this.signal = signal;
        this.bytes = bytes;
        this.reducedType = reducedType;
        this.movedType = 0 == bytes % Long.BYTES ? ElementType.LONG : ElementType.BYTE;
    }
}
