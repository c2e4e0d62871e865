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
 * The name of a buffer argument in exception messages, with the names of the arguments that select a range of the
 * buffer. Fast paths pass constants of this type as arguments; they are read only when a check has failed.
 */
public enum Operand
{
    /** Destination of one element. */
    DEST("dest", "offset", null),

    /** Source of one element. */
    SOURCE("source", "offset", null),

    /** Destination of a block. */
    DEST_BLOCK("dest", "destOffset", "length"),

    /** Source of a block. */
    SOURCE_BLOCK("source", "sourceOffset", "length"),

    /** Destination of a strided transfer, whose length follows from strides and counts. */
    DEST_STRIDED("dest", "destOffset", null),

    /** Source of a strided transfer, whose length follows from strides and counts. */
    SOURCE_STRIDED("source", "sourceOffset", null),

    /** Destination of a collective, which has no offset. */
    COLLECTIVE_DEST("dest", null, null),

    /** Source of a collective, which has no offset. */
    COLLECTIVE_SOURCE("source", null, null),

    /** Where a nonblocking atomic operation stores what it fetched. */
    FETCH("fetch", "fetchOffset", null),

    /** A signal. */
    SIGNAL("signal", "offset", null),

    /** The signal of a put. */
    PUT_SIGNAL("signal", "signalOffset", null),

    /** A variable of a point-to-point wait. */
    IVAR("ivar", "offset", null),

    /** Variables of a point-to-point wait, whose length follows from their number. */
    IVARS("ivars", "offset", null),

    /** A lock. */
    LOCK("lock", "offset", null),

    /** What is freed or reallocated. */
    BUFFER("buffer", "offset", "length"),

    /** The buffer whose own method is called. */
    THIS(null, "offset", "length");

    private final String bufferName;
    private final String offsetName;
    private final String lengthName;

    Operand(final String bufferName, final String offsetName, final String lengthName)
    {
        this.bufferName = bufferName;
        this.offsetName = offsetName;
        this.lengthName = lengthName;
    }

    /** Returns the exception for a missing buffer. */
    public IllegalArgumentException isNull()
    {
        return new IllegalArgumentException(bufferName + " is null");
    }

    /** Returns the exception for a buffer of another PE or another job. */
    IllegalArgumentException foreign(final String description, final Object owner)
    {
        return new IllegalArgumentException(
            bufferName + " must be a buffer of " + owner + ": " + bufferName + " is a " + description);
    }

    /** Describes the buffer, such as "dest, a buffer of 64 bytes at 128 of the symmetric heap of PE 1,". */
    public String given(final String description)
    {
        return null == bufferName ? "the " + description : bufferName + ", a " + description + ",";
    }

    /** Returns the exception for elements that an array of {@code length} does not have. */
    public IndexOutOfBoundsException outOfBounds(final int length, final int from, final int n)
    {
        return new IndexOutOfBoundsException("from and n must be >= 0 and from + n <= " + length + ": from=" + from +
            ", n=" + n + ", " + bufferName + " is an array of " + length + " elements");
    }

    /** Returns the exception for a range that does not lie within the buffer of {@code limit} bytes. */
    public IndexOutOfBoundsException outOfBounds(
        final String description, final long limit, final long offset, final long length)
    {
        final String bufferText = (null == bufferName ? "it is a " : bufferName + " is a ") + description;
        if (null == offsetName)
        {
            return new IndexOutOfBoundsException(bufferName + " must have >= " + length + " bytes: " + bufferText);
        }

        if (null == lengthName)
        {
            return new IndexOutOfBoundsException(
                offsetName + " must be >= 0 and " + offsetName + " + " + length + " bytes <= " + limit + ": " +
                offsetName + "=" + offset + ", " + bufferText);
        }

        return new IndexOutOfBoundsException(
            offsetName + " and " + lengthName + " must be >= 0 and " + offsetName + " + " + lengthName + " <= " +
            limit + ": " + offsetName + "=" + offset + ", " + lengthName + "=" + length + ", " + bufferText);
    }

    /** Returns the exception for an address that is not aligned. */
    IllegalArgumentException misaligned(
        final String description, final long offset, final long address, final int alignment)
    {
        return new IllegalArgumentException(
            "the address in " + bufferName + " must be a multiple of " + alignment + ": " + address +
            (null == offsetName ? "" : ", " + offsetName + "=" + offset) + ", " + bufferName + " is a " + description);
    }
}
