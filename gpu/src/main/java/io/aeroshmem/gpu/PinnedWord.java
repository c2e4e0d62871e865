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

import org.agrona.UnsafeApi;

/** A word of {@link PinnedMemory} by which threads of the host and the device notify each other; 0 at first. */
final class PinnedWord implements AutoCloseable
{
    private final PinnedMemory memory;
    private final long address;
    private final long deviceAddress;

    PinnedWord(final CudaDevice device)
    {
        memory = device.pinned();
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            address = memory.acquireWord();
            deviceAddress = memory.deviceAddress(address);
        }

        UnsafeApi.putLongVolatile(null, address, 0);
    }

    /** Returns the address by which the device reaches the word. */
    long deviceAddress()
    {
        return deviceAddress;
    }

    /** The acquire pairs with the store of the device, or of {@link #set}. */
    long get()
    {
        return UnsafeApi.getLongAcquire(null, address);
    }

    void set(final long value)
    {
        UnsafeApi.putLongRelease(null, address, value);
    }

    /** Ends the use; nothing on the device uses the word any more. */
    @Override
    public void close()
    {
        memory.releaseWord(address);
    }
}
