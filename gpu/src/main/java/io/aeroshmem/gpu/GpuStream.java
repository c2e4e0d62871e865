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
package io.aeroshmem.gpu;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.MemoryKind;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.device.DeviceAttachment;
import io.aeroshmem.device.DeviceStream;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.rma.RmaContext;
import io.aeroshmem.rma.Strided;
import io.aeroshmem.thread.GuardedProxy;
import jcuda.driver.CUstream;

/**
 * Operations that are performed in the order of a CUDA stream: the {@code …_on_stream} routines of NVSHMEM. A method
 * checks its arguments like the method of the same name on the host, enqueues the operation and returns at once. The
 * operation is complete when the stream has passed it. The argument {@code pe} of a method is a PE of the world. The
 * {@linkplain io.aeroshmem.gpu package} specifies what the device performs, and CUDA graphs.
 * <p>
 * <b>Errors.</b> A method throws if an argument is invalid. A failure of the enqueued operation is thrown by
 * {@link #synchronize()}, and returned by {@link Gpu#lastDeviceError()}. If the job fails, waits on streams end.
 * <p>
 * <b>Threads.</b> Any number of threads may make calls, as the thread level of the PE allows. Collectives of one team
 * are called in the same order on all its members, on one stream at a time, and not while the host calls collectives of
 * that team.
 */
public final class GpuStream extends StreamOperations implements DeviceStream
{
    private final Shmem shmem;
    private final DeviceAttachment attachment;
    private final DeviceSetup setup;
    private final StreamLaunches launches;
    private final long stream;
    private final boolean isHostAtomic;
    private final StreamErrors errors;
    private final StreamProxies proxies;
    private final Runnable onClose;
    private StreamProxy proxy;
    private RmaContext proxyContext;
    private volatile boolean isClosed;

    GpuStream(
        final Shmem shmem,
        final DeviceAttachment attachment,
        final DeviceSetup setup,
        final StreamProxies proxies,
        final long stream,
        final Runnable onClose)
    {
        this.shmem = shmem;
        this.attachment = attachment;
        this.setup = setup;
        this.proxies = proxies;
        this.stream = stream;
        this.onClose = onClose;
        errors = proxies.errors();
        launches = new StreamLaunches(setup.device(), stream, proxies.abort(), setup.hasOtherDevices());
        isHostAtomic = setup.isHostAtomic();
    }

    /**
     * Returns the stream of CUDA.
     *
     * @return CUDA's handle, null for the legacy default stream.
     */
    public CUstream stream()
    {
        return 0 == stream ? null : JCudaHandles.with(new CUstream(), stream);
    }

    /**
     * Waits until the stream has passed everything that is enqueued. No counterpart in NVSHMEM but
     * {@code cuStreamSynchronize}, which can be used as well, but does not throw what this does.
     *
     * @throws GpuException                     if CUDA reports an error of the stream.
     * @throws io.aeroshmem.PeFailureException  if the job has failed.
     * @throws io.aeroshmem.ShmemException      if an operation of a stream of this PE has failed.
     * @throws IllegalStateException            if the GPU is closed.
     */
    @Override
    public void synchronize()
    {
        setup.checkOpen();
        launches.synchronize();
        attachment.endpoint().checkFailure();
        errors.rethrow();
    }

    /**
     * Copies a block to a PE: {@code nvshmemx_putmem_on_stream}.
     *
     * @param dest         on the PE.
     * @param destOffset   in bytes.
     * @param source       of this PE.
     * @param sourceOffset in bytes.
     * @param length       in bytes.
     * @param pe           of the world.
     * @see CommunicationContext#put(SymmetricBuffer, long, SymmetricBuffer, long, long, int)
     */
    @Override
    public void put(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe)
    {
        final long to = address(dest, destOffset, length, pe, Operand.DEST_BLOCK);
        final long from = address(source, sourceOffset, length, shmem.myPe(), Operand.SOURCE_BLOCK);
        copy("GpuStream.put", to, from, dest, destOffset, source, sourceOffset, length, pe, (context, args) ->
            context.put(args.dest, args.destOffset, args.other, args.otherOffset, args.value, args.pe));
    }

    /**
     * Copies a block from a PE: {@code nvshmemx_getmem_on_stream}.
     *
     * @param dest         of this PE.
     * @param destOffset   in bytes.
     * @param source       on the PE.
     * @param sourceOffset in bytes.
     * @param length       in bytes.
     * @param pe           of the world.
     * @see CommunicationContext#get(SymmetricBuffer, long, SymmetricBuffer, long, long, int)
     */
    @Override
    public void get(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe)
    {
        final long from = address(source, sourceOffset, length, pe, Operand.SOURCE_BLOCK);
        final long to = address(dest, destOffset, length, shmem.myPe(), Operand.DEST_BLOCK);
        copy("GpuStream.get", to, from, dest, destOffset, source, sourceOffset, length, pe, (context, args) ->
            context.get(args.dest, args.destOffset, args.other, args.otherOffset, args.value, args.pe));
    }

    /** As {@link #put}: {@code nvshmemx_putmem_nbi_on_stream}. */
    public void putNbi(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe)
    {
        put(dest, destOffset, source, sourceOffset, length, pe);
    }

    /** As {@link #get}: {@code nvshmemx_getmem_nbi_on_stream}. */
    public void getNbi(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe)
    {
        get(dest, destOffset, source, sourceOffset, length, pe);
    }

    /**
     * Copies elements with strides to a PE: {@code nvshmemx_iput_on_stream}. Parameters as those of
     * {@link CommunicationContext#iput}.
     */
    public void iput(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long destStride,
        final long sourceStride,
        final long nelems,
        final int elementBytes,
        final int pe)
    {
        ibput(dest, destOffset, source, sourceOffset, destStride, sourceStride, 1, nelems, elementBytes, pe);
    }

    /**
     * Copies elements with strides from a PE: {@code nvshmemx_iget_on_stream}. Parameters as those of
     * {@link CommunicationContext#iget}.
     */
    public void iget(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long destStride,
        final long sourceStride,
        final long nelems,
        final int elementBytes,
        final int pe)
    {
        ibget(dest, destOffset, source, sourceOffset, destStride, sourceStride, 1, nelems, elementBytes, pe);
    }

    /**
     * Copies blocks with strides to a PE. Parameters as those of {@link CommunicationContext#ibput}.
     */
    public void ibput(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long destStride,
        final long sourceStride,
        final long blockSize,
        final long nblocks,
        final int elementBytes,
        final int pe)
    {
        if (!tryStridedCopy(
            "GpuStream.ibput", dest, destOffset, pe, source, sourceOffset, shmem.myPe(),
            destStride, sourceStride, blockSize, nblocks, elementBytes))
        {
            final SymmetricBuffer to = stable(dest);
            final SymmetricBuffer from = stable(source);
            enqueue("GpuStream.ibput", (context, args) -> context.ibput(
                to, destOffset, from, sourceOffset, destStride, sourceStride, blockSize, nblocks, elementBytes, pe));
        }
    }

    /**
     * Copies blocks with strides from a PE. Parameters as those of {@link CommunicationContext#ibget}.
     */
    public void ibget(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long destStride,
        final long sourceStride,
        final long blockSize,
        final long nblocks,
        final int elementBytes,
        final int pe)
    {
        if (!tryStridedCopy(
            "GpuStream.ibget", dest, destOffset, shmem.myPe(), source, sourceOffset, pe,
            destStride, sourceStride, blockSize, nblocks, elementBytes))
        {
            final SymmetricBuffer to = stable(dest);
            final SymmetricBuffer from = stable(source);
            enqueue("GpuStream.ibget", (context, args) -> context.ibget(
                to, destOffset, from, sourceOffset, destStride, sourceStride, blockSize, nblocks, elementBytes, pe));
        }
    }

    /** Copies blocks in the stream, and returns true, if the device reaches both places. */
    private boolean tryStridedCopy(
        final String name,
        final SymmetricBuffer dest,
        final long destOffset,
        final int destPe,
        final SymmetricBuffer source,
        final long sourceOffset,
        final int sourcePe,
        final long destStride,
        final long sourceStride,
        final long blockSize,
        final long nblocks,
        final int elementBytes)
    {
        Strided.check(destStride, sourceStride, blockSize, nblocks, elementBytes);
        final long destBytes = Strided.extent(destStride, blockSize, nblocks, elementBytes);
        final long sourceBytes = Strided.extent(sourceStride, blockSize, nblocks, elementBytes);
        final long to = aligned(dest, destOffset, destBytes, elementBytes, destPe, Operand.DEST_STRIDED);
        final long from = aligned(source, sourceOffset, sourceBytes, elementBytes, sourcePe, Operand.SOURCE_STRIDED);
        if (0 == to || 0 == from)
        {
            return false;
        }

        launches.stridedCopy(
            name,
            to,
            destStride * elementBytes,
            elementBytes,
            from,
            sourceStride * elementBytes,
            elementBytes,
            nblocks,
            blockSize,
            elementBytes);
        return true;
    }

    /**
     * Copies a block to a PE and then updates a signal there: {@code nvshmemx_putmem_signal_on_stream}. The signal
     * becomes visible after the block.
     *
     * @param dest         on the PE.
     * @param destOffset   in bytes.
     * @param source       of this PE.
     * @param sourceOffset in bytes.
     * @param length       in bytes.
     * @param signal       on the PE.
     * @param signalOffset in bytes, a multiple of 8.
     * @param value        to set or add.
     * @param op           of the signal.
     * @param pe           of the world.
     */
    @Override
    public void putSignal(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final SymmetricBuffer signal,
        final long signalOffset,
        final long value,
        final SignalOp op,
        final int pe)
    {
        final long address = aligned(signal, signalOffset, Long.BYTES, Long.BYTES, pe, Operand.PUT_SIGNAL);
        Arguments.notNull(op, "op");
        if (!isSignalled(address, signal, op))
        {
            // before the put, which would be captured alone
            checkNotCapturing("GpuStream.putSignal");
        }

        put(dest, destOffset, source, sourceOffset, length, pe);
        signal(signal, signalOffset, value, op, pe);
    }

    /** As {@link #putSignal}: {@code nvshmemx_putmem_signal_nbi_on_stream}. */
    public void putSignalNbi(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final SymmetricBuffer signal,
        final long signalOffset,
        final long value,
        final SignalOp op,
        final int pe)
    {
        putSignal(dest, destOffset, source, sourceOffset, length, signal, signalOffset, value, op, pe);
    }

    /**
     * Updates a signal on a PE: {@code nvshmemx_signal_op_on_stream}.
     *
     * @param signal on the PE.
     * @param offset in bytes, a multiple of 8.
     * @param value  to set or add.
     * @param op     of the signal.
     * @param pe     of the world.
     */
    public void signal(
        final SymmetricBuffer signal, final long offset, final long value, final SignalOp op, final int pe)
    {
        final long address = aligned(signal, offset, Long.BYTES, Long.BYTES, pe, Operand.SIGNAL);
        Arguments.notNull(op, "op");
        if (isSignalled(address, signal, op))
        {
            launches.signal("GpuStream.signal", op, address, value);
        }
        else
        {
            enqueue("GpuStream.signal", 0, 0, signal, offset, null, 0, value, 0, pe, SignalOp.SET == op ?
                (context, args) -> context.signal(args.dest, args.destOffset, args.value, SignalOp.SET, args.pe) :
                (context, args) -> context.signal(args.dest, args.destOffset, args.value, SignalOp.ADD, args.pe));
        }
    }

    private boolean isSignalled(final long address, final SymmetricBuffer signal, final SignalOp op)
    {
        return 0 != address && (SignalOp.SET == op || isAtomic(signal));
    }

    /**
     * Makes the stream wait until a signal of this PE satisfies a comparison:
     * {@code nvshmemx_signal_wait_until_on_stream}.
     *
     * @param signal of this PE.
     * @param offset in bytes, a multiple of 8.
     * @param cmp    the comparison.
     * @param value  to compare with.
     */
    public void signalWaitUntil(
        final SymmetricBuffer signal, final long offset, final Comparison cmp, final long value)
    {
        waitUntilLong(signal, offset, cmp, value);
    }

    /**
     * Makes the stream wait until a long of this PE satisfies a comparison:
     * {@code nvshmemx_wait_until_on_stream}. What was released before the store that satisfies it is visible to what
     * follows in the stream.
     *
     * @param ivar   of this PE.
     * @param offset in bytes, a multiple of Long.BYTES.
     * @param cmp    the comparison.
     * @param value  to compare with.
     */
    public void waitUntilLong(
        final SymmetricBuffer ivar, final long offset, final Comparison cmp, final long value)
    {
        waitUntil("GpuStream.waitUntilLong", Long.BYTES, ivar, offset, cmp, value);
    }

    /**
     * Makes the stream wait until an int of this PE satisfies a comparison:
     * {@code nvshmemx_wait_until_on_stream}. What was released before the store that satisfies it is visible to what
     * follows in the stream.
     *
     * @param ivar   of this PE.
     * @param offset in bytes, a multiple of Integer.BYTES.
     * @param cmp    the comparison.
     * @param value  to compare with.
     */
    public void waitUntilInt(
        final SymmetricBuffer ivar, final long offset, final Comparison cmp, final int value)
    {
        waitUntil("GpuStream.waitUntilInt", Integer.BYTES, ivar, offset, cmp, value);
    }

    /** Orders operations to each PE: {@code nvshmem_fence}. The stream has ordered them already. */
    public void fence()
    {
        checkOpen();
    }

    /**
     * Completes the earlier operations of the stream: {@code nvshmemx_quiet_on_stream}. They are complete when the
     * stream comes to it.
     */
    public void quiet()
    {
        checkOpen();
    }

    /** Synchronises all PEs: {@code nvshmemx_barrier_all_on_stream}. Collective, in the order of the stream. */
    @Override
    public void barrierAll()
    {
        barrier(shmem.world());
    }

    /** Synchronises all PEs: {@code nvshmemx_sync_all_on_stream}. Collective, in the order of the stream. */
    @Override
    public void syncAll()
    {
        sync(shmem.world());
    }

    /**
     * Synchronises a team, after the earlier operations of the stream: {@code nvshmemx_barrier_on_stream}.
     *
     * @param team of which this PE is a member.
     */
    public void barrier(final Team team)
    {
        checkMember(team);
        if (isByKernels(team))
        {
            setup.worldOrNull().barrier("GpuStream.barrier", stream, proxies.abort().deviceWord());
        }
        else
        {
            enqueue("GpuStream.barrier", team, null, null, null, null, 0, 0, (context, args) -> args.team.barrier());
        }
    }

    /**
     * Synchronises a team: {@code nvshmemx_team_sync_on_stream}.
     *
     * @param team of which this PE is a member.
     */
    public void sync(final Team team)
    {
        checkMember(team);
        if (isByKernels(team))
        {
            setup.worldOrNull().barrier("GpuStream.sync", stream, proxies.abort().deviceWord());
        }
        else
        {
            enqueue("GpuStream.sync", team, null, null, null, null, 0, 0, (context, args) -> args.team.sync());
        }
    }

    /** {@link Team#broadcast} of a team, in the order of the stream: {@code nvshmemx_broadcast_on_stream}. */
    @Override
    public void broadcast(
        final Team team,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems,
        final int root)
    {
        checkMember(team);
        checkRoot(team, root);
        checkBlocks(type, nelems, dest, 1, source, 1, true);
        enqueue("GpuStream.broadcast", team, null, type, dest, source, nelems, root, (context, args) ->
            args.team.broadcast(args.type, args.dest, args.other, args.value, (int)args.cond));
    }

    /** {@link Team#collect} of a team, in the order of the stream: {@code nvshmemx_collect_on_stream}. */
    public void collect(
        final Team team,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems)
    {
        checkMember(team);
        checkBlocks(type, nelems, dest, 0, source, 1, false);
        enqueue("GpuStream.collect", team, null, type, dest, source, nelems, 0, (context, args) ->
            args.team.collect(args.type, args.dest, args.other, args.value));
    }

    /** {@link Team#fcollect} of a team, in the order of the stream: {@code nvshmemx_fcollect_on_stream}. */
    @Override
    public void fcollect(
        final Team team,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems)
    {
        checkMember(team);
        checkBlocks(type, nelems, dest, team.nPes(), source, 1, false);
        enqueue("GpuStream.fcollect", team, null, type, dest, source, nelems, 0, (context, args) ->
            args.team.fcollect(args.type, args.dest, args.other, args.value));
    }

    /** {@link Team#alltoall} of a team, in the order of the stream: {@code nvshmemx_alltoall_on_stream}. */
    @Override
    public void alltoall(
        final Team team,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems)
    {
        checkMember(team);
        checkBlocks(type, nelems, dest, team.nPes(), source, team.nPes(), false);
        enqueue("GpuStream.alltoall", team, null, type, dest, source, nelems, 0, (context, args) ->
            args.team.alltoall(args.type, args.dest, args.other, args.value));
    }

    /** {@link Team#alltoalls} of a team, in the order of the stream: {@code nvshmemx_alltoalls_on_stream}. */
    public void alltoalls(
        final Team team,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long destStride,
        final long sourceStride,
        final long nelems)
    {
        checkMember(team);
        final int width = Arguments.notNull(type, "type").bytes();
        Strided.check(destStride, sourceStride, 1, nelems, width);
        if (0 != nelems)
        {
            final long count = Strided.extent(nelems, nelems, team.nPes(), 1);
            checkRanges(
                type,
                dest,
                Strided.extent(destStride, 1, count, width),
                source,
                Strided.extent(sourceStride, 1, count, width),
                false);
        }

        final SymmetricBuffer stableDest = stable(dest);
        final SymmetricBuffer stableSource = stable(source);
        enqueue("GpuStream.alltoalls",
            (context, args) -> team.alltoalls(type, stableDest, stableSource, destStride, sourceStride, nelems));
    }

    /**
     * {@link Team#reduce} of a team, in the order of the stream: {@code nvshmemx_reduce_on_stream}. Of the world it is
     * performed by kernels, without the host, where every PE reaches the heaps of all by address.
     */
    @Override
    public void reduce(
        final Team team,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nreduce)
    {
        checkMember(team);
        Reduction.of(op, type);
        checkBlocks(type, nreduce, dest, 1, source, 1, true);
        if (isByKernels(team) && 0 != nreduce)
        {
            final int me = shmem.myPe();
            final long bytes = nreduce * type.bytes();
            setup.worldOrNull().reduce(
                "GpuStream.reduce",
                op,
                type,
                address(dest, 0, bytes, me, Operand.DEST_BLOCK),
                address(source, 0, bytes, me, Operand.SOURCE_BLOCK),
                MemoryKind.DEVICE == source.kind(),
                HeapAccess.start(source),
                nreduce,
                stream,
                proxies.abort().deviceWord());
        }
        else
        {
            enqueue("GpuStream.reduce", team, op, type, dest, source, nreduce, 0, (context, args) ->
                args.team.reduce(args.op, args.type, args.dest, args.other, args.value));
        }
    }

    /** {@link Team#reduceScatter} of a team, in the order of the stream: {@code nvshmemx_reducescatter_on_stream}. */
    @Override
    public void reduceScatter(
        final Team team,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nreduce)
    {
        checkMember(team);
        Reduction.of(op, type);
        checkBlocks(type, nreduce, dest, 1, source, team.nPes(), true);
        enqueue("GpuStream.reduceScatter", team, op, type, dest, source, nreduce, 0, (context, args) ->
            args.team.reduceScatter(args.op, args.type, args.dest, args.other, args.value));
    }

    /** {@link Team#inclusiveScan} of a team, in the order of the stream: {@code nvshmemx_inclusive_scan_on_stream}. */
    @Override
    public void inclusiveScan(
        final Team team,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long n)
    {
        checkMember(team);
        Reduction.of(op, type);
        checkBlocks(type, n, dest, 1, source, 1, true);
        enqueue("GpuStream.inclusiveScan", team, op, type, dest, source, n, 0, (context, args) ->
            args.team.inclusiveScan(args.op, args.type, args.dest, args.other, args.value));
    }

    /** {@link Team#exclusiveScan} of a team, in the order of the stream: {@code nvshmemx_exclusive_scan_on_stream}. */
    public void exclusiveScan(
        final Team team,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long n)
    {
        checkMember(team);
        Reduction.of(op, type);
        checkBlocks(type, n, dest, 1, source, 1, true);
        enqueue("GpuStream.exclusiveScan", team, op, type, dest, source, n, 0, (context, args) ->
            args.team.exclusiveScan(args.op, args.type, args.dest, args.other, args.value));
    }

    @Override
    public String toString()
    {
        return "GpuStream{0x" + Long.toHexString(stream) + " of PE " + shmem.myPe() + "}";
    }

    /** Copies in the stream if both addresses are known, else by the proxy. */
    private void copy(
        final String name,
        final long to,
        final long from,
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe,
        final ProxyOperation.Routine routine)
    {
        if (0 == to || 0 == from || isOverlapping(to, from, length))
        {
            enqueue(name, 0, 0, dest, destOffset, source, sourceOffset, length, 0, pe, routine);
        }
        else if (0 != length)
        {
            launches.copy(name, to, from, length);
        }
    }

    private static boolean isOverlapping(final long to, final long from, final long length)
    {
        return to != from && Math.abs(to - from) < length;
    }

    /** Waits in the stream if the device reaches the word, else by the proxy. */
    private void waitUntil(
        final String name,
        final int width,
        final SymmetricBuffer ivar,
        final long offset,
        final Comparison cmp,
        final long value)
    {
        final long address = aligned(ivar, offset, width, width, shmem.myPe(), Operand.IVAR);
        Arguments.notNull(cmp, "cmp");
        if (0 != address)
        {
            launches.waitUntil(name, width, address, cmp, value);
        }
        else
        {
            final SymmetricBuffer stable = stable(ivar);
            enqueue(name, Long.BYTES == width ?
                (context, args) -> shmem.waitUntilLong(stable, offset, cmp, value) :
                (context, args) -> shmem.waitUntilInt(stable, offset, cmp, (int)value));
        }
    }

    /** Stores an element in the stream if the device reaches it, else by the proxy. */
    @Override
    void store(
        final String name,
        final SymmetricBuffer dest,
        final long offset,
        final int width,
        final long bits,
        final int pe)
    {
        final long address = address(dest, offset, width, pe, Operand.DEST);
        if (0 != address)
        {
            launches.store(name, address, width, bits);
        }
        else
        {
            enqueue(name, 0, width, dest, offset, null, 0, bits, 0, pe, ProxyOperation.STORE);
        }
    }

    /** Updates a word in the stream if the device may, else by the proxy. */
    @Override
    void update(
        final String name,
        final DeviceAtomic op,
        final int width,
        final SymmetricBuffer dest,
        final long offset,
        final long value,
        final int pe)
    {
        final long address = aligned(dest, offset, width, width, pe, Operand.DEST);
        if (0 != address && isAtomic(dest))
        {
            launches.atomic(name, op, width, address, value, 0, 0);
        }
        else
        {
            enqueue(name, op.ordinal(), width, dest, offset, null, 0, value, 0, pe, ProxyOperation.UPDATE);
        }
    }

    /** Updates a word in the stream, and stores its previous value, if the device may, else by the proxy. */
    @Override
    void fetch(
        final String name,
        final DeviceAtomic op,
        final int width,
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final long value,
        final long cond,
        final int pe)
    {
        final long address = aligned(
            dest, offset, width, width, pe, DeviceAtomic.FETCH == op ? Operand.SOURCE : Operand.DEST);
        final long result = aligned(fetch, fetchOffset, width, width, shmem.myPe(), Operand.FETCH);
        if (0 != address && 0 != result && isAtomic(dest))
        {
            launches.atomic(name, op, width, address, value, cond, result);
        }
        else
        {
            enqueue(
                name, op.ordinal(), width, dest, offset, fetch, fetchOffset, value, cond, pe, ProxyOperation.FETCH);
        }
    }

    private boolean isAtomic(final SymmetricBuffer buffer)
    {
        return isHostAtomic || MemoryKind.DEVICE == buffer.kind();
    }

    /** Checks a range, and returns its address for the device, or 0 if the device does not reach it. */
    private long address(
        final SymmetricBuffer buffer, final long offset, final long length, final int pe, final Operand operand)
    {
        checkOpen();
        if (pe < 0 || pe >= shmem.nPes())
        {
            throw Arguments.mustBe("pe", "0 to " + (shmem.nPes() - 1), pe);
        }

        final long heapOffset = HeapAccess.address(buffer, attachment.owner(), offset, length, operand);
        final long base = MemoryKind.DEVICE == buffer.kind() ? setup.reachableAddress(pe) : setup.hostAddress(pe);
        return 0 == base ? 0 : base + heapOffset;
    }

    private long aligned(
        final SymmetricBuffer buffer,
        final long offset,
        final long length,
        final int alignment,
        final int pe,
        final Operand operand)
    {
        final long address = address(buffer, offset, length, pe, operand);
        if (0 != (HeapAccess.start(buffer) + offset & alignment - 1))
        {
            throw HeapAccess.misaligned(buffer, offset, alignment, operand);
        }

        return address;
    }

    private static void checkRoot(final Team team, final int root)
    {
        if (root < 0 || root >= team.nPes())
        {
            throw Arguments.mustBe("root", "0 to " + (team.nPes() - 1), root);
        }
    }

    private boolean isByKernels(final Team team)
    {
        return team == shmem.world() && null != setup.worldOrNull();
    }

    private void checkMember(final Team team)
    {
        checkOpen();
        if (Arguments.notNull(team, "team").myPe() < 0)
        {
            throw new IllegalStateException("this PE is not a member of the team: " + team);
        }
    }

    /** Checks dest and source as the host's collectives do. */
    private void checkBlocks(
        final ElementType type,
        final long nelems,
        final SymmetricBuffer dest,
        final int destBlocks,
        final SymmetricBuffer source,
        final int sourceBlocks,
        final boolean isInPlaceAllowed)
    {
        Arguments.notNegative(nelems, "number of elements");
        final long bytes = Strided.extent(1, 1, nelems, Arguments.notNull(type, "type").bytes());
        if (0 != bytes)
        {
            checkRanges(
                type,
                dest,
                Strided.extent(bytes, bytes, destBlocks, 1),
                source,
                Strided.extent(bytes, bytes, sourceBlocks, 1),
                isInPlaceAllowed);
        }
    }

    private void checkRanges(
        final ElementType type,
        final SymmetricBuffer dest,
        final long destBytes,
        final SymmetricBuffer source,
        final long sourceBytes,
        final boolean isInPlaceAllowed)
    {
        final int me = shmem.myPe();
        aligned(dest, 0, destBytes, type.alignment(), me, Operand.COLLECTIVE_DEST);
        aligned(source, 0, sourceBytes, type.alignment(), me, Operand.COLLECTIVE_SOURCE);
        final long to = HeapAccess.start(dest);
        final long from = HeapAccess.start(source);
        if (dest.kind() == source.kind() && to < from + sourceBytes && from < to + destBytes &&
            !(isInPlaceAllowed && to == from))
        {
            throw new IllegalArgumentException("dest and source must " +
                (isInPlaceAllowed ? "begin at the same address or " : "") + "be disjoint: dest has " + destBytes +
                " bytes at " + to + ", source " + sourceBytes + " bytes at " + from);
        }
    }

    /** Returns a buffer over the same range that does not move: an operation reads its address at the call. */
    private static SymmetricBuffer stable(final SymmetricBuffer buffer)
    {
        return null == buffer || !HeapAccess.isSlice(buffer) ? buffer : buffer.slice(0, buffer.length());
    }

    /** Enqueues an operation that holds its arguments itself. */
    private void enqueue(final String name, final ProxyOperation.Routine routine)
    {
        enqueue(name, 0, 0, null, 0, null, 0, 0, 0, 0, routine);
    }

    private void enqueue(
        final String name,
        final int atomicOp,
        final int width,
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer other,
        final long otherOffset,
        final long value,
        final long cond,
        final int pe,
        final ProxyOperation.Routine routine)
    {
        final StreamProxy proxy = proxy(name);
        final ProxyOperation operation = proxy.newOperation(name, routine);
        operation.atomicOp = atomicOp;
        operation.width = width;
        operation.dest = stable(dest);
        operation.destOffset = destOffset;
        operation.other = stable(other);
        operation.otherOffset = otherOffset;
        operation.value = value;
        operation.cond = cond;
        operation.pe = pe;
        proxy.enqueue(operation);
    }

    private void enqueue(
        final String name,
        final Team team,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long count,
        final int root,
        final ProxyOperation.Routine routine)
    {
        final StreamProxy proxy = proxy(name);
        final ProxyOperation operation = proxy.newOperation(name, routine);
        operation.team = team;
        operation.op = op;
        operation.type = type;
        operation.dest = stable(dest);
        operation.other = stable(source);
        operation.value = count;
        operation.cond = root;
        proxy.enqueue(operation);
    }

    private void checkNotCapturing(final String name)
    {
        if (launches.isCapturing())
        {
            throw new IllegalStateException("the stream is being captured into a CUDA graph, but a thread of the" +
                " library performs this " + name + ", and no launch of the graph would repeat it: " + this);
        }
    }

    private synchronized StreamProxy proxy(final String name)
    {
        checkNotCapturing(name);
        if (null == proxy)
        {
            proxyContext = (RmaContext)GuardedProxy.unguarded(shmem.createContext());
            proxy = proxies.newProxy(launches, proxyContext);
        }

        return proxy;
    }

    /**
     * Waits until the stream has passed everything that is enqueued, and ends its operations; the program may destroy
     * the stream of CUDA then. {@link Gpu#close()} does so for all streams. The second close has no effect. What fails
     * is reported by {@link Gpu#lastDeviceError()}.
     */
    @Override
    public synchronized void close()
    {
        if (isClosed)
        {
            return;
        }

        isClosed = true;
        try
        {
            launches.synchronize();
        }
        catch (final GpuException ex)
        {
            errors.onError(ex);
        }

        if (null != proxy)
        {
            proxies.close(proxy);
            if (!shmem.isClosed())
            {
                proxyContext.close();
            }
        }

        launches.close();
        onClose.run();
    }

    private void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the stream is closed: " + this);
        }

        setup.checkOpen();
    }
}
