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

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Strided copies against a loop over bytes: elements of all lengths, unaligned addresses, blocks, negative strides.
 */
@Tag("kernels")
@ExtendWith(OnTestThread.class)
class StridedCopyTest
{
    private static final int BYTES = 1 << 16;

    private static TestDevice device;

    @BeforeAll
    static void openDevice()
    {
        device = new TestDevice();
    }

    @AfterAll
    static void closeDevice()
    {
        if (null != device)
        {
            device.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 6, 8, 12, 16, 24, 40, 48, 256})
    void shouldCopyAsTheModel(final int elementBytes)
    {
        final SplittableRandom random = new SplittableRandom(elementBytes);
        final ByteBuffer contents = TestDevice.buffer(BYTES);
        for (int i = 0; i < BYTES; i++)
        {
            contents.put(i, (byte)random.nextInt());
        }

        final long source = device.allocate(contents);
        final ByteBuffer expected = TestDevice.buffer(BYTES);
        for (int round = 0; round < 40; round++)
        {
            final int blocks = random.nextInt(1, 5);
            final int elements = random.nextInt(1, BYTES / 4 / (4 * elementBytes * blocks));
            // Aligned as the element half of the time, otherwise by any number of bytes.
            final int step = random.nextBoolean() ? elementBytes : 1;
            final Side from = new Side(random, blocks, elements, elementBytes, step, round % 3 == 1);
            final Side to = new Side(random, blocks, elements, elementBytes, step, false);
            final long dest = device.allocate(BYTES);
            for (int i = 0; i < BYTES; i++)
            {
                expected.put(i, (byte)0xee);
            }

            for (int block = 0; block < blocks; block++)
            {
                for (int element = 0; element < elements; element++)
                {
                    for (int i = 0; i < elementBytes; i++)
                    {
                        expected.put(to.position(block, element) + i, contents.get(from.position(block, element) + i));
                    }
                }
            }

            device.kernels.stridedCopy(
                dest + to.start,
                to.block,
                to.element,
                source + from.start,
                from.block,
                from.element,
                blocks,
                elements,
                elementBytes,
                device.stream);
            device.synchronize();
            final String description = "round " + round + ": " + blocks + " x " + elements + " x " + elementBytes;
            assertEquals(-1, expected.mismatch(device.read(dest, BYTES)), description);
        }
    }

    @Test
    void shouldRepeatAnElement()
    {
        final long source = device.allocateLongs(0x0123456789abcdefL, 5L);
        final long dest = device.allocateLongs(new long[10]);
        device.kernels.stridedCopy(dest, 0, 16, source, 0, 0, 1, 5, 16, device.stream);
        device.synchronize();
        for (int i = 0; i < 10; i += 2)
        {
            assertEquals(0x0123456789abcdefL, device.readLong(dest + i * 8L));
            assertEquals(5, device.readLong(dest + i * 8L + 8));
        }
    }

    @Test
    void shouldLaunchNothingForNoElements()
    {
        device.kernels.stridedCopy(0, 0, 8, 0, 0, 8, 3, 0, 8, device.stream);
        device.kernels.stridedCopy(0, 0, 8, 0, 0, 8, 0, 3, 8, device.stream);
        device.synchronize();
    }

    /** Strides that keep elements apart, in a random order of size of the two, and possibly backwards. */
    private static final class Side
    {
        private final int start;
        private final int block;
        private final int element;

        private Side(
            final SplittableRandom random,
            final int blocks,
            final int elements,
            final int elementBytes,
            final int step,
            final boolean isBackwards)
        {
            final int gap = step * random.nextInt(0, 2 * elementBytes / step + 1);
            final int stride = elementBytes + gap;
            if (random.nextBoolean())
            {
                element = isBackwards ? -stride : stride;
                block = elements * stride;
                start = step * random.nextInt(4) + (isBackwards ? (elements - 1) * stride : 0);
            }
            else
            {
                block = stride;
                element = isBackwards ? -blocks * stride : blocks * stride;
                start = step * random.nextInt(4) + (isBackwards ? (elements - 1) * blocks * stride : 0);
            }
        }

        private int position(final int blockIndex, final int elementIndex)
        {
            return start + blockIndex * block + elementIndex * element;
        }
    }
}
