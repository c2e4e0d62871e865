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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** put, get, their strided forms and puts with signals, called by kernels, against what the host reads. */
@Tag("kernels")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceRmaTest
{
    private static final String KERNELS = "device_api_kernels";
    private static final int SLOT = 512;
    private static final int[] LENGTHS = {0, 1, 15, 16, 17, 63, 64, 100, 4097, 30_001};

    private enum Routine
    {
        PUT, PUT_NBI, GET, GET_NBI, PUT_SIGNAL, PUT_SIGNAL_NBI, IPUT, IGET, P, G;

        boolean isGet()
        {
            return GET == this || GET_NBI == this || IGET == this || G == this;
        }

        boolean isSignal()
        {
            return PUT_SIGNAL == this || PUT_SIGNAL_NBI == this;
        }

        boolean isStrided()
        {
            return IPUT == this || IGET == this;
        }
    }

    private static final class Case
    {
        private final int number;
        private final String kernel;
        private final int threads;
        private final Routine routine;
        private final int type;

        private Case(final int number, final String kernel, final int threads, final Routine routine, final int type)
        {
            this.number = number;
            this.kernel = kernel;
            this.threads = threads;
            this.routine = routine;
            this.type = type;
        }

        private int elements()
        {
            return routine.ordinal() >= Routine.P.ordinal() ? 1 : 1 + number % 6;
        }

        private int destStride()
        {
            return routine.isStrided() ? 1 + number % 3 : 1;
        }

        private int sourceStride()
        {
            return routine.isStrided() ? 1 + number % 2 : 1;
        }

        private boolean isDestOnDevice()
        {
            return 0 == Integer.bitCount(number) % 2;
        }

        private boolean isSourceOnDevice()
        {
            return 0 == number / 3 % 2;
        }

        private int operation()
        {
            return number % 2;
        }

        private long signal()
        {
            return routine.isSignal() ? 1000 + number : 0;
        }

        private byte[] source(final int pe)
        {
            final byte[] bytes = new byte[SLOT];
            new Random(1_000_003L * pe + number).nextBytes(bytes);
            return bytes;
        }

        private byte[] dest(final int origin)
        {
            final byte[] source = source(origin);
            final byte[] dest = new byte[SLOT];
            final int bytes = DeviceApi.BYTES[type];
            for (int i = 0; i < elements(); i++)
            {
                System.arraycopy(source, i * sourceStride() * bytes, dest, i * destStride() * bytes, bytes);
            }

            return dest;
        }

        @Override
        public String toString()
        {
            return kernel + " " + DeviceApi.TYPES[type] + " " + routine + " case " + number;
        }
    }

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    /** Each routine and type by a thread, and each routine with some types by warps and blocks. */
    private static List<Case> cases()
    {
        final List<Case> cases = new ArrayList<>();
        for (int type = 0; type <= DeviceApi.MEM; type++)
        {
            for (final Routine routine : Routine.values())
            {
                final boolean isDefined = type < DeviceApi.RMA_TYPES ||
                    (DeviceApi.MEM == type ?
                    routine.ordinal() < Routine.IPUT.ordinal() : routine.ordinal() < Routine.P.ordinal());
                if (isDefined)
                {
                    cases.add(new Case(cases.size(), "device_api_rma", 1, routine, type));
                }
            }

            for (int i = 0; i < 2; i++)
            {
                final int routines = DeviceApi.MEM == type ? Routine.IPUT.ordinal() : Routine.P.ordinal();
                final Routine routine = Routine.values()[(type + 5 * i) % routines];
                cases.add(new Case(cases.size(), "device_api_rma_warp", 8, routine, type));
                cases.add(new Case(cases.size(), "device_api_rma_block", 36, routine, type));
            }
        }

        return cases;
    }

    @ParameterizedTest
    @CsvSource({"1, ADDRESS", "2, ADDRESS", "4, ADDRESS", "2, REQUESTS", "4, REQUESTS"})
    @Tag("ci")
    void shouldMoveElementsOfEveryType(final int nPes, final Way way) throws Exception
    {
        DeviceApi.run(nPes, way, KERNELS, (api) ->
        {
            final List<Case> cases = cases();
            final long length = (long)cases.size() * SLOT;
            final SymmetricBuffer[] dest = {api.calloc(false, length), api.calloc(true, length)};
            final SymmetricBuffer[] source = {api.calloc(false, length), api.calloc(true, length)};
            final SymmetricBuffer[] signals = {api.calloc(false, length / 64), api.calloc(true, length / 64)};
            for (final Case one : cases)
            {
                api.write(source[one.isSourceOnDevice() ? 1 : 0], (long)one.number * SLOT, one.source(api.me));
            }

            api.shmem.barrierAll();

            final int right = (api.me + 1) % nPes;
            final int left = (api.me + nPes - 1) % nPes;
            for (final Case one : cases)
            {
                final long offset = (long)one.number * SLOT;
                final long signal = api.address(signals[one.isDestOnDevice() ? 1 : 0]) + 8L * one.number;
                api.launch(one.kernel, one.threads,
                    (long)one.routine.ordinal(), (long)one.type, right,
                    api.address(dest[one.isDestOnDevice() ? 1 : 0]) + offset,
                    api.address(source[one.isSourceOnDevice() ? 1 : 0]) + offset,
                    (long)one.elements(),
                    one.routine.isStrided() ? one.destStride() : signal,
                    one.routine.isStrided() ? one.sourceStride() : one.signal(),
                    one.operation());
            }

            api.synchronizeAll();

            for (final Case one : cases)
            {
                final int place = one.isDestOnDevice() ? 1 : 0;
                final int origin = one.routine.isGet() ? right : left;
                assertArrayEquals(
                    one.dest(origin), api.read(dest[place], (long)one.number * SLOT, SLOT), one::toString);
                assertEquals(one.signal(), api.readLong(signals[place], 8L * one.number), one::toString);
            }

            api.shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @CsvSource({"ADDRESS", "REQUESTS"})
    void shouldCopyBlocksOfAnyLengthAndAlignment(final Way way) throws Exception
    {
        final String[] kernels = {"device_api_rma", "device_api_rma_warp", "device_api_rma_block"};
        final int[] threads = {1, 32, 70};
        final int stride = 32_768;
        DeviceApi.run(2, way, KERNELS, (api) ->
        {
            final int cases = LENGTHS.length * kernels.length;
            final SymmetricBuffer source = api.calloc(true, (long)cases * stride);
            final SymmetricBuffer dest = api.calloc(true, (long)cases * stride);
            final SymmetricBuffer back = api.calloc(true, (long)cases * stride);
            final byte[] data = new byte[cases * stride];
            new Random(7).nextBytes(data);
            api.write(source, 0, data);
            api.shmem.barrierAll();
            final int peer = 1 - api.me;
            for (int i = 0; i < cases; i++)
            {
                final int scope = i % kernels.length;
                final long length = LENGTHS[i / kernels.length];
                final long at = (long)i * stride;
                final long destAt = api.address(dest) + at + (i * 5 % 19);
                api.launch(kernels[scope], threads[scope], 0L, (long)DeviceApi.MEM, peer,
                    destAt, api.address(source) + at + (i * 7 % 17), length, 0L, 0L, 0);
                api.launch(kernels[scope], threads[scope], 2L, (long)DeviceApi.MEM, peer,
                    api.address(back) + at + (i * 3 % 18), destAt, length, 0L, 0L, 0);
            }

            api.synchronizeAll();
            final byte[] put = api.read(dest, 0, data.length);
            final byte[] got = api.read(back, 0, data.length);
            for (int i = 0; i < cases; i++)
            {
                final int length = LENGTHS[i / kernels.length];
                final int at = i * stride;
                final int from = at + (i * 7 % 17);
                final byte[] expected = Arrays.copyOfRange(data, from, from + length);
                final byte[] destSlot = new byte[stride];
                System.arraycopy(expected, 0, destSlot, i * 5 % 19, length);
                assertArrayEquals(destSlot, Arrays.copyOfRange(put, at, at + stride), "put " + i);
                final byte[] backSlot = new byte[stride];
                System.arraycopy(expected, 0, backSlot, i * 3 % 18, length);
                assertArrayEquals(backSlot, Arrays.copyOfRange(got, at, at + stride), "get " + i);
            }

            api.shmem.barrierAll();
        });
    }

    @ParameterizedTest
    @CsvSource({"ADDRESS", "REQUESTS"})
    void shouldUseLocalMemoryThatIsNotSymmetric(final Way way) throws Exception
    {
        DeviceApi.run(2, way, KERNELS, (api) ->
        {
            final int length = 203;
            final SymmetricBuffer dest = api.calloc(true, 256);
            final byte[] data = new byte[length];
            new Random(api.me).nextBytes(data);
            final long source = api.allocate(256);
            final long back = api.allocate(256);
            api.copyToDevice(source, data);
            final int peer = 1 - api.me;
            api.launch("device_api_rma_block", 36, 0L, (long)DeviceApi.MEM, peer,
                api.address(dest), source, (long)length, 0L, 0L, 0);
            api.launch("device_api_rma_warp", 32, 2L, (long)DeviceApi.MEM, peer,
                back, api.address(dest), (long)length, 0L, 0L, 0);
            api.synchronizeAll();
            final byte[] expected = new byte[length];
            new Random(peer).nextBytes(expected);
            assertArrayEquals(expected, api.read(dest, 0, length));
            assertArrayEquals(data, api.copyFromDevice(back, length));
            api.shmem.barrierAll();
            api.free(source);
            api.free(back);
        });
    }

    @ParameterizedTest
    @CsvSource({"ADDRESS", "REQUESTS"})
    void shouldPutFromWarpsAtTheSameTime(final Way way) throws Exception
    {
        DeviceApi.run(2, way, KERNELS, (api) ->
        {
            final int bytes = 1000;
            final SymmetricBuffer source = api.calloc(true, 4 * bytes);
            final SymmetricBuffer dest = api.calloc(false, 4 * bytes);
            final byte[] data = new byte[4 * bytes];
            new Random(api.me).nextBytes(data);
            api.write(source, 0, data);
            api.shmem.barrierAll();
            api.launch(
                "device_api_put_by_warps", 128, 1 - api.me, api.address(dest), api.address(source), (long)bytes);
            api.synchronizeAll();
            new Random(1 - api.me).nextBytes(data);
            assertArrayEquals(data, api.read(dest, 0, data.length));
            api.shmem.barrierAll();
        });
    }
}
