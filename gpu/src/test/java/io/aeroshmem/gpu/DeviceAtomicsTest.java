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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Atomic operations called by kernels, of every type, on words in device and in pinned host memory. */
@Tag("kernels")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceAtomicsTest
{
    private static final String KERNELS = "device_api_kernels";
    private static final List<String> BITWISE_TYPES =
        List.of("uint", "ulong", "ulonglong", "int32", "int64", "uint32", "uint64");
    private static final List<String> INTEGER_TYPES = List.of(
        "int", "long", "longlong", "uint", "ulong", "ulonglong", "int32", "int64", "uint32", "uint64", "size",
        "ptrdiff");
    private static final List<String> REAL_TYPES = List.of("float", "double");
    private static final List<String> EXTREME_TYPES =
        List.of("int", "long", "longlong", "int32", "int64", "ptrdiff", "float", "double");

    private enum Routine
    {
        FETCH, SET, SWAP, COMPARE_SWAP, FETCH_INC, INC, FETCH_ADD, ADD, FETCH_AND, AND, FETCH_OR, OR, FETCH_XOR, XOR,
        FETCH_MIN, MIN, FETCH_MAX, MAX;

        boolean isFetching()
        {
            return COMPARE_SWAP == this || SWAP == this || name().startsWith("FETCH");
        }

        long apply(final long old, final long operand, final long comparand)
        {
            switch (this)
            {
                case FETCH:
                    return old;

                case SET:
                case SWAP:
                    return operand;

                case COMPARE_SWAP:
                    return old == comparand ? operand : old;

                case FETCH_INC:
                case INC:
                    return old + 1;

                case FETCH_ADD:
                case ADD:
                    return old + operand;

                case FETCH_AND:
                case AND:
                    return old & operand;

                case FETCH_OR:
                case OR:
                    return old | operand;

                case FETCH_MIN:
                case MIN:
                    return Math.min(old, operand);

                case FETCH_MAX:
                case MAX:
                    return Math.max(old, operand);

                default:
                    return old ^ operand;
            }
        }

        double apply(final double old, final double operand)
        {
            return FETCH_MIN == this || MIN == this ? Math.min(old, operand) : Math.max(old, operand);
        }
    }

    private static final class Case
    {
        private final int number;
        private final Routine routine;
        private final int type;

        private Case(final int number, final Routine routine, final String type)
        {
            this.number = number;
            this.routine = routine;
            this.type = Arrays.asList(DeviceApi.TYPES).indexOf(type);
        }

        private long mask(final long value)
        {
            return 4 == DeviceApi.BYTES[type] ? value & 0xffff_ffffL : value;
        }

        private long initial(final int pe)
        {
            return mask(new Random(100_003L * pe + number).nextLong());
        }

        private long operand(final int pe)
        {
            return mask(new Random(200_003L * pe + number + 17).nextLong());
        }

        /** Of every other case the comparison holds. */
        private long comparand(final int target)
        {
            return 0 == number % 2 ? initial(target) : mask(~initial(target));
        }

        private long result(final int origin, final int target)
        {
            final long old = initial(target);
            final long operand = operand(origin);
            if (routine.ordinal() >= Routine.FETCH_MIN.ordinal())
            {
                switch (DeviceApi.TYPES[type])
                {
                    case "float":
                        return mask(Float.floatToIntBits((float)routine.apply(
                            Float.intBitsToFloat((int)old), Float.intBitsToFloat((int)operand))));

                    case "double":
                        return Double.doubleToLongBits(
                            routine.apply(Double.longBitsToDouble(old), Double.longBitsToDouble(operand)));

                    default:
                        return 4 == DeviceApi.BYTES[type] ?
                            mask(routine.apply((long)(int)old, (long)(int)operand, 0L)) :
                            routine.apply(old, operand, 0L);
                }
            }

            return mask(routine.apply(old, operand, comparand(target)));
        }

        @Override
        public String toString()
        {
            return DeviceApi.TYPES[type] + " " + routine + " case " + number;
        }
    }

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    private static List<Case> cases()
    {
        final List<Case> cases = new ArrayList<>();
        for (final Routine routine : Routine.values())
        {
            final List<String> types = new ArrayList<>(
                routine.ordinal() >= Routine.FETCH_MIN.ordinal() ? EXTREME_TYPES :
                routine.ordinal() >= Routine.FETCH_AND.ordinal() ? BITWISE_TYPES : INTEGER_TYPES);
            if (routine.ordinal() <= Routine.SWAP.ordinal())
            {
                types.addAll(REAL_TYPES);
            }

            types.forEach((type) -> cases.add(new Case(cases.size(), routine, type)));
        }

        return cases;
    }

    @Test
    void shouldRequestOneQuietForARequest() throws Exception
    {
        DeviceApi.run(2, Way.REQUESTS, KERNELS, (api) ->
        {
            final SymmetricBuffer words = api.calloc(false, 16);
            final long own = api.address(words);
            final long type = Arrays.asList(DeviceApi.TYPES).indexOf("long");
            api.shmem.barrierAll();
            api.launch("device_api_amo", 1, (long)Routine.ADD.ordinal(), type, 1 - api.me, own, 5L, 0L, own + 8);
            for (int i = 1; i < 10; i++)
            {
                // nothing but a quiet, since there is no such type
                api.launch("device_api_rma", 1, 0L, 99L, 0, 0L, 0L, 0L, 0L, 0L, 0);
            }

            api.synchronizeAll();
            assertEquals(5, api.readLong(words, 0));
            assertEquals(2, api.requests());
        });
    }

    @ParameterizedTest
    @CsvSource({"1, ADDRESS", "2, ADDRESS", "4, REQUESTS"})
    void shouldPerformAtomicOperationsOfEveryType(final int nPes, final Way way) throws Exception
    {
        DeviceApi.run(nPes, way, KERNELS, (api) ->
        {
            final List<Case> cases = cases();
            final int length = cases.size() * Long.BYTES;
            final SymmetricBuffer[] words = {api.calloc(false, length), api.calloc(true, length)};
            final SymmetricBuffer results = api.calloc(true, length);
            final ByteBuffer initial = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
            cases.forEach((one) -> initial.putLong(one.initial(api.me)));
            api.write(words[0], 0, initial.array());
            api.write(words[1], 0, initial.array());
            api.shmem.barrierAll();

            final int right = (api.me + 1) % nPes;
            final int left = (api.me + nPes - 1) % nPes;
            for (final Case one : cases)
            {
                final long offset = (long)one.number * Long.BYTES;
                api.launch("device_api_amo", 1,
                    (long)one.routine.ordinal(), (long)one.type, right,
                    api.address(words[one.number / 2 % 2]) + offset,
                    one.operand(api.me), one.comparand(right), api.address(results) + offset);
            }

            api.synchronizeAll();

            for (final Case one : cases)
            {
                final long offset = (long)one.number * Long.BYTES;
                assertEquals(
                    one.result(left, api.me), api.readLong(words[one.number / 2 % 2], offset), one::toString);
                assertEquals(
                    one.routine.isFetching() ? one.initial(right) : 0, one.mask(api.readLong(results, offset)),
                    one::toString);
            }

            api.shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @CsvSource({"1, ADDRESS, true", "4, ADDRESS, true", "2, ADDRESS, false", "2, REQUESTS, true", "2, REQUESTS, false"})
    @Tag("ci")
    void shouldCountWhatThreadsOfAllPesAdd(final int nPes, final Way way, final boolean isDevice) throws Exception
    {
        final int threads = 40;
        final int rounds = 3;
        final int tickets = nPes * threads * rounds;
        DeviceApi.run(nPes, way, KERNELS, (api) ->
        {
            final SymmetricBuffer words = api.calloc(isDevice, 16);
            final SymmetricBuffer seen = api.calloc(isDevice, 4L * tickets);
            api.launch("device_api_add_by_threads", threads,
                0, api.address(words), api.address(words) + 8, api.address(seen), (long)rounds);
            api.synchronizeAll();
            if (0 == api.me)
            {
                assertEquals((long)nPes * rounds * threads * (threads + 1) / 2, api.readLong(words, 0));
                assertEquals(tickets, api.readLong(words, 8));
                final ByteBuffer counts =
                    ByteBuffer.wrap(api.read(seen, 0, 4 * tickets)).order(ByteOrder.nativeOrder());
                while (counts.hasRemaining())
                {
                    assertEquals(1, counts.getInt(), () -> "ticket before byte " + counts.position());
                }
            }

            api.shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @CsvSource({"1, ADDRESS, true", "2, ADDRESS, false", "4, ADDRESS, true", "2, REQUESTS, true", "4, REQUESTS, false"})
    @Tag("ci")
    void shouldOrderDataAndSignals(final int nPes, final Way way, final boolean isDevice) throws Exception
    {
        final int rounds = 20;
        DeviceApi.run(nPes, way, KERNELS, (api) ->
        {
            final SymmetricBuffer data = api.calloc(isDevice, 8L * (rounds + 1));
            final SymmetricBuffer more = api.calloc(!isDevice, 8L * (rounds + 1));
            final SymmetricBuffer signals = api.calloc(isDevice, 16);
            final SymmetricBuffer results = api.calloc(true, 16);
            for (int op = 0; op < 2; op++)
            {
                api.launch("device_api_signals", 1,
                    api.address(0 == op ? data : more), api.address(signals) + 8L * op, (api.me + 1) % nPes,
                    (api.me + nPes - 1) % nPes, (long)rounds, op, api.address(results) + 8L * op);
            }

            api.synchronizeAll();
            assertEquals(0, api.readLong(results, 0), "values that differ, by SET");
            assertEquals(0, api.readLong(results, 8), "values that differ, by ADD");
            assertEquals(rounds, api.readLong(signals, 0));
            assertEquals(rounds, api.readLong(signals, 8));
            api.shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @CsvSource({"ADDRESS", "REQUESTS"})
    void shouldGiveAddressesOfPeersWhereTheDeviceReachesThem(final Way way) throws Exception
    {
        DeviceApi.run(2, way, KERNELS, (api) ->
        {
            final SymmetricBuffer word = api.calloc(true, 8);
            final SymmetricBuffer result = api.calloc(true, 8);
            final int peer = 1 - api.me;
            api.launch("device_api_store_by_pointer", 1, peer, api.address(word), 5L + api.me, api.address(result));
            api.synchronizeAll();
            final boolean isReached = Way.ADDRESS == way;
            assertEquals(isReached ? api.gpu.address(word, peer) : 0, api.readLong(result, 0));
            assertEquals(isReached ? 5 + peer : 0, api.readLong(word, 0));
            assertTrue(0 != api.gpu.address(word, peer));
            api.shmem.barrierAll();
        });
    }
}
