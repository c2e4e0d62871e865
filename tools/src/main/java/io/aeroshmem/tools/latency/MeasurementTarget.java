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
import io.aeroshmem.CollectiveRequest;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.agrona.CloseHelper;

import java.util.Arrays;

/**
 * Operands of one measurement: the PE, its peer, and the buffers and size of a call.
 */
final class MeasurementTarget
{
    final Shmem shmem;
    final CommunicationContext ctx;

    /** The PE that makes the calls, if only one PE does. */
    final int caller;

    /** The PE that replies to the caller of ping-pong. */
    final int echo;

    /** The PE that a call of this PE reaches. */
    final int peer;

    /** Number of PEs that are the root in turn, from 0. */
    final int roots;

    /** Schedule of the calls. */
    final Pace pace = new Pace();

    final SymmetricBuffer dest;
    final SymmetricBuffer source;
    final SymmetricBuffer signal;
    final long bytes;

    /** Element type of a reduction, and its operation. */
    final ElementType reducedType;
    final ReduceOp reduceOp;

    /** Element type of a collective that only moves data. */
    final ElementType movedType;

    /** Number of elements of a block that is combined. */
    final long reducedElements;

    /** Number of elements of a block that is moved. */
    final long elements;

    /** The workload of this measurement, from its first call; otherwise null. */
    Workload workload;

    /** From the first call that needs it; otherwise null. */
    private byte[] array;
    /** By root; from the first call that needs it, otherwise null. */
    private final CollectiveRequest[] requests;

    /** Number of the last round of ping-pong; continues from call to call. */
    long sequence;

    /**
     * @param pairOrNull    the PEs of a one-sided operation or ping-pong; null for PE 0 and PE 1, and for a rate of all
     *                      PEs each one and the next.
     * @param isRootShifted whether the root moves from call to call.
     */
    MeasurementTarget(
        final Shmem shmem,
        final CommunicationContext ctx,
        final PePair pairOrNull,
        final boolean isRootShifted,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final SymmetricBuffer signal,
        final long bytes,
        final ReducedValue reduced)
    {
        this.shmem = shmem;
        this.ctx = ctx;
        final int nPes = shmem.nPes();
        this.caller = null == pairOrNull ? 0 : pairOrNull.from();
        this.echo = null == pairOrNull ? 1 % nPes : pairOrNull.to();
        this.peer = null == pairOrNull ? (shmem.myPe() + 1) % nPes : pairOrNull.to();
        this.roots = isRootShifted ? nPes : 1;
        this.requests = new CollectiveRequest[roots];
        this.dest = dest;
        this.source = source;
        this.signal = signal;
        this.bytes = bytes;
        this.reducedType = reduced.type();
        this.reduceOp = reduced.op();
        this.movedType = 0 == bytes % Long.BYTES ? ElementType.LONG : ElementType.BYTE;
        this.reducedElements = bytes / reducedType.bytes();
        this.elements = bytes / movedType.bytes();
    }

    /**
     * Returns this target for calls of a context to a PE.
     *
     * @param block number of the blocks of dest and source, which no other caller of the PE uses.
     */
    MeasurementTarget to(final int pe, final CommunicationContext context, final int block)
    {
        final long stride = Traffic.stride(bytes);
        return new MeasurementTarget(
            shmem,
            context,
            new PePair(shmem.myPe(), pe),
            false,
            dest.slice(block * stride, bytes),
            source.slice(block * stride, bytes),
            signal,
            bytes,
            new ReducedValue(reducedType, reduceOp));
    }

    /** Returns the persistent request of a call. */
    CollectiveRequest request(final Collective collective, final int call)
    {
        final int root = root(call);
        if (null == requests[root])
        {
            requests[root] = shmem.world().request(args(collective).root(root).persistent(true));
        }

        return requests[root];
    }

    /** Requires that the results of a workload are right; called by every PE. */
    void verify(final LatencyOperation operation)
    {
        if (null != workload && !workload.isRight())
        {
            throw new IllegalStateException(operation.lowerCaseName() + " has a wrong result");
        }
    }

    /** Closes the requests. After an exception the close of the PE does it. */
    void close()
    {
        CloseHelper.closeAll(requests);
    }

    /** Returns an array of the block's length. */
    byte[] array()
    {
        if (null == array)
        {
            array = new byte[(int)bytes];
        }

        return array;
    }

    /** Returns the root of a call. */
    int root(final int call)
    {
        return 1 == roots ? 0 : call % roots;
    }

    /** Returns the arguments of a request whose blocks have the size of this measurement, with PE 0 as root. */
    CollectiveArgs args(final Collective collective)
    {
        final CollectiveArgs args = new CollectiveArgs().collective(collective).op(reduceOp);
        final long nPes = shmem.nPes();
        final long reduced = reducedElements;
        final long moved = elements;
        return switch (collective)
        {
            case BARRIER, FAN_IN, FAN_OUT -> args;
            case ALLREDUCE, REDUCE, INCLUSIVE_SCAN, EXCLUSIVE_SCAN ->
                args.source(source, reduced, reducedType).dest(dest, reduced, reducedType);
            case REDUCE_SCATTER -> args.source(source, nPes * reduced, reducedType).dest(dest, reduced, reducedType);
            case REDUCE_SCATTERV ->
                args.source(source, nPes * reduced, reducedType)
                    .destV(dest, counts(reduced), displacements(reduced), reducedType);
            case BROADCAST -> args.source(source, moved, movedType).dest(dest, moved, movedType);
            case ALLGATHER, GATHER -> args.source(source, moved, movedType).dest(dest, nPes * moved, movedType);
            case ALLGATHERV, GATHERV ->
                args.source(source, moved, movedType)
                    .destV(dest, counts(moved), displacements(moved), movedType);
            case SCATTER -> args.source(source, nPes * moved, movedType).dest(dest, moved, movedType);
            case SCATTERV ->
                args.sourceV(source, counts(moved), displacements(moved), movedType)
                    .dest(dest, moved, movedType);
            case ALLTOALL -> args.source(source, nPes * moved, movedType).dest(dest, nPes * moved, movedType);
            default ->
                args.sourceV(source, counts(moved), displacements(moved), movedType)
                    .destV(dest, counts(moved), displacements(moved), movedType);
        };
    }

    private long[] counts(final long nelems)
    {
        final long[] counts = new long[shmem.nPes()];
        Arrays.fill(counts, nelems);
        return counts;
    }

    private long[] displacements(final long nelems)
    {
        final long[] displacements = new long[shmem.nPes()];
        Arrays.setAll(displacements, (pe) -> pe * nelems);
        return displacements;
    }
}
