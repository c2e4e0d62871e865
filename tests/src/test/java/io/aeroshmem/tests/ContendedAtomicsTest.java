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
package io.aeroshmem.tests;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SessionOption;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.collections.Long2LongHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Minimum and maximum, among swaps and bitwise operations, on words that all PEs contend for. The words hold few
 * values. So an operation is an edge of a small graph: from the value that it has fetched to the value that it leaves.
 * Operations that took effect one after another make one path, from the first value of the word to its last, which
 * passes each edge as often as it was recorded.
 */
class ContendedAtomicsTest
{
    /** Of random tests: 1, and more in the nightly run. */
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int PES = 4;
    private static final int OPERATIONS = 5_000 * VOLUME;
    private static final int VALUES = 64;
    private static final int BATCH = 64;
    /** One batch of so many is of operations that block. */
    private static final int BLOCKING = 8;
    private static final long NONE = Long.MIN_VALUE;

    /** The types of a word, in the order of the words. */
    private enum Type
    {
        LONG, INT, DOUBLE, FLOAT;

        private final long[] values = new long[VALUES];
        private final Long2LongHashMap indices = new Long2LongHashMap(NONE);

        Type()
        {
            for (int i = 0; i < VALUES; i++)
            {
                values[i] = bits(i);
                indices.put(values[i], i);
            }
        }

        /** Integers from -32 on, which bitwise operations do not leave; NaN, zeros and numbers up to an infinity. */
        private long bits(final int index)
        {
            final double number = 0 == index ? Double.NaN : 1 == index ? -0.0 : 63 == index ?
                Double.POSITIVE_INFINITY : (index - 32) / 3.0;
            return switch (ordinal())
            {
                case 0, 1 -> index - VALUES / 2;
                case 2 -> Double.doubleToLongBits(number);
                default -> Float.floatToIntBits((float)number);
            };
        }

        private int index(final long bits)
        {
            final long index = indices.get(bits);
            assertTrue(NONE != index, () -> this + " of a value that no operation has left: " + bits);
            return (int)index;
        }

        private long read(final SymmetricBuffer buffer, final long offset)
        {
            return LONG == this || DOUBLE == this ? buffer.getLong(offset) : buffer.getInt(offset);
        }
    }

    private enum Operation
    {
        MIN, MAX, SWAP, XOR;

        private long apply(final Type type, final long before, final long operand)
        {
            return switch (this)
            {
                case SWAP -> operand;
                case XOR -> before ^ operand;
                case MIN -> switch (type)
                {
                    case DOUBLE -> Double.doubleToLongBits(
                        Math.min(Double.longBitsToDouble(before), Double.longBitsToDouble(operand)));
                    case FLOAT -> Float.floatToIntBits(
                        Math.min(Float.intBitsToFloat((int)before), Float.intBitsToFloat((int)operand)));
                    default -> Math.min(before, operand);
                };
                case MAX -> switch (type)
                {
                    case DOUBLE -> Double.doubleToLongBits(
                        Math.max(Double.longBitsToDouble(before), Double.longBitsToDouble(operand)));
                    case FLOAT -> Float.floatToIntBits(
                        Math.max(Float.intBitsToFloat((int)before), Float.intBitsToFloat((int)operand)));
                    default -> Math.max(before, operand);
                };
            };
        }
    }

    @ParameterizedTest(name = "{0}, in sessions: {1}")
    @CsvSource({"MAPPED, false", "IPC, false", "IPC, true", "UDP, false", "UDP, true"})
    void shouldTakeEffectOneAfterAnother(final TransportKind transport, final boolean isInSessions)
    {
        final Job job = Job.of(PES).transport(transport).deadline(Deadlines.WAIT.plusSeconds(VOLUME));
        (isInSessions ? job.inSessions(SessionOption.BATCH, SessionOption.SAME_AMO) : job)
            .run("contended words", ContendedAtomicsTest::contend);
    }

    @ParameterizedTest(name = "{0}, in sessions: {1}")
    @CsvSource({"MAPPED, false", "IPC, true", "UDP, false"})
    void shouldNeverLowerAMaximum(final TransportKind transport, final boolean isInSessions)
    {
        final Job job = Job.of(PES).transport(transport).deadline(Deadlines.WAIT.plusSeconds(VOLUME));
        (isInSessions ? job.inSessions(SessionOption.BATCH, SessionOption.SAME_AMO) : job)
            .run("maximum", ContendedAtomicsTest::raise);
    }

    private static void contend(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(Type.values().length, Long.BYTES);
        final SymmetricBuffer fetched = pe.shmem().calloc(BATCH, Long.BYTES);
        final SymmetricBuffer edges = pe.shmem().calloc((long)Type.values().length * VALUES * VALUES, Long.BYTES);
        final long[][] counts = new long[Type.values().length][VALUES * VALUES];
        final SplittableRandom random = pe.ownRandom();
        final Type[] types = new Type[BATCH];
        final Operation[] operations = new Operation[BATCH];
        final long[] operands = new long[BATCH];
        for (int done = 0; done < OPERATIONS; done += BATCH)
        {
            final boolean isBlocking = 0 == done / BATCH % BLOCKING;
            for (int i = 0; i < BATCH; i++)
            {
                types[i] = Type.values()[random.nextInt(4)];
                operations[i] = operation(types[i], random);
                operands[i] = types[i].values[random.nextInt(VALUES)];
                final long word = types[i].ordinal() * Long.BYTES;
                if (isBlocking)
                {
                    fetched.putLong(
                        i * Long.BYTES, fetch(pe.ctx(), types[i], operations[i], words, word, operands[i]));
                }
                else
                {
                    start(pe.ctx(), types[i], operations[i], fetched, i * Long.BYTES, words, word, operands[i]);
                }
            }

            pe.ctx().quiet();
            for (int i = 0; i < BATCH; i++)
            {
                final long before = types[i].read(fetched, i * Long.BYTES);
                final long after = operations[i].apply(types[i], before, operands[i]);
                counts[types[i].ordinal()][types[i].index(before) * VALUES + types[i].index(after)]++;
            }
        }

        for (final Type type : Type.values())
        {
            edges.putLongs(
                (long)type.ordinal() * VALUES * VALUES * Long.BYTES, counts[type.ordinal()], 0, VALUES * VALUES);
        }

        pe.shmem().barrierAll();
        pe.shmem().world().reduce(
            ReduceOp.SUM, ElementType.LONG, edges, edges, (long)Type.values().length * VALUES * VALUES);
        if (0 == pe.me())
        {
            for (final Type type : Type.values())
            {
                edges.getLongs(
                    (long)type.ordinal() * VALUES * VALUES * Long.BYTES, counts[type.ordinal()], 0, VALUES * VALUES);
                final int last = type.index(type.read(words, type.ordinal() * Long.BYTES));
                assertNull(flaw(counts[type.ordinal()], type.index(0), last), type::name);
            }
        }

        pe.shmem().barrierAll();
    }

    private static Operation operation(final Type type, final SplittableRandom random)
    {
        final Operation operation = Operation.values()[Math.min(3, random.nextInt(8) / 2)];
        return Operation.XOR != operation ? operation : Type.LONG == type || Type.INT == type ?
            Operation.values()[random.nextInt(4)] : Operation.values()[random.nextInt(2)];
    }

    private static long fetch(
        final CommunicationContext ctx,
        final Type type,
        final Operation operation,
        final SymmetricBuffer words,
        final long word,
        final long operand)
    {
        return switch (type)
        {
            case LONG -> switch (operation)
            {
                case MIN -> ctx.atomicFetchMinLong(words, word, operand, 0);
                case MAX -> ctx.atomicFetchMaxLong(words, word, operand, 0);
                case SWAP -> ctx.atomicSwapLong(words, word, operand, 0);
                case XOR -> ctx.atomicFetchXorLong(words, word, operand, 0);
            };
            case INT -> switch (operation)
            {
                case MIN -> ctx.atomicFetchMinInt(words, word, (int)operand, 0);
                case MAX -> ctx.atomicFetchMaxInt(words, word, (int)operand, 0);
                case SWAP -> ctx.atomicSwapInt(words, word, (int)operand, 0);
                case XOR -> ctx.atomicFetchXorInt(words, word, (int)operand, 0);
            };
            case DOUBLE ->
            {
                final double number = Double.longBitsToDouble(operand);
                yield Double.doubleToRawLongBits(
                    Operation.MIN == operation ? ctx.atomicFetchMinDouble(words, word, number, 0) :
                    Operation.MAX == operation ? ctx.atomicFetchMaxDouble(words, word, number, 0) :
                    ctx.atomicSwapDouble(words, word, number, 0));
            }
            case FLOAT ->
            {
                final float number = Float.intBitsToFloat((int)operand);
                yield Float.floatToRawIntBits(
                    Operation.MIN == operation ? ctx.atomicFetchMinFloat(words, word, number, 0) :
                    Operation.MAX == operation ? ctx.atomicFetchMaxFloat(words, word, number, 0) :
                    ctx.atomicSwapFloat(words, word, number, 0));
            }
        };
    }

    private static void start(
        final CommunicationContext ctx,
        final Type type,
        final Operation operation,
        final SymmetricBuffer fetched,
        final long slot,
        final SymmetricBuffer words,
        final long word,
        final long operand)
    {
        final double number = Double.longBitsToDouble(operand);
        final float shortNumber = Float.intBitsToFloat((int)operand);
        switch (type.ordinal() * 4 + operation.ordinal())
        {
            case 0 -> ctx.atomicFetchMinLongNbi(fetched, slot, words, word, operand, 0);
            case 1 -> ctx.atomicFetchMaxLongNbi(fetched, slot, words, word, operand, 0);
            case 2 -> ctx.atomicSwapLongNbi(fetched, slot, words, word, operand, 0);
            case 3 -> ctx.atomicFetchXorLongNbi(fetched, slot, words, word, operand, 0);
            case 4 -> ctx.atomicFetchMinIntNbi(fetched, slot, words, word, (int)operand, 0);
            case 5 -> ctx.atomicFetchMaxIntNbi(fetched, slot, words, word, (int)operand, 0);
            case 6 -> ctx.atomicSwapIntNbi(fetched, slot, words, word, (int)operand, 0);
            case 7 -> ctx.atomicFetchXorIntNbi(fetched, slot, words, word, (int)operand, 0);
            case 8 -> ctx.atomicFetchMinDoubleNbi(fetched, slot, words, word, number, 0);
            case 9 -> ctx.atomicFetchMaxDoubleNbi(fetched, slot, words, word, number, 0);
            case 10 -> ctx.atomicSwapDoubleNbi(fetched, slot, words, word, number, 0);
            case 12 -> ctx.atomicFetchMinFloatNbi(fetched, slot, words, word, shortNumber, 0);
            case 13 -> ctx.atomicFetchMaxFloatNbi(fetched, slot, words, word, shortNumber, 0);
            default -> ctx.atomicSwapFloatNbi(fetched, slot, words, word, shortNumber, 0);
        }
    }

    /** Each PE raises the words by values of its own, and never fetches less than it knows a word to hold. */
    private static void raise(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(2, Long.BYTES);
        final SplittableRandom random = pe.ownRandom();
        final CommunicationContext ctx = pe.ctx();
        long known = 0;
        double knownNumber = 0;
        for (int i = 0; i < OPERATIONS; i++)
        {
            final long value = known + random.nextInt(40) - 20;
            if (0 == i % BATCH)
            {
                // what the PE has issued before takes effect before
                ctx.fence();
                final long before = ctx.atomicFetchMaxLong(words, 0, value, 0);
                assertTrue(before >= known, () -> "fetched " + before);
                known = Math.max(before, value);
                final double number = ctx.atomicFetchMaxDouble(words, 8, value, 0);
                assertTrue(number >= knownNumber, () -> "fetched " + number);
                knownNumber = Math.max(number, value);
            }
            else
            {
                ctx.atomicMaxLong(words, 0, value, 0);
                ctx.atomicMaxDouble(words, 8, value, 0);
                known = Math.max(known, value);
                knownNumber = Math.max(knownNumber, value);
            }
        }

        pe.shmem().barrierAll();
        final long greatest = pe.shmem().world().reduceLong(ReduceOp.MAX, known);
        assertEquals(greatest, ctx.atomicFetchLong(words, 0, 0));
        assertEquals((double)greatest, ctx.atomicFetchDouble(words, 8, 0));
        pe.shmem().barrierAll();
    }

    /** Returns why no path from the first value to the last passes all edges, or null if one does. */
    private static String flaw(final long[] counts, final int first, final int last)
    {
        final boolean[] isReached = new boolean[VALUES];
        reach(counts, first, isReached);
        for (int value = 0; value < VALUES; value++)
        {
            long left = 0;
            long entered = 0;
            for (int other = 0; other < VALUES; other++)
            {
                left += counts[value * VALUES + other];
                entered += counts[other * VALUES + value];
            }

            final int expected = (first == value ? 1 : 0) - (last == value ? 1 : 0);
            if (left - entered != expected)
            {
                return "value " + value + " was entered " + entered + " times and left " + left +
                    " times, on the way from " + first + " to " + last;
            }

            if (!isReached[value] && left + entered > 0)
            {
                return "value " + value + " was never entered";
            }
        }

        return null;
    }

    private static void reach(final long[] counts, final int value, final boolean[] isReached)
    {
        isReached[value] = true;
        for (int next = 0; next < VALUES; next++)
        {
            if (!isReached[next] && counts[value * VALUES + next] > 0)
            {
                reach(counts, next, isReached);
            }
        }
    }

    @Test
    void shouldFindAnUpdateThatIsLost()
    {
        final long[] counts = new long[VALUES * VALUES];
        counts[5 * VALUES + 7] = 1;
        counts[7 * VALUES + 9] = 1;
        counts[9 * VALUES + 9] = 3;
        assertNull(flaw(counts, 5, 9));
        assertNotNull(flaw(counts, 5, 7));

        counts[7 * VALUES + 9] = 0;
        counts[5 * VALUES + 9] = 1;
        assertNotNull(flaw(counts, 5, 9), "two operations fetched 5");

        counts[5 * VALUES + 9] = 0;
        counts[11 * VALUES + 12] = 1;
        counts[12 * VALUES + 11] = 1;
        assertNotNull(flaw(counts, 5, 7), "values that the word never held");
    }
}
