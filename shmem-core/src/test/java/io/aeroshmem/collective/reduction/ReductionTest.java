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
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Every reduction against {@link Oracle}, over special and random values, lengths around those at which the kernels
 * change their path, addresses of any alignment that the type allows, in place, on heap and off. Where the JVM has
 * loaded the Vector API, only reductions of the types that it combines: the others are the same code without it.
 */
@Tag("vector")
@Tag("jdk")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReductionTest
{
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int[] SHORT = {
        0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
    private static final int[] LONG = VOLUME > 1 ?
        new int[]{1000, 1023, 1024, 1025, 2049, 4095, 4097, 16_385, 65_537} : new int[]{1000, 1025, 4098};
    /** Bytes around the block, to detect writes beside it. */
    private static final int MARGIN = 64;
    /** Longest block that is tried at each address. */
    private static final int MAX_SHIFTED = 4097;
    private static final int BYTE_ARRAY = UnsafeApi.arrayBaseOffset(byte[].class);
    private static final int LARGEST = LONG[LONG.length - 1] * 16 + 2 * MARGIN;
    private static final boolean HAS_VECTORS = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

    private final Block left = new Block();
    private final Block right = new Block();
    private final Block dest = new Block();
    private final ByteBuffer expected = ByteBuffer.allocate(LARGEST).order(ByteOrder.nativeOrder());

    private static List<Arguments> allowedPairs(final Predicate<ElementType> types)
    {
        final List<Arguments> pairs = new ArrayList<>();
        for (final ElementType type : ElementType.values())
        {
            for (final ReduceOp op : ReduceOp.values())
            {
                if (types.test(type) && isAllowed(op, type))
                {
                    pairs.add(Arguments.of(op, type));
                }
            }
        }

        return pairs;
    }

    static List<Arguments> pairs()
    {
        return allowedPairs((type) ->
            !HAS_VECTORS || ElementType.HALF == type || ElementType.BFLOAT16 == type);
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

    private static List<Arguments> ofBlockingCalls(final List<Arguments> pairs)
    {
        return pairs.stream().filter((pair) -> isOfBlockingCalls((ReduceOp)pair.get()[0])).toList();
    }

    static List<Arguments> pairsOfBlockingCalls()
    {
        return ofBlockingCalls(pairs());
    }

    @Test
    void shouldRefusePairsThatTheTablesDoNotAllow()
    {
        final List<Arguments> pairs = allowedPairs((type) -> true);
        assertEquals(8 * 7 + 4 * 4 + 2 * 2, ofBlockingCalls(pairs).size());
        assertEquals(8 * 13 + 4 * 7 + 2 * 3, pairs.size());
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
    @MethodSource("pairs")
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
    @MethodSource("pairs")
    void shouldCombineShortBlocksAsTheOracle(final ReduceOp op, final ElementType type)
    {
        combineAsTheOracle(op, type, SHORT);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    @Tag("ci")
    void shouldCombineLongBlocksAsTheOracle(final ReduceOp op, final ElementType type)
    {
        combineAsTheOracle(op, type, LONG);
    }

    private void combineAsTheOracle(final ReduceOp op, final ElementType type, final int[] counts)
    {
        final Reduction reduction = Reduction.ofRequest(op, type);
        final Oracle oracle = new Oracle(op, type);
        final Values values = new Values(type, new SplittableRandom(type.ordinal() * 100L + op.ordinal()));
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
    @MethodSource("pairs")
    void shouldFinishAsTheOracle(final ReduceOp op, final ElementType type)
    {
        final Reduction reduction = Reduction.ofRequest(op, type);
        final Oracle oracle = new Oracle(op, type);
        final Values values = new Values(type, new SplittableRandom(4));
        final boolean isLogical = ReduceOp.LAND == op || ReduceOp.LOR == op || ReduceOp.LXOR == op;
        for (final int members : new int[]{1, 2, 3, 7, 8, 1000, 100_003})
        {
            final boolean isNeeded = ReduceOp.AVG == op ? members > 1 : isLogical && 1 == members;
            assertEquals(isNeeded, reduction.needsFinish(members));
            if (isNeeded)
            {
                final int count = 2049;
                values.fill(left.contents, right.contents, count);
                final int length = count * type.bytes();
                for (int position = 0; position < length; position += type.bytes())
                {
                    oracle.finish(expected, left.contents, position, members);
                }

                left.load(false, MARGIN, length);
                reduction.finish(left.address, count, members);
                left.assertContains(expected, length, reduction + " of " + members);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("pairsOfBlockingCalls")
    void shouldHaveAnIdentity(final ReduceOp op, final ElementType type)
    {
        final Reduction reduction = Reduction.of(op, type);
        final Values values = new Values(type, new SplittableRandom(3));
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
            final ByteBuffer memory = null == base ? direct : ByteBuffer.wrap(array);
            final int offset = (int)(address - (null == base ? BufferUtil.address(direct) : BYTE_ARRAY));
            assertEquals(-1, expected.slice(0, length).mismatch(memory.slice(offset, length)), description);
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
