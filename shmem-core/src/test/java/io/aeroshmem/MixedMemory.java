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
package io.aeroshmem;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

/**
 * The operands of one PE's collective calls, in memory of both kinds: their offsets differ between the kinds. Inputs
 * depend on the PE and the call alone, so results can be compared between jobs.
 */
final class MixedMemory
{
    /** Capacity for an operand. */
    static final int LENGTH = 400_000;
    private static final int GUARD = 48;
    private static final byte GUARD_VALUE = (byte)0xA5;

    private final int me;
    private final CommunicationContext ctx;
    private final SymmetricBuffer[] sources;
    private final SymmetricBuffer[] dests;

    /**
     * Allocates the operands. Collective.
     *
     * @param deviceOrNull null in a job without a device.
     */
    MixedMemory(final Shmem shmem, final FakeDevice deviceOrNull)
    {
        me = shmem.myPe();
        ctx = shmem.defaultContext();
        shmem.malloc(192);
        final SymmetricBuffer hostSource = shmem.malloc(LENGTH);
        final SymmetricBuffer hostDest = shmem.malloc(LENGTH);
        sources = new SymmetricBuffer[]{
            hostSource, null == deviceOrNull ? null : deviceOrNull.attachment().malloc(LENGTH)};
        dests = new SymmetricBuffer[]{
            hostDest, null == deviceOrNull ? null : deviceOrNull.attachment().malloc(LENGTH)};
    }

    SymmetricBuffer source(final boolean isDevice, final long offset, final long length)
    {
        return sources[isDevice ? 1 : 0].slice(offset, length);
    }

    /**
     * Makes a call, checks that it has changed nothing but dest, and returns dest with what is around it.
     *
     * @param number         of the call, from which its inputs follow.
     * @param isSourceDevice whether source is in device memory; in place the kind of dest counts.
     */
    byte[] perform(
        final MixedCall call,
        final int number,
        final Team team,
        final boolean isSourceDevice,
        final boolean isDestDevice)
    {
        final SymmetricBuffer dest = dests[isDestDevice ? 1 : 0];
        final SymmetricBuffer source = call.isInPlace() ? dest : sources[isSourceDevice ? 1 : 0];
        final int destBytes = (int)(call.isInPlace() ?
            Math.max(call.destBytes(), call.sourceBytes()) : call.destBytes());
        final byte[] inputs = inputs(call.type(), new SplittableRandom(1000L * number + me), (int)call.sourceBytes());
        final byte[] guarded = new byte[destBytes + 2 * GUARD];
        Arrays.fill(guarded, GUARD_VALUE);
        write(dest, 0, guarded);
        write(source, GUARD, inputs);

        call.action().perform(
            team, dest.slice(GUARD, destBytes), source.slice(GUARD, call.isInPlace() ? destBytes : inputs.length));

        if (!call.isInPlace())
        {
            assertSame(inputs, read(source, GUARD, inputs.length), "source");
        }

        return read(dest, 0, guarded.length);
    }

    /** Compares at the speed of memory; only a difference is worth the time to describe it. */
    static void assertSame(final byte[] expected, final byte[] actual, final String what)
    {
        if (!Arrays.equals(expected, actual))
        {
            assertArrayEquals(expected, actual, what);
        }
    }

    void write(final SymmetricBuffer buffer, final long offset, final byte[] bytes)
    {
        ctx.put(buffer, offset, new UnsafeBuffer(bytes), 0, bytes.length, me);
        ctx.quiet();
    }

    byte[] read(final SymmetricBuffer buffer, final long offset, final int length)
    {
        final byte[] bytes = new byte[length];
        ctx.get(new UnsafeBuffer(bytes), 0, buffer, offset, length, me);
        return bytes;
    }

    /** Returns elements, floating ones of about the same size so that their sums depend on the order. */
    private static byte[] inputs(final ElementType type, final SplittableRandom random, final int length)
    {
        final byte[] bytes = new byte[length];
        final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        switch (type)
        {
            case FLOAT:
            case COMPLEX_FLOAT:
                while (buffer.remaining() >= Float.BYTES)
                {
                    buffer.putFloat(random.nextFloat() - 0.5f);
                }

                break;

            case DOUBLE:
            case COMPLEX_DOUBLE:
                while (buffer.remaining() >= Double.BYTES)
                {
                    buffer.putDouble(random.nextDouble() - 0.5);
                }

                break;

            default:
                while (buffer.remaining() >= Long.BYTES)
                {
                    buffer.putLong(random.nextLong());
                }
                while (buffer.hasRemaining())
                {
                    buffer.put((byte)random.nextInt());
                }
        }

        return bytes;
    }
}
