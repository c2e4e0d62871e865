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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.UnsafeBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Put-with-signal and signals: a PE that reads the signal reads the payload.
 */
final class Signals
{
    private static final int[] SIZES = {0, 1, 8, 63, 1400, 1401, 4096, 70_001, 8};
    private static final int LARGEST = 70_016;
    private static final int DATA = 0;
    private static final int ACKNOWLEDGED = 64;

    private Signals()
    {
    }

    static void shouldPutWithSignalFromSymmetricMemory(final Pe pe)
    {
        exchange(pe, (dest, source, length, signal, value) -> pe.ctx().putSignal(
            dest, 3, source, 5, length, signal, DATA, value, SignalOp.SET, pe.right()));
    }

    static void shouldPutWithSignalFromLocalBuffers(final Pe pe)
    {
        final UnsafeBuffer local = new UnsafeBuffer(new byte[LARGEST]);
        exchange(pe, (dest, source, length, signal, value) ->
        {
            pe.memory().read(source, 0, local, 0, LARGEST);
            pe.ctx().putSignal(dest, 3, local, 5, length, signal, DATA, 1, SignalOp.ADD, pe.right());
            Pattern.guard(local, 0, LARGEST); // reusable on return
        });
    }

    static void shouldPutWithSignalWithoutBlocking(final Pe pe)
    {
        exchange(pe, (dest, source, length, signal, value) ->
        {
            pe.ctx().putSignalNbi(dest, 3, source, 5, length, signal, DATA, value, SignalOp.SET, pe.right());
            pe.ctx().quiet();
        });
    }

    /**
     * To the right, one at a time: the receiver acknowledges each with a signal.
     */
    private static void exchange(final Pe pe, final Exchange exchange)
    {
        final SymmetricBuffer dest = pe.malloc(LARGEST);
        final SymmetricBuffer source = pe.malloc(LARGEST);
        final SymmetricBuffer signal = pe.calloc(16, 8);
        for (int round = 1; round <= SIZES.length * 3; round++)
        {
            final int length = SIZES[round % SIZES.length];
            Pattern.fill(pe, source, 5, length, Pattern.seed(pe.me(), round));
            Pattern.guard(pe, dest, 0, 3);
            Pattern.guard(pe, dest, 3 + length, 3 + length + 8);
            pe.ctx().signal(signal, ACKNOWLEDGED + 8, round, SignalOp.SET, pe.left()); // ready to receive
            pe.shmem().signalWaitUntil(signal, ACKNOWLEDGED + 8, Comparison.GE, round);
            exchange.run(dest, source, length, signal, round);
            assertEquals(round, pe.shmem().signalWaitUntil(signal, DATA, Comparison.EQ, round));
            Pattern.check(pe, "put with signal of " + length, dest, 3, length, Pattern.seed(pe.left(), round));
            Pattern.checkGuard(pe, "before", dest, 0, 3);
            Pattern.checkGuard(pe, "after", dest, 3 + length, 3 + length + 8);
            pe.ctx().signal(signal, ACKNOWLEDGED, 1, SignalOp.ADD, pe.left());
            pe.shmem().signalWaitUntil(signal, ACKNOWLEDGED, Comparison.GE, round);
        }

        pe.shmem().free(signal);
        pe.shmem().free(source);
        pe.shmem().free(dest);
    }

    static void shouldPutWithSignalToAllOthers(final Pe pe)
    {
        final int length = 1500;
        final SymmetricBuffer dest = pe.malloc((long)length * pe.n());
        final SymmetricBuffer source = pe.malloc(length);
        final SymmetricBuffer signal = pe.calloc(3, 8);
        final UnsafeBuffer local = new UnsafeBuffer(new byte[length]);
        Pattern.guard(pe, dest, 0, dest.length());
        Pattern.fill(pe, source, 0, length, Pattern.seed(pe.me()));
        Pattern.fill(local, 0, length, Pattern.seed(pe.me(), 7));
        pe.shmem().barrierAll();
        final long at = (long)length * pe.me();
        pe.ctx().putSignalAll(dest, at, source, 0, length, signal, 0, 1, SignalOp.ADD);
        assertEquals(pe.n() - 1, pe.shmem().signalWaitUntil(signal, 0, Comparison.EQ, pe.n() - 1));
        checkAll(pe, dest, length, false);
        pe.shmem().barrierAll();
        pe.ctx().putSignalAll(dest, at, local, 0, length, signal, 8, 10, SignalOp.ADD);
        pe.shmem().signalWaitUntil(signal, 8, Comparison.EQ, 10L * (pe.n() - 1));
        checkAll(pe, dest, length, true);
        pe.ctx().signalAll(signal, 16, 1, SignalOp.ADD);
        pe.shmem().signalWaitUntil(signal, 16, Comparison.EQ, pe.n() - 1);
        pe.shmem().barrierAll();
        assertEquals(pe.n() - 1, pe.shmem().signalFetch(signal, 16), "none for oneself");
        pe.shmem().free(signal);
        pe.shmem().free(source);
        pe.shmem().free(dest);
    }

    /** Blocks of one piece and of many, from each kind of source. */
    static void shouldPutToAllOthers(final Pe pe)
    {
        final int length = (40 << 10) + 5;
        final SymmetricBuffer dest = pe.malloc((long)length * pe.n());
        final SymmetricBuffer source = pe.malloc(length);
        final SymmetricBuffer signal = pe.calloc(1, 8);
        final UnsafeBuffer local = new UnsafeBuffer(new byte[length]);
        final long[] array = new long[length / Long.BYTES];
        final long at = (long)length * pe.me();
        Pattern.guard(pe, dest, 0, dest.length());
        Pattern.fill(pe, source, 0, length, Pattern.seed(pe.me()));
        Pattern.fill(local, 0, length, Pattern.seed(pe.me(), 7));
        pe.shmem().barrierAll();
        pe.ctx().putAll(dest, at, source, 0, length);
        pe.ctx().quiet();
        pe.shmem().syncAll();
        checkAll(pe, dest, length, false);
        pe.shmem().barrierAll();
        pe.ctx().putAll(dest, at, local, 0, length);
        pe.shmem().barrierAll();
        checkAll(pe, dest, length, true);
        pe.shmem().barrierAll();
        pe.ctx().putSignalAll(dest, at, source, 0, length, signal, 0, 1, SignalOp.ADD);
        pe.shmem().signalWaitUntil(signal, 0, Comparison.EQ, pe.n() - 1);
        checkAll(pe, dest, length, false);
        pe.shmem().barrierAll();
        for (int i = 0; i < array.length; i++)
        {
            array[i] = local.getLong(i * Long.BYTES);
        }

        pe.ctx().putAll(dest, at, array, 0, array.length);
        pe.ctx().putAll(dest, at + (long)array.length * Long.BYTES, local, array.length * Long.BYTES, 5);
        pe.shmem().barrierAll();
        checkAll(pe, dest, length, true);
        pe.shmem().barrierAll();
        pe.shmem().free(signal);
        pe.shmem().free(source);
        pe.shmem().free(dest);
    }

    private static void checkAll(final Pe pe, final SymmetricBuffer dest, final int length, final boolean fromLocal)
    {
        for (int source = 0; source < pe.n(); source++)
        {
            final long from = (long)length * source;
            if (source == pe.me())
            {
                Pattern.checkGuard(pe, "own part, which the sender leaves alone", dest, from, from + length);
            }
            else
            {
                Pattern.check(pe, "part of PE " + source, dest, from, length,
                    fromLocal ? Pattern.seed(source, 7) : Pattern.seed(source));
            }
        }
    }

    static void shouldSetAndAddSignals(final Pe pe)
    {
        final SymmetricBuffer signal = pe.calloc(2, 8);
        final CommunicationContext ctx = pe.ctx();
        for (int target = 0; target < pe.n(); target++)
        {
            for (int i = 0; i < 100; i++)
            {
                ctx.signal(signal, 0, pe.me() + 1, SignalOp.ADD, target);
            }
        }

        final long sum = 100L * pe.n() * (pe.n() + 1) / 2;
        assertEquals(sum, pe.shmem().signalWaitUntil(signal, 0, Comparison.GE, sum));
        assertEquals(sum, pe.shmem().signalFetch(signal, 0));
        for (int i = 0; i < 50; i++)
        {
            ctx.signal(signal, 8, i, SignalOp.SET, pe.right());
        }

        assertEquals(49, pe.shmem().signalWaitUntil(signal, 8, Comparison.EQ, 49));
        ctx.signal(signal, 8, -1, SignalOp.ADD, pe.me());
        pe.shmem().barrierAll();
        assertEquals(48, pe.shmem().signalFetch(signal, 8));
        pe.shmem().barrierAll();
        pe.shmem().free(signal);
    }

    static void shouldStreamPutsWithSignalsWithoutAcknowledgement(final Pe pe)
    {
        final int count = 500;
        final int length = 40;
        final SymmetricBuffer dest = pe.malloc((long)count * length);
        final SymmetricBuffer signals = pe.calloc(count, 8);
        final UnsafeBuffer local = new UnsafeBuffer(new byte[length]);
        pe.shmem().barrierAll();
        for (int i = 0; i < count; i++)
        {
            Pattern.fill(local, 0, length, Pattern.seed(pe.me(), i));
            pe.ctx().putSignal(
                dest, (long)i * length, local, 0, length, signals, 8L * i, i + 1, SignalOp.SET, pe.right());
        }

        for (int i = count - 1; i >= 0; i--)
        {
            pe.shmem().signalWaitUntil(signals, 8L * i, Comparison.NE, 0);
            Pattern.check(pe, "message " + i, dest, (long)i * length, length, Pattern.seed(pe.left(), i));
        }

        pe.shmem().free(signals);
        pe.shmem().free(dest);
    }

    /**
     * One form of put-with-signal.
     */
    @FunctionalInterface
    private interface Exchange
    {
        void run(SymmetricBuffer dest, SymmetricBuffer source, int length, SymmetricBuffer signal, long value);
    }
}
