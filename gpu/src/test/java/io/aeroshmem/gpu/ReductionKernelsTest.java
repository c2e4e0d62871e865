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
import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.collective.task.CanonicalTree;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The reductions of the device against those of the host, bit for bit: every operation of every type, on all pairs of
 * special values and on random ones, for members enough to fill several groups of the tree.
 */
@Tag("kernels")
@Tag("ci")
@ExtendWith(OnTestThread.class)
class ReductionKernelsTest
{
    private static final int[] MEMBERS = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 23, 31, 32, 37};
    private static final int MAX_MEMBERS = 37;
    /** Of a job. */
    private static final int MOST_MEMBERS = 1 << 16;
    /** More than a block has threads, so that two are launched; even, for pairs. */
    private static final int COUNT = 318;
    /** Bytes after a result, which must not change. */
    private static final int MARGIN = 16;
    private static final byte FILLER = (byte)0xee;

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

    static List<Arguments> pairs()
    {
        final List<Arguments> pairs = new ArrayList<>();
        for (final ElementType type : ElementType.values())
        {
            for (final ReduceOp op : ReduceOp.values())
            {
                if (isAllowed(op, type))
                {
                    pairs.add(Arguments.of(op, type));
                }
            }
        }

        return pairs;
    }

    private static boolean isAllowed(final ReduceOp op, final ElementType type)
    {
        return switch (op)
        {
            case AND, OR, XOR, LAND, LOR, LXOR -> type.isInteger();
            case MAX, MIN, MAXLOC, MINLOC -> !type.isComplex();
            case SUM, PROD, AVG -> true;
        };
    }

    @Test
    void shouldCoverAllPairsOfTheHost()
    {
        assertEquals(8 * 13 + 4 * 7 + 2 * 3, pairs().size());
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void shouldCombineAsTheHost(final ReduceOp op, final ElementType type)
    {
        final Reduction reduction = Reduction.ofRequest(op, type);
        final SpecialValues values = new SpecialValues(type, seed(op, type));
        // All pairs of special values, and half as many random ones.
        final int count = 2 * (values.pairs() * 3 / 4);
        final int bytes = count * type.bytes();
        final ByteBuffer left = TestDevice.buffer(bytes);
        final ByteBuffer right = TestDevice.buffer(bytes);
        final ByteBuffer expected = TestDevice.buffer(bytes);
        values.fillFast(left);
        values.fillSlowly(right);
        reduction.combine(null, address(expected), null, address(left), null, address(right), count);

        final long dest = device.allocate(bytes + MARGIN);
        final long a = device.allocate(left);
        final long b = device.allocate(right);
        device.kernels.combine(op, type, dest, a, b, count, device.stream);
        device.synchronize();
        assertContains(expected, dest, bytes, reduction.toString());
        assertMargin(dest + bytes);

        device.kernels.combine(op, type, b, a, b, count, device.stream);
        device.synchronize();
        assertContains(expected, b, bytes, reduction + " in place");
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void shouldReduceInTheOrderOfTheHost(final ReduceOp op, final ElementType type)
    {
        final Reduction reduction = Reduction.ofRequest(op, type);
        final SpecialValues values = new SpecialValues(type, seed(op, type) + 1);
        final int bytes = COUNT * type.bytes();
        final long offset = 64;
        final ByteBuffer[] blocks = new ByteBuffer[MAX_MEMBERS];
        final long[] addresses = new long[MAX_MEMBERS];
        final long[] table = new long[MAX_MEMBERS];
        for (int i = 0; i < MAX_MEMBERS; i++)
        {
            blocks[i] = TestDevice.buffer(bytes);
            values.fillOrdinary(blocks[i]);
            addresses[i] = address(blocks[i]);
            table[i] = device.allocate(blocks[i]) - offset;
        }

        final long tableAddress = device.allocateLongs(table);
        final long dest = device.allocate(bytes + MARGIN);
        final ByteBuffer expected = TestDevice.buffer(bytes);
        final ByteBuffer workspace =
            TestDevice.buffer((int)CanonicalTree.workspaceLength(MAX_MEMBERS, bytes));
        for (final int members : MEMBERS)
        {
            new CanonicalTree()
                .combine(reduction, addresses, 0, members, COUNT, address(expected), address(workspace));
            if (reduction.needsFinish(members))
            {
                reduction.finish(address(expected), COUNT, members);
            }

            device.kernels.reduce(op, type, dest, tableAddress, offset, COUNT, members, device.stream);
            device.synchronize();
            assertContains(expected, dest, bytes, reduction + " of " + members);
            assertMargin(dest + bytes);
        }

        // compiled code no longer refers to the buffers, whose addresses were in use until here
        Reference.reachabilityFence(blocks);
        Reference.reachabilityFence(workspace);

        // The last expectation, of all members, in the place of one of them.
        final long inPlace = table[MAX_MEMBERS / 2] + offset;
        device.kernels.reduce(op, type, inPlace, tableAddress, offset, COUNT, MAX_MEMBERS, device.stream);
        device.synchronize();
        assertContains(expected, inPlace, bytes, reduction + " in place");
    }

    @ParameterizedTest
    @ValueSource(ints = {MOST_MEMBERS - 1, MOST_MEMBERS})
    void shouldReduceTheLargestJob(final int members)
    {
        final Reduction reduction = Reduction.of(ReduceOp.SUM, ElementType.FLOAT);
        final int count = 2;
        final int bytes = count * Float.BYTES;
        final ByteBuffer blocks = TestDevice.buffer(members * bytes);
        final long onDevice = device.allocate(blocks);
        final long[] addresses = new long[members];
        final long[] table = new long[members];
        for (int i = 0; i < members; i++)
        {
            for (int element = 0; element < count; element++)
            {
                blocks.putFloat(i * bytes + element * Float.BYTES, 1 + (i * 31 + element) % 1009 * 0x1p-12f);
            }

            addresses[i] = address(blocks) + (long)i * bytes;
            table[i] = onDevice + (long)i * bytes;
        }

        device.write(onDevice, blocks);
        final ByteBuffer expected = TestDevice.buffer(bytes);
        final ByteBuffer workspace = TestDevice.buffer((int)CanonicalTree.workspaceLength(members, bytes));
        new CanonicalTree().combine(reduction, addresses, 0, members, count, address(expected), address(workspace));
        Reference.reachabilityFence(blocks);
        Reference.reachabilityFence(workspace);
        final long dest = device.allocate(bytes);
        device.kernels.reduce(
            ReduceOp.SUM, ElementType.FLOAT, dest, device.allocateLongs(table), 0, count, members, device.stream);
        device.synchronize();
        assertContains(expected, dest, bytes, reduction + " of " + members);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void shouldFinishAsTheHost(final ReduceOp op, final ElementType type)
    {
        final Reduction reduction = Reduction.ofRequest(op, type);
        final SpecialValues values = new SpecialValues(type, seed(op, type) + 2);
        final int bytes = COUNT * type.bytes();
        final ByteBuffer expected = TestDevice.buffer(bytes);
        for (final int members : new int[]{1, 2, 3, 7, 1000, 100_003, Integer.MAX_VALUE})
        {
            values.fillOrdinary(expected);
            final long address = device.allocate(expected);
            if (reduction.needsFinish(members))
            {
                reduction.finish(address(expected), COUNT, members);
            }

            device.kernels.finish(op, type, address, COUNT, members, device.stream);
            device.synchronize();
            assertContains(expected, address, bytes, reduction + " of " + members);
        }
    }

    @Test
    void shouldLaunchNothingForNoElements()
    {
        device.kernels.combine(ReduceOp.SUM, ElementType.INT, 0, 0, 0, 0, device.stream);
        device.kernels.reduce(ReduceOp.SUM, ElementType.INT, 0, 0, 0, 0, 3, device.stream);
        device.kernels.finish(ReduceOp.AVG, ElementType.INT, 0, 0, 3, device.stream);
        device.synchronize();
    }

    private static void assertContains(
        final ByteBuffer expected, final long address, final int bytes, final String description)
    {
        final ByteBuffer actual = device.read(address, bytes);
        final int mismatch = expected.mismatch(actual);
        assertEquals(-1, mismatch, () -> description + ": differs at byte " + mismatch);
    }

    private static void assertMargin(final long address)
    {
        final ByteBuffer margin = device.read(address, MARGIN);
        for (int i = 0; i < MARGIN; i++)
        {
            assertEquals(FILLER, margin.get(i), "written beyond the end");
        }
    }

    private static long address(final ByteBuffer buffer)
    {
        return BufferUtil.address(buffer);
    }

    private static long seed(final ReduceOp op, final ElementType type)
    {
        return 100L * type.ordinal() + op.ordinal();
    }
}
