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
import io.aeroshmem.RmaRequest;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Block puts and gets, blocking and nonblocking, at odd offsets with guard bytes around them.
 */
final class Blocks
{
    private static final int GUARD_BYTES = 32;
    private static final int LARGEST = (1 << 20) + 3;
    private static final int RANDOM_SIZES = 6;
    private static final int LARGEST_RANDOM = 40_000;

    /** Sizes at which something changes: words, frames of usual MTUs, pages, pieces of 64 KiB and 1 MiB. */
    private static final int[] SIZES = IntStream.concat(
        IntStream.of(
            0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 63, 64, 65, 1279, 1280, 1343, 1344, 1376, 4095, 4096, 4097,
            8095, 8096, 8128, 8160, 8191, 8192, 8193, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 1 << 20, LARGEST),
        IntStream.rangeClosed(1399, 1409)).toArray();

    private Blocks()
    {
    }

    static void shouldPutBlocksFromSymmetricMemory(final Pe pe)
    {
        forSizes(pe, (dest, destOffset, source, sourceOffset, length) ->
        {
            Pattern.fill(pe, source, sourceOffset, length, Pattern.seed(pe.me(), length));
            pe.ctx().put(dest, destOffset, source, sourceOffset, length, pe.right());
            Pattern.fill(pe, source, sourceOffset, length, 0); // reusable on return
            pe.shmem().barrierAll();
            Pattern.check(pe, "put of " + length, dest, destOffset, length, Pattern.seed(pe.left(), length));
        });
    }

    static void shouldPutBlocksFromLocalBuffers(final Pe pe)
    {
        final MutableDirectBuffer[] sources = localBuffers();
        final int[] round = {0};
        forSizes(pe, (dest, destOffset, ignored, sourceOffset, length) ->
        {
            final MutableDirectBuffer source = sources[round[0]++ % sources.length];
            final int from = (int)sourceOffset;
            Pattern.fill(source, from, (int)length, Pattern.seed(pe.me(), length));
            pe.ctx().put(dest, destOffset, source, from, (int)length, pe.right());
            Pattern.guard(source, from, from + (int)length); // reusable on return
            pe.shmem().barrierAll();
            Pattern.check(pe, "put of " + length + " from " + source.getClass().getSimpleName(),
                dest, destOffset, length, Pattern.seed(pe.left(), length));
        });
    }

    static void shouldGetBlocksToSymmetricMemory(final Pe pe)
    {
        forSizes(pe, (dest, destOffset, source, sourceOffset, length) ->
        {
            Pattern.fill(pe, source, sourceOffset, length, Pattern.seed(pe.me(), length));
            pe.shmem().syncAll();
            pe.ctx().get(dest, destOffset, source, sourceOffset, length, pe.right());
            Pattern.check(pe, "get of " + length, dest, destOffset, length, Pattern.seed(pe.right(), length));
        });
    }

    static void shouldGetBlocksToLocalBuffers(final Pe pe)
    {
        final MutableDirectBuffer[] dests = localBuffers();
        final int[] round = {0};
        forSizes(pe, (ignored, destOffset, source, sourceOffset, length) ->
        {
            Pattern.fill(pe, source, sourceOffset, length, Pattern.seed(pe.me(), length));
            pe.shmem().syncAll();
            final MutableDirectBuffer dest = dests[round[0]++ % dests.length];
            final int at = (int)destOffset;
            final int end = at + (int)length;
            Pattern.guard(dest, at - 1, end + 8);
            pe.ctx().get(dest, at, source, sourceOffset, (int)length, pe.right());
            final String what = "get of " + length + " to " + dest.getClass().getSimpleName();
            Pattern.check(what, dest, at, (int)length, Pattern.seed(pe.right(), length));
            Pattern.checkGuard(what, dest, at - 1, at);
            Pattern.checkGuard(what, dest, end, end + 8);
        });
    }

    static void shouldCompleteNonblockingPutsAtQuiet(final Pe pe)
    {
        forSizes(pe, (dest, destOffset, source, sourceOffset, length) ->
        {
            Pattern.fill(pe, source, sourceOffset, length, Pattern.seed(pe.me(), length));
            pe.ctx().putNbi(dest, destOffset, source, sourceOffset, length, pe.right());
            pe.ctx().quiet();
            Pattern.fill(pe, source, sourceOffset, length, 0); // complete
            pe.shmem().syncAll();
            Pattern.check(pe, "putNbi of " + length, dest, destOffset, length, Pattern.seed(pe.left(), length));
        });
    }

    static void shouldCompleteNonblockingGetsAtQuiet(final Pe pe)
    {
        forSizes(pe, (dest, destOffset, source, sourceOffset, length) ->
        {
            Pattern.fill(pe, source, sourceOffset, length, Pattern.seed(pe.me(), length));
            pe.shmem().syncAll();
            pe.ctx().getNbi(dest, destOffset, source, sourceOffset, length, pe.right());
            pe.ctx().quiet();
            Pattern.check(pe, "getNbi of " + length, dest, destOffset, length, Pattern.seed(pe.right(), length));
        });
    }

    static void shouldCompletePutsByTheirRequests(final Pe pe)
    {
        // another context, which orders nothing with respect to the puts, tells the PE that they are complete
        final CommunicationContext other = pe.createContext();
        final SymmetricBuffer told = pe.calloc(1, 8);
        forSizes(pe, (dest, destOffset, source, sourceOffset, length) ->
        {
            Pattern.fill(pe, source, sourceOffset, length, Pattern.seed(pe.me(), length));
            final RmaRequest request =
                pe.ctx().putRequest(dest, destOffset, source, sourceOffset, length, pe.right());
            request.await();
            assertTrue(request.test());
            request.close();
            Pattern.fill(pe, source, sourceOffset, length, 0);
            other.signal(told, 0, 1, SignalOp.ADD, pe.right());
            pe.shmem().signalWaitUntil(told, 0, Comparison.NE, 0);
            Pattern.check(pe, "put of " + length, dest, destOffset, length, Pattern.seed(pe.left(), length));
            pe.memory().putLong(told, 0, 0);
            pe.shmem().syncAll();
        });
        other.close();
        pe.shmem().free(told);
    }

    static void shouldCompleteGetsByTheirRequests(final Pe pe)
    {
        forSizes(pe, (dest, destOffset, source, sourceOffset, length) ->
        {
            Pattern.fill(pe, source, sourceOffset, length, Pattern.seed(pe.me(), length));
            pe.shmem().syncAll();
            final RmaRequest request =
                pe.ctx().getRequest(dest, destOffset, source, sourceOffset, length, pe.right());
            while (!request.test())
            {
                Thread.onSpinWait();
            }

            request.close();
            Pattern.check(pe, "get of " + length, dest, destOffset, length, Pattern.seed(pe.right(), length));

            // in an order of their own, and completed by a quiet
            if (length > 1 << 16)
            {
                return;
            }

            final byte[] array = new byte[(int)length];
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[(int)length]);
            final RmaRequest ofArray =
                pe.ctx().getRequest(array, 0, source, sourceOffset, (int)length, pe.right());
            final RmaRequest ofBuffer =
                pe.ctx().getRequest(buffer, 0, source, sourceOffset, (int)length, pe.right());
            ofBuffer.await();
            ofBuffer.close();
            Pattern.check("get to a buffer of " + length, buffer, 0, (int)length, Pattern.seed(pe.right(), length));
            pe.ctx().quiet();
            assertTrue(ofArray.test());
            ofArray.close();
            Pattern.check(
                "get to an array of " + length,
                new UnsafeBuffer(array),
                0,
                (int)length,
                Pattern.seed(pe.right(), length));
        });
    }

    static void shouldKeepManyRequestsApart(final Pe pe)
    {
        final int count = 300; // more than the replies, and the objects, that a context keeps
        final int length = 520;
        final int lane = count * length;
        final SymmetricBuffer source = pe.malloc(lane);
        final SymmetricBuffer puts = pe.malloc((long)lane * pe.n());
        final SymmetricBuffer gets = pe.malloc(lane);
        for (int i = 0; i < count; i++)
        {
            Pattern.fill(pe, source, (long)i * length, length, Pattern.seed(pe.me(), i));
        }

        pe.shmem().barrierAll();
        final CommunicationContext ctx = pe.ctx();
        final List<RmaRequest> requests = new ArrayList<>();
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < count; i++)
            {
                final int other = (i + round) % pe.n();
                final long at = (long)i * length;
                requests.add(ctx.putRequest(puts, (long)lane * pe.me() + at, source, at, bytes(i), other));
                requests.add(ctx.getRequest(gets, at, source, at, bytes(i), other));
            }

            Collections.shuffle(requests, new Random(pe.me()));
            requests.forEach(RmaRequest::await);
            pe.shmem().syncAll();
            for (int i = 0; i < count; i++)
            {
                final int other = (i + round) % pe.n();
                final int writer = pe.left();
                final long at = (long)i * length;
                Pattern.check(pe, "get " + i, gets, at, bytes(i), Pattern.seed(other, i));
                if (other == pe.me())
                {
                    Pattern.check(pe, "put " + i, puts, (long)lane * writer + at, bytes(i), Pattern.seed(writer, i));
                }
            }

            requests.forEach(RmaRequest::close);
            requests.clear();
            pe.shmem().syncAll();
        }

        pe.shmem().free(gets);
        pe.shmem().free(puts);
        pe.shmem().free(source);
    }

    /** Of every third transfer a word, which travels in a run. */
    private static int bytes(final int transfer)
    {
        return 0 == transfer % 3 ? 8 : 520;
    }

    static void shouldKeepManyNonblockingTransfersApart(final Pe pe)
    {
        final int count = 150; // more than the requests that may be outstanding at once
        final int length = 777;
        final int lane = count * length;
        final SymmetricBuffer source = pe.malloc(lane);
        final SymmetricBuffer puts = pe.malloc((long)lane * pe.n());
        final SymmetricBuffer gets = pe.malloc((long)lane * pe.n());
        Pattern.fill(pe, source, 0, lane, Pattern.seed(pe.me()));
        pe.shmem().barrierAll();
        final CommunicationContext ctx = pe.ctx();
        for (int i = 0; i < count; i++)
        {
            for (int other = 0; other < pe.n(); other++)
            {
                final long at = (long)i * length;
                ctx.putNbi(puts, (long)lane * pe.me() + at, source, at, length, other);
                ctx.getNbi(gets, (long)lane * other + at, source, at, length, other);
            }
        }

        ctx.quiet();
        pe.shmem().syncAll();
        for (int other = 0; other < pe.n(); other++)
        {
            Pattern.check(pe, "putNbi from " + other, puts, (long)lane * other, lane, Pattern.seed(other));
            Pattern.check(pe, "getNbi from " + other, gets, (long)lane * other, lane, Pattern.seed(other));
        }

        pe.shmem().free(gets);
        pe.shmem().free(puts);
        pe.shmem().free(source);
    }

    static void shouldCopyWithinOneselfEvenWhenOverlapping(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.malloc(3 << 20);
        for (final int distance : new int[]{1, 8, 13, 1000})
        {
            copyWithinOneself(pe, buffer, 2001, distance);
            if (distance % pe.n() == pe.me())
            {
                copyWithinOneself(pe, buffer, (2 << 20) + 77, distance); // the library copies large blocks in pieces
            }
        }

        pe.shmem().free(buffer);
    }

    private static void copyWithinOneself(
        final Pe pe, final SymmetricBuffer buffer, final int length, final int distance)
    {
        copyWithinOneself(pe, buffer, length, 5, 5 + distance);
        copyWithinOneself(pe, buffer, length, 5 + distance, 5);
    }

    private static void copyWithinOneself(
        final Pe pe, final SymmetricBuffer buffer, final int length, final long from, final long to)
    {
        final String what = " of " + length + " bytes from " + from + " to " + to;
        Pattern.fill(pe, buffer, from, length, pe.me());
        pe.ctx().put(buffer, to, buffer, from, length, pe.me());
        pe.ctx().quiet();
        Pattern.check(pe, "overlapping put" + what, buffer, to, length, pe.me());
        Pattern.fill(pe, buffer, from, length, pe.me() + 1);
        pe.ctx().get(buffer, to, buffer, from, length, pe.me());
        Pattern.check(pe, "overlapping get" + what, buffer, to, length, pe.me() + 1);
    }

    private static void forSizes(final Pe pe, final Transfer transfer)
    {
        final SymmetricBuffer dest = pe.malloc(LARGEST + 4L * GUARD_BYTES);
        final SymmetricBuffer source = pe.malloc(LARGEST + 4L * GUARD_BYTES);
        final SplittableRandom random = pe.sharedRandom();
        for (int i = 0; i < SIZES.length + RANDOM_SIZES; i++)
        {
            final int length = i < SIZES.length ? SIZES[i] : random.nextInt(LARGEST_RANDOM);
            final int at = GUARD_BYTES + random.nextInt(GUARD_BYTES) | 1;
            final int from = 8 + random.nextInt(GUARD_BYTES);
            Pattern.guard(pe, dest, 0, at + length + GUARD_BYTES);
            pe.shmem().barrierAll();
            transfer.run(dest, at, source, from, length);
            Pattern.checkGuard(pe, "before block of " + length, dest, 0, at);
            Pattern.checkGuard(pe, "after block of " + length, dest, at + length, at + length + GUARD_BYTES);
        }

        pe.shmem().barrierAll();
        pe.shmem().free(source);
        pe.shmem().free(dest);
    }

    private static MutableDirectBuffer[] localBuffers()
    {
        final int capacity = LARGEST + 4 * GUARD_BYTES;
        return new MutableDirectBuffer[]
        {
            new UnsafeBuffer(new byte[capacity]),
            new UnsafeBuffer(ByteBuffer.allocateDirect(capacity)),
            new UnsafeBuffer(ByteBuffer.allocate(capacity + 16).position(11).slice()),
            new ExpandableArrayBuffer(capacity),
            new UnsafeBuffer(new byte[capacity + 9], 9, capacity)
        };
    }

    /**
     * One transfer and its check.
     */
    @FunctionalInterface
    private interface Transfer
    {
        void run(SymmetricBuffer dest, long destOffset, SymmetricBuffer source, long sourceOffset, long length);
    }
}
