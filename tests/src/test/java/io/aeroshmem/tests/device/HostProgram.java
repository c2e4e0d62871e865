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
package io.aeroshmem.tests.device;

import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * A program of one PE that uses no GPU.
 */
public final class HostProgram
{
    private HostProgram()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        Shmem.run(new Shmem.Context().heapSize(1 << 20), (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.calloc(8, 8);
            shmem.defaultContext().atomicIncLong(buffer, 0, 0);
            shmem.defaultContext().put(buffer, 8, buffer, 0, 8, 0);
            shmem.world().reduceLong(ReduceOp.SUM, buffer.getLong(8));
            shmem.lock(buffer, 16);
            shmem.unlock(buffer, 16);
            shmem.free(buffer);
        });
    }
}
