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

/**
 * The active set of a broadcast: the members of a team that take part in the broadcast. It corresponds to
 * {@code active_set} of {@code ucc_coll_args_t}. The members have the ranks {@code start + stride * i}, for {@code i}
 * from 0 to {@code size - 1}.
 *
 * @param start  rank, in the team, of the first member of the set.
 * @param stride difference between the ranks of successive members; may be negative, and 0 only if {@code size} is 1.
 * @param size   number of members, 1 or more.
 */
public record ActiveSet(int start, int stride, int size)
{
    /**
     * Returns whether the members are ranks of a team, each once.
     *
     * @param teamSize number of members of the team.
     * @return true if they are.
     */
    public boolean isWithin(final int teamSize)
    {
        final long last = start + (long)stride * (size - 1L);
        return size > 0 && start >= 0 && start < teamSize && last >= 0 && last < teamSize && (0 != stride || 1 == size);
    }

    /**
     * Returns the rank in the team of a member.
     *
     * @param index of the member, 0 to {@link #size} - 1.
     * @return the rank.
     */
    public int rank(final int index)
    {
        return start + stride * index;
    }

    /**
     * Returns whether a rank of the team is a member.
     *
     * @param rank in the team.
     * @return true if it is.
     */
    public boolean contains(final int rank)
    {
        if (0 == stride)
        {
            return rank == start;
        }

        final int distance = rank - start;
        return 0 == distance % stride && distance / stride >= 0 && distance / stride < size;
    }
}
