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
package io.aeroshmem.thread;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.collective.Routine;
import io.aeroshmem.collective.TeamCollectives;
import io.aeroshmem.lifecycle.PeIdentity;

/**
 * Collectives of a team whose calls pass the {@link ThreadGuard}.
 */
public final class GuardedCollectives extends TeamCollectives
{
    private final ThreadGuard guard;
    private final TeamCollectives collectives;

    public GuardedCollectives(final ThreadGuard guard, final PeIdentity owner, final TeamCollectives collectives)
    {
        super(owner, collectives.engine(), collectives.latency());
        this.guard = guard;
        this.collectives = collectives;
    }

    @Override
    public void beginHeapCall(final int kind, final long first, final long second)
    {
        guard.run("a call on the heap", () -> collectives.beginHeapCall(kind, first, second));
    }

    @Override
    public void omitHeapCall(final int kind)
    {
        collectives.omitHeapCall(kind);
    }

    @Override
    public void barrier()
    {
        guard.run("Team.barrier", collectives::barrier);
    }

    @Override
    public void sync()
    {
        guard.run("Team.sync", collectives::sync);
    }

    @Override
    public void broadcast(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems,
        final int root)
    {
        guard.run("Team.broadcast", () -> collectives.broadcast(type, dest, source, nelems, root));
    }

    @Override
    public void collect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        guard.run("Team.collect", () -> collectives.collect(type, dest, source, nelems));
    }

    @Override
    public void fcollect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        guard.run("Team.fcollect", () -> collectives.fcollect(type, dest, source, nelems));
    }

    @Override
    public void alltoall(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        guard.run("Team.alltoall", () -> collectives.alltoall(type, dest, source, nelems));
    }

    @Override
    public void alltoalls(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long destStride,
        final long sourceStride,
        final long nelems)
    {
        guard.run("Team.alltoalls", () -> collectives.alltoalls(type, dest, source, destStride, sourceStride, nelems));
    }

    @Override
    public void reduce(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nreduce)
    {
        guard.run("Team.reduce", () -> collectives.reduce(op, type, dest, source, nreduce));
    }

    @Override
    public void reduceScatter(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nreduce)
    {
        guard.run("Team.reduceScatter", () -> collectives.reduceScatter(op, type, dest, source, nreduce));
    }

    @Override
    public void scan(
        final Routine routine,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long n)
    {
        guard.run("Team.scan", () -> collectives.scan(routine, op, type, dest, source, n));
    }

    @Override
    public long reduceLong(final ReduceOp op, final long value)
    {
        return guard.call("Team.reduceLong", () -> collectives.reduceLong(op, value));
    }

    @Override
    public double reduceDouble(final ReduceOp op, final double value)
    {
        return guard.call("Team.reduceDouble", () -> collectives.reduceDouble(op, value));
    }

    @Override
    public long broadcastLong(final long value, final int root)
    {
        return guard.call("Team.broadcastLong", () -> collectives.broadcastLong(value, root));
    }
}
