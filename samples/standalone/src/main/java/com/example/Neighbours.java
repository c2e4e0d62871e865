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
package com.example;

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/** Two PEs in one JVM, each of which puts its number into the memory of the other. */
public final class Neighbours
{
    private Neighbours()
    {
    }

    /**
     * Runs the job, and ends with exit code 1 if a PE fails.
     *
     * @param args none.
     * @throws Exception if the job failed.
     */
    public static void main(final String[] args) throws Exception
    {
        Shmem.runLocal(2, new Shmem.Context().heapSize(1 << 20), Neighbours::exchange);
        System.out.println("both PEs have received the number of the other");
    }

    /** Runs one PE. */
    static void exchange(final Shmem shmem)
    {
        final int peer = 1 - shmem.myPe();
        final SymmetricBuffer inbox = shmem.calloc(1, Long.BYTES);

        shmem.defaultContext().putLong(inbox, 0, shmem.myPe(), peer);
        shmem.barrierAll();

        if (peer != inbox.getLong(0))
        {
            throw new IllegalStateException("PE " + shmem.myPe() + " received " + inbox.getLong(0));
        }
    }
}
