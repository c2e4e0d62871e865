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

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.CloseHelper;
import org.agrona.collections.LongArrayList;
import org.agrona.collections.Long2LongHashMap;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Host memory that is registered with CUDA, for the library's own use:
 * <ul>
 *     <li>pieces of 256 KiB, through which data is copied;</li>
 *     <li>words of 8 bytes, for elements and results;</li>
 *     <li>blocks of any length, which stay in use until the memory is closed.</li>
 * </ul>
 * Pieces and words are reused. If none is free, more memory is registered; otherwise acquiring and releasing allocate
 * nothing. Any thread may make calls. The CUDA context must be current on a thread that acquires memory.
 * <p>
 * Before CUDA registers memory, it may wait for everything in flight on the device. This wait never ends if a kernel in
 * flight waits for something that this PE does only after the registration. So enough pieces and words for a few
 * threads and streams are registered at the start.
 */
final class PinnedMemory implements AutoCloseable
{
    /** Length of a piece in bytes. */
    static final int PIECE_LENGTH = 256 << 10;

    private static final int WORD_DISTANCE = 128;
    private static final int PAGE_SIZE = 4096;
    private static final int FLAGS = CudaConstants.HOST_REGISTER_PORTABLE | CudaConstants.HOST_REGISTER_DEVICE_MAP;
    private static final int PIECES = 4;
    private static final long NONE = 0;

    private final CudaDriver driver;
    /** The ends of the registrations, which also keep the memory. */
    private final List<AutoCloseable> registrations = new ArrayList<>();
    private final LongArrayList freePieces = new LongArrayList();
    private final LongArrayList freeWords = new LongArrayList();
    /** Addresses by which the device reaches words, pieces and blocks. */
    private final Long2LongHashMap deviceAddresses = new Long2LongHashMap(NONE);

    PinnedMemory(final CudaDriver driver)
    {
        this.driver = driver;
        try
        {
            releasePiece(acquirePiece());
            releaseWord(acquireWord());
        }
        catch (final RuntimeException | Error ex)
        {
            CloseHelper.quietClose(this);
            throw ex;
        }
    }

    /** Returns the address of a piece of {@link #PIECE_LENGTH} bytes. */
    synchronized long acquirePiece()
    {
        if (freePieces.isEmpty())
        {
            final long block = register(PIECES * PIECE_LENGTH);
            final long deviceBlock = driver.memHostGetDevicePointer(block);
            for (long offset = 0; offset < PIECES * PIECE_LENGTH; offset += PIECE_LENGTH)
            {
                freePieces.addLong(block + offset);
                deviceAddresses.put(block + offset, deviceBlock + offset);
            }
        }

        return freePieces.removeAt(freePieces.size() - 1);
    }

    synchronized void releasePiece(final long address)
    {
        freePieces.addLong(address);
    }

    /** Returns the address of a word of 8 bytes. */
    synchronized long acquireWord()
    {
        if (freeWords.isEmpty())
        {
            final long block = register(PAGE_SIZE);
            final long deviceBlock = driver.memHostGetDevicePointer(block);
            for (int offset = 0; offset < PAGE_SIZE; offset += WORD_DISTANCE)
            {
                freeWords.addLong(block + offset);
                deviceAddresses.put(block + offset, deviceBlock + offset);
            }
        }

        return freeWords.removeAt(freeWords.size() - 1);
    }

    /** Returns the address by which the device reaches the start of a word, piece or block, or 0 if there is none. */
    synchronized long deviceAddress(final long address)
    {
        return deviceAddresses.get(address);
    }

    synchronized void releaseWord(final long address)
    {
        freeWords.addLong(address);
    }

    /** Returns the page-aligned address of zeroed memory, which stays registered until this object is closed. */
    synchronized long acquireBlock(final int length)
    {
        final long block = register(BitUtil.align(length, PAGE_SIZE));
        deviceAddresses.put(block, driver.memHostGetDevicePointer(block));
        return block;
    }

    private long register(final int length)
    {
        final ByteBuffer block = BufferUtil.allocateDirectAligned(length, PAGE_SIZE);
        final long address = BufferUtil.address(block);
        driver.memHostRegister(address, length, FLAGS);
        registrations.add(() -> driver.memHostUnregister(BufferUtil.address(block)));
        return address;
    }

    @Override
    public synchronized void close()
    {
        freePieces.clear();
        freeWords.clear();
        try
        {
            CloseHelper.closeAll(registrations);
        }
        finally
        {
            registrations.clear();
        }
    }
}
