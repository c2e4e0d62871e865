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

import io.aeroshmem.Comparison;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * Sample in which each PE greets its right neighbour and adds its number to a sum on PE 0.
 */
public final class HelloPe
{
    private HelloPe()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        Shmem.run(new Shmem.Context(), HelloPe::hello);
    }

    private static void hello(final Shmem shmem)
    {
        final int me = shmem.myPe();
        final int right = (me + 1) % shmem.nPes();
        final SymmetricBuffer inbox = shmem.calloc(1, Long.BYTES);   // the same offset on every PE
        final SymmetricBuffer sum = shmem.calloc(1, Long.BYTES);

        shmem.defaultContext().putLong(inbox, 0, me + 1, right);     // a store into the neighbour's memory
        shmem.defaultContext().atomicAddLong(sum, 0, me, 0);         // an atomic on PE 0's
        shmem.waitUntilLong(inbox, 0, Comparison.NE, 0);
        System.out.println("PE " + me + " of " + shmem.nPes() + ": greeted by PE " + (inbox.getLong(0) - 1));
        shmem.barrierAll();                                          // completes the additions of all
        if (0 == me)
        {
            System.out.println("sum of all PE numbers: " + sum.getLong(0));
        }
    }
}
