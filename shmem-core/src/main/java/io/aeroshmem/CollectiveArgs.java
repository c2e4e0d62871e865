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

/**
 * The arguments of a {@link CollectiveRequest}: {@code ucc_coll_args_t}. The setters can be chained.
 * {@link Team#request} and {@link Team#post} copy the arguments.
 * <p>
 * <b>Counts</b> are those of the whole buffer, in elements. The blocks of an operation whose name ends in V have counts
 * and displacements of their own: {@link #destV} of ALLGATHERV and GATHERV, {@link #sourceV} of SCATTERV, both of
 * ALLTOALLV. The blocks of REDUCE_SCATTERV are those of source, which follow one another; {@link #destV} has their
 * counts. The sender and the receiver of a block specify the same count; otherwise the job fails with a
 * {@link CollectiveMismatchException}, or only the request does if {@code aeroshmem.check.collectives} is set.
 * <p>
 * <b>Roots.</b> Only the root uses {@link #dest} of REDUCE, GATHER and GATHERV, and {@link #source} of SCATTER and
 * SCATTERV. The other members may omit that buffer; it is never accessed on them.
 */
public final class CollectiveArgs
{
    private Collective collective;
    private ReduceOp op;
    private SymmetricBuffer source;
    private long sourceCount;
    private long[] sourceCounts;
    private long[] sourceDisplacements;
    private ElementType sourceType;
    private SymmetricBuffer dest;
    private long destCount;
    private long[] destCounts;
    private long[] destDisplacements;
    private ElementType destType;
    private int root;
    private long tag;
    private boolean isTagged;
    private ActiveSet activeSet;
    private boolean isPersistent;
    private long timeoutNs;
    private CompletionHandler completionHandler;

    /** Constructs arguments without an operation. */
    public CollectiveArgs()
    {
    }

    CollectiveArgs copy()
    {
        final CollectiveArgs copy = new CollectiveArgs();
        copy.collective = collective;
        copy.op = op;
        copy.source = source;
        copy.sourceCount = sourceCount;
        copy.sourceCounts = clone(sourceCounts);
        copy.sourceDisplacements = clone(sourceDisplacements);
        copy.sourceType = sourceType;
        copy.dest = dest;
        copy.destCount = destCount;
        copy.destCounts = clone(destCounts);
        copy.destDisplacements = clone(destDisplacements);
        copy.destType = destType;
        copy.root = root;
        copy.tag = tag;
        copy.isTagged = isTagged;
        copy.activeSet = activeSet;
        copy.isPersistent = isPersistent;
        copy.timeoutNs = timeoutNs;
        copy.completionHandler = completionHandler;
        return copy;
    }

    private static long[] clone(final long[] array)
    {
        return null == array ? null : array.clone();
    }

    /**
     * Sets the operation: {@code coll_type}. The same on all members.
     *
     * @param collective operation.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it is null.
     */
    public CollectiveArgs collective(final Collective collective)
    {
        this.collective = Arguments.notNull(collective, "collective");
        return this;
    }

    /**
     * Returns the operation: {@code coll_type}.
     *
     * @return the operation, or null.
     */
    public Collective collective()
    {
        return collective;
    }

    /**
     * Sets the operation that combines elements: {@code op}. The same on all members.
     *
     * @param op of reductions and scans.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it is null.
     */
    public CollectiveArgs op(final ReduceOp op)
    {
        this.op = Arguments.notNull(op, "op");
        return this;
    }

    /**
     * Returns the operation that combines elements: {@code op}.
     *
     * @return the operation, or null.
     */
    public ReduceOp op()
    {
        return op;
    }

    /**
     * Sets the source: {@code src.info}. Its address is read when the arguments are used.
     *
     * @param buffer symmetric, or null.
     * @param count  of elements of the whole buffer, 0 or more.
     * @param type   of the elements.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if type is null or count is negative.
     */
    public CollectiveArgs source(final SymmetricBuffer buffer, final long count, final ElementType type)
    {
        Arguments.notNegative(count, "count");
        source = buffer;
        sourceCount = count;
        sourceCounts = null;
        sourceDisplacements = null;
        sourceType = Arguments.notNull(type, "type");
        return this;
    }

    /**
     * Sets the source of blocks that differ in length: {@code src.info_v}. Replaces what {@link #source} has set. Its
     * address, and the arrays, are read when the arguments are used.
     *
     * @param buffer        symmetric, or null.
     * @param counts        number of elements of each member's block, by rank, each 0 or more.
     * @param displacements of the blocks from the start of the buffer, by rank, in elements, each 0 or more; or null if
     *                      each block follows the previous one.
     * @param type          of the elements.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if counts or type is null.
     */
    public CollectiveArgs sourceV(
        final SymmetricBuffer buffer, final long[] counts, final long[] displacements, final ElementType type)
    {
        source = buffer;
        sourceCount = 0;
        sourceCounts = Arguments.notNull(counts, "counts");
        sourceDisplacements = displacements;
        sourceType = Arguments.notNull(type, "type");
        return this;
    }

    /**
     * Returns the counts of the blocks of the source: {@code src.info_v.counts}.
     *
     * @return the array that was given, or null if the source has one count.
     */
    public long[] sourceCounts()
    {
        return sourceCounts;
    }

    /**
     * Returns the displacements of the blocks of the source: {@code src.info_v.displacements}.
     *
     * @return the array that was given, or null.
     */
    public long[] sourceDisplacements()
    {
        return sourceDisplacements;
    }

    /**
     * Returns the source: {@code src.info.buffer}.
     *
     * @return the buffer, or null.
     */
    public SymmetricBuffer source()
    {
        return source;
    }

    /**
     * Returns the number of elements of the source: {@code src.info.count}.
     *
     * @return the count; 0 if its blocks have counts of their own.
     */
    public long sourceCount()
    {
        return sourceCount;
    }

    /**
     * Returns the type of the elements of the source: {@code src.info.datatype}.
     *
     * @return the type, or null.
     */
    public ElementType sourceType()
    {
        return sourceType;
    }

    /**
     * Sets the dest: {@code dst.info}. Its address is read when the arguments are used.
     *
     * @param buffer symmetric, or null.
     * @param count  of elements of the whole buffer, 0 or more.
     * @param type   of the elements.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if type is null or count is negative.
     */
    public CollectiveArgs dest(final SymmetricBuffer buffer, final long count, final ElementType type)
    {
        Arguments.notNegative(count, "count");
        dest = buffer;
        destCount = count;
        destCounts = null;
        destDisplacements = null;
        destType = Arguments.notNull(type, "type");
        return this;
    }

    /**
     * Sets the dest of blocks that differ in length: {@code dst.info_v}. Replaces what {@link #dest} has set. Its
     * address, and the arrays, are read when the arguments are used.
     *
     * @param buffer        symmetric, or null.
     * @param counts        number of elements of each member's block, by rank, each 0 or more.
     * @param displacements of the blocks from the start of the buffer, by rank, in elements, each 0 or more; or null if
     *                      each block follows the previous one.
     * @param type          of the elements.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if counts or type is null.
     */
    public CollectiveArgs destV(
        final SymmetricBuffer buffer, final long[] counts, final long[] displacements, final ElementType type)
    {
        dest = buffer;
        destCount = 0;
        destCounts = Arguments.notNull(counts, "counts");
        destDisplacements = displacements;
        destType = Arguments.notNull(type, "type");
        return this;
    }

    /**
     * Returns the counts of the blocks of the dest: {@code dst.info_v.counts}.
     *
     * @return the array that was given, or null if the dest has one count.
     */
    public long[] destCounts()
    {
        return destCounts;
    }

    /**
     * Returns the displacements of the blocks of the dest: {@code dst.info_v.displacements}.
     *
     * @return the array that was given, or null.
     */
    public long[] destDisplacements()
    {
        return destDisplacements;
    }

    /**
     * Returns the dest: {@code dst.info.buffer}.
     *
     * @return the buffer, or null.
     */
    public SymmetricBuffer dest()
    {
        return dest;
    }

    /**
     * Returns the number of elements of the dest: {@code dst.info.count}.
     *
     * @return the count; 0 if its blocks have counts of their own.
     */
    public long destCount()
    {
        return destCount;
    }

    /**
     * Returns the type of the elements of the dest: {@code dst.info.datatype}.
     *
     * @return the type, or null.
     */
    public ElementType destType()
    {
        return destType;
    }

    /**
     * Sets the root: {@code root}. The same on all members.
     *
     * @param root rank in the team; 0 is the default.
     * @return this for a fluent API.
     */
    public CollectiveArgs root(final int root)
    {
        this.root = root;
        return this;
    }

    /**
     * Returns the root: {@code root}.
     *
     * @return the rank in the team.
     */
    public int root()
    {
        return root;
    }

    /**
     * Sets the tag: {@code tag}. It matches the requests of unordered teams ({@link Ordering}) and those of active
     * sets; on other teams it is the same on all members.
     *
     * @param tag any value.
     * @return this for a fluent API.
     */
    public CollectiveArgs tag(final long tag)
    {
        this.tag = tag;
        isTagged = true;
        return this;
    }

    /**
     * Returns the tag: {@code tag}.
     *
     * @return the tag; 0 if there is none.
     */
    public long tag()
    {
        return tag;
    }

    /**
     * Returns whether there is a tag.
     *
     * @return true if it was set.
     */
    public boolean isTagged()
    {
        return isTagged;
    }

    /**
     * Restricts a broadcast to members of the team, which alone post it: {@code active_set}. It is matched by tag and
     * set, whatever the ordering of the team.
     *
     * @param start  rank in the team of the first member.
     * @param stride between the ranks of neighbours; negative for descending ranks, 0 for a size of 1 only.
     * @param size   number of members, 1 or more.
     * @return this for a fluent API.
     */
    public CollectiveArgs activeSet(final int start, final int stride, final int size)
    {
        activeSet = new ActiveSet(start, stride, size);
        return this;
    }

    /**
     * Returns the members of the team that a broadcast is restricted to: {@code active_set}.
     *
     * @return the set, or null for the whole team.
     */
    public ActiveSet activeSet()
    {
        return activeSet;
    }

    /**
     * Sets whether the request may be posted again when it is complete: {@code UCC_COLL_ARGS_FLAG_PERSISTENT}.
     *
     * @param isPersistent whether it may; false is the default.
     * @return this for a fluent API.
     */
    public CollectiveArgs persistent(final boolean isPersistent)
    {
        this.isPersistent = isPersistent;
        return this;
    }

    /**
     * Returns whether the request may be posted again: {@code UCC_COLL_ARGS_FLAG_PERSISTENT}.
     *
     * @return true if it may.
     */
    public boolean persistent()
    {
        return isPersistent;
    }

    /**
     * Sets the limit from a post to its completion: {@code timeout}. It ends the request of this PE only.
     *
     * @param timeoutNs nanoseconds, 0 or more; 0, the default, for none.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it is negative.
     */
    public CollectiveArgs timeoutNs(final long timeoutNs)
    {
        Arguments.notNegative(timeoutNs, "timeoutNs");
        this.timeoutNs = timeoutNs;
        return this;
    }

    /**
     * Returns the limit from a post to its completion: {@code timeout}.
     *
     * @return nanoseconds; 0 for none.
     */
    public long timeoutNs()
    {
        return timeoutNs;
    }

    /**
     * Sets the handler of completions: {@code cb}.
     *
     * @param handler run once for each post, or null.
     * @return this for a fluent API.
     */
    public CollectiveArgs onComplete(final CompletionHandler handler)
    {
        completionHandler = handler;
        return this;
    }

    /**
     * Returns the handler of completions: {@code cb}.
     *
     * @return the handler, or null.
     */
    public CompletionHandler onComplete()
    {
        return completionHandler;
    }
}
