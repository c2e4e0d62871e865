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
package io.aeroshmem;

import io.aeroshmem.collective.call.CallHistories;
import io.aeroshmem.collective.call.CollectiveCount;
import io.aeroshmem.collective.request.RequestProgress;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.latency.LatencyRecording;
import io.aeroshmem.latency.Operation;
import io.aeroshmem.latency.OperationRecording;
import io.aeroshmem.lifecycle.FailureExceptions;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.Allocation;
import io.aeroshmem.memory.AllocationConsensus;
import io.aeroshmem.memory.CollectiveHeap;
import io.aeroshmem.memory.DeclaredMemory;
import io.aeroshmem.memory.EndpointMemory;
import io.aeroshmem.memory.RetainedAllocations;
import io.aeroshmem.memory.RetainedExchange;
import io.aeroshmem.memory.Snapshots;
import io.aeroshmem.memory.SymmetricHeap;
import io.aeroshmem.memory.UntouchedRange;
import io.aeroshmem.memory.WorldSync;
import io.aeroshmem.rma.RmaContext;
import io.aeroshmem.sync.Locks;
import io.aeroshmem.sync.PointToPointSync;
import io.aeroshmem.sync.RecordedPointToPointSync;
import io.aeroshmem.sync.SystemAreaDescriptor;
import io.aeroshmem.thread.GuardedProxy;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.endpoint.BootstrappedEndpoint;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.job.PeCounter;

import java.nio.file.Path;

/** What a PE works with once it is connected. Constructed collectively, before the PE is open. */
final class PeParts
{
    final SymmetricHeap heap;
    final CollectiveHeap collectiveHeap;
    final RetainedAllocations retainedAllocations;
    final Snapshots snapshots;
    final PointToPointSync pointToPoint;
    final Locks locks;
    final TeamFactory teamFactory;
    final RequestProgress requestProgress;
    final CallHistories histories = new CallHistories();
    final CommunicationContext defaultContext;
    final LatencyRecording latency;

    private final DeclaredMemory declared = new DeclaredMemory();
    private final PeIdentity identity;
    private final AllocationConsensus consensus;
    private final WorldSync worldSync;
    private final boolean isChecked;

    /**
     * @param teams the predefined ones, which are connected here.
     */
    PeParts(
        final Shmem.Context context,
        final PeIdentity identity,
        final Endpoint endpoint,
        final BootstrappedEndpoint bootstrapped,
        final SystemAreaDescriptor descriptor,
        final FailureExceptions exceptions,
        final Team[] teams)
    {
        this.identity = identity;
        isChecked = context.checkCollectives();
        final int pe = endpoint.pe();
        final int nPes = endpoint.nPes();
        latency = new LatencyRecording(
            pe,
            nPes,
            Routine.values(),
            Path.of(null == context.latencyDirectoryName() ? "" : context.latencyDirectoryName()),
            context.latencyIntervalNs(),
            endpoint.latencyFile(),
            context.threadFactory(),
            bootstrapped.errorHandler());

        final OperationRecording operations =
            context.recordOperations() ? latency.operations(endpoint.pause()) : null;
        requestProgress = new RequestProgress(bootstrapped.errorHandler());
        endpoint.requests(requestProgress, requestProgress::isIdle);
        final CollectiveCount collectiveCount = new CollectiveCount();
        teamFactory = new TeamFactory(
            identity,
            endpoint,
            context.checkCollectives(),
            context.synchronization(),
            context.maxTeams(),
            context.algorithmSettings(),
            latency,
            operations,
            requestProgress,
            descriptor.creationCellsOffset(),
            declared,
            collectiveCount,
            histories);
        for (final PredefinedTeam which : PredefinedTeam.values())
        {
            teamFactory.connect(teams[which.ordinal()], descriptor.teamAreaOffset(which));
        }

        final Team world = teams[PredefinedTeam.WORLD.ordinal()];
        worldSync = world.engine().heapSync();
        final RmaContext worldContext = world.newContext(true);
        defaultContext = GuardedProxy.of(identity.guard(), CommunicationContext.class, worldContext);
        teamFactory.defaultContext(defaultContext);
        heap = new SymmetricHeap(
            identity,
            Region.USER,
            endpoint.regionLength(Region.USER),
            new EndpointMemory(endpoint, Region.USER),
            UntouchedRange.of(endpoint.regionLength(Region.USER), endpoint.retainedTable()));
        final SymmetricHeap userHeap = heap;
        endpoint.gauge(PeCounter.HEAP_LENGTH, userHeap::capacity);
        endpoint.gauge(PeCounter.HEAP_USED, () -> userHeap.capacity() - userHeap.freeBytes());
        endpoint.gauge(PeCounter.COLLECTIVES, collectiveCount::total);
        consensus = new AllocationConsensus(endpoint, descriptor, worldSync);
        collectiveHeap = collectiveHeap(heap);
        pointToPoint = null == operations ? new PointToPointSync(identity, endpoint) :
            new RecordedPointToPointSync(identity, endpoint, operations);
        if (null != operations)
        {
            publish(operations, endpoint);
        }

        locks = new Locks(
            identity, endpoint, worldContext, exceptions, context.threadFactory(), bootstrapped.errorHandler());
        retainedAllocations = new RetainedAllocations(
            collectiveHeap,
            heap,
            worldSync,
            this::checkUse,
            endpoint.retainedTable(),
            endpoint.generation(),
            pe,
            nPes);
        endpoint.gauge(PeCounter.RETAINED_BYTES, retainedAllocations::bytes);
        snapshots = new Snapshots(
            retainedAllocations,
            collectiveHeap,
            consensus,
            worldSync,
            heap,
            bootstrapped.errorHandler(),
            pe,
            nPes,
            context.snapshotKeep());
        new RetainedExchange(endpoint, world.engine()::barrier, bootstrapped.errorHandler())
            .begin(retainedAllocations);
        latency.record(context.recordLatency());
    }

    private static void publish(final OperationRecording operations, final Endpoint endpoint)
    {
        endpoint.gauge(
            PeCounter.PUTS_ISSUED,
            () -> operations.count(Operation.PUT, Operation.PUT_NBI, Operation.PUT_SIGNAL));
        endpoint.gauge(PeCounter.GETS_ISSUED, () -> operations.count(Operation.GET, Operation.GET_NBI));
        endpoint.gauge(
            PeCounter.ATOMICS_ISSUED,
            () -> operations.count(Operation.ATOMIC, Operation.FETCH_ATOMIC, Operation.FETCH_ATOMIC_NBI));
        endpoint.gauge(
            PeCounter.SIGNALS_ISSUED, () -> operations.count(Operation.SIGNAL, Operation.PUT_SIGNAL));
        endpoint.gauge(
            PeCounter.BYTES_PUT,
            () -> operations.bytes(Operation.PUT, Operation.PUT_NBI, Operation.PUT_SIGNAL));
        endpoint.gauge(PeCounter.BYTES_GOT, () -> operations.bytes(Operation.GET, Operation.GET_NBI));
    }

    /** Returns the collective calls on a heap of this PE. */
    CollectiveHeap collectiveHeap(final SymmetricHeap heap)
    {
        return new CollectiveHeap(identity, heap, consensus, worldSync, this::checkFree, isChecked);
    }

    private void checkFree(final Allocation allocation)
    {
        retainedAllocations.checkFree(allocation);
        checkUse(allocation);
    }

    private void checkUse(final Allocation allocation)
    {
        declared.checkFree(allocation);
        requestProgress.checkFree(allocation);
    }
}
