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

import io.aeroshmem.MemoryKind;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.DeviceReach;
import io.aeroshmem.tests.fixture.Pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Every routine, and those on device memory alone.
 */
public final class DeviceRoutines extends AllRoutines
{
    /** Whether peers are reached by address. */
    public static final String ADDRESSABLE = "aeroshmem.test.addressable";

    public DeviceRoutines()
    {
        add("device: paths", DeviceRoutines::shouldReachPeersAsTheJobSays);
        add("device: views", DeviceRoutines::shouldHaveNoLocalViews);
    }

    private static void shouldReachPeersAsTheJobSays(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.memory().malloc(MemoryKind.DEVICE, 64);
        for (int other = 0; other < pe.n(); other++)
        {
            final boolean isReachable = other == pe.me() || Boolean.getBoolean(ADDRESSABLE);
            final DeviceReach reach = pe.memory().gpu().reach(other);
            assertEquals(isReachable, DeviceReach.Way.ADDRESS == reach.way(), reach::toString);
            assertEquals(isReachable, 0 != pe.memory().gpu().address(buffer, other), "PE " + other);
            assertNull(pe.shmem().ptr(buffer, other));
        }

        pe.shmem().free(buffer);
    }

    private static void shouldHaveNoLocalViews(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.memory().calloc(MemoryKind.DEVICE, 8, 8);
        assertThrows(IllegalStateException.class, buffer::local);
        assertThrows(IllegalStateException.class, buffer::byteBuffer);
        assertThrows(IllegalStateException.class, () -> buffer.view(0, 8));
        assertThrows(IllegalStateException.class, () -> buffer.getByte(0));
        assertThrows(IllegalStateException.class, () -> buffer.putByte(0, (byte)1));
        assertThrows(IllegalStateException.class, () -> buffer.getShort(0));
        assertThrows(IllegalStateException.class, () -> buffer.putShort(0, (short)1));
        assertThrows(IllegalStateException.class, () -> buffer.getInt(0));
        assertThrows(IllegalStateException.class, () -> buffer.putInt(0, 1));
        assertThrows(IllegalStateException.class, () -> buffer.getLong(0));
        assertThrows(IllegalStateException.class, () -> buffer.putLong(0, 1));
        assertThrows(IllegalStateException.class, () -> buffer.getFloat(0));
        assertThrows(IllegalStateException.class, () -> buffer.putFloat(0, 1));
        assertThrows(IllegalStateException.class, () -> buffer.getDouble(0));
        assertThrows(IllegalStateException.class, () -> buffer.putDouble(0, 1));
        pe.shmem().barrierAll();
        pe.shmem().free(buffer);
    }
}
