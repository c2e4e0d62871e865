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
package io.aeroshmem.gpu;

import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.DeviceApi.Way;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Waits and tests called by kernels, of every type, and waits that the host of another PE ends. */
@Tag("kernels")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceWaitsTest
{
    private static final String KERNELS = "device_api_kernels";
    private static final List<String> TYPES = List.of(
        "int", "long", "longlong", "uint", "ulong", "ulonglong", "int32", "int64", "uint32", "uint64", "size",
        "ptrdiff", "short", "ushort");
    private static final int COUNT = 5;
    private static final int SLOT = 256;
    private static final int VALUES = 64;
    private static final int STATUS = 128;
    private static final int INDICES = 160;
    private static final int RESULT = 208;

    private enum Routine
    {
        WAIT_UNTIL, WAIT_UNTIL_ALL, WAIT_UNTIL_ANY, WAIT_UNTIL_SOME, WAIT_UNTIL_ALL_VECTOR, WAIT_UNTIL_ANY_VECTOR,
        WAIT_UNTIL_SOME_VECTOR, TEST, TEST_ALL, TEST_ANY, TEST_SOME, TEST_ALL_VECTOR, TEST_ANY_VECTOR,
        TEST_SOME_VECTOR;

        boolean isWait()
        {
            return name().startsWith("WAIT");
        }

        boolean isVector()
        {
            return name().endsWith("VECTOR");
        }

        boolean is(final String kind)
        {
            return name().contains(kind);
        }
    }

    /** Words around the border of the signs, so that a comparison of the wrong sign is found. */
    private static final class Case
    {
        private final int number;
        private final Routine routine;
        private final int type;
        private final int comparison;
        private final long[] words = new long[COUNT];
        private final long[] values = new long[COUNT];
        private final boolean[] isIncluded = new boolean[COUNT];

        private Case(final int number, final Routine routine, final String name)
        {
            this.number = number;
            this.routine = routine;
            type = Arrays.asList(DeviceApi.TYPES).indexOf(name);
            comparison = number % 6;
            final boolean isUnsigned = name.startsWith("u") || "size".equals(name);
            final long base = isUnsigned ? 1L << 8 * DeviceApi.BYTES[type] - 1 : 0;
            for (int i = 0; i < COUNT; i++)
            {
                words[i] = base - 2 + i;
                values[i] = base - 2 + (routine.isVector() ? (number + 2 * i) % COUNT : number % COUNT);
                isIncluded[i] = true;
            }

            if (!routine.is("ALL") && !routine.is("ANY") && !routine.is("SOME"))
            {
                values[0] = words[0] + new long[]{0, 1, -1, 0, 1, 0}[comparison];
            }
            else if (Routine.WAIT_UNTIL_ALL == routine || Routine.WAIT_UNTIL_ALL_VECTOR == routine)
            {
                for (int i = 0; i < COUNT; i++)
                {
                    isIncluded[i] = holds(i);
                }
            }
            else
            {
                isIncluded[number % COUNT] = false;
                for (int i = 0; routine.isWait() && found() == 0; i++)
                {
                    final int at = (number + 1 + i) % COUNT;
                    words[at] += new long[]{values[at] - words[at], 3, 9, 9, -2, -9}[comparison];
                }
            }
        }

        private long value(final int i)
        {
            return values[routine.isVector() ? i : 0];
        }

        private boolean holds(final int i)
        {
            final int order = 8 == DeviceApi.BYTES[type] && words[i] < 0 == value(i) < 0 ?
                Long.compare(words[i], value(i)) : compareNarrow(words[i], value(i));
            switch (comparison)
            {
                case 0:
                    return order == 0;

                case 1:
                    return order != 0;

                case 2:
                    return order > 0;

                case 3:
                    return order >= 0;

                case 4:
                    return order < 0;

                default:
                    return order <= 0;
            }
        }

        private int compareNarrow(final long a, final long b)
        {
            final String name = DeviceApi.TYPES[type];
            return name.startsWith("u") || "size".equals(name) ? Long.compareUnsigned(a, b) : Long.compare(a, b);
        }

        private int found()
        {
            int found = 0;
            for (int i = 0; i < COUNT; i++)
            {
                found += isIncluded[i] && holds(i) ? 1 : 0;
            }

            return found;
        }

        private byte[] slot()
        {
            final ByteBuffer slot = ByteBuffer.allocate(SLOT).order(ByteOrder.nativeOrder());
            for (int i = 0; i < COUNT; i++)
            {
                put(slot, 0, i, words[i]);
                put(slot, VALUES, i, values[i]);
                slot.putInt(STATUS + 4 * i, isIncluded[i] ? 0 : 1);
            }

            slot.putLong(RESULT, -77);
            return slot.array();
        }

        private void put(final ByteBuffer slot, final int array, final int i, final long value)
        {
            switch (DeviceApi.BYTES[type])
            {
                case 2:
                    slot.putShort(array + 2 * i, (short)value);
                    break;

                case 4:
                    slot.putInt(array + 4 * i, (int)value);
                    break;

                default:
                    slot.putLong(array + 8 * i, value);
                    break;
            }
        }

        private void check(final ByteBuffer slot)
        {
            final long returned = slot.getLong(RESULT);
            if (routine.is("ANY"))
            {
                assertTrue(0 == found() ?
                    -1 == returned :
                    returned >= 0 && returned < COUNT && isIncluded[(int)returned] && holds((int)returned),
                    this + " returned " + returned);
            }
            else if (routine.is("SOME"))
            {
                assertEquals(found(), returned, this::toString);
                for (int i = 0, at = 0; i < COUNT; i++)
                {
                    if (isIncluded[i] && holds(i))
                    {
                        assertEquals(i, slot.getLong(INDICES + 8 * at), this::toString);
                        at++;
                    }
                }
            }
            else if (routine.isWait())
            {
                assertEquals(0, returned, this::toString);
            }
            else
            {
                int included = 0;
                for (int i = 0; i < COUNT; i++)
                {
                    included += isIncluded[i] ? 1 : 0;
                }

                final boolean expected = Routine.TEST == routine ? holds(0) : included == found();
                assertEquals(expected ? 1 : 0, returned, this::toString);
            }
        }

        @Override
        public String toString()
        {
            return DeviceApi.TYPES[type] + " " + routine + " comparison " + comparison + " case " + number +
                " words " + Arrays.toString(words) + " values " + Arrays.toString(values);
        }
    }

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    private static void launch(
        final DeviceApi api, final Routine routine, final int type, final int comparison, final long slot,
        final long status)
    {
        api.launch("device_api_wait", 1, (long)routine.ordinal(), (long)type, slot, (long)COUNT, status, comparison,
            slot + VALUES, slot + INDICES, slot + RESULT);
    }

    @Test
    void shouldCompareWordsOfEveryType() throws Exception
    {
        final int cases = 6 * TYPES.size() * Routine.values().length;
        DeviceApi.run(1, Way.ADDRESS, KERNELS, (api) ->
        {
            final SymmetricBuffer slots = api.calloc(true, (long)cases * SLOT);
            final Case[] all = new Case[cases];
            for (int i = 0; i < cases; i++)
            {
                all[i] = new Case(
                    i, Routine.values()[i / 6 % Routine.values().length], TYPES.get(i / 6 / Routine.values().length));
                api.write(slots, (long)i * SLOT, all[i].slot());
                final long at = api.address(slots) + (long)i * SLOT;
                launch(api, all[i].routine, all[i].type, all[i].comparison, at, at + STATUS);
            }

            api.synchronize();
            for (int i = 0; i < cases; i++)
            {
                all[i].check(
                    ByteBuffer.wrap(api.read(slots, (long)i * SLOT, SLOT)).order(ByteOrder.nativeOrder()));
            }
        });
    }

    @Test
    void shouldTreatEmptySetsAsTheHostDoes() throws Exception
    {
        DeviceApi.run(1, Way.ADDRESS, KERNELS, (api) ->
        {
            final SymmetricBuffer slots = api.calloc(true, (long)Routine.values().length * SLOT);
            for (final Routine routine : Routine.values())
            {
                final long at = api.address(slots) + (long)routine.ordinal() * SLOT;
                for (int i = 0; i < COUNT; i++)
                {
                    api.shmem.defaultContext().putInt(slots, (long)routine.ordinal() * SLOT + STATUS + 4 * i, 1, 0);
                }

                api.shmem.defaultContext().quiet();
                if (Routine.WAIT_UNTIL != routine && Routine.TEST != routine)
                {
                    launch(api, routine, 4, 1, at, at + STATUS);
                }
            }

            api.synchronize();
            for (final Routine routine : Routine.values())
            {
                final long returned = api.readLong(slots, (long)routine.ordinal() * SLOT + RESULT);
                assertEquals(
                    routine.is("ANY") ? -1 : routine.name().startsWith("TEST_ALL") ? 1 : 0, returned, routine::name);
            }
        });
    }

    @Test
    void shouldWakeWhenTheHostOfAnotherPePuts() throws Exception
    {
        DeviceApi.run(2, Way.ADDRESS, KERNELS, (api) ->
        {
            final SymmetricBuffer[] slots = {
                api.calloc(false, (long)Routine.TEST.ordinal() * SLOT),
                api.calloc(true, (long)Routine.TEST.ordinal() * SLOT)};
            for (final SymmetricBuffer slot : slots)
            {
                if (1 == api.me)
                {
                    for (int i = 0; i < Routine.TEST.ordinal(); i++)
                    {
                        // the words are 0, each value is 1: GE holds where PE 0 has put
                        for (int j = 0; j < COUNT; j++)
                        {
                            api.shmem.defaultContext().putLong(slot, (long)i * SLOT + VALUES + 8 * j, 1, 1);
                        }

                        api.shmem.defaultContext().quiet();
                        launch(api, Routine.values()[i], 4, 3, api.address(slot) + (long)i * SLOT, 0);
                    }

                    api.synchronize();
                    for (int i = 0; i < Routine.TEST.ordinal(); i++)
                    {
                        final Routine routine = Routine.values()[i];
                        final long returned = api.readLong(slot, (long)i * SLOT + RESULT);
                        final boolean isExpected = routine.is("ANY") ? returned >= 0 && returned < COUNT :
                            routine.is("SOME") ? returned > 0 && returned <= COUNT : 0 == returned;
                        assertTrue(isExpected, routine + " returned " + returned);
                    }
                }
                else
                {
                    for (int i = 0; i < Routine.TEST.ordinal(); i++)
                    {
                        for (int j = COUNT - 1; j >= 0; j--)
                        {
                            api.shmem.defaultContext().putLong(slot, (long)i * SLOT + 8 * j, 7, 1);
                            api.shmem.defaultContext().quiet();
                        }
                    }
                }

                api.shmem.barrierAll();
            }
        });
    }
}
