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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

@Tag("jdk")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AtomicsTest
{
    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldUpdateLongs(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer words = shmem.calloc(4, 8);
            final int peer = 1 - shmem.myPe();
            ctx.atomicSetLong(words, 0, 10, peer);
            ctx.quiet();
            assertEquals(10, ctx.atomicFetchLong(words, 0, peer));
            assertEquals(10, ctx.atomicSwapLong(words, 0, 20, peer));
            assertEquals(20, ctx.atomicCompareSwapLong(words, 0, 21, 30, peer));
            assertEquals(20, ctx.atomicCompareSwapLong(words, 0, 20, 30, peer));
            assertEquals(30, ctx.atomicFetchAddLong(words, 0, 5, peer));
            assertEquals(35, ctx.atomicFetchIncLong(words, 0, peer));
            ctx.atomicIncLong(words, 0, peer);
            ctx.atomicAddLong(words, 0, -1, peer);
            ctx.quiet();
            assertEquals(36, ctx.atomicFetchAndLong(words, 0, 0b100, peer));
            assertEquals(0b100, ctx.atomicFetchOrLong(words, 0, 0b011, peer));
            assertEquals(0b111, ctx.atomicFetchXorLong(words, 0, 0b001, peer));
            ctx.atomicAndLong(words, 0, 0b010, peer);
            ctx.atomicOrLong(words, 0, 1L << 63, peer);
            ctx.atomicXorLong(words, 0, 0b010, peer);
            ctx.quiet();
            assertEquals(1L << 63, ctx.atomicFetchLong(words, 0, peer));

            ctx.atomicSetDouble(words, 16, 0.5, peer);
            ctx.quiet();
            assertEquals(0.5, ctx.atomicSwapDouble(words, 16, 1.5, peer));
            ctx.atomicFetchDoubleNbi(words, 8, words, 16, peer);
            ctx.quiet();
            assertEquals(1.5, words.getDouble(8));
            ctx.atomicCompareSwapLongNbi(words, 24, words, 0, 1L << 63, 7, peer);
            ctx.quiet();
            assertEquals(1L << 63, words.getLong(24));
            assertEquals(7, ctx.atomicFetchLong(words, 0, peer));
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldUpdateInts(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer words = shmem.calloc(4, 4);
            final int peer = 1 - shmem.myPe();
            ctx.atomicSetInt(words, 4, 10, peer);
            ctx.quiet();
            assertEquals(10, ctx.atomicSwapInt(words, 4, -20, peer));
            assertEquals(-20, ctx.atomicCompareSwapInt(words, 4, -20, 30, peer));
            assertEquals(30, ctx.atomicFetchAddInt(words, 4, 5, peer));
            assertEquals(35, ctx.atomicFetchIncInt(words, 4, peer));
            assertEquals(36, ctx.atomicFetchAndInt(words, 4, 0b100, peer));
            assertEquals(0b100, ctx.atomicFetchOrInt(words, 4, 0b011, peer));
            assertEquals(0b111, ctx.atomicFetchXorInt(words, 4, 0b001, peer));
            ctx.atomicFetchIncIntNbi(words, 8, words, 4, peer);
            ctx.quiet();
            assertEquals(0b110, words.getInt(8));
            ctx.atomicSetFloat(words, 0, 2.5f, peer);
            ctx.quiet();
            assertEquals(2.5f, ctx.atomicFetchFloat(words, 0, peer));
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldLoseNoIncrement(final TransportKind transport) throws Exception
    {
        final int count = TransportKind.UDP == transport ? 200 : 2_000;
        LocalJobs.run(4, transport, (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, 8);
            for (int i = 0; i < count; i++)
            {
                shmem.defaultContext().atomicIncLong(word, 0, 1);
                shmem.defaultContext().atomicFetchAddLong(word, 0, 2, 1);
            }

            shmem.barrierAll();
            assertEquals(3L * 4 * count, shmem.defaultContext().atomicFetchLong(word, 0, 1));
        });
    }
}
