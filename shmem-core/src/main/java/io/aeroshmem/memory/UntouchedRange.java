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
package io.aeroshmem.memory;

import io.aeroshmem.transport.retained.RetainedTable;

/**
 * A range of a heap that no block has covered since the file of the heap was made: its memory is zero, and in a sparse
 * file takes no pages. Blocks are taken from both ends of the heap, so what is left is mostly one range. A recoverable
 * job has it in the table, since the file outlives a generation: there it is narrowed before the block is used.
 * <p>
 * Not thread-safe.
 */
public final class UntouchedRange
{
    private final RetainedTable table;
    private long begin;
    private long end;

    private UntouchedRange(final long begin, final long end, final RetainedTable table)
    {
        this.begin = begin;
        this.end = end;
        this.table = table;
    }

    /** Returns that of a heap whose memory may contain anything. */
    static UntouchedRange none()
    {
        return new UntouchedRange(0, 0, null);
    }

    /** Returns that of a heap of a length; {@code table} is null if the heap is new and of one generation. */
    public static UntouchedRange of(final long length, final RetainedTable table)
    {
        return null == table ? new UntouchedRange(0, length, null) :
            new UntouchedRange(table.untouchedBegin(), table.untouchedEnd(), table);
    }

    long begin()
    {
        return begin;
    }

    long end()
    {
        return end;
    }

    /** Takes a block out of the range, and what is before or what is after it, whichever is shorter. */
    void take(final long from, final long to)
    {
        if (from < end && to > begin)
        {
            final boolean isFirstKept = from - begin > end - to;
            begin = isFirstKept ? begin : Math.min(end, to);
            end = isFirstKept ? Math.max(begin, from) : end;
            if (null != table)
            {
                table.untouched(begin, end);
            }
        }
    }
}
