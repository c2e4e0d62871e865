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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.device.DeviceMemory;

/**
 * Queue of the replies that this PE owes one peer, except those in {@link FetchRunReplies}. It holds the values of
 * fetches, but only the source addresses of gets, never their data. It has room for {@link RequestTable#CAPACITY}
 * replies of each sort, and the peer may have at most as many requests outstanding. So there is always room for a
 * reply, and the PE never has to stop polling its inbox because the queue is full. A peer with more outstanding
 * requests violates the protocol.
 * <p>
 * Accessed only under the engine's lock.
 */
final class ReplyQueue
{
    private static final int CAPACITY = RequestTable.CAPACITY;
    private static final int MASK = CAPACITY - 1;

    private final int[] fetchSlot = new int[CAPACITY];
    private final int[] fetchGeneration = new int[CAPACITY];
    private final long[] fetchValue = new long[CAPACITY];
    private int fetchHead;
    private int fetchTail;

    private final int[] getSlot = new int[CAPACITY];
    private final int[] getGeneration = new int[CAPACITY];
    private final long[] getAddress = new long[CAPACITY];
    private final long[] getLength = new long[CAPACITY];
    /** The device whose memory is read; null for that of the host. */
    private final DeviceMemory[] getDevice = new DeviceMemory[CAPACITY];
    private long staging;
    private long getPosition;
    private int getHead;
    private int getTail;

    /** Returns false if the peer exceeds its limit of outstanding requests. */
    boolean addFetch(final int slot, final int generation, final long value)
    {
        if (CAPACITY == fetchTail - fetchHead)
        {
            return false;
        }

        final int index = fetchTail++ & MASK;
        fetchSlot[index] = slot;
        fetchGeneration[index] = generation;
        fetchValue[index] = value;
        return true;
    }

    boolean hasFetchRoom()
    {
        return CAPACITY != fetchTail - fetchHead;
    }

    boolean hasFetch()
    {
        return fetchHead != fetchTail;
    }

    int fetchSlot()
    {
        return fetchSlot[fetchHead & MASK];
    }

    int fetchGeneration()
    {
        return fetchGeneration[fetchHead & MASK];
    }

    long fetchValue()
    {
        return fetchValue[fetchHead & MASK];
    }

    void removeFetch()
    {
        fetchHead++;
    }

    /**
     * Returns false if the peer exceeds its limit of outstanding requests.
     *
     * @param device whose memory is read, or null for that of the host.
     */
    boolean addGet(
        final int slot, final int generation, final DeviceMemory device, final long address, final long length)
    {
        if (CAPACITY == getTail - getHead)
        {
            return false;
        }

        final int index = getTail++ & MASK;
        getSlot[index] = slot;
        getGeneration[index] = generation;
        getAddress[index] = address;
        getLength[index] = length;
        getDevice[index] = device;
        return true;
    }

    boolean hasGet()
    {
        return getHead != getTail;
    }

    /** Returns true if the next reply to a get is a whole small block of host memory, which travels with others. */
    boolean isNextGetSmall()
    {
        final int index = getHead & MASK;
        return hasGet() && 0 == getPosition && null == getDevice[index] &&
            getLength[index] <= MessageTransport.SMALL_BLOCK;
    }

    int getSlot()
    {
        return getSlot[getHead & MASK];
    }

    int getGeneration()
    {
        return getGeneration[getHead & MASK];
    }

    /** Returns the position of the next chunk in the block. */
    long getPosition()
    {
        return getPosition;
    }

    /**
     * Returns the raw address of the next chunk in host memory; what is in device memory is copied from there. Returns
     * 0 if the device has no staging, which has failed the job.
     */
    long getAddress(final int length)
    {
        final long address = getAddress[getHead & MASK] + getPosition;
        final DeviceMemory device = getDevice[getHead & MASK];
        if (null == device)
        {
            return address;
        }

        if (0 == staging)
        {
            staging = device.acquireStaging();
            if (0 == staging)
            {
                return 0;
            }
        }

        device.copy(address, staging, length);
        return staging;
    }

    /** Returns the maximum length of the next chunk. */
    long getChunkLimit()
    {
        final DeviceMemory device = getDevice[getHead & MASK];
        return null == device ? getRemaining() : Math.min(getRemaining(), device.stagingLength());
    }

    long getRemaining()
    {
        return getLength[getHead & MASK] - getPosition;
    }

    void onChunkSent(final int length)
    {
        getPosition += length;
        if (0 == getRemaining())
        {
            getPosition = 0;
            releaseStaging();
            getHead++;
        }
    }

    private void releaseStaging()
    {
        final int index = getHead & MASK;
        if (0 != staging)
        {
            getDevice[index].releaseStaging(staging);
            staging = 0;
        }

        getDevice[index] = null;
    }
}
