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
package io.aeroshmem.collective.task;

import org.agrona.BufferUtil;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Private memory of this PE for the collectives of one team. Each part is allocated on first use. Memory for partial
 * results and pieces comes from the {@link StagingPool} of the PE. It returns to the pool when the team is closed,
 * unless messages may still arrive in it: those of a call that ended here with an exception, or of an unfinished
 * request.
 */
public final class TeamWorkspace
{
    /** Length of a record that members exchange about a call. */
    public static final int RECORD_LENGTH = 64;

    private static final int ALIGNMENT = 64;

    private final int size;
    private final StagingPool staging;
    private ByteBuffer records;
    private ByteBuffer scalars;
    private ByteBuffer partials;
    private ByteBuffer pieces;

    public TeamWorkspace(final int size, final StagingPool staging)
    {
        this.size = size;
        this.staging = staging;
    }

    StagingPool staging()
    {
        return staging;
    }

    /** Returns the address of room for a record of each member. */
    public long records()
    {
        if (null == records)
        {
            records = allocate((long)size * RECORD_LENGTH);
        }

        return BufferUtil.address(records);
    }

    /** Returns the address of room for two scalars, 64 bytes apart. */
    public long scalars()
    {
        if (null == scalars)
        {
            scalars = allocate(2L * ALIGNMENT);
        }

        return BufferUtil.address(scalars);
    }

    /**
     * Returns the address of memory for the partial results of a task; its contents are lost when it has to grow. One
     * task of the team runs at a time.
     */
    public long partials(final long length)
    {
        partials = atLeast(partials, length);
        return BufferUtil.address(partials);
    }

    /**
     * Returns the address of memory for pieces of blocks that are not in host memory, apart from the partial results;
     * its contents are lost when it has to grow.
     */
    public long pieces(final long length)
    {
        pieces = atLeast(pieces, length);
        return BufferUtil.address(pieces);
    }

    private ByteBuffer atLeast(final ByteBuffer bufferOrNull, final long length)
    {
        if (null != bufferOrNull && bufferOrNull.capacity() >= length)
        {
            return bufferOrNull;
        }

        giveBack(bufferOrNull);
        return staging.take(length);
    }

    private void giveBack(final ByteBuffer bufferOrNull)
    {
        if (null != bufferOrNull)
        {
            staging.giveBack(bufferOrNull);
        }
    }

    /**
     * Returns the memory for partial results and pieces to the pool. No task is running, and no traffic is under way to
     * that memory, as it may be after a call that ended with an exception.
     */
    public void close()
    {
        giveBack(partials);
        giveBack(pieces);
        partials = null;
        pieces = null;
    }

    private static ByteBuffer allocate(final long length)
    {
        return BufferUtil.allocateDirectAligned(Math.toIntExact(length), ALIGNMENT).order(ByteOrder.nativeOrder());
    }
}
