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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Atomic operations of the device: values, old values, and that none is lost among streams.
 */
@Tag("kernels")
@ExtendWith(OnTestThread.class)
class AtomicKernelsTest
{
    private static final int ROUNDS = 30;

    private final SplittableRandom random = new SplittableRandom(7);
    private TestDevice device;

    @BeforeEach
    void openDevice()
    {
        device = new TestDevice();
    }

    @AfterEach
    void closeDevice()
    {
        if (null != device)
        {
            device.close();
        }
    }

    private static long apply(final DeviceAtomic op, final long old, final long operand, final long comparand)
    {
        return switch (op)
        {
            case FETCH -> old;
            case SET, SWAP -> operand;
            case COMPARE_SWAP -> old == comparand ? operand : old;
            case ADD -> old + operand;
            case AND -> old & operand;
            case OR -> old | operand;
            case XOR -> old ^ operand;
            case MIN -> Math.min(old, operand);
            case MAX -> Math.max(old, operand);
            default -> Double.doubleToLongBits(
                applyFloating(op, Double.longBitsToDouble(old), Double.longBitsToDouble(operand)));
        };
    }

    private static int apply(final DeviceAtomic op, final int old, final int operand, final int comparand)
    {
        return isFloating(op) ?
            Float.floatToIntBits((float)applyFloating(op, Float.intBitsToFloat(old), Float.intBitsToFloat(operand))) :
            (int)apply(op, (long)old, (long)operand, (long)comparand);
    }

    private static boolean isFloating(final DeviceAtomic op)
    {
        return DeviceAtomic.ADD_FLOATING == op || DeviceAtomic.MIN_FLOATING == op || DeviceAtomic.MAX_FLOATING == op;
    }

    /** Of floats: the sum of two is rounded twice, which gives the float that rounding once gives. */
    private static double applyFloating(final DeviceAtomic op, final double old, final double operand)
    {
        return switch (op)
        {
            case ADD_FLOATING -> old + operand;
            case MIN_FLOATING -> Math.min(old, operand);
            default -> Math.max(old, operand);
        };
    }

    @ParameterizedTest
    @EnumSource(value = DeviceAtomic.class, names = {"MIN_FLOATING", "MAX_FLOATING", "ADD_FLOATING"})
    void shouldTreatNanAndZeroAsTheHostDoes(final DeviceAtomic op)
    {
        final float[] values = {
            0.0f, -0.0f, Float.MIN_VALUE, Float.POSITIVE_INFINITY, Float.intBitsToFloat(0xffc0_0001), -1.5f};
        for (final float word : values)
        {
            for (final float value : values)
            {
                final int old = Float.floatToRawIntBits(word);
                final long target = device.allocateLongs(0);
                device.kernels.atomic(
                    DeviceAtomic.SET, Integer.BYTES, target, old, 0, 0, device.stream);
                device.kernels.atomic(op, Integer.BYTES, target, Float.floatToRawIntBits(value), 0, 0, device.stream);
                device.synchronize();
                assertEquals(
                    apply(op, old, Float.floatToRawIntBits(value), 0), device.readInt(target), word + " and " + value);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(DeviceAtomic.class)
    void shouldOperateOnLongs(final DeviceAtomic op)
    {
        long expected = random.nextLong();
        final long target = device.allocateLongs(expected, -1L);
        final long result = device.allocateLongs(0L, -1L);
        for (int i = 0; i < ROUNDS; i++)
        {
            final long operand = random.nextLong();
            final long comparand = random.nextBoolean() ? expected : random.nextLong();
            device.kernels.atomic(op, Long.BYTES, target, operand, comparand, result, device.stream);
            device.synchronize();
            assertEquals(expected, device.readLong(result), "old value");
            expected = apply(op, expected, operand, comparand);
            assertEquals(expected, device.readLong(target));
        }

        device.kernels.atomic(op, Long.BYTES, target, expected, expected, 0, device.stream);
        device.synchronize();
        assertEquals(apply(op, expected, expected, expected), device.readLong(target), "without a result");
        assertEquals(-1, device.readLong(target + Long.BYTES), "the word after the target");
        assertEquals(-1, device.readLong(result + Long.BYTES), "the word after the result");
    }

    @ParameterizedTest
    @EnumSource(DeviceAtomic.class)
    void shouldOperateOnInts(final DeviceAtomic op)
    {
        int expected = random.nextInt();
        final long target = device.allocateLongs(expected | 0x5555555500000000L);
        final ByteBuffer first = TestDevice.buffer(Integer.BYTES);
        first.putInt(0, expected);
        device.write(target, first);
        final long result = device.allocateLongs(-1L);
        for (int i = 0; i < ROUNDS; i++)
        {
            final int operand = random.nextInt();
            final int comparand = random.nextBoolean() ? expected : random.nextInt();
            final int afterTarget = device.readInt(target + Integer.BYTES);
            device.kernels.atomic(op, Integer.BYTES, target, operand, comparand, result, device.stream);
            device.synchronize();
            assertEquals(expected, device.readInt(result), "old value");
            assertEquals(-1, device.readInt(result + Integer.BYTES), "the word after the result");
            expected = apply(op, expected, operand, comparand);
            assertEquals(expected, device.readInt(target));
            assertEquals(afterTarget, device.readInt(target + Integer.BYTES), "the word after the target");
        }
    }

    @Test
    void shouldLoseNothingAmongStreams()
    {
        final long target = device.allocateLongs(0L);
        final long[] streams = {device.newStream(), device.newStream(), device.newStream()};
        for (int i = 0; i < ROUNDS; i++)
        {
            for (final long stream : streams)
            {
                device.kernels.atomic(DeviceAtomic.ADD, Long.BYTES, target, 1, 0, 0, stream);
            }
        }

        for (final long stream : streams)
        {
            device.awaitStream(stream);
        }

        assertEquals((long)ROUNDS * streams.length, device.readLong(target));
    }
}
