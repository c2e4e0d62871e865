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
 * Memory of this PE alone that a team's collectives work in. Each part is made when first asked for. What partial
 * results take comes from a pool of the PE, and goes back there when the team is closed.
 */
public final class TeamWorkspace
{
    /**
     * Length of a record that members exchange about a call.
     */
    public static final int RECORD_LENGTH = 64;

    private static final int ALIGNMENT = 64;

    private final int size;
    private final StagingPool staging;
    private ByteBuffer records;
    private ByteBuffer scalars;
    private ByteBuffer partials;

    /**
     * Construct without memory.
     *
     * @param size    number of members.
     * @param staging of the PE.
     */
    public TeamWorkspace(final int size, final StagingPool staging)
    {
        this.size = size;
        this.staging = staging;
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
            close();
            partials = staging.take(length);
        }

        return BufferUtil.address(partials);
    }

    /**
     * Leave the room for partial results to other teams. No machine is running, and nothing is on its way to there:
     * not after a call that ended by an exception.
     */
    public void close()
    {
        if (null != partials)
        {
            staging.giveBack(partials);
            partials = null;
        }
    }

    private static ByteBuffer allocate(final long length)
    {
        return BufferUtil.allocateDirectAligned(Math.toIntExact(length), ALIGNMENT).order(ByteOrder.nativeOrder());
    }
}
