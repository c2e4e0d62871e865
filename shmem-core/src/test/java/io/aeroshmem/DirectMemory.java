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
package io.aeroshmem;

import io.aeroshmem.memory.LocalMemory;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory of this JVM in the place of a PE's segment.
 */
final class DirectMemory implements LocalMemory
{
    private final ByteBuffer buffer;

    DirectMemory(final int capacity)
    {
        buffer = BufferUtil.allocateDirectAligned(capacity, 64);
    }

    @Override
    public long address()
    {
        return BufferUtil.address(buffer);
    }

    @Override
    public long operandAddress()
    {
        return address();
    }

    @Override
    public void copy(final long fromOffset, final long toOffset, final long length)
    {
        UnsafeApi.copyMemory(address() + fromOffset, address() + toOffset, length);
    }

    @Override
    public void zero(final long offset, final long length)
    {
        UnsafeApi.setMemory(address() + offset, length, (byte)0);
    }

    @Override
    public AtomicBuffer view(final long offset, final int length)
    {
        return new UnsafeBuffer(buffer, (int)offset, length);
    }

    @Override
    public ByteBuffer byteBuffer(final long offset, final int length)
    {
        return buffer.slice((int)offset, length).order(ByteOrder.nativeOrder());
    }
}
