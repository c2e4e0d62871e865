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

import java.util.Locale;

/** What the views of a buffer as elements have in common, whatever their type. */
abstract class SymmetricElements
{
    final SymmetricBuffer buffer;
    /** Of an index, to an offset in bytes. */
    private final int shift;

    SymmetricElements(final SymmetricBuffer buffer, final int elementBytes)
    {
        this.buffer = buffer;
        shift = Integer.numberOfTrailingZeros(elementBytes);
    }

    /**
     * Returns the buffer of the view, for calls of a context.
     *
     * @return the buffer.
     */
    public SymmetricBuffer buffer()
    {
        return buffer;
    }

    /**
     * Returns the number of elements.
     *
     * @return the length of the buffer in whole elements.
     */
    public long length()
    {
        return HeapAccess.length(buffer) >> shift;
    }

    /**
     * Returns the offset of an element in the buffer, the same on all PEs. Not checked against the length.
     *
     * @param index of the element.
     * @return in bytes.
     */
    public long offset(final long index)
    {
        return index << shift;
    }

    /**
     * Describes the view.
     *
     * @return its length and buffer.
     */
    @Override
    public String toString()
    {
        final String name = getClass().getSimpleName().substring("Symmetric".length()).toLowerCase(Locale.ROOT);
        return length() + " " + name + " of a " + buffer;
    }
}
