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
package io.aeroshmem.transport.device;

import static io.aeroshmem.transport.device.DeviceRequestDescriptor.*;

/**
 * Device heap of another PE of this node, to which only that PE, the owner, has access. Every operation is a request to
 * the owner, see {@link DeviceRequests}. A request moves at most one piece ({@link DeviceRequestDescriptor}), so longer
 * blocks take several requests.
 */
final class OwnedDevice implements PeerDevice
{
    private final DeviceRequests requests;
    private final DeviceMemory memory;
    private final int owner;

    OwnedDevice(final DeviceRequests requests, final DeviceMemory memory, final int owner)
    {
        this.requests = requests;
        this.memory = memory;
        this.owner = owner;
    }

    @Override
    public void put(final long offset, final long source, final long length)
    {
        final long deadlineNs = requests.operationDeadline();
        final int cell = requests.take(deadlineNs);
        try
        {
            for (long done = 0; done < length; done += PIECE_LENGTH)
            {
                final long bytes = Math.min(PIECE_LENGTH, length - done);
                memory.copy(source + done, requests.piece(cell), bytes);
                requests.perform(owner, cell, PUT, 0, offset + done, bytes, 0, deadlineNs);
            }
        }
        finally
        {
            requests.release(cell);
        }
    }

    @Override
    public void get(final long offset, final long dest, final long length)
    {
        final long deadlineNs = requests.operationDeadline();
        final int cell = requests.take(deadlineNs);
        try
        {
            for (long done = 0; done < length; done += PIECE_LENGTH)
            {
                final long bytes = Math.min(PIECE_LENGTH, length - done);
                requests.perform(owner, cell, GET, 0, offset + done, bytes, 0, deadlineNs);
                memory.copy(requests.piece(cell), dest + done, bytes);
            }
        }
        finally
        {
            requests.release(cell);
        }
    }

    @Override
    public void putElement(final long offset, final int width, final long value)
    {
        perform(PUT_ELEMENT, width, offset, value, 0);
    }

    @Override
    public long getElement(final long offset, final int width)
    {
        return perform(GET_ELEMENT, width, offset, 0, 0);
    }

    @Override
    public void signal(final long offset, final long value, final int signalOperation)
    {
        perform(SIGNAL_SET + signalOperation, Long.BYTES, offset, value, 0);
    }

    @Override
    public long fetchAtomic(final long offset, final int width, final int op, final long value, final long cond)
    {
        return perform(ATOMIC + op, width, offset, value, cond);
    }

    private long perform(
        final int operation, final int width, final long offset, final long value, final long cond)
    {
        final long deadlineNs = requests.operationDeadline();
        final int cell = requests.take(deadlineNs);
        try
        {
            return requests.perform(owner, cell, operation, width, offset, value, cond, deadlineNs);
        }
        finally
        {
            requests.release(cell);
        }
    }

    @Override
    public String toString()
    {
        return "OwnedDevice{owner=" + owner + "}";
    }
}
