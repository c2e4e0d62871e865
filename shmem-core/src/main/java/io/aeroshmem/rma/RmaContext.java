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

import io.aeroshmem.ContextOption;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.job.PeIdentity;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.lang.ref.Reference;
import java.util.Arrays;

/**
 * The implementation of {@link io.aeroshmem.CommunicationContext}: checks the arguments, translates the rank, calls
 * the transport to that PE, and has {@link Completion} remember what quiet must complete.
 * <p>
 * Ordering is the transport's: single elements opaque, blocks plain, signals release, atomics sequentially
 * consistent. Any number of threads may use a context; what they share of it is in {@link Completion}. The options
 * are promises by the program: nothing here needs to be cheaper for them yet.
 */
public final class RmaContext extends AtomicContext
{
    private static final String STRIDED_GET = "strided get";

    private final ThreadLocal<Pending> gathered = ThreadLocal.withInitial(Pending::new);
    private final Team team;
    private final boolean isDefault;
    private final String options;
    private final int myRank;

    /**
     * Open a context.
     *
     * @param owner     identity of the PE, which its buffers carry too.
     * @param endpoint  of the PE.
     * @param team      whose ranks the context addresses.
     * @param worldPes  the members of the team, by rank.
     * @param myRank    rank of this PE in the team.
     * @param isDefault whether it is the PE's default context, which closes with the PE.
     * @param options   what the program promises.
     */
    public RmaContext(
        final PeIdentity owner,
        final Endpoint endpoint,
        final Team team,
        final int[] worldPes,
        final int myRank,
        final boolean isDefault,
        final ContextOption... options)
    {
        super(owner, endpoint, worldPes);
        this.team = team;
        this.myRank = myRank;
        this.isDefault = isDefault;
        this.options = Arrays.toString(options);
    }

    @Override
    public void putByte(final SymmetricBuffer dest, final long offset, final byte value, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.address(dest, owner, offset, Byte.BYTES, Operand.DEST);
        transport.putByte(worldPes[pe], HeapAccess.region(dest), address, value);
        completion.issued(pe);
    }

    @Override
    public byte getByte(final SymmetricBuffer source, final long offset, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.address(source, owner, offset, Byte.BYTES, Operand.SOURCE);
        return transport.getByte(worldPes[pe], HeapAccess.region(source), address);
    }

    @Override
    public void putShort(final SymmetricBuffer dest, final long offset, final short value, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.address(dest, owner, offset, Short.BYTES, Operand.DEST);
        transport.putShort(worldPes[pe], HeapAccess.region(dest), address, value);
        completion.issued(pe);
    }

    @Override
    public short getShort(final SymmetricBuffer source, final long offset, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.address(source, owner, offset, Short.BYTES, Operand.SOURCE);
        return transport.getShort(worldPes[pe], HeapAccess.region(source), address);
    }

    @Override
    public void putInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.address(dest, owner, offset, Integer.BYTES, Operand.DEST);
        transport.putInt(worldPes[pe], HeapAccess.region(dest), address, value);
        completion.issued(pe);
    }

    @Override
    public int getInt(final SymmetricBuffer source, final long offset, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.address(source, owner, offset, Integer.BYTES, Operand.SOURCE);
        return transport.getInt(worldPes[pe], HeapAccess.region(source), address);
    }

    @Override
    public void putLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.address(dest, owner, offset, Long.BYTES, Operand.DEST);
        transport.putLong(worldPes[pe], HeapAccess.region(dest), address, value);
        completion.issued(pe);
    }

    @Override
    public long getLong(final SymmetricBuffer source, final long offset, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.address(source, owner, offset, Long.BYTES, Operand.SOURCE);
        return transport.getLong(worldPes[pe], HeapAccess.region(source), address);
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
        final long address = HeapAccess.address(dest, owner, destOffset, length, Operand.DEST_BLOCK);
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
        final long address = HeapAccess.address(dest, owner, destOffset, length, Operand.DEST_BLOCK);
        checkBounds(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        final long sourceAddress = source.addressOffset() + sourceOffset;
        transport.put(worldPes[pe], HeapAccess.region(dest), address, source.byteArray(), sourceAddress, length);
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
        final long address = HeapAccess.address(source, owner, sourceOffset, length, Operand.SOURCE_BLOCK);
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
        final long address = HeapAccess.address(source, owner, sourceOffset, length, Operand.SOURCE_BLOCK);
        checkBounds(dest, destOffset, length, Operand.DEST_BLOCK);
        checkWritable(dest);
        final long destAddress = dest.addressOffset() + destOffset;
        transport.get(worldPes[pe], HeapAccess.region(source), address, dest.byteArray(), destAddress, length);
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
        final long address = HeapAccess.address(dest, owner, destOffset, length, Operand.DEST_BLOCK);
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
        final Transport transport = transport(pe);
        final long address = HeapAccess.address(source, owner, sourceOffset, length, Operand.SOURCE_BLOCK);
        final long destAddress = localAddress(dest, destOffset, length, Operand.DEST_BLOCK);
        transport.getNbi(
            worldPes[pe], HeapAccess.region(source), address, destAddress, length, completion.pending());
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
        Strided.putBlocks(
            transport,
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
            Strided.getBlocks(
                transport, worldPe, region, sourceAddress, sourceStep, destAddress, destStep, count, blockBytes);
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
        final long address = HeapAccess.address(dest, owner, destOffset, length, Operand.DEST_BLOCK);
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
        final long address = HeapAccess.address(dest, owner, destOffset, length, Operand.DEST_BLOCK);
        checkBounds(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        final long signalAddress = HeapAccess.alignedAddress(
            signal, owner, signalOffset, Long.BYTES, Operand.PUT_SIGNAL);
        transport.putSignal(
            worldPes[pe],
            HeapAccess.region(dest),
            address,
            source.byteArray(),
            source.addressOffset() + sourceOffset,
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
        HeapAccess.address(dest, owner, destOffset, length, Operand.DEST_BLOCK);
        localAddress(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        checkSignal(signal, signalOffset, op, Operand.PUT_SIGNAL);
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            if (rank != myRank)
            {
                putSignal(dest, destOffset, source, sourceOffset, length, signal, signalOffset, value, op, rank);
            }
        }
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
        HeapAccess.address(dest, owner, destOffset, length, Operand.DEST_BLOCK);
        checkBounds(source, sourceOffset, length, Operand.SOURCE_BLOCK);
        checkSignal(signal, signalOffset, op, Operand.PUT_SIGNAL);
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            if (rank != myRank)
            {
                putSignal(dest, destOffset, source, sourceOffset, length, signal, signalOffset, value, op, rank);
            }
        }
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
        checkSignal(signal, offset, op, Operand.SIGNAL);
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            if (rank != myRank)
            {
                signal(signal, offset, value, op, rank);
            }
        }
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
        completion.quiet(pe);
    }

    @Override
    public boolean testQuiet()
    {
        checkOpen();
        return completion.test();
    }

    @Override
    public Team team()
    {
        return team;
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
            try
            {
                completion.quiet();
            }
            catch (final ShmemException ex)
            {
                // A failed job completes nothing any more; whoever waits is told, a close is not.
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

    /**
     * Refuse all further use: the PE or the team of the context closes, and has completed what was issued on it.
     */
    public void release()
    {
        markClosed();
    }

    @Override
    public String toString()
    {
        return "RmaContext{owner=" + owner + ", ranks=" + worldPes.length + ", isDefault=" + isDefault + ", options=" +
            options + ", isClosed=" + isClosed() + "}";
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
        stridedAddress(buffer, offset, stride, blockSize, nblocks, elementBytes, operand);
        return HeapAccess.localAddress(buffer, offset, Strided.extent(stride, blockSize, nblocks, elementBytes));
    }

    /**
     * For the forms without a rank, which in a team of one signal nobody, but refuse the same arguments.
     */
    private void checkSignal(
        final SymmetricBuffer signal, final long offset, final SignalOp op, final Operand operand)
    {
        HeapAccess.alignedAddress(signal, owner, offset, Long.BYTES, operand);
        code(op);
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
}
