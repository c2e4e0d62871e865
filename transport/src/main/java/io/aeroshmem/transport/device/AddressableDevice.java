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

import io.aeroshmem.transport.progress.BlockingWait;

/**
 * Device heap that has an address in this process: the heap of the PE itself, the heap of another PE of the process,
 * or a heap that the device's driver maps.
 * <p>
 * The memory of a dead PE may stay accessible indefinitely. So each operation checks whether the job has failed. A
 * program that repeats an operation in a loop therefore gets an exception when the job fails, as it does on the other
 * paths to a device heap.
 */
final class AddressableDevice implements PeerDevice
{
    private final DeviceMemory memory;
    private final long base;
    private final BlockingWait blockingWait;

    AddressableDevice(final DeviceMemory memory, final long base, final BlockingWait blockingWait)
    {
        this.memory = memory;
        this.base = base;
        this.blockingWait = blockingWait;
    }

    @Override
    public void put(final long offset, final long source, final long length)
    {
        blockingWait.checkFailure();
        memory.copy(source, base + offset, length);
    }

    @Override
    public void get(final long offset, final long dest, final long length)
    {
        blockingWait.checkFailure();
        memory.copy(base + offset, dest, length);
    }

    @Override
    public void putElement(final long offset, final int width, final long value)
    {
        blockingWait.checkFailure();
        memory.putElement(base + offset, width, value);
    }

    @Override
    public long getElement(final long offset, final int width)
    {
        blockingWait.checkFailure();
        return memory.getElement(base + offset, width);
    }

    @Override
    public void signal(final long offset, final long value, final int signalOperation)
    {
        blockingWait.checkFailure();
        memory.signal(base + offset, value, signalOperation);
    }

    @Override
    public long fetchAtomic(final long offset, final int width, final int op, final long value, final long cond)
    {
        blockingWait.checkFailure();
        return memory.fetchAtomic(base + offset, width, op, value, cond);
    }

    @Override
    public String toString()
    {
        return "AddressableDevice{base=0x" + Long.toHexString(base) + "}";
    }
}
