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

import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
@Timeout(60)
class RetainedCellTest
{
    private static final int WRITES = 6;
    private static final long RACE_NS = TimeUnit.MILLISECONDS.toNanos(150);

    /** What one instruction, or a copy of many, stores. */
    private record Store(int at, byte[] bytes)
    {
    }

    /** A write that is cut short anywhere, a copy in it after any of its words, leaves the record of it or before. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 24, 100})
    void shouldReadAWholeRecordWhereverAWriteIsCutShort(final int length)
    {
        final SplittableRandom random = new SplittableRandom(length);
        final UnsafeBuffer memory = memory(length);
        final byte[] first = new byte[length];
        assertEquals(0, read(memory, first));
        byte[] last = first;
        for (int number = 1; number <= WRITES; number++)
        {
            final byte[] next = new byte[length];
            random.nextBytes(next);
            final byte[] before = bytes(memory);
            final List<Store> stores = new ArrayList<>();
            assertEquals(number, RetainedCell.write(recorder(memory, stores), new UnsafeBuffer(next), 0, length));
            assertEquals(2, stores.size());
            for (int cut = 0; cut <= stores.size(); cut++)
            {
                for (int repeat = 0; repeat < 20; repeat++)
                {
                    final UnsafeBuffer torn = new UnsafeBuffer(ByteBuffer.allocateDirect(memory.capacity()));
                    torn.putBytes(0, before);
                    for (int i = 0; i < cut; i++)
                    {
                        torn.putBytes(stores.get(i).at, stores.get(i).bytes);
                    }

                    if (cut < stores.size() - 1)
                    {
                        storeSomeWords(torn, stores.get(cut), random);
                    }

                    final byte[] found = new byte[length];
                    final boolean isWritten = cut == stores.size();
                    assertEquals(isWritten ? number : number - 1, read(torn, found));
                    assertEquals(hex(isWritten ? next : last), hex(found), "cut at " + cut);

                    // the generation that finds it goes on
                    RetainedCell.write(torn, new UnsafeBuffer(next), 0, length);
                    assertEquals(isWritten ? number + 1 : number, read(torn, found));
                    assertEquals(hex(next), hex(found));
                }
            }

            last = next;
        }
    }

    private static void storeSomeWords(final UnsafeBuffer memory, final Store store, final SplittableRandom random)
    {
        for (int i = 0; i < store.bytes.length; i += Long.BYTES)
        {
            if (random.nextBoolean())
            {
                memory.putBytes(store.at + i, store.bytes, i, Math.min(Long.BYTES, store.bytes.length - i));
            }
        }
    }

    /** Returns memory that records what is stored in it. */
    private static AtomicBuffer recorder(final UnsafeBuffer memory, final List<Store> stores)
    {
        return (AtomicBuffer)Proxy.newProxyInstance(
            RetainedCellTest.class.getClassLoader(),
            new Class<?>[]{AtomicBuffer.class},
            (proxy, method, arguments) ->
            {
                switch (method.getName())
                {
                    case "putBytes" ->
                    {
                        final byte[] bytes = new byte[(int)arguments[3]];
                        ((DirectBuffer)arguments[1]).getBytes((int)arguments[2], bytes);
                        stores.add(new Store((int)arguments[0], bytes));
                    }
                    case "putLongRelease" ->
                    {
                        final UnsafeBuffer word = new UnsafeBuffer(new byte[Long.BYTES]);
                        word.putLong(0, (long)arguments[1]);
                        stores.add(new Store((int)arguments[0], word.byteArray()));
                    }
                    default -> assertTrue(method.getName().startsWith("get"), method::toString);
                }

                return method.invoke(memory, arguments);
            });
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 1 << 12, 3 << 20})
    void shouldReadAWholeRecordWhileAnotherThreadWrites(final int length) throws Exception
    {
        final UnsafeBuffer memory = memory(length);
        final AtomicBoolean isOver = new AtomicBoolean();
        final Thread writer = new Thread(() ->
        {
            final UnsafeBuffer record = new UnsafeBuffer(new byte[length]);
            while (!isOver.get())
            {
                record.setMemory(0, length, (byte)(record.getByte(0) + 1));
                RetainedCell.write(memory, record, 0, length);
                // so that a reader gets its turn
                Thread.yield();
            }
        });
        final AtomicReference<String> torn = new AtomicReference<>();
        final Thread reader = new Thread(() ->
        {
            final byte[] record = new byte[length];
            long last = 0;
            while (!isOver.get())
            {
                final long number = read(memory, record);
                final byte value = record[0];
                for (int i = 0; i < length; i++)
                {
                    if (value != record[i] || value != (byte)number || number < last)
                    {
                        torn.set("write " + number + " after " + last + " has " + record[i] + " at " + i);
                    }
                }

                last = number;
            }
        });
        writer.start();
        reader.start();
        Thread.sleep(TimeUnit.NANOSECONDS.toMillis(RACE_NS));
        while (0 == memory.getLongVolatile(0))
        {
            Thread.onSpinWait();
        }

        isOver.set(true);
        writer.join();
        reader.join();
        assertNull(torn.get());
    }

    /** The last whole record of the generation before, of each PE; and new ones. */
    @Test
    void shouldFindTheRecordOfTheGenerationBefore() throws Exception
    {
        Shmem.runLocal(2, LocalJobs.config().recovery(Recovery.RESTART), (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.retain("cells", 16 + RetainedCell.requiredBytes(12));
            final RetainedCell cell = new RetainedCell(buffer, 16, 12);
            final UnsafeBuffer record = new UnsafeBuffer(new byte[20]);
            final int generation = shmem.generation().number();
            assertEquals(3L * generation, cell.epoch());
            assertEquals(cell.epoch(), cell.read(record, 8));
            assertEquals(generation > 0 ? 100 * shmem.myPe() + 3 : 0, record.getLong(8));
            for (int i = 1; i <= 3; i++)
            {
                record.putLong(8, 100 * shmem.myPe() + i);
                assertEquals(3L * generation + i, cell.write(record, 8));
            }

            shmem.barrierAll();
            if (0 == generation)
            {
                throw new IllegalStateException("a bad day");
            }
        });
    }

    @Test
    void shouldRejectWhatItCannotUse() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(1, 64);
            final UnsafeBuffer record = new UnsafeBuffer(new byte[8]);
            assertThrows(IllegalArgumentException.class, () -> new RetainedCell(null, 0, 8));
            assertThrows(IllegalArgumentException.class, () -> new RetainedCell(buffer, 4, 8));
            assertThrows(IllegalArgumentException.class, () -> new RetainedCell(buffer, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> RetainedCell.requiredBytes(1 << 30));
            assertThrows(IndexOutOfBoundsException.class, () -> new RetainedCell(buffer, 48, 8));
            final RetainedCell cell = new RetainedCell(buffer, 40, 8);
            assertEquals(8, cell.length());
            assertThrows(IllegalArgumentException.class, () -> cell.write(null, 0));
            assertThrows(IllegalArgumentException.class, () -> cell.read(null, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> cell.write(record, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> cell.read(record, 1));
            assertEquals(0, cell.epoch());
            shmem.free(buffer);
            assertThrows(IllegalStateException.class, () -> cell.write(record, 0));
            assertThrows(IllegalStateException.class, () -> cell.read(record, 0));
            assertThrows(IllegalStateException.class, cell::epoch);
        });
    }

    private static long read(final AtomicBuffer memory, final byte[] record)
    {
        return RetainedCell.read(memory, new UnsafeBuffer(record), 0, record.length);
    }

    private static UnsafeBuffer memory(final int length)
    {
        return new UnsafeBuffer(ByteBuffer.allocateDirect((int)RetainedCell.requiredBytes(length)));
    }

    private static byte[] bytes(final UnsafeBuffer memory)
    {
        final byte[] bytes = new byte[memory.capacity()];
        memory.getBytes(0, bytes);
        return bytes;
    }

    private static String hex(final byte[] bytes)
    {
        return HexFormat.of().formatHex(bytes);
    }
}
