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
package io.aeroshmem.team;

import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.UnsafeApi;

import java.util.function.IntPredicate;

/**
 * The {@link CreationChannel} through the creation cells of the world or of a team ({@link CreationCellDescriptor}). A
 * cell has several blocks. Each block consists of words, with a stamp and a checksum. A PE stores into the cells of
 * mapped members, and sends messages to other members.
 * <p>
 * <b>Ordering.</b> The words of a block are stored before its stamp, which is stored with release. A message has the
 * same effect at its target. A reader loads the stamp with acquire, then the words. It accepts the words only if the
 * checksum matches them and the stamp, so it rejects words that the writer has overwritten since the reader loaded the
 * stamp.
 */
final class CreationCells implements CreationChannel
{
    private static final long ARRAY_BASE = UnsafeApi.arrayBaseOffset(long[].class);

    private final Endpoint endpoint;
    private final int[] worldPes;
    private final int myMember;
    private final long[] cells;
    private final IntPredicate hasClosedParent;
    private final long ownCells;

    /**
     * @param worldPes        the members.
     * @param cells           offset of the cells of each member in its system region.
     * @param hasClosedParent whether a member has closed the parent team.
     */
    CreationCells(
        final Endpoint endpoint,
        final int[] worldPes,
        final int myMember,
        final long[] cells,
        final IntPredicate hasClosedParent)
    {
        this.endpoint = endpoint;
        this.worldPes = worldPes;
        this.myMember = myMember;
        this.cells = cells;
        this.hasClosedParent = hasClosedParent;
        ownCells = endpoint.localAddress(Region.SYSTEM) + cells[myMember];
    }

    @Override
    public int size()
    {
        return worldPes.length;
    }

    @Override
    public int myMember()
    {
        return myMember;
    }

    @Override
    public int worldPe(final int member)
    {
        return worldPes[member];
    }

    @Override
    public boolean isArea(final long offset, final int size)
    {
        return TeamSlots.isArea(new EndpointArena(endpoint), offset, size);
    }

    @Override
    public void send(final int member, final int block, final long stamp, final long[] words, final int count)
    {
        final long[] image = new long[1 + count];
        image[0] = CreationCellDescriptor.checksum(stamp, words, 0, count);
        System.arraycopy(words, 0, image, 1, count);
        final int pe = worldPes[member];
        final long offset = cells[member] + CreationCellDescriptor.cellOffset(myMember) + block;
        final long length = (long)image.length * Long.BYTES;
        final Transport transport = endpoint.transport(pe);
        if (transport.isMessaging())
        {
            transport.putSignal(
                pe,
                Region.SYSTEM,
                offset + CreationCellDescriptor.CHECKSUM,
                image,
                ARRAY_BASE,
                length,
                Region.SYSTEM,
                offset,
                stamp,
                SignalOperation.SET);
        }
        else
        {
            final long address = endpoint.mappedAddress(Region.SYSTEM, pe) + offset;
            UnsafeApi.copyMemory(image, ARRAY_BASE, null, address + CreationCellDescriptor.CHECKSUM, length);
            UnsafeApi.putLongRelease(null, address, stamp);
        }
    }

    @Override
    public long stamp(final int member, final int block)
    {
        return UnsafeApi.getLongAcquire(null, ownCells + CreationCellDescriptor.cellOffset(member) + block);
    }

    @Override
    public boolean read(
        final int member, final int block, final long stamp, final long[] words, final int from, final int count)
    {
        final long address = ownCells + CreationCellDescriptor.cellOffset(member) + block;
        UnsafeApi.copyMemory(
            null,
            address + CreationCellDescriptor.WORDS,
            words,
            ARRAY_BASE + (long)from * Long.BYTES,
            (long)count * Long.BYTES);
        return UnsafeApi.getLong(null, address + CreationCellDescriptor.CHECKSUM) ==
            CreationCellDescriptor.checksum(stamp, words, from, count);
    }

    @Override
    public CreationReason departureReason(final int member)
    {
        return endpoint.isFinalizing(worldPes[member]) ? CreationReason.PE_CLOSED :
            hasClosedParent.test(member) ? CreationReason.PARENT_CLOSED : null;
    }

    @Override
    public void flush()
    {
        endpoint.flush();
    }
}
