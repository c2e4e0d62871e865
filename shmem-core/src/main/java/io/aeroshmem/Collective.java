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
 * The collective operation of a {@link CollectiveRequest}: {@code ucc_coll_type_t}. Counts are those of the whole
 * buffer, in elements, and equal on all members; <i>n</i> is the number of members.
 */
public enum Collective
{
    /** Completes when all members have posted it: {@code UCC_COLL_TYPE_BARRIER}. Completes no one-sided operation. */
    BARRIER,
    /**
     * The source of the root arrives in the dest of every member: {@code UCC_COLL_TYPE_BCAST}. With only one of source
     * and dest, which then is the same on all members, in place.
     */
    BROADCAST,
    /** Combines the sources, for every member: {@code UCC_COLL_TYPE_ALLREDUCE}. In place if dest is source. */
    ALLREDUCE,
    /**
     * Combines the sources, of which each member receives its block: {@code UCC_COLL_TYPE_REDUCE_SCATTER}. Source has
     * <i>n</i> times the count of dest.
     */
    REDUCE_SCATTER,
    /**
     * The sources of all members, in the order of the team, for every member: {@code UCC_COLL_TYPE_ALLGATHER}. Dest has
     * <i>n</i> times the count of source.
     */
    ALLGATHER,
    /**
     * Block <i>l</i> of member <i>k</i> becomes block <i>k</i> of member <i>l</i>: {@code UCC_COLL_TYPE_ALLTOALL}. Both
     * counts are the same multiple of <i>n</i>.
     */
    ALLTOALL,
    /** Combines the sources of the members up to and with this one. In place if dest is source. */
    INCLUSIVE_SCAN,
    /** Combines the sources of the members before this one; the neutral element on the first. As above. */
    EXCLUSIVE_SCAN
}
