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
 * The collective operation of a {@link CollectiveRequest}: {@code ucc_coll_type_t}. In the descriptions <i>n</i> is the
 * number of members. {@link CollectiveArgs} specifies counts, and which buffers an operation has.
 * <p>
 * <b>In place.</b> An operation is in place if dest begins at the same address as source; every operation allows this.
 * In some operations one of the two buffers has the blocks of all members, and the other has a single block. If such an
 * operation is in place, the single block is the member's own block within the larger buffer, and the count of the
 * single block is not read. If an operation is not in place, its buffers must not overlap.
 */
public enum Collective
{
    /** Completes when all members have posted it: {@code UCC_COLL_TYPE_BARRIER}. Completes no one-sided operation. */
    BARRIER,
    /**
     * Completes on the root when all members have posted it, on the others at once: {@code UCC_COLL_TYPE_FANIN}. Moves
     * no data.
     */
    FAN_IN,
    /**
     * Completes on each member when the root has posted it, on the root at once: {@code UCC_COLL_TYPE_FANOUT}. Moves no
     * data.
     */
    FAN_OUT,
    /**
     * The source of the root arrives in the dest of every member: {@code UCC_COLL_TYPE_BCAST}. With only one of source
     * and dest, which then is the same on all members, in place.
     */
    BROADCAST,
    /** Combines the sources, for every member: {@code UCC_COLL_TYPE_ALLREDUCE}. */
    ALLREDUCE,
    /**
     * Combines the sources, for the root: {@code UCC_COLL_TYPE_REDUCE}. The result has the same bits as that of
     * ALLREDUCE.
     */
    REDUCE,
    /**
     * Combines the sources, of which each member receives its block: {@code UCC_COLL_TYPE_REDUCE_SCATTER}. Source has
     * <i>n</i> times the count of dest. In place the result is the member's own block.
     */
    REDUCE_SCATTER,
    /**
     * As above, with blocks that differ in length: {@code UCC_COLL_TYPE_REDUCE_SCATTERV}. The counts of dest, equal on
     * all members, are the counts of the blocks of source, which follow each other; their sum is the count of source.
     * The result is at the start of dest; in place it replaces the member's own block of source. Displacements are not
     * read.
     */
    REDUCE_SCATTERV,
    /**
     * The sources of all members, in the order of the team, for every member: {@code UCC_COLL_TYPE_ALLGATHER}. Dest has
     * <i>n</i> times the count of source.
     */
    ALLGATHER,
    /**
     * As above, with blocks that differ in length: {@code UCC_COLL_TYPE_ALLGATHERV}. The count of source is that of the
     * member's own block in dest.
     */
    ALLGATHERV,
    /**
     * The sources of all members, in the order of the team, for the root: {@code UCC_COLL_TYPE_GATHER}. Dest has
     * <i>n</i> times the count of source.
     */
    GATHER,
    /**
     * As above, with blocks that differ in length: {@code UCC_COLL_TYPE_GATHERV}. The count of source is that of the
     * member's block in the root's dest.
     */
    GATHERV,
    /**
     * Block <i>k</i> of the root's source becomes dest of member <i>k</i>: {@code UCC_COLL_TYPE_SCATTER}. Source has
     * <i>n</i> times the count of dest.
     */
    SCATTER,
    /**
     * As above, with blocks that differ in length: {@code UCC_COLL_TYPE_SCATTERV}. The count of dest is that of the
     * member's block in the root's source.
     */
    SCATTERV,
    /**
     * Block <i>l</i> of member <i>k</i> becomes block <i>k</i> of member <i>l</i>: {@code UCC_COLL_TYPE_ALLTOALL}. Both
     * counts are the same multiple of <i>n</i>.
     */
    ALLTOALL,
    /**
     * As above, with blocks that differ in length: {@code UCC_COLL_TYPE_ALLTOALLV}. The count of block <i>l</i> of the
     * source of member <i>k</i> is that of block <i>k</i> of the dest of member <i>l</i>. In place, the counts and
     * displacements of source and dest are the same.
     */
    ALLTOALLV,
    /** Combines the sources of the members up to and including this one. */
    INCLUSIVE_SCAN,
    /** Combines the sources of the members before this one; the neutral element on the first. */
    EXCLUSIVE_SCAN
}
