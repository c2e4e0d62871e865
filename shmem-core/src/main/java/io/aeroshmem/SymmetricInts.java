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

import io.aeroshmem.memory.HeapAccess;
import org.agrona.UnsafeApi;

/**
 * A view of a {@link SymmetricBuffer} as {@code int} elements. Accesses are plain, and go to this PE's own memory. They
 * are checked like accesses to the buffer. {@link #offset} converts the index of an element to the offset in bytes that
 * the methods of a {@link CommunicationContext} take. If {@link SymmetricBuffer#reslice} moves a slice, the views of
 * the slice move with it. Any thread may use a view.
 */
public final class SymmetricInts extends SymmetricElements
{
    SymmetricInts(final SymmetricBuffer buffer)
    {
        super(buffer, Integer.BYTES);
    }

    /**
     * Reads an element of this PE's own memory, plainly.
     *
     * @param index of the element, from 0 to {@link #length()} - 1.
     * @return the value.
     * @throws IndexOutOfBoundsException if there is no such element.
     */
    public int get(final long index)
    {
        return UnsafeApi.getInt(HeapAccess.elementAddress(buffer, index, Integer.BYTES));
    }

    /**
     * Writes an element of this PE's own memory, plainly.
     *
     * @param index of the element, from 0 to {@link #length()} - 1.
     * @param value to write.
     * @throws IndexOutOfBoundsException if there is no such element.
     */
    public void put(final long index, final int value)
    {
        UnsafeApi.putInt(HeapAccess.elementAddress(buffer, index, Integer.BYTES), value);
    }

    /**
     * Fills this PE's own memory with a value, plainly.
     *
     * @param value of every element.
     */
    public void fill(final int value)
    {
        final long length = length();
        for (long i = 0; i < length; i++)
        {
            put(i, value);
        }
    }
}
