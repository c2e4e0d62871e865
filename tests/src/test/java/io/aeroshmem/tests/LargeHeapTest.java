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

import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Heaps and allocations beyond 2 GiB. The heaps are sparse: only what is touched takes memory.
 */
@Tag("jdk")
class LargeHeapTest
{
    private static final long HEAP = 3L << 30;
    private static final long LENGTH = (2L << 30) + (600L << 20);
    private static final long FAR = (2L << 30) + (500L << 20) + 5;
    private static final int BLOCK = 300_001;

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldReachBeyondTwoGiB(final TransportKind transport) throws IOException
    {
        assumeTrue(Files.getFileStore(TestMemory.root()).getUsableSpace() > 2 * HEAP, "room for the sparse files");
        Job.of(2).transport(transport).heapSize(HEAP).setup((config) -> config.heapSparse(true))
            .run("large heap", LargeHeapTest::reach);
    }

    private static void reach(final Pe pe)
    {
        final SymmetricBuffer small = pe.shmem().malloc(1 << 20);
        final SymmetricBuffer large = pe.shmem().malloc(LENGTH);
        assertEquals(LENGTH, large.length());
        assertThrows(IllegalStateException.class, large::local);
        assertThrows(IllegalStateException.class, large::byteBuffer);
        large.putLong(LENGTH - 8, 0);
        Pattern.fill(small, 1, BLOCK, Pattern.seed(pe.me()));
        pe.shmem().barrierAll();

        pe.ctx().put(large, FAR, small, 1, BLOCK, pe.right());
        pe.ctx().atomicAddLong(large, LENGTH - 8, 1 + pe.me(), pe.right());
        pe.ctx().putLong(large, 0, 77, pe.right());
        pe.shmem().barrierAll();
        Pattern.check("put beyond 2 GiB", large, FAR, BLOCK, Pattern.seed(pe.left()));
        assertEquals(1 + pe.left(), large.getLong(LENGTH - 8));
        assertEquals(77, large.getLong(0));
        final AtomicBuffer view = large.view(FAR, BLOCK);
        assertEquals(large.getByte(FAR + 7), view.getByte(7));

        final SymmetricBuffer slice = large.slice(FAR, BLOCK);
        pe.ctx().get(small, 3, slice, 0, BLOCK, pe.right());
        Pattern.check("get from beyond 2 GiB", small, 3, BLOCK, Pattern.seed(pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().putLong(large, LENGTH - 7, 1, pe.right()));
        pe.shmem().barrierAll();
        pe.shmem().free(large);
        pe.shmem().free(small);
    }
}
