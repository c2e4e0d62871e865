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
package io.aeroshmem.rma;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ContextOption;
import io.aeroshmem.RmaRequest;
import io.aeroshmem.SessionOption;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.latency.OperationRecording;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.ArrayRange;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.HeapRange;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Fields;
import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.PerThread;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.aeron.GroupTransport;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.endpoint.TransportListener;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The implementation of {@link CommunicationContext} but for its team. It checks the arguments, translates the rank
 * into a PE of the world, calls the transport to that PE, and has {@link Completion} record what quiet must complete.
 * <p>
 * <b>Ordering.</b> The transport determines the ordering of accesses: single elements are accessed opaquely, and blocks
 * plainly; signals are stored with release; atomics are sequentially consistent. A blocking operation with a result is
 * complete when it returns. Quiet completes all other operations.
 * <p>
 * <b>Threads.</b> Any number of threads may use a context; the state that their operations share is in
 * {@link Completion}. The options of a context are promises of the program; no operation here makes use of them.
 * <p>
 * <b>Checks.</b> Every operation is checked before anything is sent, by a few comparisons, which the compiler inlines.
 * The text of the exception is composed only when a check has failed.
 */
public abstract class RmaContext implements CommunicationContext, TransportListener
{
    private static final String STRIDED_GET = "strided get";
    private static final VarHandle IS_IN_SESSION = Fields.handle(MethodHandles.lookup(), "isInSession", boolean.class);
    private static final Transport[] NONE = new Transport[0];
    private static final int[] NO_PES = {};
    private static final int REQUESTS = 256;
    /** A longer block for PEs whose memory is mapped goes to them by pieces, each of which stays in the L1 cache. */
    private static final int FAN_OUT_PIECE = 16 << 10;

    private final PerThread<Pending> gathered = new PerThread<>(Pending::new);
    /** Those that are not open. */
    private final ManyToManyConcurrentArrayQueue<PooledRequest> requests =
        new ManyToManyConcurrentArrayQueue<>(REQUESTS);
    final PeIdentity owner;
    private final Endpoint endpoint;
    final int[] worldPes;
    final Completion completion;
    private final boolean isDefault;
    private final ContextUse use;
    private final String options;
    private final int optionMask;
    private final int myRank;
    private final GroupTransport group;
    /** Ranks that the group serves; empty if they are fewer than two. */
    private final int[] groupRanks;
    private final int[] groupPes;
    private volatile boolean isInSession;

    /**
     * By rank. Empty when the context is closed, so that the check of the rank detects that as well. Plain: a thread
     * that races with the close may pass the check, which is harmless, since memory stays mapped while it is reachable.
     */
    private Transport[] transports;

    /**
     * Opens a context.
     *
     * @param worldPes   the members of the team, by rank.
     * @param isDefault  true for the default context of the PE, which closes with the PE.
     * @param operations that record what the context does, or null.
     */
    protected RmaContext(
        final PeIdentity owner,
        final Endpoint endpoint,
        final OperationRecording operations,
        final int[] worldPes,
        final int myRank,
        final boolean isDefault,
        final ContextOption... options)
    {
        this.owner = owner;
        use = new ContextUse(owner);
        this.endpoint = endpoint;
        this.worldPes = worldPes;
        this.myRank = myRank;
        this.isDefault = isDefault;
        this.options = Arrays.toString(options);
        int mask = 0;
        for (final ContextOption option : options)
        {
            mask |= 1 << option.ordinal();
        }

        optionMask = mask;
        group = endpoint.group();
        final int[] served =
            null == group ? NO_PES : IntStream.range(0, worldPes.length).filter(this::isInGroup).toArray();
        groupRanks = served.length < 2 ? NO_PES : served;
        groupPes = IntStream.of(groupRanks).map((rank) -> worldPes[rank]).toArray();

        transports = new Transport[worldPes.length];
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            final Transport transport = endpoint.contextTransport(worldPes[rank]);
            transports[rank] = null == operations ? transport : new RecordedTransport(operations, transport);
        }

        completion = null == operations ? new Completion(endpoint, transports, worldPes) :
            new RecordedCompletion(endpoint, transports, worldPes, operations);
        endpoint.register(this);
    }

    @Override
    public void put(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        final long sourceAddress = localAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        transport.put(worldPes[pe], HeapAccess.region(dest), address, null, sourceAddress, length);
        completion.issued(pe);
    }

    @Override
    public void put(
        final SymmetricBuffer dest,
        final long destOffset,
        final DirectBuffer source,
        final int sourceOffset,
        final int length,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        checkBounds(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        transport.put(
            worldPes[pe], HeapAccess.region(dest), address, arrayOf(source), addressOf(source, sourceOffset), length);
        Reference.reachabilityFence(source);
        completion.issued(pe);
    }

    @Override
    public void get(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = rangeAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        final long destAddress = localAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        transport.get(worldPes[pe], HeapAccess.region(source), address, null, destAddress, length);
    }

    @Override
    public void get(
        final MutableDirectBuffer dest,
        final int destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final int length,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = rangeAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        checkBounds(dest, destOffset, length, Operand.DEST_BLOCK);
        checkWritable(dest);
        transport.get(
            worldPes[pe], HeapAccess.region(source), address, arrayOf(dest), addressOf(dest, destOffset), length);
        Reference.reachabilityFence(dest);
    }

    @Override
    public void putNbi(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        final long sourceAddress = localAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        transport.putNbi(worldPes[pe], HeapAccess.region(dest), address, sourceAddress, length);
        completion.issued(pe);
    }

    @Override
    public void getNbi(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe)
    {
        startGet(dest, destOffset, source, sourceOffset, length, pe, false);
    }

    private PooledRequest startGet(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe,
        final boolean isRequest)
    {
        final Transport transport = transport(pe);
        final long address = rangeAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        final long destAddress = localAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        final PooledRequest requestOrNull = isRequest ? takeRequest() : null;
        transport.getNbi(
            worldPes[pe], HeapAccess.region(source), address, null, destAddress, length, pending(requestOrNull));
        return requestOrNull;
    }

    @Override
    public void getNbi(
        final MutableDirectBuffer dest,
        final int destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final int length,
        final int pe)
    {
        startGet(dest, destOffset, source, sourceOffset, length, pe, false);
    }

    private PooledRequest startGet(
        final MutableDirectBuffer dest,
        final int destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final int length,
        final int pe,
        final boolean isRequest)
    {
        final Transport transport = transport(pe);
        final long address = rangeAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        checkBounds(dest, destOffset, length, Operand.DEST_BLOCK);
        checkWritable(dest);
        final PooledRequest requestOrNull = isRequest ? takeRequest() : null;
        transport.getNbi(
            worldPes[pe],
            HeapAccess.region(source),
            address,
            memoryOf(dest),
            addressOf(dest, destOffset),
            length,
            pending(requestOrNull));
        Reference.reachabilityFence(dest);
        return requestOrNull;
    }

    @Override
    public RmaRequest putRequest(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe)
    {
        putNbi(dest, destOffset, source, sourceOffset, length, pe);
        return takeRequest().ofPut(worldPes[pe]);
    }

    @Override
    public RmaRequest getRequest(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final int pe)
    {
        return startGet(dest, destOffset, source, sourceOffset, length, pe, true);
    }

    @Override
    public RmaRequest getRequest(
        final MutableDirectBuffer dest,
        final int destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final int length,
        final int pe)
    {
        return startGet(dest, destOffset, source, sourceOffset, length, pe, true);
    }

    /** Returns a request that is not open; the pool is empty when more are open than it holds. */
    private PooledRequest takeRequest()
    {
        final PooledRequest request = requests.poll();
        return null == request ? new PooledRequest(owner, endpoint, requests, this::isClosed) : request;
    }

    /** Returns the count of a get that is issued now, on a request or on none. */
    private Pending pending(final PooledRequest requestOrNull)
    {
        final Pending pending = completion.pending();
        return null == requestOrNull ? pending : requestOrNull.ofGet(pending);
    }

    @Override
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
        final Transport transport = transport(pe);
        Strided.check(destStride, sourceStride, 1, nelems, elementBytes);
        final long destAddress = stridedAddress(
            dest, destOffset, destStride, 1, nelems, elementBytes, Operand.DEST_STRIDED);
        final long sourceAddress = localStridedAddress(
            source, sourceOffset, sourceStride, 1, nelems, elementBytes, Operand.SOURCE_STRIDED);
        if (Region.DEVICE == HeapAccess.region(source))
        {
            transport.putStrided(
                worldPes[pe],
                HeapAccess.region(dest),
                destAddress,
                destStride * elementBytes,
                sourceAddress,
                sourceStride * elementBytes,
                nelems,
                elementBytes);
        }
        else
        {
            Strided.put(
                transport,
                worldPes[pe],
                HeapAccess.region(dest),
                destAddress,
                destStride * elementBytes,
                sourceAddress,
                sourceStride * elementBytes,
                nelems,
                elementBytes);
        }

        completion.issued(pe);
    }

    @Override
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
        final Transport transport = transport(pe);
        Strided.check(destStride, sourceStride, 1, nelems, elementBytes);
        final long sourceAddress = stridedAddress(
            source, sourceOffset, sourceStride, 1, nelems, elementBytes, Operand.SOURCE_STRIDED);
        final long destAddress = localStridedAddress(
            dest, destOffset, destStride, 1, nelems, elementBytes, Operand.DEST_STRIDED);
        final int worldPe = worldPes[pe];
        final int region = HeapAccess.region(source);
        final long sourceStep = sourceStride * elementBytes;
        final long destStep = destStride * elementBytes;
        if (transport.isMessaging())
        {
            gather(
                transport, worldPe, region, sourceAddress, sourceStep, destAddress, destStep, nelems, elementBytes);
        }
        else if (Region.DEVICE == HeapAccess.region(dest))
        {
            transport.getStrided(
                worldPe, region, sourceAddress, sourceStep, destAddress, destStep, nelems, elementBytes);
        }
        else
        {
            Strided.get(
                transport, worldPe, region, sourceAddress, sourceStep, destAddress, destStep, nelems, elementBytes);
        }
    }

    @Override
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
        final Transport transport = transport(pe);
        Strided.check(destStride, sourceStride, blockSize, nblocks, elementBytes);
        final long destAddress = stridedAddress(
            dest, destOffset, destStride, blockSize, nblocks, elementBytes, Operand.DEST_STRIDED);
        final long sourceAddress = localStridedAddress(
            source, sourceOffset, sourceStride, blockSize, nblocks, elementBytes, Operand.SOURCE_STRIDED);
        transport.putStrided(
            worldPes[pe],
            HeapAccess.region(dest),
            destAddress,
            destStride * elementBytes,
            sourceAddress,
            sourceStride * elementBytes,
            0 == blockSize ? 0 : nblocks,
            blockSize * elementBytes);
        completion.issued(pe);
    }

    @Override
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
        final Transport transport = transport(pe);
        Strided.check(destStride, sourceStride, blockSize, nblocks, elementBytes);
        final long sourceAddress = stridedAddress(
            source, sourceOffset, sourceStride, blockSize, nblocks, elementBytes, Operand.SOURCE_STRIDED);
        final long destAddress = localStridedAddress(
            dest, destOffset, destStride, blockSize, nblocks, elementBytes, Operand.DEST_STRIDED);
        final int worldPe = worldPes[pe];
        final int region = HeapAccess.region(source);
        final long sourceStep = sourceStride * elementBytes;
        final long destStep = destStride * elementBytes;
        final long count = 0 == blockSize ? 0 : nblocks;
        final long blockBytes = blockSize * elementBytes;
        if (transport.isMessaging())
        {
            gather(transport, worldPe, region, sourceAddress, sourceStep, destAddress, destStep, count, blockBytes);
        }
        else
        {
            transport.getStrided(
                worldPe, region, sourceAddress, sourceStep, destAddress, destStep, count, blockBytes);
        }
    }

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
        final Transport transport = transport(pe);
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        final long sourceAddress = localAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        final long signalAddress = HeapAccess.alignedAddress(
            signal, owner, signalOffset, Long.BYTES, Operand.PUT_SIGNAL);
        transport.putSignal(
            worldPes[pe],
            HeapAccess.region(dest),
            address,
            null,
            sourceAddress,
            length,
            HeapAccess.region(signal),
            signalAddress,
            value,
            code(op));
        completion.issued(pe);
    }

    @Override
    public void putSignal(
        final SymmetricBuffer dest,
        final long destOffset,
        final DirectBuffer source,
        final int sourceOffset,
        final int length,
        final SymmetricBuffer signal,
        final long signalOffset,
        final long value,
        final SignalOp op,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        checkBounds(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        final long signalAddress = HeapAccess.alignedAddress(
            signal, owner, signalOffset, Long.BYTES, Operand.PUT_SIGNAL);
        transport.putSignal(
            worldPes[pe],
            HeapAccess.region(dest),
            address,
            arrayOf(source),
            addressOf(source, sourceOffset),
            length,
            HeapAccess.region(signal),
            signalAddress,
            value,
            code(op));
        Reference.reachabilityFence(source);
        completion.issued(pe);
    }

    @Override
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

    @Override
    public void putSignalAll(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length,
        final SymmetricBuffer signal,
        final long signalOffset,
        final long value,
        final SignalOp op)
    {
        checkOpen();
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        final long sourceAddress = localAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        putSignalToAll(
            dest,
            address,
            null,
            sourceAddress,
            length,
            pieceLength(dest, source),
            signal,
            signalOffset,
            value,
            op);
    }

    @Override
    public void putSignalAll(
        final SymmetricBuffer dest,
        final long destOffset,
        final DirectBuffer source,
        final int sourceOffset,
        final int length,
        final SymmetricBuffer signal,
        final long signalOffset,
        final long value,
        final SignalOp op)
    {
        checkOpen();
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        checkBounds(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        putSignalToAll(
            dest,
            address,
            arrayOf(source),
            addressOf(source, sourceOffset),
            length,
            pieceLength(dest, null),
            signal,
            signalOffset,
            value,
            op);
        Reference.reachabilityFence(source);
    }

    /** A PE is signalled once its block is there, which for a long one is after the blocks of all. */
    private void putSignalToAll(
        final SymmetricBuffer dest,
        final long address,
        final Object sourceBase,
        final long sourceAddress,
        final long length,
        final long pieceLength,
        final SymmetricBuffer signal,
        final long signalOffset,
        final long value,
        final SignalOp op)
    {
        final long signalAddress = HeapAccess.alignedAddress(
            signal, owner, signalOffset, Long.BYTES, Operand.PUT_SIGNAL);
        final int operation = code(op);
        final int signalRegion = HeapAccess.region(signal);
        final boolean isGrouped = putToGroup(
            dest, address, sourceBase, sourceAddress, length, signalRegion, signalAddress, value, operation);
        final boolean isByPieces = length > pieceLength;
        if (isByPieces)
        {
            putToOthers(isGrouped, dest, address, sourceBase, sourceAddress, length, pieceLength);
        }

        final Transport[] transports = this.transports;
        for (int rank = 0; rank < transports.length; rank++)
        {
            if (isOther(rank, isGrouped))
            {
                transports[rank].putSignal(
                    worldPes[rank],
                    HeapAccess.region(dest),
                    address,
                    sourceBase,
                    sourceAddress,
                    isByPieces ? 0 : length,
                    signalRegion,
                    signalAddress,
                    value,
                    operation);
                completion.issued(rank);
            }
        }
    }

    /**
     * As {@link GroupTransport#put}; returns false if there is no group for the context. That is decided once for a
     * call: another thread may begin or end a session meanwhile.
     */
    private boolean putToGroup(
        final HeapRange dest,
        final long address,
        final Object sourceBase,
        final long sourceAddress,
        final long length,
        final int signalRegion,
        final long signalAddress,
        final long value,
        final int signalOperation)
    {
        if (0 == groupRanks.length || !isForGroup())
        {
            return false;
        }

        group.put(
            groupPes,
            HeapAccess.region(dest),
            address,
            sourceBase,
            sourceAddress,
            length,
            signalRegion,
            signalAddress,
            value,
            signalOperation);
        for (final int rank : groupRanks)
        {
            completion.issued(rank);
        }

        return true;
    }

    private boolean isForGroup()
    {
        final Transport[] transports = this.transports;
        final int rank = groupRanks[0];
        // empty after a close by another thread
        return rank < transports.length && group.isFor(transports[rank]);
    }

    private boolean isInGroup(final int rank)
    {
        return rank != myRank && PathKind.UDP == endpoint.path(worldPes[rank]);
    }

    /** Returns whether a rank is another one, that the group has not served. */
    private boolean isOther(final int rank, final boolean isGrouped)
    {
        return rank != myRank && !(isGrouped && isInGroup(rank));
    }

    private void putToAll(
        final HeapRange dest,
        final long address,
        final Object sourceBase,
        final long sourceAddress,
        final long length,
        final long pieceLength)
    {
        final boolean isGrouped = putToGroup(dest, address, sourceBase, sourceAddress, length, 0, 0, 0, -1);
        putToOthers(isGrouped, dest, address, sourceBase, sourceAddress, length, pieceLength);
    }

    private void putToOthers(
        final boolean isGrouped,
        final HeapRange dest,
        final long address,
        final Object sourceBase,
        final long sourceAddress,
        final long length,
        final long pieceLength)
    {
        for (long done = 0; done < length; done += pieceLength)
        {
            putToOthers(
                isGrouped,
                false,
                dest,
                address + done,
                sourceBase,
                sourceAddress + done,
                Math.min(pieceLength, length - done));
        }

        putToOthers(isGrouped, true, dest, address, sourceBase, sourceAddress, length);
    }

    private void putToOthers(
        final boolean isGrouped,
        final boolean isByMessages,
        final HeapRange dest,
        final long address,
        final Object sourceBase,
        final long sourceAddress,
        final long length)
    {
        final Transport[] transports = this.transports;
        final int region = HeapAccess.region(dest);
        for (int rank = 0; rank < transports.length; rank++)
        {
            if (isOther(rank, isGrouped) && transports[rank].isMessaging() == isByMessages)
            {
                transports[rank].put(worldPes[rank], region, address, sourceBase, sourceAddress, length);
                completion.issued(rank);
            }
        }
    }

    /** Returns the length of the pieces of a block: copies from and to devices are not cut. */
    private static long pieceLength(final HeapRange dest, final HeapRange source)
    {
        return Region.DEVICE == HeapAccess.region(dest) || Region.DEVICE == HeapAccess.region(source) ?
            Long.MAX_VALUE : FAN_OUT_PIECE;
    }

    @Override
    public void putAll(
        final SymmetricBuffer dest,
        final long destOffset,
        final SymmetricBuffer source,
        final long sourceOffset,
        final long length)
    {
        checkOpen();
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        final long sourceAddress = localAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        putToAll(dest, address, null, sourceAddress, length, pieceLength(dest, source));
    }

    @Override
    public void putAll(
        final SymmetricBuffer dest,
        final long destOffset,
        final DirectBuffer source,
        final int sourceOffset,
        final int length)
    {
        checkOpen();
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        checkBounds(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        putToAll(
            dest, address, arrayOf(source), addressOf(source, sourceOffset), length, pieceLength(dest, null));
        Reference.reachabilityFence(source);
    }

    final void putArrayToAll(
        final SymmetricBuffer dest,
        final long destOffset,
        final Object source,
        final ArrayRange kind,
        final int from,
        final int n)
    {
        checkOpen();
        final long length = kind.check(source, from, n, Operand.SOURCE_BLOCK);
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        putToAll(dest, address, source, kind.address(from), length, pieceLength(dest, null));
    }

    @Override
    public void signal(
        final SymmetricBuffer signal, final long offset, final long value, final SignalOp op, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(signal, owner, offset, Long.BYTES, Operand.SIGNAL);
        transport.signal(worldPes[pe], HeapAccess.region(signal), address, value, code(op));
        completion.issued(pe);
    }

    @Override
    public void signalAll(final SymmetricBuffer signal, final long offset, final long value, final SignalOp op)
    {
        checkOpen();
        // in a team of one, too, which signals no PE
        HeapAccess.alignedAddress(signal, owner, offset, Long.BYTES, Operand.SIGNAL);
        code(op);
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            if (rank != myRank)
            {
                signal(signal, offset, value, op, rank);
            }
        }
    }

    @Override
    public void sessionStart(final SessionOption... options)
    {
        Arguments.notNull(options, "options");
        for (final SessionOption option : options)
        {
            Arguments.notNull(option, "an element of options");
        }

        checkOpen();
        if (!IS_IN_SESSION.compareAndSet(this, false, true))
        {
            throw new IllegalStateException("a session is open on this context of " + owner + ": sessionStop ends it");
        }

        final List<SessionOption> hints = Arrays.asList(options);
        if (hints.contains(SessionOption.BATCH))
        {
            completion.beginBatch(hints.contains(SessionOption.SAME_AMO));
        }
    }

    @Override
    public void sessionStop()
    {
        checkOpen();
        if (!IS_IN_SESSION.compareAndSet(this, true, false))
        {
            throw new IllegalStateException("no session is open on this context of " + owner);
        }

        completion.endBatch();
        endpoint.checkFailure();
    }

    @Override
    public void fence()
    {
        checkOpen();
        completion.fence();
    }

    @Override
    public void fence(final int pe)
    {
        transport(pe);
        checkOpen();
        completion.fence(pe);
    }

    @Override
    public void quiet()
    {
        checkOpen();
        completion.quiet();
    }

    @Override
    public void quiet(final int pe)
    {
        transport(pe);
        checkOpen();
        completion.quiet(pe);
    }

    @Override
    public boolean testQuiet()
    {
        checkOpen();
        return completion.test();
    }

    @Override
    public void close()
    {
        if (isDefault)
        {
            throw new IllegalStateException("the default context of " + owner + " closes with its PE: close the Shmem");
        }

        if (!isClosed())
        {
            use.close();
            try
            {
                quietAndEndBatch();
            }
            catch (final ShmemException ex)
            {
                // A failed job completes nothing any more; that is reported to blocked callers, not by close.
                if (null == endpoint.failure())
                {
                    throw ex;
                }
            }
            finally
            {
                release();
            }
        }
    }

    private void quietAndEndBatch()
    {
        try
        {
            completion.quiet();
        }
        finally
        {
            completion.endBatch();
        }
    }

    /** Returns the PE that the context belongs to. */
    public PeIdentity owner()
    {
        return owner;
    }

    /** Returns the options of the context, a bit for the ordinal of each. */
    public int optionMask()
    {
        return optionMask;
    }

    /** Returns the teams that use the context. */
    public ContextUse use()
    {
        return use;
    }

    /** Returns true if the context or its PE is closed. */
    public boolean isClosed()
    {
        return NONE == transports || owner.isClosed();
    }

    @Override
    public void onTransportsChanged()
    {
        if (NONE != transports)
        {
            completion.onTransportsChanged();
        }
    }

    /** Rejects all further use: the PE or the team of the context closes, and has completed what was issued on it. */
    public void release()
    {
        transports = NONE;
    }

    @Override
    public String toString()
    {
        return "RmaContext{owner=" + owner + ", ranks=" + worldPes.length + ", isDefault=" + isDefault + ", options=" +
            options + ", isClosed=" + isClosed() + "}";
    }

    final void putArray(
        final SymmetricBuffer dest,
        final long destOffset,
        final Object source,
        final ArrayRange kind,
        final int from,
        final int n,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long length = kind.check(source, from, n, Operand.SOURCE_BLOCK);
        final long address = rangeAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        transport.put(worldPes[pe], HeapAccess.region(dest), address, source, kind.address(from), length);
        completion.issued(pe);
    }

    final void getArray(
        final Object dest,
        final ArrayRange kind,
        final int from,
        final SymmetricBuffer source,
        final long sourceOffset,
        final int n,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long length = kind.check(dest, from, n, Operand.DEST_BLOCK);
        final long address = rangeAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        transport.get(worldPes[pe], HeapAccess.region(source), address, dest, kind.address(from), length);
    }

    final RmaRequest startGetArray(
        final Object dest,
        final ArrayRange kind,
        final int from,
        final SymmetricBuffer source,
        final long sourceOffset,
        final int n,
        final int pe,
        final boolean isRequest)
    {
        final Transport transport = transport(pe);
        final long length = kind.check(dest, from, n, Operand.DEST_BLOCK);
        final long address = rangeAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        final PooledRequest requestOrNull = isRequest ? takeRequest() : null;
        transport.getNbi(
            worldPes[pe],
            HeapAccess.region(source),
            address,
            dest,
            kind.address(from),
            length,
            pending(requestOrNull));
        return requestOrNull;
    }

    private void gather(
        final Transport transport,
        final int worldPe,
        final int region,
        final long sourceOffset,
        final long sourceStep,
        final long destAddress,
        final long destStep,
        final long count,
        final long blockBytes)
    {
        final Pending pending = gathered.get();
        Strided.startGets(
            transport,
            worldPe,
            region,
            sourceOffset,
            sourceStep,
            destAddress,
            destStep,
            count,
            blockBytes,
            pending);
        completion.await(pending, STRIDED_GET);
    }

    private long localStridedAddress(
        final SymmetricBuffer buffer,
        final long offset,
        final long stride,
        final long blockSize,
        final long nblocks,
        final int elementBytes,
        final Operand operand)
    {
        return HeapAccess.operandAddress(
            buffer, stridedAddress(buffer, offset, stride, blockSize, nblocks, elementBytes, operand));
    }

    private static int code(final SignalOp op)
    {
        Arguments.notNull(op, "op");
        switch (op)
        {
            case SET:
                return SignalOperation.SET;

            default:
                return SignalOperation.ADD;
        }
    }

    /** Stores the low bytes of a value as an element of 1, 2, 4 or 8 bytes. */
    public void putBits(
        final int width, final SymmetricBuffer dest, final long offset, final long bits, final int pe)
    {
        switch (width)
        {
            case Byte.BYTES -> putByte(dest, offset, (byte)bits, pe);
            case Short.BYTES -> putShort(dest, offset, (short)bits, pe);
            case Integer.BYTES -> putInt(dest, offset, (int)bits, pe);
            default -> putLong(dest, offset, bits, pe);
        }
    }

    /**
     * Updates a word of 4 or 8 bytes.
     *
     * @param op code of an {@link AtomicOp} that returns nothing.
     */
    public void update(
        final int op, final int width, final SymmetricBuffer word, final long offset, final long value, final int pe)
    {
        if (Long.BYTES == width)
        {
            updateLong(op, word, offset, value, pe);
        }
        else
        {
            updateInt(op, word, offset, (int)value, pe);
        }
    }

    /**
     * Starts to update a word of 4 or 8 bytes, and to store its previous value.
     *
     * @param op code of an {@link AtomicOp} that returns the value.
     */
    public void startFetch(
        final int op,
        final int width,
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer word,
        final long offset,
        final long value,
        final long cond,
        final int pe)
    {
        if (Long.BYTES == width)
        {
            startLong(fetch, fetchOffset, op, word, offset, value, cond, pe);
        }
        else
        {
            startInt(fetch, fetchOffset, op, word, offset, (int)value, (int)cond, pe);
        }
    }

    final int fetchInt(
        final int op,
        final SymmetricBuffer word,
        final long offset,
        final int value,
        final int cond,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Integer.BYTES, operand(op));
        return transport.fetchAtomicInt(worldPes[pe], op, HeapAccess.region(word), address, value, cond);
    }

    final void updateInt(final int op, final SymmetricBuffer word, final long offset, final int value, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Integer.BYTES, Operand.DEST);
        transport.atomicInt(worldPes[pe], op, HeapAccess.region(word), address, value);
        completion.issued(pe);
    }

    final void startInt(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final int op,
        final SymmetricBuffer word,
        final long offset,
        final int value,
        final int cond,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Integer.BYTES, operand(op));
        final long fetchAddress = localAlignedAddress(fetch, fetchOffset, Integer.BYTES, Operand.FETCH);
        transport.fetchAtomicIntNbi(
            worldPes[pe],
            op,
            HeapAccess.region(word),
            address,
            value,
            cond,
            fetchAddress,
            completion.pending());
    }

    final long fetchLong(
        final int op,
        final SymmetricBuffer word,
        final long offset,
        final long value,
        final long cond,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Long.BYTES, operand(op));
        return transport.fetchAtomicLong(worldPes[pe], op, HeapAccess.region(word), address, value, cond);
    }

    final void updateLong(final int op, final SymmetricBuffer word, final long offset, final long value, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Long.BYTES, Operand.DEST);
        transport.atomicLong(worldPes[pe], op, HeapAccess.region(word), address, value);
        completion.issued(pe);
    }

    final void startLong(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final int op,
        final SymmetricBuffer word,
        final long offset,
        final long value,
        final long cond,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Long.BYTES, operand(op));
        final long fetchAddress = localAlignedAddress(fetch, fetchOffset, Long.BYTES, Operand.FETCH);
        transport.fetchAtomicLongNbi(
            worldPes[pe],
            op,
            HeapAccess.region(word),
            address,
            value,
            cond,
            fetchAddress,
            completion.pending());
    }

    private static Operand operand(final int op)
    {
        return AtomicOp.FETCH == op ? Operand.SOURCE : Operand.DEST;
    }

    /** Returns the transport to a rank, after a check of the rank. */
    final Transport transport(final int pe)
    {
        final Transport[] transports = this.transports;
        if (pe < 0 || pe >= transports.length)
        {
            throw rejected(pe);
        }

        return transports[pe];
    }

    private void checkOpen()
    {
        if (isClosed())
        {
            throw closed();
        }
    }

    /** Checks a range of any length; for 0 bytes the buffer may be null, as an allocation of 0 bytes is. */
    private long rangeAddress(final HeapRange range, final long offset, final long length, final Operand operand)
    {
        return null == range ? addressOfNull(offset, length, operand) :
            HeapAccess.address(range, owner, offset, length, operand);
    }

    private long addressOfNull(final long offset, final long length, final Operand operand)
    {
        if (0 == length)
        {
            checkOpen();
            return 0;
        }

        return HeapAccess.address(null, owner, offset, length, operand);
    }

    /** Returns the address in this process of a range of this PE's own symmetric memory. */
    private long localAddress(
        final SymmetricBuffer buffer, final long offset, final long length, final Operand operand)
    {
        return HeapAccess.operandAddress(buffer, rangeAddress(buffer, offset, length, operand));
    }

    private long localAlignedAddress(
        final SymmetricBuffer buffer, final long offset, final int elementBytes, final Operand operand)
    {
        return HeapAccess.operandAddress(
            buffer, HeapAccess.alignedAddress(buffer, owner, offset, elementBytes, operand));
    }

    private static void checkBounds(
        final DirectBuffer buffer, final int offset, final int length, final Operand operand)
    {
        if (null == buffer)
        {
            checkEmpty(length, operand);
            return;
        }

        final int capacity = buffer.capacity();
        if ((offset | length) < 0 || offset > capacity - length)
        {
            throw operand.outOfBounds("local buffer of " + capacity + " bytes", capacity, offset, length);
        }
    }

    private static void checkEmpty(final int length, final Operand operand)
    {
        if (0 != length)
        {
            throw operand.isNull();
        }
    }

    /** Returns the array of a buffer, or null for memory outside the Java heap and for no buffer. */
    private static byte[] arrayOf(final DirectBuffer buffer)
    {
        return null == buffer ? null : buffer.byteArray();
    }

    /** Returns the address of a byte in the array of a buffer, or in memory; 0 for no buffer. */
    private static long addressOf(final DirectBuffer buffer, final int offset)
    {
        return null == buffer ? 0 : buffer.addressOffset() + offset;
    }

    /**
     * Rejects a read-only {@link ByteBuffer}: raw access would write into it, or crash the JVM where it maps a file.
     */
    private static void checkWritable(final MutableDirectBuffer buffer)
    {
        final ByteBuffer wrapped = null == buffer ? null : buffer.byteBuffer();
        if (null != wrapped && wrapped.isReadOnly())
        {
            throw new IllegalArgumentException("dest must be writable: dest wraps a read-only " + wrapped);
        }
    }

    /** Returns the array of a buffer, or else what keeps its memory allocated. */
    private static Object memoryOf(final MutableDirectBuffer buffer)
    {
        final byte[] array = arrayOf(buffer);
        return null != array ? array : null != buffer && null != buffer.byteBuffer() ? buffer.byteBuffer() : buffer;
    }

    /**
     * Checks a strided range of blocks, whose elements are aligned to their size, and returns its address in the heap.
     */
    private long stridedAddress(
        final HeapRange range,
        final long offset,
        final long stride,
        final long blockSize,
        final long nblocks,
        final int elementBytes,
        final Operand operand)
    {
        final long length = Strided.extent(stride, blockSize, nblocks, elementBytes);
        final long address = rangeAddress(range, offset, length, operand);
        if (0 != (address & (elementBytes - 1)))
        {
            throw HeapAccess.misaligned(range, offset, elementBytes, operand);
        }

        return address;
    }

    private RuntimeException rejected(final int pe)
    {
        if (isClosed())
        {
            return closed();
        }

        return new IllegalArgumentException(
            "pe must be 0 to " + (worldPes.length - 1) + " in a team of " + worldPes.length + " PEs: pe=" + pe +
            ", on " + owner);
    }

    private IllegalStateException closed()
    {
        return new IllegalStateException(
            "this context of " + owner.description() + " is closed" +
            (null != endpoint.failure() ? ", and its job has failed: " + endpoint.failure().message() : ""));
    }
}
