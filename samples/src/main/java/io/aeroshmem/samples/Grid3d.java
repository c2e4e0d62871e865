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

import io.aeroshmem.ElementType;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.Teams2d;

/**
 * Sample that arranges the PEs of a job in three dimensions. As in the example of {@code shmem_team_split_2d} (in
 * NVSHMEM: {@code nvshmem_team_split_2d}), each PE calls {@code split2d} twice: on the world, and then on the team of
 * its y-z plane. It derives its coordinates from its ranks in the teams along the three axes. PE 0 prints the
 * coordinates of all PEs.
 */
public final class Grid3d
{
    private static final int AXES = 3;

    private Grid3d()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        Shmem.run(new Shmem.Context(), (shmem) ->
        {
            final String places = places(shmem);
            if (0 == shmem.myPe())
            {
                System.out.print(places);
            }
        });
    }

    /**
     * Returns the same text on all PEs: a line with the lengths of the axes, and a line with the coordinates of each
     * PE. Collective over the job.
     */
    static String places(final Shmem shmem)
    {
        final Team world = shmem.world();
        final int nPes = shmem.nPes();
        final int xLength = divisor(nPes, Math.cbrt(nPes));
        final int yLength = divisor(nPes / xLength, Math.sqrt(nPes / xLength));
        final int zLength = nPes / xLength / yLength;

        final Teams2d xAndYz = world.split2d(xLength);               // PEs along x; PEs of one y-z plane
        final Teams2d yAndZ = xAndYz.yAxis().split2d(yLength);       // a new team is ready for collectives
        xAndYz.yAxis().close();

        final SymmetricBuffer mine = shmem.malloc(AXES * Integer.BYTES);
        final SymmetricBuffer all = shmem.malloc((long)nPes * AXES * Integer.BYTES);
        mine.putInt(0, xAndYz.xAxis().myPe());
        mine.putInt(Integer.BYTES, yAndZ.xAxis().myPe());
        mine.putInt(2 * Integer.BYTES, yAndZ.yAxis().myPe());
        world.fcollect(ElementType.INT, all, mine, AXES);

        final StringBuilder lines = new StringBuilder();
        lines.append(String.format("xdim = %d, ydim = %d, zdim = %d%n", xLength, yLength, zLength));
        for (int pe = 0; pe < nPes; pe++)
        {
            final long place = (long)pe * AXES * Integer.BYTES;
            lines.append(String.format("(%d, %d, %d) is mype = %d%n",
                all.getInt(place), all.getInt(place + Integer.BYTES), all.getInt(place + 2 * Integer.BYTES), pe));
        }

        yAndZ.xAxis().close();
        yAndZ.yAxis().close();
        xAndYz.xAxis().close();
        shmem.free(all);
        shmem.free(mine);
        return lines.toString();
    }

    /** Returns the largest divisor of a number up to a root of it, rounded up: makes the axes about equally long. */
    private static int divisor(final int number, final double root)
    {
        int divisor = (int)Math.ceil(root);
        while (0 != number % divisor)
        {
            divisor--;
        }

        return divisor;
    }
}
