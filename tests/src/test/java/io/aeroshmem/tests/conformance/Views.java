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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.AtomicBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Local and remote views for loads and stores.
 */
final class Views
{
    private Views()
    {
    }

    static void shouldShowTheSameBytesInEveryLocalView(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.shmem().malloc(1000);
        buffer.putLong(16, 0x1122_3344_5566_7788L);
        assertEquals(0x1122_3344_5566_7788L, buffer.local().getLong(16));
        assertEquals(1000, buffer.local().capacity());
        final ByteBuffer bytes = buffer.byteBuffer();
        assertEquals(ByteOrder.nativeOrder(), bytes.order());
        assertEquals(1000, bytes.remaining());
        assertEquals(0x1122_3344_5566_7788L, bytes.getLong(16));
        final AtomicBuffer view = buffer.view(10, 20);
        assertEquals(20, view.capacity());
        view.putShort(6, (short)0x99);
        assertEquals((short)0x99, buffer.getShort(16));
        buffer.putByte(999, (byte)1);
        buffer.putInt(996, 77);
        buffer.putFloat(992, 2.5f);
        buffer.putDouble(984, -7.25);
        assertEquals(77, buffer.local().getInt(996));
        assertEquals(2.5f, buffer.getFloat(992));
        assertEquals(-7.25, buffer.getDouble(984));
        final SymmetricBuffer slice = buffer.slice(980, 20);
        assertEquals(-7.25, slice.local().getDouble(4));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.getLong(993));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(-1, (byte)0));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.view(990, 11));
        pe.shmem().free(buffer);
        assertThrows(IllegalStateException.class, () -> buffer.getLong(0));
        assertThrows(IllegalStateException.class, buffer::local);
    }

    private static boolean isMapped(final Pe pe, final int other)
    {
        return TransportKind.MAPPED == pe.transport() ||
            TransportKind.AUTO == pe.transport() && pe.shmem().world().translatePe(other, pe.shmem().node()) >= 0;
    }

    static void shouldStoreThroughPointersWherePeersAreMapped(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(pe.n(), 8);
        for (int other = 0; other < pe.n(); other++)
        {
            assertTrue(pe.shmem().peAccessible(other));
            final AtomicBuffer pointer = pe.shmem().ptr(words, other);
            assertEquals(other == pe.me() || isMapped(pe, other), null != pointer,
                "a PE that is reached by messages has no pointer");
            if (null == pointer)
            {
                pe.ctx().putLong(words, 8L * pe.me(), 1 + pe.me(), other);
            }
            else
            {
                assertEquals(words.length(), pointer.capacity());
                pointer.putLongRelease(8 * pe.me(), 1 + pe.me());
            }

            final AtomicBuffer part = pe.shmem().ptr(words.slice(8L * pe.me(), 8), other);
            assertEquals(null == pointer, null == part);
        }

        assertFalse(pe.shmem().peAccessible(pe.n()));
        assertFalse(pe.shmem().peAccessible(-1));
        pe.shmem().barrierAll();
        for (int other = 0; other < pe.n(); other++)
        {
            assertEquals(1 + other, words.getLong(8L * other));
        }

        pe.shmem().free(words);
    }
}
