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
package io.aeroshmem.collective.reduction;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Every reduction against {@link Oracle}, over special and random values, lengths around those at which the kernels
 * change their path, addresses of any alignment that the type allows, in place, on heap and off.
 */
@Tag("vector")
@Tag("jdk")
class ReductionTest
{
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int[] SHORT = {
        0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
    private static final int[] LONG = {1000, 1023, 1024, 1025, 2049, 4095, 4097, VOLUME > 1 ? 65_537 : 16_385};
    /** Bytes around the block, to detect writes beside it. */
    private static final int MARGIN = 64;
    /** Longest block that is tried at each address. */
    private static final int MAX_SHIFTED = 4097;
    private static final int BYTE_ARRAY = UnsafeApi.arrayBaseOffset(byte[].class);
    private static final int LARGEST = 65_537 * 16 + 2 * MARGIN;

    static List<Arguments> allowedPairs()
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
            case AND, OR, XOR -> type.isInteger();
            case MAX, MIN -> type.isInteger() || type.isFloating();
            case SUM, PROD, AVG -> true;
            case LAND, LOR, LXOR -> type.isInteger();
            case MAXLOC, MINLOC -> !type.isComplex();
        };
    }

    private static boolean isOfBlockingCalls(final ReduceOp op)
    {
        return op.compareTo(ReduceOp.PROD) <= 0;
    }

    static List<Arguments> pairsOfBlockingCalls()
    {
        return allowedPairs().stream().filter((pair) -> isOfBlockingCalls((ReduceOp)pair.get()[0])).toList();
    }

    @Test
    void shouldRefusePairsThatTheTablesDoNotAllow()
    {
        assertEquals(8 * 7 + 4 * 4 + 2 * 2, pairsOfBlockingCalls().size());
        assertEquals(8 * 13 + 4 * 7 + 2 * 3, allowedPairs().size());
        for (final ElementType type : ElementType.values())
        {
            for (final ReduceOp op : ReduceOp.values())
            {
                if (!isAllowed(op, type))
                {
                    final String message = assertThrows(
                        IllegalArgumentException.class, () -> Reduction.ofRequest(op, type)).getMessage();
                    assertTrue(message.contains(op + " of " + type) && message.contains("SUM, PROD, AVG"), message);
                }

                if (!isAllowed(op, type) || !isOfBlockingCalls(op))
                {
                    final String message =
                        assertThrows(IllegalArgumentException.class, () -> Reduction.of(op, type)).getMessage();
                    assertTrue(message.contains(op + " of " + type) && message.contains("SUM, PROD]"), message);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("allowedPairs")
    void shouldDescribeItself(final ReduceOp op, final ElementType type)
    {
        final Reduction reduction = Reduction.ofRequest(op, type);
        assertSame(reduction, isOfBlockingCalls(op) ? Reduction.of(op, type) : Reduction.ofRequest(op, type));
        assertEquals(op, reduction.op());
        assertEquals(type, reduction.type());
        assertEquals(type.bytes(), reduction.elementBytes());
        assertEquals(op + " of " + type, reduction.toString());
        final boolean isRounded =
            !type.isInteger() && (ReduceOp.SUM == op || ReduceOp.PROD == op || ReduceOp.AVG == op);
        assertEquals(!isRounded, reduction.isReorderable());
    }

    @ParameterizedTest
    @MethodSource("allowedPairs")
    void shouldCombineShortBlocksAsTheOracle(final ReduceOp op, final ElementType type)
    {
        combineAsTheOracle(op, type, SHORT);
    }

    @ParameterizedTest
    @MethodSource("allowedPairs")
    @Tag("ci")
    void shouldCombineLongBlocksAsTheOracle(final ReduceOp op, final ElementType type)
    {
        combineAsTheOracle(op, type, LONG);
    }

    private static void combineAsTheOracle(final ReduceOp op, final ElementType type, final int[] counts)
    {
        final Reduction reduction = Reduction.ofRequest(op, type);
        final Oracle oracle = new Oracle(op, type);
        final Values values = new Values(type, new SplittableRandom(type.ordinal() * 100L + op.ordinal()));
        final Block left = new Block();
        final Block right = new Block();
        final Block dest = new Block();
        final ByteBuffer expected = ByteBuffer.allocate(LARGEST).order(ByteOrder.nativeOrder());
        int variant = 0;
        for (final int count : counts)
        {
            if (reduction.isOfPairs() && 0 != count % 2)
            {
                continue;
            }

            values.fill(left.contents, right.contents, count);
            final boolean isLong = count > MAX_SHIFTED;
            final int length = count * type.bytes();
            for (int position = 0; position < length; position += oracle.stepBytes())
            {
                oracle.combine(expected, left.contents, right.contents, position);
            }

            for (final boolean isOnHeap : new boolean[]{false, true})
            {
                for (final Aliasing aliasing : Aliasing.values())
                {
                    for (int shift = isLong ? variant % 4 : 0; shift < 4; shift += isLong ? 4 : 1)
                    {
                        final int offset = type.alignment() * (shift * 5 + variant++ % 3);
                        left.load(isOnHeap, MARGIN + offset, length);
                        right.load(isOnHeap, MARGIN + (0 == shift ? offset : 0), length);
                        dest.load(isOnHeap, MARGIN + (2 > shift ? offset : type.alignment()), length);
                        final Block target = aliasing.destOf(dest, left, right);
                        final Block second = Aliasing.ALL == aliasing ? left : right;
                        if (Aliasing.ALL != aliasing)
                        {
                            combine(reduction, target, left, second, count);
                            target.assertContains(expected, length, reduction + " x " + count + " " + aliasing);
                        }
                        else
                        {
                            combine(reduction, target, left, second, count);
                            target.assertMargins(length);
                        }
                    }
                }
            }
        }
    }

    private static void combine(
        final Reduction reduction, final Block dest, final Block left, final Block right, final int count)
    {
        reduction.combine(dest.base, dest.address, left.base, left.address, right.base, right.address, count);
    }

    @ParameterizedTest
    @MethodSource("allowedPairs")
    void shouldFinishAsTheOracle(final ReduceOp op, final ElementType type)
    {
        final Reduction reduction = Reduction.ofRequest(op, type);
        final Oracle oracle = new Oracle(op, type);
        final Values values = new Values(type, new SplittableRandom(4));
        final Block block = new Block();
        final Block other = new Block();
        final ByteBuffer expected = ByteBuffer.allocate(LARGEST).order(ByteOrder.nativeOrder());
        final boolean isLogical = ReduceOp.LAND == op || ReduceOp.LOR == op || ReduceOp.LXOR == op;
        for (final int members : new int[]{1, 2, 3, 7, 8, 1000, 100_003})
        {
            final boolean isNeeded = ReduceOp.AVG == op ? members > 1 : isLogical && 1 == members;
            assertEquals(isNeeded, reduction.needsFinish(members));
            if (isNeeded)
            {
                final int count = 2049;
                values.fill(block.contents, other.contents, count);
                final int length = count * type.bytes();
                for (int position = 0; position < length; position += type.bytes())
                {
                    oracle.finish(expected, block.contents, position, members);
                }

                block.load(false, MARGIN, length);
                reduction.finish(block.address, count, members);
                block.assertContains(expected, length, reduction + " of " + members);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("pairsOfBlockingCalls")
    void shouldHaveAnIdentity(final ReduceOp op, final ElementType type)
    {
        final Reduction reduction = Reduction.of(op, type);
        final Values values = new Values(type, new SplittableRandom(3));
        final Block left = new Block();
        final Block right = new Block();
        final int count = 777;
        values.fillOrdinary(left.contents, count);
        left.load(false, MARGIN, count * type.bytes());
        right.load(true, MARGIN, count * type.bytes());
        reduction.identity(right.base, right.address, count);
        right.assertMargins(count * type.bytes());
        right.load(false, MARGIN, count * type.bytes());
        reduction.identity(right.base, right.address, count);
        right.assertMargins(count * type.bytes());
        combine(reduction, right, left, right, count);
        right.assertContains(left.contents, count * type.bytes(), "identity of " + reduction);
        reduction.identity(right.base, right.address, count);
        combine(reduction, left, right, left, count);
        left.assertContains(left.contents, count * type.bytes(), "identity of " + reduction);
    }

    private enum Aliasing
    {
        NONE, LEFT, RIGHT, ALL;

        Block destOf(final Block dest, final Block left, final Block right)
        {
            return switch (this)
            {
                case NONE -> dest;
                case LEFT, ALL -> left;
                case RIGHT -> right;
            };
        }
    }

    /** Contents, and memory on and off the heap into which they are loaded between margins. */
    private static final class Block
    {
        private static final byte MARK = (byte)0xa5;

        private final ByteBuffer contents = ByteBuffer.allocate(LARGEST).order(ByteOrder.nativeOrder());
        private final byte[] array = new byte[LARGEST + 256];
        private final ByteBuffer direct = BufferUtil.allocateDirectAligned(LARGEST + 256, 64);
        private Object base;
        private long address;

        void load(final boolean isOnHeap, final int offset, final int length)
        {
            base = isOnHeap ? array : null;
            address = offset + (isOnHeap ? BYTE_ARRAY : BufferUtil.address(direct));
            UnsafeApi.setMemory(base, address - MARGIN, length + 2 * MARGIN, MARK);
            UnsafeApi.copyMemory(contents.array(), BYTE_ARRAY, base, address, length);
        }

        void assertContains(final ByteBuffer expected, final int length, final String description)
        {
            for (int i = 0; i < length; i++)
            {
                final byte actual = UnsafeApi.getByte(base, address + i);
                if (expected.get(i) != actual)
                {
                    assertEquals(expected.get(i), actual, description + ", byte " + i);
                }
            }

            assertMargins(length);
        }

        void assertMargins(final int length)
        {
            for (int i = 0; i < MARGIN; i++)
            {
                assertEquals(MARK, UnsafeApi.getByte(base, address - 1 - i), "before");
                assertEquals(MARK, UnsafeApi.getByte(base, address + length + i), "behind");
            }
        }
    }
}
