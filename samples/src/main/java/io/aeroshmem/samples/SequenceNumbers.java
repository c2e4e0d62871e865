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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * Sample of a sequence of numbers that all PEs share, such as the numbers that the gateways of an exchange give to its
 * messages. A PE draws a number by a fetching increment on PE 0. PE 0 checks that every number was drawn once, and that
 * each PE drew its share.
 * <pre>
 * aeroshmem run -n 4 io.aeroshmem.samples.SequenceNumbers [draws]
 * </pre>
 */
public final class SequenceNumbers
{
    private static final int DRAWS = 100_000;

    private SequenceNumbers()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        SampleArguments.atMost(args, 1);
        final int draws = SampleArguments.number(args, 0, "numbers", DRAWS, 1_000_000);
        Shmem.run(new Shmem.Context(), (shmem) -> System.out.println(draw(shmem, draws)));
    }

    /**
     * Draws numbers on all PEs, and returns the times of this PE. Collective over the job.
     *
     * @throws IllegalStateException if a number is missing or was drawn twice.
     */
    static String draw(final Shmem shmem, final int draws)
    {
        final CommunicationContext ctx = shmem.defaultContext();
        final int me = shmem.myPe();
        final SymmetricBuffer next = shmem.calloc(1, Long.BYTES);
        final SymmetricBuffer owners = shmem.calloc((long)draws * shmem.nPes(), Long.BYTES);
        final SampleTimes times = new SampleTimes(draws);

        long last = -1;
        for (int i = 0; i < draws; i++)
        {
            final long startNs = System.nanoTime();
            final long number = ctx.atomicFetchIncLong(next, 0, 0);
            times.add(System.nanoTime() - startNs);
            if (number <= last)
            {
                throw new IllegalStateException("numbers of a PE must grow: number=" + number + ", last=" + last);
            }

            last = number;
            ctx.atomicAddLong(owners, number * Long.BYTES, 1 + me, 0);      // two owners would leave a gap elsewhere
        }

        shmem.barrierAll();

        if (0 == me)
        {
            checkOwners(owners, shmem.nPes(), draws);
        }

        shmem.free(owners);
        shmem.free(next);
        return "PE " + me + ": drew " + draws + " numbers, " + times;
    }

    private static void checkOwners(final SymmetricBuffer owners, final int nPes, final int draws)
    {
        final int[] drawn = new int[1 + nPes];
        for (long number = 0; number < (long)draws * nPes; number++)
        {
            final long owner = owners.getLong(number * Long.BYTES);
            if (owner < 1 || owner > nPes)
            {
                throw new IllegalStateException("a number must have one owner: number=" + number + ", sum=" + owner);
            }

            drawn[(int)owner]++;
        }

        for (int pe = 0; pe < nPes; pe++)
        {
            if (draws != drawn[1 + pe])
            {
                throw new IllegalStateException("PE " + pe + " must own " + draws + " numbers: " + drawn[1 + pe]);
            }
        }
    }
}
