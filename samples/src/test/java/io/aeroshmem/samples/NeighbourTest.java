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
package io.aeroshmem.samples;

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The test that the README shows.
 */
class NeighbourTest
{
    @Test
    void shouldReceiveFromTheLeft() throws Exception
    {
        Shmem.runLocal(4, new Shmem.Context().heapSize(1 << 20), (shmem) ->
        {
            final int me = shmem.myPe();
            final int nPes = shmem.nPes();
            final SymmetricBuffer inbox = shmem.calloc(1, Long.BYTES);

            shmem.defaultContext().putLong(inbox, 0, me, (me + 1) % nPes);
            shmem.barrierAll();

            assertEquals((me + nPes - 1) % nPes, inbox.getLong(0));
        });
    }
}
