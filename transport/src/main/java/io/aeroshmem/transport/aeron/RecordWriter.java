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

import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * Encodes the records that application threads submit, at an index of the submission ring or of the open frame of an
 * {@link Outbox}.
 */
final class RecordWriter
{
    private RecordWriter()
    {
    }

    /** Writes an element or an atomic, see {@link RecordDescriptor#isAtomic}. */
    static void update(
        final MutableDirectBuffer buffer, final int index, final long kind, final long offset, final long value)
    {
        buffer.putLong(index, isAtomic(kind) ? ATOMIC_HEADER : ELEMENT_HEADER);
        buffer.putLong(index + UPDATE_ADDRESS, offset);
        buffer.putLong(index + UPDATE_VALUE, value);
        buffer.putLong(index + UPDATE_KIND, kind);
    }

    static void signal(
        final MutableDirectBuffer buffer,
        final int index,
        final int region,
        final long offset,
        final long value,
        final int operation)
    {
        buffer.putLong(index, SIGNAL_HEADER);
        buffer.putLong(index + SIGNAL_ADDRESS, offset);
        buffer.putLong(index + SIGNAL_VALUE, value);
        buffer.putInt(index + SIGNAL_REGION, region);
        buffer.putInt(index + SIGNAL_OPERATION, operation);
    }

    static void fetchAtomic(
        final MutableDirectBuffer buffer,
        final int index,
        final int operation,
        final int width,
        final int region,
        final long offset,
        final long value,
        final long condition,
        final int slot,
        final int generation)
    {
        buffer.putLong(index, FETCH_HEADER);
        buffer.putLong(index + FETCH_ADDRESS, offset);
        buffer.putLong(index + FETCH_VALUE, value);
        buffer.putLong(index + FETCH_CONDITION, condition);
        buffer.putInt(index + FETCH_REGION, region);
        buffer.putShort(index + FETCH_OPERATION, (short)operation);
        buffer.putShort(index + FETCH_WIDTH, (short)width);
        buffer.putInt(index + FETCH_SLOT, slot);
        buffer.putInt(index + FETCH_GENERATION, generation);
    }

    static void get(
        final MutableDirectBuffer buffer,
        final int index,
        final int region,
        final long offset,
        final long length,
        final int slot,
        final int generation)
    {
        buffer.putLong(index, GET_HEADER);
        buffer.putLong(index + GET_ADDRESS, offset);
        buffer.putLong(index + GET_DATA_LENGTH, length);
        buffer.putInt(index + GET_REGION, region);
        buffer.putInt(index + GET_SLOT, slot);
        buffer.putInt(index + GET_GENERATION, generation);
    }

    static void putHead(
        final MutableDirectBuffer buffer, final int index, final int region, final long offset, final int length)
    {
        buffer.putLong(index, PUT_HEADER);
        buffer.putLong(index + PUT_ADDRESS, offset);
        buffer.putInt(index + PUT_REGION, region);
        buffer.putInt(index + PUT_DATA_LENGTH, length);
    }

    static void put(
        final MutableDirectBuffer buffer,
        final int index,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final int length)
    {
        putHead(buffer, index, region, offset, length);
        UnsafeApi.copyMemory(
            sourceBase, sourceAddress, null, buffer.addressOffset() + index + PUT_DATA, length);
    }
}
