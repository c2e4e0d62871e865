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

import io.aeroshmem.Info;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;

import static io.aeroshmem.gpu.DeviceStateDescriptor.*;

/**
 * The memory that this PE shares with the program's kernels, and an image of the state that kernels read, such as the
 * addresses of this memory. {@link DeviceModules} copies the image into a variable of each of the program's CUDA
 * modules.
 * <pre>
 *   device memory    claimed | known | quieted | error claim | teams | peers | members of teams
 *   pinned memory    consumed | error record | entries of the ring | results of the ring
 * </pre>
 */
final class DeviceState implements AutoCloseable
{
    private static final int WORD_DISTANCE = 128;
    private static final int TABLES_OFFSET = 4 * WORD_DISTANCE;
    private static final int ALIGNMENT = 256;

    private static final int CLAIMED = 0;
    private static final int KNOWN = WORD_DISTANCE;
    private static final int QUIETED = 2 * WORD_DISTANCE;
    private static final int ERROR_CLAIM = 3 * WORD_DISTANCE;

    private static final int CONSUMED = 0;
    private static final int ERROR = WORD_DISTANCE;
    private static final int ENTRIES = 2 * WORD_DISTANCE;

    /*
     * Each of the words claimed, known, quieted, error claim and consumed is padded to 128 bytes. All but error claim
     * count the requests of the ProxyRing. The requests are numbered in the order in which kernels make them; the
     * number of a request is its ticket:
     * - claimed, updated by kernels: the number of tickets taken;
     * - consumed, stored by the host: the ring's slots of all tickets below this number are free again;
     * - known, updated by kernels: a recent copy of consumed;
     * - quieted, updated by kernels: all requests with tickets below this number are complete everywhere.
     * Kernels report an error in the error record (DeviceErrors). Error claim is 0 while this record is free.
     *
     * Ordering. The host writes the tables of teams, peers and members by copies, and waits until each copy is
     * complete. A kernel that uses what has been copied can be launched only after that.
     */
    private final CudaDevice device;
    private final int nPes;
    private final UnsafeBuffer image = new UnsafeBuffer(ByteBuffer.allocateDirect(STATE_LENGTH));
    private final long tables;
    private final long teams;
    private final long peers;
    private final long members;
    private final long shared;
    private final int ringCapacity;
    private int areaRegion;
    private long areaOffset;

    /**
     * Allocates the memory.
     *
     * @param ringCapacity in entries, a power of two.
     */
    DeviceState(final CudaDevice device, final int nPes, final int ringCapacity)
    {
        this.device = device;
        this.nPes = nPes;
        this.ringCapacity = ringCapacity;
        final long peersOffset = TABLES_OFFSET + MAX_TEAMS * TEAM_LENGTH;
        final long membersOffset = BitUtil.align(peersOffset + (long)nPes * PEER_LENGTH, ALIGNMENT);
        final long length = membersOffset + (long)MAX_TEAMS * nPes * Integer.BYTES;
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            shared = device.pinned().acquireBlock(ENTRIES + (int)ringLength(ringCapacity));
            tables = device.allocate(length, 0);
        }

        teams = tables + TABLES_OFFSET;
        peers = tables + peersOffset;
        members = tables + membersOffset;
        describe();
    }

    private static long ringLength(final int capacity)
    {
        return (long)capacity * (RingDescriptor.ENTRY_LENGTH + RingDescriptor.RESULT_LENGTH);
    }

    /**
     * Sets how kernels reach the heaps of the PEs.
     *
     * @param deviceBases addresses of the device heaps for kernels, by PE; 0 where they use requests.
     * @param hostBases   addresses of the host heaps for kernels, by PE; 0 where they use requests.
     */
    void peers(final long[] deviceBases, final long[] hostBases)
    {
        final UnsafeBuffer views = new UnsafeBuffer(ByteBuffer.allocateDirect(nPes * PEER_LENGTH));
        for (int pe = 0; pe < nPes; pe++)
        {
            views.putLong(pe * PEER_LENGTH + PEER_DEVICE_BASE_OFFSET, deviceBases[pe]);
            views.putLong(pe * PEER_LENGTH + PEER_HOST_BASE_OFFSET, hostBases[pe]);
        }

        write(peers, views);
    }

    private void describe()
    {
        final long deviceShared = device.pinned().deviceAddress(shared);
        image.putLong(VERSION_OFFSET, ABI_VERSION);
        image.putInt(N_PES_OFFSET, nPes);
        image.putLong(PEERS_OFFSET, peers);
        image.putLong(TEAMS_OFFSET, teams);
        image.putLong(RING_ENTRIES_OFFSET, deviceShared + ENTRIES);
        image.putLong(RING_RESULTS_OFFSET, deviceShared + resultsOffset());
        image.putLong(RING_CAPACITY_OFFSET, ringCapacity);
        image.putLong(RING_CLAIMED_OFFSET, tables + CLAIMED);
        image.putLong(RING_CONSUMED_OFFSET, deviceShared + CONSUMED);
        image.putLong(ERROR_OFFSET, deviceShared + ERROR);
        image.putLong(ERROR_CLAIM_OFFSET, tables + ERROR_CLAIM);
        image.putLong(RING_KNOWN_OFFSET, tables + KNOWN);
        image.putLong(RING_QUIETED_OFFSET, tables + QUIETED);
        final Info.Version version = Info.vendorVersion();
        image.putInt(VENDOR_VERSION_OFFSET, version.major());
        image.putInt(VENDOR_VERSION_OFFSET + Integer.BYTES, version.minor());
        image.putInt(VENDOR_VERSION_OFFSET + 2 * Integer.BYTES, version.patch());
    }

    /** Sets the heaps of this PE as kernels reach them; the host heap has length 0 if they do not. */
    void heaps(final long deviceHeap, final long deviceLength, final long hostHeap, final long hostLength)
    {
        image.putLong(DEVICE_HEAP_OFFSET, deviceHeap);
        image.putLong(DEVICE_LENGTH_OFFSET, deviceLength);
        image.putLong(HOST_HEAP_OFFSET, hostHeap);
        image.putLong(HOST_LENGTH_OFFSET, hostLength);
    }

    /** Sets where the areas of the teams are. */
    void areas(final int region, final long offset)
    {
        areaRegion = region;
        areaOffset = offset;
    }

    /** Sets the rest of the state of modules. */
    void modules(final int pe, final long flags, final long abort)
    {
        image.putInt(MY_PE_OFFSET, pe);
        image.putLong(FLAGS_OFFSET, flags);
        image.putLong(ABORT_OFFSET, abort);
    }

    /** Returns the state of modules. */
    UnsafeBuffer image()
    {
        return image;
    }

    /** Returns the address for this process of the word that counts consumed requests. */
    long consumed()
    {
        return shared + CONSUMED;
    }

    /** Returns the address for this process of the record of errors. */
    long error()
    {
        return shared + ERROR;
    }

    /** Returns the address for this process of the entries of the ring. */
    long entries()
    {
        return shared + ENTRIES;
    }

    /** Returns the address for this process of the results of the ring. */
    long results()
    {
        return shared + resultsOffset();
    }

    int ringCapacity()
    {
        return ringCapacity;
    }

    private long resultsOffset()
    {
        return ENTRIES + (long)ringCapacity * RingDescriptor.ENTRY_LENGTH;
    }

    /** Lets kernels record an error again. */
    void clearErrorClaim()
    {
        write(tables + ERROR_CLAIM, new UnsafeBuffer(ByteBuffer.allocateDirect(Long.BYTES)));
    }

    /**
     * Enters a team.
     *
     * @param slot       its handle.
     * @param worldPes   its members by rank.
     * @param generation of the slot, above all earlier ones on each member.
     */
    void team(final int slot, final int myRank, final int[] worldPes, final long generation)
    {
        final UnsafeBuffer ranks = new UnsafeBuffer(ByteBuffer.allocateDirect(worldPes.length * Integer.BYTES));
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            ranks.putInt(rank * Integer.BYTES, worldPes[rank]);
        }

        final long list = members + (long)slot * nPes * Integer.BYTES;
        write(list, ranks);

        final UnsafeBuffer team = new UnsafeBuffer(ByteBuffer.allocateDirect(TEAM_LENGTH));
        team.putInt(TEAM_VALID_OFFSET, 1);
        team.putInt(TEAM_MY_RANK_OFFSET, myRank);
        team.putInt(TEAM_SIZE_OFFSET, worldPes.length);
        team.putInt(TEAM_REGION_OFFSET, areaRegion);
        team.putLong(TEAM_MEMBERS_OFFSET, list);
        team.putLong(TEAM_AREA_OFFSET, areaOffset + slot * TeamAreas.areaLength(nPes));
        team.putLong(TEAM_STAMP_BASE_OFFSET, generation << STAMP_SHIFT);
        write(teams + (long)slot * TEAM_LENGTH, team);
    }

    /** Removes a team. */
    void removeTeam(final int slot)
    {
        write(teams + (long)slot * TEAM_LENGTH, new UnsafeBuffer(ByteBuffer.allocateDirect(TEAM_LENGTH)));
    }

    /** Copies a buffer outside the Java heap to device memory. */
    void write(final long address, final UnsafeBuffer source)
    {
        copy(address, source.addressOffset(), source.capacity());
        Reference.reachabilityFence(source);
    }

    /** Copies device memory to a buffer outside the Java heap. */
    void read(final long address, final UnsafeBuffer dest)
    {
        copy(dest.addressOffset(), address, dest.capacity());
        Reference.reachabilityFence(dest);
    }

    private void copy(final long to, final long from, final int length)
    {
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            device.driver().memcpyAsync(to, from, length, device.stream());
            device.driver().streamSynchronize(device.stream());
        }
    }

    /** Frees the tables; no kernel uses them any more. The pinned memory ends with the device. */
    @Override
    public void close()
    {
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            device.driver().memFree(tables);
        }
    }
}
