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
package io.aeroshmem.memory;

/**
 * A range of bytes within an {@link Allocation}: the base class of {@code SymmetricBuffer}, with its state. The class
 * has no methods, so it adds nothing to the API of the buffer. The library's packages access the range through
 * {@link HeapAccess}.
 * <p>
 * A range over a whole allocation never changes. A slice can be moved within its window: the range that its parent
 * covered when the slice was made. One thread at a time may move a slice.
 */
public abstract class HeapRange
{
    final Allocation allocation;
    /** Offset of the window that a slice moves in. */
    final long windowAddress;
    /** Length of the window; {@link #WHOLE} if this is no slice. */
    final long windowLength;
    long address;
    long length;

    /** Window length of a range over a whole allocation. */
    static final long WHOLE = -1;

    /** Constructs the range over a whole allocation. */
    protected HeapRange(final Allocation allocation)
    {
        this.allocation = allocation;
        this.windowAddress = allocation.address;
        this.windowLength = WHOLE;
        this.address = allocation.address;
        this.length = allocation.length;
    }

    /** Constructs a slice, which can be moved within what its parent covers now. */
    protected HeapRange(final HeapRange parent, final long offset, final long length)
    {
        this.allocation = parent.allocation;
        this.windowAddress = parent.address;
        this.windowLength = parent.length;
        this.address = HeapAccess.address(parent, offset, length);
        this.length = length;
    }
}
