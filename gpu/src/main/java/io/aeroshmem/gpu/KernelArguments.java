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

import io.aeroshmem.transport.PerThread;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.nio.ByteBuffer;

/**
 * The parameters of a kernel launch, in the form that CUDA reads: an array of addresses of values. All parameters of
 * the library's kernels are 64-bit integers.
 * <p>
 * CUDA copies the values during the launch. So a thread has one object of this class, and reuses it for all its
 * launches.
 */
final class KernelArguments
{
    private static final int MAX_ARGUMENTS = 12;

    private static final PerThread<KernelArguments> OF_THREAD = new PerThread<>(KernelArguments::new);

    /** Addresses of the values, then the values. */
    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(2 * MAX_ARGUMENTS * Long.BYTES, Long.BYTES);
    private final long address = BufferUtil.address(memory);
    private final long values = address + MAX_ARGUMENTS * Long.BYTES;
    private int count;

    private KernelArguments()
    {
        for (int i = 0; i < MAX_ARGUMENTS; i++)
        {
            UnsafeApi.putLong(address + i * Long.BYTES, values + i * Long.BYTES);
        }
    }

    /** Returns the thread's arguments, of which there are none yet. */
    static KernelArguments begin()
    {
        final KernelArguments arguments = OF_THREAD.get();
        arguments.count = 0;
        return arguments;
    }

    KernelArguments add(final long value)
    {
        if (count >= MAX_ARGUMENTS)
        {
            throw new IllegalStateException("a kernel has at most " + MAX_ARGUMENTS + " parameters");
        }

        UnsafeApi.putLong(values + count * Long.BYTES, value);
        count++;
        return this;
    }

    /** Returns the address of the array. */
    long address()
    {
        return address;
    }
}
