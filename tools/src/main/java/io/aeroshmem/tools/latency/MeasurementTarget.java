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

import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
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

    /** Returns the arguments of a request whose blocks have the size of this measurement, with PE 0 as root. */
    CollectiveArgs args(final Collective collective)
    {
        final CollectiveArgs args = new CollectiveArgs().collective(collective);
        final long nPes = shmem.nPes();
        switch (collective)
        {
            case BARRIER:
                return args;

            case ALLREDUCE:
                final long reduced = bytes / reducedType.bytes();
                return args.op(ReduceOp.SUM).source(source, reduced, reducedType).dest(dest, reduced, reducedType);

            case ALLGATHER:
                return moved(args, 1, nPes);

            case ALLTOALL:
                return moved(args, nPes, nPes);

            default:
                return moved(args, 1, 1);
        }
    }

    private CollectiveArgs moved(final CollectiveArgs args, final long sourceBlocks, final long destBlocks)
    {
        final long nelems = bytes / movedType.bytes();
        return args.source(source, sourceBlocks * nelems, movedType).dest(dest, destBlocks * nelems, movedType);
    }
}
