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

import io.aeroshmem.config.Arguments;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * The PEs of the world that take part in the creation of a team: {@code ucc_ep_map_t}, the field {@code ep_map} of
 * {@code ucc_team_params_t}. The order of the map determines the ranks, unless the {@link TeamParams} have contiguous
 * endpoints or an out-of-band exchange, which determine the ranks instead. Immutable.
 */
public final class EndpointMap
{
    private final int[] worldPes;

    private EndpointMap(final int[] worldPes)
    {
        this.worldPes = worldPes;
    }

    /**
     * Returns the map of the first PEs of the world: {@code UCC_EP_MAP_FULL}.
     *
     * @param size number of PEs, 1 or more.
     * @return the map.
     * @throws IllegalArgumentException if the size is less than 1.
     */
    public static EndpointMap full(final int size)
    {
        return of(size, (rank) -> rank);
    }

    /**
     * Returns the map of the PEs {@code start + stride * i}, {@code i} from 0 to {@code size - 1}:
     * {@code UCC_EP_MAP_STRIDED}.
     *
     * @param start  first PE.
     * @param stride between neighbours, negative too; 0 for a size of 1 only.
     * @param size   number of PEs, 1 or more.
     * @return the map.
     * @throws IllegalArgumentException if the size is less than 1, or one of the PEs is not 0 to
     *                                  {@link Integer#MAX_VALUE}, or is there twice.
     */
    public static EndpointMap strided(final int start, final int stride, final int size)
    {
        checkSize(size);
        final long last = start + (long)stride * (size - 1L);
        if (start < 0 || last < 0 || last > Integer.MAX_VALUE || 0 == stride && size > 1)
        {
            throw new IllegalArgumentException(
                "start + stride * i must be 0 or more for every i from 0 to size - 1, and stride must be 0 only for a" +
                " size of 1: start=" + start + ", stride=" + stride + ", size=" + size);
        }

        return of(size, (rank) -> start + stride * rank);
    }

    /**
     * Returns the map of listed PEs: {@code UCC_EP_MAP_ARRAY}.
     *
     * @param worldPes by rank, each once; copied.
     * @return the map.
     * @throws IllegalArgumentException if there is none, or one is negative.
     */
    public static EndpointMap of(final int... worldPes)
    {
        final int[] copy = Arguments.notNull(worldPes, "worldPes").clone();
        return of(copy.length, (rank) -> copy[rank]);
    }

    /**
     * Returns the map of the PEs that a function computes: {@code UCC_EP_MAP_CB}.
     *
     * @param size    number of PEs, 1 or more.
     * @param worldPe of a rank; called once for each rank, by this method.
     * @return the map.
     * @throws IllegalArgumentException if the size is less than 1, or a PE is negative.
     */
    public static EndpointMap of(final int size, final IntUnaryOperator worldPe)
    {
        checkSize(size);
        Arguments.notNull(worldPe, "worldPe");
        final int[] worldPes = new int[size];
        for (int rank = 0; rank < size; rank++)
        {
            worldPes[rank] = worldPe.applyAsInt(rank);
            if (worldPes[rank] < 0)
            {
                throw new IllegalArgumentException(
                    "a PE of an endpoint map must be >= 0: PE " + worldPes[rank] + " has rank " + rank);
            }
        }

        return new EndpointMap(worldPes);
    }

    /**
     * Returns the number of PEs: {@code ep_num}.
     *
     * @return 1 or more.
     */
    public int size()
    {
        return worldPes.length;
    }

    /**
     * Returns the PE of the world that has a rank.
     *
     * @param rank 0 to {@link #size()} - 1.
     * @return the PE.
     * @throws IndexOutOfBoundsException if there is no such rank.
     */
    public int worldPe(final int rank)
    {
        return worldPes[rank];
    }

    int[] worldPes()
    {
        return worldPes.clone();
    }

    /**
     * Lists the PEs.
     *
     * @return one line.
     */
    @Override
    public String toString()
    {
        return "EndpointMap" + Arrays.toString(worldPes);
    }

    private static void checkSize(final int size)
    {
        if (size < 1)
        {
            throw Arguments.mustBe("size", ">= 1", size);
        }
    }
}
