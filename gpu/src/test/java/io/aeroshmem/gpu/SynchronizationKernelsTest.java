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

import io.aeroshmem.Comparison;
import io.aeroshmem.SignalOp;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * Signals, waits and flags of the device, with a stream for each PE.
 */
@Tag("kernels")
@Timeout(60)
@ExtendWith(OnTestThread.class)
class SynchronizationKernelsTest
{
    private static final int PES = 3;
    private static final int ROUNDS = 50;

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

    /** A value of a word for which a comparison with -5 holds. */
    private static long satisfying(final Comparison comparison)
    {
        return switch (comparison)
        {
            case EQ -> -5;
            case NE, GT -> 3;
            case GE -> -5;
            case LT, LE -> -6;
        };
    }

    private static long notSatisfying(final Comparison comparison)
    {
        return switch (comparison)
        {
            case EQ, LT, LE -> 1;
            case NE -> -5;
            case GT, GE -> -7;
        };
    }

    @ParameterizedTest
    @EnumSource(Comparison.class)
    void shouldWaitForALong(final Comparison comparison)
    {
        final long word = device.allocateLongs(notSatisfying(comparison));
        final long after = device.allocateLongs(0L);
        device.kernels.waitUntil(Long.BYTES, word, comparison, -5, device.abort, device.stream);
        device.kernels.atomic(DeviceAtomic.SET, Long.BYTES, after, 1, 0, 0, device.stream);
        assertWaits(after);

        final long other = device.newStream();
        device.kernels.signal(SignalOp.SET, word, satisfying(comparison), other);
        device.awaitStream(other);
        device.awaitStream(device.stream);
        assertEquals(1, device.readLong(after));
    }

    @ParameterizedTest
    @EnumSource(Comparison.class)
    void shouldWaitForAnInt(final Comparison comparison)
    {
        // The upper half would change the outcome if the word were a long.
        final long word = device.allocateLongs(notSatisfying(comparison) & 0xffffffffL | 0x7000000000000000L);
        final long after = device.allocateLongs(0L);
        device.kernels.waitUntil(Integer.BYTES, word, comparison, -5, device.abort, device.stream);
        device.kernels.atomic(DeviceAtomic.SET, Long.BYTES, after, 1, 0, 0, device.stream);
        assertWaits(after);

        final long other = device.newStream();
        device.kernels.atomic(DeviceAtomic.SET, Integer.BYTES, word, (int)satisfying(comparison), 0, 0, other);
        device.awaitStream(other);
        device.awaitStream(device.stream);
        assertEquals(1, device.readLong(after));
    }

    @Test
    void shouldEndWaitsByTheAbortWord()
    {
        final long word = device.allocateLongs(0L);
        final long abort = device.allocateLongs(0L);
        final long peers = device.allocateLongs(device.allocateLongs(0L));
        final long flags = device.allocateLongs(word);
        final long rounds = device.allocateLongs(0L);
        final long other = device.newStream();
        device.kernels.waitUntil(Long.BYTES, word, Comparison.GT, 0, abort, device.stream);
        device.kernels.waitUntil(Integer.BYTES, word, Comparison.GT, 0, abort, device.stream);
        device.kernels.barrier(peers, flags, rounds, 1, abort, other);
        assertWaits(word);

        final long third = device.newStream();
        device.kernels.signal(SignalOp.SET, abort, 1, third);
        device.awaitStream(third);
        device.awaitStream(device.stream);
        device.awaitStream(other);
        assertEquals(0, device.readLong(word));
    }

    /** The stream does not complete, and its last operation has not run. */
    private void assertWaits(final long unchanged)
    {
        final long end = System.nanoTime() + 20_000_000;
        while (System.nanoTime() < end)
        {
            assertFalse(device.driver.streamQuery(device.stream), "the stream does not wait");
        }

        final ByteBuffer contents = TestDevice.buffer(Long.BYTES);
        final long copies = device.newStream();
        device.driver.memcpyAsync(BufferUtil.address(contents), unchanged, Long.BYTES, copies);
        device.awaitStream(copies);
        assertEquals(0, contents.getLong(0));
    }

    @Test
    void shouldSignalAfterTheCopiesBefore()
    {
        final int bytes = 1 << 20;
        final ByteBuffer contents = TestDevice.buffer(bytes);
        final long source = device.allocate(bytes);
        final long dest = device.allocate(bytes);
        final long copyOfDest = device.allocate(bytes);
        final long signal = device.allocateLongs(0L);
        final long consumer = device.newStream();
        for (int round = 1; round <= 10; round++)
        {
            for (int i = 0; i < bytes; i += Long.BYTES)
            {
                contents.putLong(i, round * 1_000_003L + i);
            }

            device.write(source, contents);
            device.kernels.waitUntil(Long.BYTES, signal, Comparison.GE, round, device.abort, consumer);
            device.driver.memcpyAsync(copyOfDest, dest, bytes, consumer);
            device.driver.memcpyAsync(dest, source, bytes, device.stream);
            device.kernels.signal(0 == round % 2 ? SignalOp.SET : SignalOp.ADD, signal, 0 == round % 2 ? round : 1,
                device.stream);
            device.awaitStream(consumer);
            assertEquals(-1, contents.mismatch(device.read(copyOfDest, bytes)), "round " + round);
        }
    }

    /** All streams but one reach each round; no stream passes it before the last one arrives. */
    @Test
    void shouldSynchroniseStreamsByBarriers()
    {
        final Flags flags = new Flags();
        final long[] streams = new long[PES];
        final long counter = device.allocateLongs(0L);
        final long seen = device.allocateLongs(new long[PES * ROUNDS]);
        for (int pe = 0; pe < PES; pe++)
        {
            streams[pe] = device.newStream();
        }

        for (int pe = 0; pe < PES; pe++)
        {
            for (int round = 1; round <= ROUNDS; round++)
            {
                device.kernels.atomic(DeviceAtomic.ADD, Long.BYTES, counter, 1, 0, 0, streams[pe]);
                flags.barrier(pe, streams[pe]);
                final long result = seen + (long)Long.BYTES * (pe * ROUNDS + round - 1);
                device.kernels.atomic(DeviceAtomic.FETCH, Long.BYTES, counter, 0, 0, result, streams[pe]);
                flags.barrier(pe, streams[pe]);
            }

            if (pe < PES - 1)
            {
                assertFalse(device.driver.streamQuery(streams[pe]), "passed a barrier that PE 2 has not entered");
            }
        }

        for (final long stream : streams)
        {
            device.awaitStream(stream);
        }

        for (int pe = 0; pe < PES; pe++)
        {
            for (int round = 1; round <= ROUNDS; round++)
            {
                final long address = seen + (long)Long.BYTES * (pe * ROUNDS + round - 1);
                assertEquals((long)PES * round, device.readLong(address), "PE " + pe + ", round " + round);
            }
        }
    }

    /** Flag words of each PE, one for each other PE, the tables of their addresses, and the numbers of rounds. */
    private final class Flags
    {
        private final long[] peers = new long[PES];
        private final long[] own = new long[PES];
        private final long[] rounds = new long[PES];

        private Flags()
        {
            final long words = device.allocateLongs(new long[PES * PES]);
            for (int pe = 0; pe < PES; pe++)
            {
                final long[] peerFlags = new long[PES];
                final long[] ownFlags = new long[PES];
                for (int peer = 0; peer < PES; peer++)
                {
                    peerFlags[peer] = words + (long)Long.BYTES * (peer * PES + pe);
                    ownFlags[peer] = words + (long)Long.BYTES * (pe * PES + peer);
                }

                peers[pe] = device.allocateLongs(peerFlags);
                own[pe] = device.allocateLongs(ownFlags);
                rounds[pe] = device.allocateLongs(new long[PES]);
            }
        }

        private void barrier(final int pe, final long stream)
        {
            device.kernels.barrier(peers[pe], own[pe], rounds[pe], PES, device.abort, stream);
        }
    }
}
