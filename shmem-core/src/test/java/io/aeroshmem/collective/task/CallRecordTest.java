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
package io.aeroshmem.collective.task;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.transport.Region;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CallRecordTest
{
    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(20 * CallRecord.LENGTH, 64);
    private final long records = BufferUtil.address(memory);

    @Test
    void shouldDescribeEveryKindOfCall()
    {
        put(0, head(Routine.BARRIER, null, null, 0));
        assertEquals("barrier()", describe());
        put(0, head(Routine.BROADCAST, ElementType.INT, null, 3), 10, 64, 128);
        assertEquals("broadcast(INT, dest at 64, source at 128, 10 elements, root 3)", describe());
        put(0, head(Routine.BROADCAST, ElementType.INT, null, -1), 10, 64, 128);
        assertEquals("broadcast(INT, dest at 64, source at 128, 10 elements, root -1)", describe());
        put(0, head(Routine.REDUCE, ElementType.DOUBLE, ReduceOp.MAX, 0), 1, -1, -1);
        assertEquals("reduce(MAX, DOUBLE, 1 element)", describe());
        put(0, head(Routine.COLLECT, ElementType.BYTE, null, 0), CallRecord.ANY_COUNT, 0, 8);
        assertEquals("collect(BYTE, dest at 0, source at 8)", describe());
        put(0, head(Routine.ALLTOALLS, null, null, 0), 2, 0, 8, 3, 4);
        assertEquals("alltoalls(no type, dest at 0, source at 8, strides 3 and 4, 2 elements)", describe());
        put(0, CallRecord.head(CallRecord.SPLIT_STRIDED, 0, null, null, 0), 5L << 32 | -2 & 0xFFFF_FFFFL, 3);
        assertEquals("splitStrided(start 5, stride -2, size 3)", describe());
        put(0, CallRecord.head(CallRecord.SPLIT_STRIDED, 0, null, null, 0), -1L << 32 | 2, -3);
        assertEquals("splitStrided(start -1, stride 2, size -3)", describe());
        put(0, CallRecord.head(CallRecord.SPLIT_2D, 0, null, null, 0), -7);
        assertEquals("split2d(xRange -7)", describe());
        put(0, CallRecord.head(CallRecord.DUPLICATE, 0, null, null, 0));
        assertEquals("duplicate()", describe());
        put(0, 200);
        assertEquals("call 200", describe());
    }

    @Test
    void shouldCompareAllArgumentsOfACollectiveAndNotItsStatus()
    {
        final long head = head(Routine.REDUCE, ElementType.LONG, ReduceOp.SUM, 0);
        put(0, head, 1, 2, 3, 4, 5);
        put(1, CallRecord.head(
            Routine.REDUCE.ordinal(), CallRecord.REJECTED, ElementType.LONG, ReduceOp.SUM, 0), 1, 2, 3, 4, 5);
        assertTrue(CallRecord.isSameCallOnAll(records, 2));
        assertEquals(CallRecord.REJECTED, CallRecord.status(records + CallRecord.LENGTH));
        for (int word = 0; word < 5; word++)
        {
            put(1, head, 1, 2, 3, 4, 5);
            UnsafeApi.putLong(null, records + CallRecord.LENGTH + 8 + 8 * word, 9);
            assertFalse(CallRecord.isSameCallOnAll(records, 2));
        }

        put(1, head(Routine.REDUCE, ElementType.LONG, ReduceOp.MAX, 0), 1, 2, 3, 4, 5);
        assertFalse(CallRecord.isSameCallOnAll(records, 2));
        put(1, head(Routine.REDUCE, ElementType.INT, ReduceOp.SUM, 0), 1, 2, 3, 4, 5);
        assertFalse(CallRecord.isSameCallOnAll(records, 2));
        put(1, head(Routine.INCLUSIVE_SCAN, ElementType.LONG, ReduceOp.SUM, 0), 1, 2, 3, 4, 5);
        assertFalse(CallRecord.isSameCallOnAll(records, 2));
        put(1, head(Routine.REDUCE, ElementType.LONG, ReduceOp.SUM, 1), 1, 2, 3, 4, 5);
        assertFalse(CallRecord.isSameCallOnAll(records, 2));
    }

    @Test
    void shouldCompareAddressesAmongMembersWithMemoryOfOneKind()
    {
        final long head = head(Routine.REDUCE, ElementType.LONG, ReduceOp.SUM, 0);
        final long onDevice = CallRecord.address(Region.DEVICE, 64);
        put(0, head, 1, 64, onDevice);
        put(1, head, 1, onDevice, 128);
        put(2, head, 1, 64, 128);
        assertTrue(CallRecord.isSameCallOnAll(records, 3));
        put(2, head, 1, 72, 128);
        assertFalse(CallRecord.isSameCallOnAll(records, 3));
        put(2, head, 1, onDevice + 8, 128);
        assertFalse(CallRecord.isSameCallOnAll(records, 3));
        put(2, head, 1, onDevice, 136);
        assertFalse(CallRecord.isSameCallOnAll(records, 3));
        put(2, head, 2, 64, 128);
        assertFalse(CallRecord.isSameCallOnAll(records, 3));
        put(0, head, 1, onDevice, 8);
        assertEquals("reduce(SUM, LONG, dest at 64 of device memory, source at 8, 1 element)", describe());
    }

    @Test
    void shouldNotCompareAreasAndConfigurationsOfNewTeams()
    {
        final long head = CallRecord.head(CallRecord.SPLIT_2D, 0, null, null, 0);
        put(0, head, 1, 0, 3, 4, 5, 6, 7);
        put(1, head, 1, 0, 13, 14, 15, 16, 17);
        assertTrue(CallRecord.isCreation(records));
        assertTrue(CallRecord.isSameCallOnAll(records, 2));
        put(1, head, 2, 0, 3, 4, 5, 6, 7);
        assertFalse(CallRecord.isSameCallOnAll(records, 2));
    }

    @Test
    void shouldGroupThoseThatCalledAlike()
    {
        final int[] worldPes = new int[12];
        for (int i = 0; i < 12; i++)
        {
            worldPes[i] = 20 - i;
            put(i, head(2 == i ? Routine.SYNC : Routine.BARRIER, null, null, 0));
        }

        assertEquals(
            "PEs 9-17, 19, 20 called barrier(); PE 18 called sync()",
            CallRecord.describeAll(records, worldPes));

        put(3, CallRecord.head(Routine.BARRIER.ordinal(), CallRecord.REJECTED, null, null, 0));
        assertEquals(
            "PEs 9-16, 19, 20 called barrier(); PE 18 called sync(); PE 17 called barrier() and rejected its arguments",
            CallRecord.describeAll(records, worldPes));

        for (int i = 0; i < 12; i++)
        {
            put(i, head(Routine.BROADCAST, ElementType.INT, null, i), 1, 0, 0);
        }

        final String text = CallRecord.describeAll(records, worldPes);
        assertTrue(text.endsWith("root 7); and 4 other calls"), text);
    }

    private String describe()
    {
        return CallRecord.describe(records);
    }

    private static long head(final Routine routine, final ElementType type, final ReduceOp op, final int root)
    {
        return CallRecord.head(routine.ordinal(), CallRecord.OK, type, op, root);
    }

    private void put(final int index, final long... words)
    {
        final long record = records + (long)index * CallRecord.LENGTH;
        UnsafeApi.setMemory(null, record, CallRecord.LENGTH, (byte)0);
        for (int i = 0; i < words.length; i++)
        {
            UnsafeApi.putLong(null, record + 8L * i, words[i]);
        }
    }
}
