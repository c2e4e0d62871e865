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
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SignalOp;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Table of the operations that can be measured: the sizes, the kind and the measuring loop of each. The command line
 * and the CSV rows use the names of the constants in lower case. Calls are timed one by one, or together: one time for
 * the whole loop. The kinds are:
 * <ul>
 *     <li>{@code ONE_SIDED}: one PE makes the calls;</li>
 *     <li>{@code COLLECTIVE}: all PEs take part in every call (in ping-pong: two PEs);</li>
 *     <li>{@code REDUCTION}: a collective that combines the elements of buffers;</li>
 *     <li>{@code RATE}: one PE makes the calls, which are timed together;</li>
 *     <li>{@code COMMON_RATE}: all PEs make calls, which are timed together;</li>
 *     <li>{@code WORKLOAD}: all PEs make calls, which are timed together, and the results are checked.</li>
 * </ul>
 */
public enum LatencyOperation
{
    /** 8-byte put and wait, there and back. */
    PINGPONG(Sizing.WORD, Kind.COLLECTIVE, MeasuringLoops::pingPong),

    /** Put and quiet. */
    PUT(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoops::put),

    /** Blocking get. */
    GET(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.get(target.dest, 0, target.source, 0, target.bytes, target.peer))),

    /** Put with signal, and quiet. */
    PUT_SIGNAL(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoops::putSignal),

    /** 8-byte fetching add. */
    ATOMIC_FETCH_ADD(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoops::atomicFetchAdd),

    /** 8-byte add without a fetch, not completed (no quiet). */
    ATOMIC_ADD(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoops::atomicAdd),

    /** 8-byte compare-and-swap. */
    ATOMIC_COMPARE_SWAP(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoops::atomicCompareSwap),

    /** Barrier of all PEs. */
    BARRIER(Sizing.NONE, Kind.COLLECTIVE, MeasuringLoop.of((target, i) -> target.shmem.barrierAll())),

    /** Sync of all PEs. */
    SYNC(Sizing.NONE, Kind.COLLECTIVE, MeasuringLoop.of((target, i) -> target.shmem.syncAll())),

    /** Sum over all PEs; the bytes are those of one PE's elements. */
    REDUCE(Sizing.SIZED, Kind.REDUCTION, MeasuringLoop.of((target, i) -> target.shmem.world().reduce(
        target.reduceOp, target.reducedType, target.dest, target.source, target.reducedElements)), 8, 1 << 20),

    /** Broadcast from PE 0, and a barrier; the bytes are those that every PE receives. */
    BROADCAST(Sizing.SIZED, Kind.COLLECTIVE, MeasuringLoop.of(MeasuredCalls::broadcast), 8),

    /** Concatenation of equal blocks of all PEs; the bytes are those of one block. */
    COLLECT(Sizing.BLOCKS, Kind.COLLECTIVE, MeasuringLoop.of((target, i) -> target.shmem.world().fcollect(
        target.movedType, target.dest, target.source, target.elements)), 8),

    /** Exchange of a block between every two PEs; the bytes are those of one block. */
    ALLTOALL(Sizing.BLOCKS, Kind.COLLECTIVE, MeasuringLoop.of((target, i) -> target.shmem.world().alltoall(
        target.movedType, target.dest, target.source, target.elements)), 8),

    /** Sum over all PEs, of which each PE receives a block; the bytes are those of one block. */
    REDUCE_SCATTER(Sizing.BLOCKS, Kind.REDUCTION, MeasuringLoop.of((target, i) -> target.shmem.world().reduceScatter(
        target.reduceOp, target.reducedType, target.dest, target.source, target.reducedElements)), 8),

    /** Sum over the PEs up to this one; the bytes are those of one PE's elements. */
    INCLUSIVE_SCAN(Sizing.SIZED, Kind.REDUCTION, MeasuringLoop.of((target, i) -> target.shmem.world().inclusiveScan(
        target.reduceOp, target.reducedType, target.dest, target.source, target.reducedElements)), 8),

    /** Fan-in to PE 0, and a barrier. */
    FAN_IN(Sizing.NONE, Kind.COLLECTIVE, requests(Collective.FAN_IN)),

    /** Fan-out from PE 0, and a barrier. */
    FAN_OUT(Sizing.NONE, Kind.COLLECTIVE, requests(Collective.FAN_OUT)),

    /** Sum over all PEs for PE 0, and a barrier; the bytes are those of one PE's elements. */
    REDUCE_TO_ROOT(Sizing.SIZED, Kind.REDUCTION, requests(Collective.REDUCE), 8),

    /** {@link #REDUCE_SCATTER} with a count for each block. */
    REDUCE_SCATTERV(Sizing.BLOCKS, Kind.REDUCTION, requests(Collective.REDUCE_SCATTERV), 8),

    /** Concatenation of the blocks of all PEs on PE 0, and a barrier. */
    GATHER(Sizing.BLOCKS, Kind.COLLECTIVE, requests(Collective.GATHER), 8),

    /** {@link #GATHER} with a count for each block. */
    GATHERV(Sizing.BLOCKS, Kind.COLLECTIVE, requests(Collective.GATHERV), 8),

    /** Distribution of the blocks of PE 0, and a barrier. */
    SCATTER(Sizing.BLOCKS, Kind.COLLECTIVE, requests(Collective.SCATTER), 8),

    /** {@link #SCATTER} with a count for each block. */
    SCATTERV(Sizing.BLOCKS, Kind.COLLECTIVE, requests(Collective.SCATTERV), 8),

    /** {@link #COLLECT} with a count for each block. */
    ALLGATHERV(Sizing.BLOCKS, Kind.COLLECTIVE, requests(Collective.ALLGATHERV), 8),

    /** {@link #ALLTOALL} with a count for each block. */
    ALLTOALLV(Sizing.BLOCKS, Kind.COLLECTIVE, requests(Collective.ALLTOALLV), 8),

    /** {@link #SYNC} as a request. */
    SYNC_REQUEST(Sizing.NONE, Kind.COLLECTIVE, requests(Collective.BARRIER)),

    /** {@link #REDUCE} as a request. */
    REDUCE_REQUEST(Sizing.SIZED, Kind.REDUCTION, requests(Collective.ALLREDUCE), 8, 1 << 20),

    /** {@link #BROADCAST} as a request. */
    BROADCAST_REQUEST(Sizing.SIZED, Kind.COLLECTIVE, requests(Collective.BROADCAST), 8),

    /** {@link #COLLECT} as a request. */
    COLLECT_REQUEST(Sizing.BLOCKS, Kind.COLLECTIVE, requests(Collective.ALLGATHER), 8),

    /** {@link #ALLTOALL} as a request. */
    ALLTOALL_REQUEST(Sizing.BLOCKS, Kind.COLLECTIVE, requests(Collective.ALLTOALL), 8),

    /** {@link #REDUCE_SCATTER} as a request. */
    REDUCE_SCATTER_REQUEST(Sizing.BLOCKS, Kind.REDUCTION, requests(Collective.REDUCE_SCATTER), 8),

    /** {@link #INCLUSIVE_SCAN} as a request. */
    INCLUSIVE_SCAN_REQUEST(Sizing.SIZED, Kind.REDUCTION, requests(Collective.INCLUSIVE_SCAN), 8),

    /** Put of a long by value, and quiet. */
    PUT_LONG(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.completed((target, i) ->
        target.ctx.putLong(target.dest, 0, i, target.peer))),

    /** Get of a long. */
    GET_LONG(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.getLong(target.source, 0, target.peer))),

    /** Nonblocking put, and quiet. */
    PUT_NBI(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.completed((target, i) ->
        target.ctx.putNbi(target.dest, 0, target.source, 0, target.bytes, target.peer))),

    /** Nonblocking get, and quiet. */
    GET_NBI(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.completed((target, i) ->
        target.ctx.getNbi(target.dest, 0, target.source, 0, target.bytes, target.peer))),

    /** Put to all other PEs, and quiet. */
    PUT_ALL(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.completed((target, i) ->
        target.ctx.putAll(target.dest, 0, target.source, 0, target.bytes))),

    /** Put with signal to all other PEs, and quiet. */
    PUT_SIGNAL_ALL(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.completed((target, i) ->
        target.ctx.putSignalAll(target.dest, 0, target.source, 0, target.bytes, target.signal, 0, i, SignalOp.SET))),

    /** {@link #PUT_ALL} by a put to each. */
    PUT_EACH(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.completed(MeasuredCalls::putEach)),

    /** {@link #PUT_SIGNAL_ALL} by a put with signal to each. */
    PUT_SIGNAL_EACH(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.completed(MeasuredCalls::putSignalEach)),

    /** Put, and await of its request. */
    PUT_REQUEST(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.of(MeasuredCalls::putRequest)),

    /** Get, and await of its request. */
    GET_REQUEST(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.of(MeasuredCalls::getRequest)),

    /** Put of an array, and quiet. */
    PUT_ARRAY(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.completed((target, i) ->
        target.ctx.put(target.dest, 0, target.array(), 0, (int)target.bytes, target.peer))),

    /** Get to an array. */
    GET_ARRAY(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.get(target.array(), 0, target.source, 0, (int)target.bytes, target.peer))),

    /** Put of every second element, and quiet. */
    IPUT(Sizing.STRIDED, Kind.ONE_SIDED, MeasuringLoop.completed(MeasuredCalls::iput)),

    /** Get of every second element. */
    IGET(Sizing.STRIDED, Kind.ONE_SIDED, MeasuringLoop.of(MeasuredCalls::iget)),

    /** Put of every second block of 8 elements, and quiet. */
    IBPUT(Sizing.STRIDED, Kind.ONE_SIDED, MeasuringLoop.completed(MeasuredCalls::ibput)),

    /** Get of every second block of 8 elements. */
    IBGET(Sizing.STRIDED, Kind.ONE_SIDED, MeasuringLoop.of(MeasuredCalls::ibget)),

    /** Nonblocking put with signal, and quiet. */
    PUT_SIGNAL_NBI(Sizing.SIZED, Kind.ONE_SIDED, MeasuringLoop.completed((target, i) ->
        target.ctx.putSignalNbi(
        target.dest, 0, target.source, 0, target.bytes, target.signal, 0, i, SignalOp.SET, target.peer))),

    /** Signal without data, and quiet. */
    SIGNAL(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.completed((target, i) ->
        target.ctx.signal(target.signal, 0, i, SignalOp.SET, target.peer))),

    /** 8-byte atomic fetch. */
    ATOMIC_FETCH(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicFetchLong(target.dest, 0, target.peer))),

    /** 8-byte atomic set, not completed. */
    ATOMIC_SET(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicSetLong(target.dest, 0, i, target.peer))),

    /** 8-byte swap. */
    ATOMIC_SWAP(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicSwapLong(target.dest, 0, i, target.peer))),

    /** 8-byte increment without a fetch, not completed. */
    ATOMIC_INC(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicIncLong(target.dest, 0, target.peer))),

    /** 8-byte fetching increment. */
    ATOMIC_FETCH_INC(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicFetchIncLong(target.dest, 0, target.peer))),

    /** 8-byte and without a fetch, not completed. */
    ATOMIC_AND(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicAndLong(target.dest, 0, i, target.peer))),

    /** 8-byte fetching and. */
    ATOMIC_FETCH_AND(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicFetchAndLong(target.dest, 0, i, target.peer))),

    /** 8-byte or without a fetch, not completed. */
    ATOMIC_OR(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicOrLong(target.dest, 0, i, target.peer))),

    /** 8-byte fetching or. */
    ATOMIC_FETCH_OR(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicFetchOrLong(target.dest, 0, i, target.peer))),

    /** 8-byte xor without a fetch, not completed. */
    ATOMIC_XOR(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicXorLong(target.dest, 0, i, target.peer))),

    /** 8-byte fetching xor. */
    ATOMIC_FETCH_XOR(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicFetchXorLong(target.dest, 0, i, target.peer))),

    /** 8-byte minimum without a fetch that lowers the word, not completed. */
    ATOMIC_MIN(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicMinLong(target.dest, 0, -i, target.peer))),

    /** 8-byte fetching minimum that lowers the word. */
    ATOMIC_FETCH_MIN(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicFetchMinLong(target.dest, 0, -i, target.peer))),

    /** 8-byte maximum without a fetch that raises the word, not completed. */
    ATOMIC_MAX(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicMaxLong(target.dest, 0, i, target.peer))),

    /** 8-byte fetching maximum that raises the word. */
    ATOMIC_FETCH_MAX(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of((target, i) ->
        target.ctx.atomicFetchMaxLong(target.dest, 0, i, target.peer))),

    /** 8-byte nonblocking fetching add, and quiet. */
    ATOMIC_FETCH_ADD_NBI(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.completed((target, i) ->
        target.ctx.atomicFetchAddLongNbi(target.source, 0, target.dest, 0, 1, target.peer))),

    /** Put of a long by value, and fence. */
    FENCE(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of(MeasuredCalls::fence)),

    /** Quiet with nothing to complete. */
    QUIET(Sizing.NONE, Kind.ONE_SIDED, MeasuringLoop.of((target, i) -> target.ctx.quiet())),

    /** Set and clear of an uncontended lock. */
    LOCK(Sizing.WORD, Kind.ONE_SIDED, MeasuringLoop.of(MeasuredCalls::lock)),

    /** {@link #COLLECT} of blocks of two lengths; the bytes are those of the longer one. */
    COLLECT_UNEQUAL(Sizing.BLOCKS, Kind.COLLECTIVE, MeasuringLoop.of(MeasuredCalls::collectUnequal), 8),

    /** {@link #ALLTOALL} of every second element. */
    ALLTOALLS(Sizing.STRIDED_BLOCKS, Kind.COLLECTIVE, MeasuringLoop.of(MeasuredCalls::alltoalls), 8),

    /** Sum over the PEs before this one; the bytes are those of one PE's elements. */
    EXCLUSIVE_SCAN(Sizing.SIZED, Kind.REDUCTION, MeasuringLoop.of(MeasuredCalls::exclusiveScan), 8),

    /** Sum of a long of all PEs, by value. */
    REDUCE_LONG(Sizing.WORD, Kind.COLLECTIVE, MeasuringLoop.of((target, i) ->
        target.shmem.world().reduceLong(ReduceOp.SUM, i))),

    /** Broadcast of a long by value, and a barrier. */
    BROADCAST_LONG(Sizing.WORD, Kind.COLLECTIVE, MeasuringLoop.of(MeasuredCalls::broadcastLong)),

    /** {@link #EXCLUSIVE_SCAN} as a request. */
    EXCLUSIVE_SCAN_REQUEST(Sizing.SIZED, Kind.REDUCTION, requests(Collective.EXCLUSIVE_SCAN), 8),

    /** The time of {@link #REDUCE_REQUEST} that computation does not hide. */
    REDUCE_EXPOSED(Sizing.SIZED, Kind.REDUCTION, new ExposedLoop(Collective.ALLREDUCE), 1 << 20),

    /** The time of {@link #PUT_NBI} that computation does not hide. */
    PUT_EXPOSED(Sizing.SIZED, Kind.ONE_SIDED, new ExposedLoop((target, i) ->
        target.ctx.putNbi(target.dest, 0, target.source, 0, target.bytes, target.peer))),

    /** The time of {@link #GET_NBI} that computation does not hide. */
    GET_EXPOSED(Sizing.SIZED, Kind.ONE_SIDED, new ExposedLoop((target, i) ->
        target.ctx.getNbi(target.dest, 0, target.source, 0, target.bytes, target.peer))),

    /** Allocation and release of 8 bytes. */
    MALLOC(Sizing.NONE, Kind.COLLECTIVE, MeasuringLoop.of((target, i) ->
        target.shmem.free(target.shmem.malloc(Long.BYTES)))),

    /** Split of a team of all PEs, and its close. */
    SPLIT(Sizing.NONE, Kind.COLLECTIVE, MeasuringLoop.of((target, i) ->
        target.shmem.world().splitStrided(0, 1, target.shmem.nPes()).close())),

    /** Rate of 8-byte puts back to back, completed by one quiet. */
    PUT_RATE(Sizing.WORD, Kind.RATE, MeasuringLoops::putRate),

    /** Rate of 8-byte adds back to back, completed by one quiet. */
    ATOMIC_ADD_RATE(Sizing.WORD, Kind.RATE, MeasuringLoops::atomicAddRate),

    /** Rate of nonblocking gets of 8 bytes back to back, completed by one quiet. */
    GET_RATE(Sizing.WORD, Kind.RATE, MeasuringLoops::getRate),

    /** Rate of nonblocking fetching adds of 8 bytes back to back, completed by one quiet. */
    FETCH_RATE(Sizing.WORD, Kind.RATE, MeasuringLoops::fetchRate),

    /** Bandwidth of puts back to back, completed by one quiet. */
    PUT_BW(Sizing.SIZED, Kind.RATE, MeasuringLoops::putBandwidth),

    /** Bandwidth of nonblocking gets back to back, completed by one quiet. */
    GET_BW(Sizing.SIZED, Kind.RATE, MeasuringLoops::getBandwidth),

    /** Bandwidth of the puts of one PE while all PEs put to their neighbours. */
    PUT_BIBW(Sizing.SIZED, Kind.COMMON_RATE, MeasuringLoops::putBandwidth),

    /** Rate of increments of random elements of a table over all PEs. */
    HISTO(Sizing.TABLE, Kind.WORKLOAD, WorkloadLoops::histo),

    /** Rate of exclusive ors of random elements of a table over all PEs. */
    GUPS(Sizing.TABLE, Kind.WORKLOAD, WorkloadLoops::gups),

    /** Rate of reads of random elements of a table over all PEs. */
    INDEXGATHER(Sizing.TABLE, Kind.WORKLOAD, WorkloadLoops::indexGather),

    /** Rate of keys of an integer sort that all PEs exchange. */
    INTSORT(Sizing.KEYS, Kind.WORKLOAD, WorkloadLoops::intSort);

    private static final Set<LatencyOperation> ROOTED = EnumSet.of(
        BROADCAST, BROADCAST_REQUEST, BROADCAST_LONG, FAN_IN, FAN_OUT, REDUCE_TO_ROOT, GATHER, GATHERV, SCATTER,
        SCATTERV);
    private static final long[] BLOCK_SIZES = {8, 4096, 1 << 20};

    private enum Sizing
    {
        NONE, WORD, SIZED, STRIDED, BLOCKS, STRIDED_BLOCKS, TABLE, KEYS
    }

    private enum Kind
    {
        ONE_SIDED, COLLECTIVE, REDUCTION, RATE, COMMON_RATE, WORKLOAD
    }

    private final Sizing sizing;
    private final Kind kind;
    private final MeasuringLoop loop;
    private final long[] defaultSizes;

    LatencyOperation(final Sizing sizing, final Kind kind, final MeasuringLoop loop, final long... defaultSizes)
    {
        this.sizing = sizing;
        this.kind = kind;
        this.loop = loop;
        this.defaultSizes = defaultSizes;
    }

    private static MeasuringLoop requests(final Collective collective)
    {
        final boolean isRooted = MeasuredCalls.ROOTED.contains(collective);
        return MeasuringLoop.of((target, i) -> MeasuredCalls.request(collective, isRooted, target, i));
    }

    /**
     * Returns the operation with a name of the command line, in any case. If there is none, the exception lists the
     * groups and the operations that the command allows.
     */
    public static LatencyOperation of(
        final String text, final String groups, final Predicate<LatencyOperation> isAllowed)
    {
        final String name = text.trim().toLowerCase(Locale.ROOT);
        return Arrays.stream(values())
            .filter((operation) -> operation.lowerCaseName().equals(name))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("unknown operation '" + text + "': allowed: " + groups +
                Arrays.stream(values()).filter(isAllowed).map((operation) -> ", " + operation.lowerCaseName())
                .collect(Collectors.joining())));
    }

    /** Returns the name on the command line and in rows. */
    public String lowerCaseName()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the operation is measured once per given size. */
    private boolean isSized()
    {
        return Sizing.SIZED == sizing || Sizing.STRIDED == sizing ||
            Sizing.BLOCKS == sizing || Sizing.STRIDED_BLOCKS == sizing;
    }

    /** Returns the sizes to measure unless others are specified. */
    private List<Long> defaultSizes()
    {
        return switch (sizing)
        {
            case NONE -> List.of(0L);
            case WORD, TABLE -> List.of((long)Long.BYTES);
            case KEYS -> List.of((long)Integer.BYTES);
            default ->
                Arrays.stream(0 == defaultSizes.length ? BLOCK_SIZES : defaultSizes)
                    .boxed().collect(Collectors.toList());
        };
    }

    /** Returns the sizes to measure where some are specified, or none. */
    public List<Long> sizes(final List<Long> specified)
    {
        return isSized() && !specified.isEmpty() ? specified : defaultSizes();
    }

    /**
     * Returns the length of the source, and of the dest: longer than the row's bytes for a block per PE, and for
     * workloads.
     */
    long bufferBytes(final long bytes, final int nPes)
    {
        return switch (sizing)
        {
            case STRIDED -> Math.multiplyExact(bytes, 2);
            case BLOCKS -> Math.multiplyExact(bytes, nPes);
            case STRIDED_BLOCKS -> Math.multiplyExact(bytes, 2 * nPes);
            case TABLE -> WorkloadLoops.ACCESS_BYTES;
            case KEYS -> WorkloadLoops.EXCHANGE_BYTES;
            default -> bytes;
        };
    }

    /** Returns whether the other PEs take part in every call; otherwise one PE makes the calls. */
    boolean isCollective()
    {
        return Kind.COLLECTIVE == kind || Kind.REDUCTION == kind || Kind.COMMON_RATE == kind ||
            Kind.WORKLOAD == kind;
    }

    /** Returns whether the operation combines elements: its sizes are multiples of 8 bytes. */
    public boolean isReduction()
    {
        return Kind.REDUCTION == kind;
    }

    /** Returns whether the operation can be enqueued on a stream. */
    public boolean isForStreams()
    {
        return PINGPONG != this && compareTo(INCLUSIVE_SCAN) <= 0;
    }

    /** Returns whether the operation is measured where none is named: not a variant of another one, nor a workload. */
    public boolean isUsual()
    {
        return compareTo(INCLUSIVE_SCAN_REQUEST) <= 0 || compareTo(PUT_RATE) >= 0 && !isWorkload();
    }

    /** Returns whether the operation needs host memory. */
    public boolean isForHostMemory()
    {
        return isWorkload() || LOCK == this;
    }

    /** Returns whether calls are timed together rather than one by one. */
    public boolean isRate()
    {
        return Kind.RATE == kind || Kind.COMMON_RATE == kind || Kind.WORKLOAD == kind;
    }

    /** Returns whether this is a workload of all PEs on host memory, measured from barrier to barrier and checked. */
    public boolean isWorkload()
    {
        return Kind.WORKLOAD == kind;
    }

    /** Returns whether a collective has a root, and the figures are those of calls of any root. */
    public boolean isRooted()
    {
        return ROOTED.contains(this);
    }

    /** Returns whether one PE calls the operation and another is its target. */
    public boolean isOfPair()
    {
        return PINGPONG == this || Kind.ONE_SIDED == kind || Kind.RATE == kind;
    }

    MeasuringLoop loop()
    {
        return loop;
    }
}
