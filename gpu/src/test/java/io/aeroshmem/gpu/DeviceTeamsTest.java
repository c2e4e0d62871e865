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

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.gpu.DeviceApi.Way;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Collectives called by kernels, of every type; reductions against those of the host, bit for bit. */
@Tag("kernels")
@Tag("ci")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceTeamsTest
{
    private static final String KERNELS = "device_api_collective_kernels";
    private static final int SLOT = 512;
    private static final int MAX_ELEMENTS = 7;
    private static final int REDUCESCATTER = 16;
    private static final int DOUBLE2 = 33;
    private static final List<Integer> TYPES_OF_GROUPS = types("int", "uint8", "double", "half", "complexf", "double2");
    private static final String[] SUFFIXES = {"", "_warp", "_block"};
    private static final int[] THREADS = {1, 8, 36};

    private enum Exchange
    {
        BROADCAST, COLLECT, FCOLLECT, ALLTOALL
    }

    private static List<Integer> types(final String... names)
    {
        final List<Integer> types = new ArrayList<>();
        for (final String name : names)
        {
            types.add(Arrays.asList(DeviceApi.TYPES).indexOf(name));
        }

        return types;
    }

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    private static byte[] random(final int length, final int... seeds)
    {
        final byte[] bytes = new byte[length];
        new Random(Arrays.hashCode(seeds)).nextBytes(bytes);
        return bytes;
    }

    /** The world, and a team of all PEs in reverse order. */
    private static Team[] teams(final DeviceApi api)
    {
        final Team world = api.shmem.world();
        return new Team[]{world, world.splitStrided(api.nPes - 1, -1, api.nPes)};
    }

    private static int[] handles(final DeviceApi api, final Team[] teams)
    {
        return new int[]{api.gpu.handle(teams[0]), api.gpu.handle(teams[1])};
    }

    private static int worldPe(final int team, final int rank, final int nPes)
    {
        return 0 == team ? rank : nPes - 1 - rank;
    }

    @ParameterizedTest
    @CsvSource({"1, ADDRESS", "2, ADDRESS", "4, ADDRESS", "2, REQUESTS", "4, REQUESTS"})
    void shouldExchangeElementsOfEveryType(final int nPes, final Way way) throws Exception
    {
        final int types = DeviceApi.MEM + 1;
        final int cases = types * 3;
        DeviceApi.run(nPes, way, KERNELS, (api) ->
        {
            final Team[] teams = teams(api);
            final int[] handles = handles(api, teams);
            final SymmetricBuffer[] dest = {api.calloc(false, cases * SLOT), api.calloc(true, cases * SLOT)};
            final SymmetricBuffer source = api.calloc(true, cases * SLOT);
            final SymmetricBuffer results = api.calloc(true, cases * 8);
            for (int i = 0; i < cases; i++)
            {
                api.write(source, (long)i * SLOT, random(SLOT, i, api.me));
            }

            for (int i = 0; i < cases; i++)
            {
                final int type = typeOf(i);
                final int scope = i / types;
                final int count = countOf(i, api.me);
                api.launch("device_api_collective" + SUFFIXES[scope], THREADS[scope],
                    (long)exchangeOf(i).ordinal(), (long)type, handles[i % 2],
                    api.address(dest[i / 2 % 2]) + (long)i * SLOT, api.address(source) + (long)i * SLOT,
                    (long)count, i % nPes, api.address(results) + 8L * i);
            }

            api.synchronizeAll();
            for (int i = 0; i < cases; i++)
            {
                final String name = exchangeOf(i) + " " + DeviceApi.TYPES[typeOf(i)] + " case " + i;
                assertEquals(0, api.readLong(results, 8L * i), name);
                assertArrayEquals(
                    expected(i, nPes, teams[i % 2].myPe()), api.read(dest[i / 2 % 2], (long)i * SLOT, SLOT), name);
            }

            api.shmem.barrierAll();
            teams[1].close();
        });
    }

    private static int typeOf(final int i)
    {
        final int type = i % (DeviceApi.MEM + 1);
        return type < DeviceApi.RMA_TYPES ? type : DeviceApi.MEM;
    }

    private static Exchange exchangeOf(final int i)
    {
        return Exchange.values()[(i + i / (DeviceApi.MEM + 1)) % 4];
    }

    private static int countOf(final int i, final int pe)
    {
        return Exchange.COLLECT == exchangeOf(i) ? (i + pe) % 4 : 1 + i % MAX_ELEMENTS;
    }

    private static byte[] expected(final int i, final int nPes, final int rank)
    {
        final byte[] dest = new byte[SLOT];
        final int bytes = DeviceApi.BYTES[typeOf(i)];
        int at = 0;
        for (int r = 0; r < nPes; r++)
        {
            final int pe = worldPe(i % 2, r, nPes);
            final byte[] source = random(SLOT, i, pe);
            final int length = countOf(i, pe) * bytes;
            switch (exchangeOf(i))
            {
                case BROADCAST:
                    if (r == i % nPes)
                    {
                        System.arraycopy(source, 0, dest, 0, length);
                    }

                    break;

                case ALLTOALL:
                    System.arraycopy(source, rank * length, dest, r * length, length);
                    break;

                default:
                    System.arraycopy(source, 0, dest, at, length);
                    at += length;
                    break;
            }
        }

        return dest;
    }

    private static ElementType elementType(final int type)
    {
        final String name = DeviceApi.TYPES[type];
        switch (name)
        {
            case "half":
                return ElementType.HALF;

            case "bfloat16":
                return ElementType.BFLOAT16;

            case "float":
                return ElementType.FLOAT;

            case "double":
                return ElementType.DOUBLE;

            case "complexf":
                return ElementType.COMPLEX_FLOAT;

            case "complexd":
                return ElementType.COMPLEX_DOUBLE;

            default:
                final boolean isUnsigned = name.startsWith("u") || "size".equals(name);
                final int width = Integer.numberOfTrailingZeros(DeviceApi.BYTES[type]);
                return ElementType.values()[(isUnsigned ? ElementType.UNSIGNED_BYTE.ordinal() : 0) + width];
        }
    }

    private static boolean isDefined(final int type, final ReduceOp op)
    {
        if (DOUBLE2 == type)
        {
            return ReduceOp.MAXLOC == op;
        }

        final ElementType element = elementType(type);
        return element.isInteger() && op.ordinal() <= ReduceOp.PROD.ordinal() ||
            element.isFloating() && op.ordinal() >= ReduceOp.MAX.ordinal() &&
            op.ordinal() <= ReduceOp.PROD.ordinal() || ReduceOp.SUM == op || ReduceOp.PROD == op;
    }

    private static final class Reduction
    {
        private final int number;
        private final int scope;
        private final int type;
        private final ReduceOp op;

        private Reduction(final int number, final int scope, final int type, final ReduceOp op)
        {
            this.number = number;
            this.scope = scope;
            this.type = type;
            this.op = op;
        }

        private boolean isScatter()
        {
            return DOUBLE2 != type && 0 == (number + type) % 3;
        }

        private boolean isInPlace()
        {
            return 0 == number % 4;
        }

        private int count()
        {
            return number % (MAX_ELEMENTS + 1);
        }

        @Override
        public String toString()
        {
            return DeviceApi.TYPES[type] + " " + op + SUFFIXES[scope] + " case " + number;
        }
    }

    private static List<Reduction> reductions()
    {
        final List<Reduction> reductions = new ArrayList<>();
        for (int scope = 0; scope < 3; scope++)
        {
            for (int type = 0; type <= DOUBLE2; type++)
            {
                for (final ReduceOp op : ReduceOp.values())
                {
                    final boolean isCompiled = 0 == scope ?
                        type < DeviceApi.RMA_TYPES || type > DeviceApi.MEM : TYPES_OF_GROUPS.contains(type);
                    if (isCompiled && isDefined(type, op))
                    {
                        reductions.add(new Reduction(reductions.size(), scope, type, op));
                    }
                }
            }
        }

        return reductions;
    }

    /** Pairs of values, many of them equal, and their places. */
    private static byte[] pairs(final int count, final int pe, final int number)
    {
        final ByteBuffer pairs = ByteBuffer.allocate(SLOT).order(ByteOrder.nativeOrder());
        for (int i = 0; i < count; i++)
        {
            pairs.putDouble((pe * 7 + i + number) % 3).putDouble(10 * pe + i);
        }

        return pairs.array();
    }

    private static byte[] maximaWithPlaces(final int count, final int number, final int nPes)
    {
        final ByteBuffer result = ByteBuffer.wrap(pairs(count, 0, number)).order(ByteOrder.nativeOrder());
        for (int pe = 1; pe < nPes; pe++)
        {
            final ByteBuffer other = ByteBuffer.wrap(pairs(count, pe, number)).order(ByteOrder.nativeOrder());
            for (int i = 0; i < count; i++)
            {
                if (other.getDouble(16 * i) > result.getDouble(16 * i))
                {
                    result.putDouble(16 * i, other.getDouble(16 * i));
                    result.putDouble(16 * i + 8, other.getDouble(16 * i + 8));
                }
            }
        }

        return result.array();
    }

    @ParameterizedTest
    @CsvSource({"1, ADDRESS", "2, ADDRESS", "4, ADDRESS", "2, REQUESTS"})
    void shouldReduceElementsOfEveryTypeAsTheHostDoes(final int nPes, final Way way) throws Exception
    {
        DeviceApi.run(nPes, way, KERNELS, (api) ->
        {
            final List<Reduction> reductions = reductions();
            final int length = reductions.size() * SLOT;
            final Team[] teams = teams(api);
            final int[] handles = handles(api, teams);
            final SymmetricBuffer[] source = {api.calloc(false, length), api.calloc(true, length)};
            final SymmetricBuffer dest = api.calloc(true, length);
            final SymmetricBuffer results = api.calloc(true, reductions.size() * 8L);
            final SymmetricBuffer hostSource = api.calloc(false, SLOT);
            final SymmetricBuffer hostDest = api.calloc(false, SLOT);
            for (final Reduction one : reductions)
            {
                final byte[] data = DOUBLE2 == one.type ?
                    pairs(one.count(), api.me, one.number) : random(SLOT, one.number, api.me);
                api.write(source[one.number % 2], (long)one.number * SLOT, data);
            }

            api.shmem.barrierAll();
            for (final Reduction one : reductions)
            {
                final long at = (long)one.number * SLOT;
                final long from = api.address(source[one.number % 2]) + at;
                api.launch("device_api_reduce" + SUFFIXES[one.scope], THREADS[one.scope],
                    (long)one.op.ordinal() + (one.isScatter() ? REDUCESCATTER : 0), (long)one.type,
                    handles[one.number / 4 % 2], one.isInPlace() ? from : api.address(dest) + at, from,
                    (long)one.count(), api.address(results) + 8L * one.number);
            }

            api.synchronizeAll();
            for (final Reduction one : reductions)
            {
                final long at = (long)one.number * SLOT;
                assertEquals(0, api.readLong(results, 8L * one.number), one::toString);
                final byte[] result =
                    api.read(one.isInPlace() ? source[one.number % 2] : dest, at, one.count() *
                    DeviceApi.BYTES[one.type]);
                final byte[] expected;
                if (DOUBLE2 == one.type)
                {
                    expected = Arrays.copyOf(maximaWithPlaces(one.count(), one.number, nPes), result.length);
                }
                else
                {
                    final Team team = teams[one.number / 4 % 2];
                    api.write(hostSource, 0, random(SLOT, one.number, api.me));
                    if (one.isScatter())
                    {
                        team.reduceScatter(one.op, elementType(one.type), hostDest, hostSource, one.count());
                    }
                    else
                    {
                        team.reduce(one.op, elementType(one.type), hostDest, hostSource, one.count());
                    }

                    expected = api.read(hostDest, 0, result.length);
                }

                assertArrayEquals(expected, result, one::toString);
            }

            api.shmem.barrierAll();
            teams[1].close();
        });
    }

    @ParameterizedTest
    @CsvSource({"2, ADDRESS", "4, ADDRESS", "4, REQUESTS"})
    void shouldReduceLongVectors(final int nPes, final Way way) throws Exception
    {
        final int type = types("double").get(0);
        final int[] counts = {9000, 20_001};
        DeviceApi.run(nPes, way, KERNELS, (api) ->
        {
            final long length = 8L * 4 * 20_001;
            final SymmetricBuffer source = api.calloc(true, length);
            final SymmetricBuffer dest = api.calloc(true, length);
            final SymmetricBuffer hostDest = api.calloc(true, length);
            final SymmetricBuffer result = api.calloc(true, 8);
            final int handle = api.gpu.handle(api.shmem.world());
            for (int i = 0; i < 4; i++)
            {
                final boolean isScatter = i >= 2;
                final int count = isScatter ? counts[i % 2] / 2 : counts[i % 2];
                final ByteBuffer data = ByteBuffer.allocate((int)length).order(ByteOrder.nativeOrder());
                new Random(10L * i + api.me).doubles(length / 8, -1e3, 1e3).forEach(data::putDouble);
                api.write(source, 0, data.array());
                api.shmem.barrierAll();
                if (isScatter)
                {
                    api.shmem.world().reduceScatter(ReduceOp.SUM, ElementType.DOUBLE, hostDest, source, count);
                }
                else
                {
                    api.shmem.world().reduce(ReduceOp.SUM, ElementType.DOUBLE, hostDest, source, count);
                }

                // in place once, and elsewhere once
                final SymmetricBuffer to = 0 == i % 2 ? dest : source;
                api.launch("device_api_reduce" + SUFFIXES[i % 2 * 2], THREADS[i % 2 * 2],
                    (long)ReduceOp.SUM.ordinal() + (isScatter ? REDUCESCATTER : 0), (long)type, handle,
                    api.address(to), api.address(source), (long)count, api.address(result));
                api.synchronizeAll();
                assertEquals(0, api.readLong(result, 0));
                assertArrayEquals(api.read(hostDest, 0, 8 * count), api.read(to, 0, 8 * count), "call " + i);
                api.shmem.barrierAll();
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1, ADDRESS", "2, ADDRESS", "4, ADDRESS", "2, REQUESTS", "4, REQUESTS"})
    void shouldSeparateCollectivesThatFollowEachOther(final int nPes, final Way way) throws Exception
    {
        DeviceApi.run(nPes, way, KERNELS, (api) ->
        {
            final Team[] teams = teams(api);
            final int[] handles = handles(api, teams);
            final SymmetricBuffer dest = api.calloc(true, 64);
            final SymmetricBuffer source = api.calloc(true, 8);
            final SymmetricBuffer data = api.calloc(true, 64);
            final SymmetricBuffer results = api.calloc(true, 128);
            for (int i = 0; i < 2; i++)
            {
                api.launch("device_api_mixed_collectives", 1, handles[i], api.address(dest), api.address(source),
                    8L, api.address(results) + 8 * i);
                api.launch("device_api_barrier_rounds", 8, handles[i], api.address(data), 6L,
                    api.address(results) + 32 + 32 * i);
            }

            api.synchronizeAll();
            for (int at = 0; at < 96; at += 8)
            {
                assertEquals(0, api.readLong(results, at), "values that differ, at " + at);
            }

            api.shmem.barrierAll();
            teams[1].close();
        });
    }

    @ParameterizedTest
    @CsvSource({"1, ADDRESS", "4, ADDRESS", "2, REQUESTS"})
    void shouldWaitInEveryFormOfBarrier(final int nPes, final Way way) throws Exception
    {
        DeviceApi.run(nPes, way, KERNELS, (api) ->
        {
            final SymmetricBuffer result = api.calloc(true, 3 * 5 * 8);
            for (int i = 0; i < 15; i++)
            {
                api.launch("device_api_collective" + SUFFIXES[i / 5], THREADS[i / 5],
                    4L + i % 5, 0L, api.gpu.handle(api.shmem.world()), 0L, 0L, 0L, 0, api.address(result) + 8 * i);
            }

            api.synchronizeAll();
            for (int i = 0; i < 15; i++)
            {
                assertEquals(0, api.readLong(result, 8 * i));
            }

            api.shmem.barrierAll();
        });
    }
}
