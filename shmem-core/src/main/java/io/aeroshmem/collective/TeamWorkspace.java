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
package io.aeroshmem.collective;

import org.agrona.BufferUtil;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory of this PE alone that a team's collectives work in. Each part is made when first asked for, and is as
 * long-lived as the team's handle.
 */
public final class TeamWorkspace
{
    /**
     * Length of a record that members exchange about a call.
     */
    public static final int RECORD_LENGTH = 64;

    private static final int ALIGNMENT = 64;

    private final int size;
    private ByteBuffer records;
    private ByteBuffer scalars;
    private ByteBuffer partials;

    /**
     * Construct without memory.
     *
     * @param size number of members.
     */
    public TeamWorkspace(final int size)
    {
        this.size = size;
    }

    /**
     * Room for a record of each member.
     *
     * @return address.
     */
    public long records()
    {
        if (null == records)
        {
            records = allocate((long)size * RECORD_LENGTH);
        }

        return BufferUtil.address(records);
    }

    /**
     * Room for two scalars, 64 bytes apart.
     *
     * @return address.
     */
    public long scalars()
    {
        if (null == scalars)
        {
            scalars = allocate(2L * ALIGNMENT);
        }

        return BufferUtil.address(scalars);
    }

    /**
     * Room for the partial results of a machine. One machine of the team runs at a time.
     *
     * @param length in bytes.
     * @return address; what was there before is lost if it is moved to make it longer.
     */
    public long partials(final long length)
    {
        if (null == partials || partials.capacity() < length)
        {
            partials = allocate(length);
        }

        return BufferUtil.address(partials);
    }

    private static ByteBuffer allocate(final long length)
    {
        return BufferUtil.allocateDirectAligned(Math.toIntExact(length), ALIGNMENT).order(ByteOrder.nativeOrder());
    }
}
