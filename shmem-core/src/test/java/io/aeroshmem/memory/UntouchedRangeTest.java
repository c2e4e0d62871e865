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
package io.aeroshmem.memory;

import io.aeroshmem.transport.retained.RetainedTable;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Which part of a heap need not be zeroed, also in a later generation. */
class UntouchedRangeTest
{
    private static final long LENGTH = 1_000;

    private final RetainedTable table = RetainedTable.create(
        new UnsafeBuffer(ByteBuffer.allocateDirect(RetainedTable.LENGTH)),
        new RetainedTable.Identity(42, 0, 2, LENGTH));
    private UntouchedRange range = UntouchedRange.of(LENGTH, table);

    @Test
    void shouldNarrowFromBothEnds()
    {
        check(0, 1_000);
        take(0, 64, 64, 1_000);
        take(900, 1_000, 64, 900);
        take(64, 128, 128, 900);
        take(836, 900, 128, 836);
        take(0, 64, 128, 836);
        take(100, 192, 192, 836);
        take(800, 950, 192, 800);
    }

    @Test
    void shouldKeepTheLongerPartAroundABlock()
    {
        take(300, 400, 400, 1_000);
        take(900, 910, 400, 900);
        take(0, 1_000, 900, 900);
        take(0, 1_000, 900, 900);
    }

    @Test
    void shouldEndWithTheFile()
    {
        take(0, 64, 64, 1_000);
        range = UntouchedRange.of(LENGTH, table);
        check(64, 1_000);
        range = UntouchedRange.none();
        check(0, 0);
        range = UntouchedRange.of(LENGTH, null);
        check(0, 1_000);
    }

    @Test
    void shouldNotTrustWordsOutsideTheHeap()
    {
        table.untouched(64, 2_000);
        assertEquals(0, table.untouchedEnd());
        table.untouched(-64, 1_000);
        assertEquals(0, table.untouchedEnd());
        table.untouched(128, 64);
        assertEquals(0, table.untouchedBegin());
    }

    private void take(final long from, final long to, final long begin, final long end)
    {
        range.take(from, to);
        check(begin, end);
        assertEquals(begin == end ? 0 : begin, table.untouchedBegin());
        assertEquals(begin == end ? 0 : end, table.untouchedEnd());
    }

    private void check(final long begin, final long end)
    {
        assertEquals(begin, range.begin());
        assertEquals(end, range.end());
    }
}
