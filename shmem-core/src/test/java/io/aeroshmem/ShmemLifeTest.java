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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShmemLifeTest
{
    @Test
    void shouldPutToTheNextPeAndMeetAtBarriers() throws Exception
    {
        Shmem.runLocal(3, new Shmem.Context().heapSize(1 << 20), (shmem) ->
        {
            final SymmetricBuffer cell = shmem.calloc(1, Long.BYTES);
            final int next = (shmem.myPe() + 1) % shmem.nPes();
            shmem.defaultContext().putLong(cell, 0, shmem.myPe() + 100, next);
            shmem.barrierAll();
            assertEquals(100 + (shmem.myPe() + 2) % 3, cell.getLong(0));
            shmem.free(cell);
        });
    }
}
