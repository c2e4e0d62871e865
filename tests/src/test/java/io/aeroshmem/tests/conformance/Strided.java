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
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Strided and block-strided puts and gets against a plain loop.
 */
final class Strided
{
    private static final int[] ELEMENT_BYTES = {1, 2, 4, 8, 16};
    private static final int[] COUNTS = {0, 1, 2, 7, 150};
    private static final int CAPACITY = 1 << 16;

    private Strided()
    {
    }

    static void shouldPutWithStrides(final Pe pe)
    {
        forShapes(pe, 1, true);
    }

    static void shouldGetWithStrides(final Pe pe)
    {
        forShapes(pe, 1, false);
    }

    static void shouldPutBlocksWithStrides(final Pe pe)
    {
        forShapes(pe, 0, true);
    }

    static void shouldGetBlocksWithStrides(final Pe pe)
    {
        forShapes(pe, 0, false);
    }

    /**
     * Every element size and count with strides from the seed; a block size of 0 stands for the block forms.
     */
    private static void forShapes(final Pe pe, final int block, final boolean put)
    {
        final SymmetricBuffer dest = pe.malloc(CAPACITY);
        final SymmetricBuffer source = pe.malloc(CAPACITY);
        final SplittableRandom random = pe.sharedRandom();
        for (final int elementBytes : ELEMENT_BYTES)
        {
            for (final int count : COUNTS)
            {
                final Shape shape = new Shape(
                    elementBytes,
                    count,
                    0 == block ? 1 + random.nextInt(5) : 1,
                    random.nextInt(3),
                    random.nextInt(3),
                    (long)elementBytes * random.nextInt(5),
                    (long)elementBytes * random.nextInt(5));
                Pattern.guard(pe, dest, 0, CAPACITY);
                Pattern.fill(pe, source, 0, CAPACITY, Pattern.seed(pe.me()));
                pe.shmem().barrierAll();
                transfer(pe, shape, 0 == block, put, dest, source);
                pe.shmem().barrierAll();
                check(pe, shape, dest, Pattern.seed(put ? pe.left() : pe.right()));
                pe.shmem().syncAll();
            }
        }

        pe.shmem().free(source);
        pe.shmem().free(dest);
    }

    private static void transfer(
        final Pe pe,
        final Shape shape,
        final boolean blocks,
        final boolean put,
        final SymmetricBuffer dest,
        final SymmetricBuffer source)
    {
        final long to = shape.destOffset;
        final long from = shape.sourceOffset;
        final long destStride = shape.destStride();
        final long sourceStride = shape.sourceStride();
        final int elementBytes = shape.elementBytes;
        if (blocks && put)
        {
            pe.ctx().ibput(dest, to, source, from, destStride, sourceStride, shape.block, shape.count, elementBytes,
                pe.right());
        }
        else if (blocks)
        {
            pe.ctx().ibget(dest, to, source, from, destStride, sourceStride, shape.block, shape.count, elementBytes,
                pe.right());
        }
        else if (put)
        {
            pe.ctx().iput(dest, to, source, from, destStride, sourceStride, shape.count, elementBytes, pe.right());
        }
        else
        {
            pe.ctx().iget(dest, to, source, from, destStride, sourceStride, shape.count, elementBytes, pe.right());
        }
    }

    private static void check(final Pe pe, final Shape shape, final SymmetricBuffer dest, final long seed)
    {
        final byte[] expected = new byte[CAPACITY];
        Arrays.fill(expected, Pattern.GUARD);
        for (int i = 0; i < shape.count; i++)
        {
            for (int b = 0; b < shape.block * shape.elementBytes; b++)
            {
                expected[(int)(shape.destOffset + i * shape.destStride() * shape.elementBytes + b)] =
                    Pattern.at(seed, shape.sourceOffset + i * shape.sourceStride() * shape.elementBytes + b);
            }
        }

        final UnsafeBuffer actual = pe.memory().copy(dest, 0, CAPACITY);
        for (int i = 0; i < CAPACITY; i++)
        {
            if (expected[i] != actual.getByte(i))
            {
                throw new AssertionError(shape + ": byte " + i + " is " + actual.getByte(i) + ", not " + expected[i]);
            }
        }
    }

    /**
     * Strides are given as the excess over the block.
     */
    private record Shape(
        int elementBytes,
        int count,
        int block,
        int destGap,
        int sourceGap,
        long destOffset,
        long sourceOffset)
    {
        long destStride()
        {
            return block + destGap;
        }

        long sourceStride()
        {
            return block + sourceGap;
        }
    }
}
