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

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.junit.jupiter.api.Assertions.assertEquals;

class LeftAllocationsTest
{
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    private void run(final Shmem.Context config) throws Exception
    {
        Shmem.runLocal(1, config.heapSize(4 << 20).errorHandler(errors::add), (shmem) ->
        {
            // which leaves two allocations of its own in the heap
            final FakeDevice device = FakeDevice.attach(shmem, false);
            device.attachment().malloc(64);
            device.attachment().closeHeap();
            device.attachment().endService();
            device.attachment().detach();
            shmem.malloc(64);
            shmem.malloc(64);
            shmem.free(shmem.malloc(64));
        });
    }

    @Test
    void shouldReportAlikeWhatIsLeftInAHeapIfChecksAreRequested() throws Exception
    {
        run(new Shmem.Context().checkCollectives(true));
        assertEquals(2, errors.size(), errors.toString());
        assertEquals("PE 0 has closed its device heap with 1 allocation that it has not freed",
            errors.get(0).getMessage());
        assertEquals("PE 0 has closed its heap with 4 allocations that it has not freed",
            errors.get(1).getMessage());
        assertEquals(0, errors.get(0).getStackTrace().length);
    }

    @Test
    void shouldReportNothingOtherwise() throws Exception
    {
        run(new Shmem.Context());
        assertEquals(List.of(), errors);
    }
}
