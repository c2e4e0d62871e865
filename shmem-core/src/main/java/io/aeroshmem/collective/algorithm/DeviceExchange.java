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
package io.aeroshmem.collective.algorithm;

import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.transport.device.DeviceMemory;

/**
 * The variant of {@link FlatExchange} for calls while a device is attached. Each block is in memory of the host or of
 * the device. The kinds of memory may differ within a member and between members. Slots and grants are those of
 * {@link FlatExchange}, so a member need not know what kind of memory the others use. A grant names the place of a
 * block by region and offset. The sender puts the pieces of the block there, through the transports, which reach device
 * heaps.
 */
public final class DeviceExchange extends FlatExchange
{
    /** Copying a piece between devices takes longer than starting and awaiting it. */
    private static final long PIECE_LENGTH = 4 * 1024 * 1024;

    /*
     * Order of accesses. As in FlatExchange. The receiver's count of arrived pieces is incremented only after the piece
     * has been stored. If the put of a piece is sent as a message, the increment follows that message in order. Any
     * other put is complete when it returns, and the sender increments the count after that.
     *
     * Waiting. Some device heaps are reached only by the PE that owns them. A put into such a heap waits until the
     * owner has served it; the poll that makes the put does not return before that. The owner serves such puts by its
     * background agent, if it has one, by its blocked threads, and in Shmem.progress(). So the put does not depend on a
     * particular call of the owner.
     */
    private DeviceMemory memory;
    private Routine routine;

    public DeviceExchange(final TeamResources resources)
    {
        super(resources);
    }

    /**
     * Sets the memory of the device of the next call.
     *
     * @param routine that the caller has called.
     */
    public DeviceExchange of(final DeviceMemory memory, final Routine routine)
    {
        this.memory = memory;
        this.routine = routine;
        return this;
    }

    @Override
    Routine routine(final CallArguments call)
    {
        return routine;
    }

    @Override
    long pieceLength()
    {
        return PIECE_LENGTH;
    }

    @Override
    void copy(final long from, final long to, final long length)
    {
        if (memory.isDevice(from) || memory.isDevice(to))
        {
            memory.copy(from, to, length);
        }
        else
        {
            super.copy(from, to, length);
        }
    }

    @Override
    void putPiece(final int rank, final int region, final long offset, final long address, final long length)
    {
        mailboxes.putPieceToAny(rank, region, offset, address, length);
    }
}
