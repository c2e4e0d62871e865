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

import io.aeroshmem.ElementType;
import io.aeroshmem.transport.Region;
import org.agrona.UnsafeApi;

/**
 * The places of dest and source of all members of a call. A place is a {@link Region} and an offset. Members may use
 * memory of different kinds, of the host or of the device, so places may differ between members. If a
 * {@code StagedTask} needs the places, each member sends the others a record of its own:
 * <pre>
 *   0   region of dest
 *   8   offset of dest
 *   16  region of source
 *   24  offset of source
 * </pre>
 */
public final class OperandPlaces
{
    private static final int LENGTH = 32;
    private static final int OFFSET = 8;
    private static final int SOURCE = 16;

    private final TeamWorkspace workspace;
    private final int size;
    private final int myRank;

    public OperandPlaces(final TeamResources resources)
    {
        workspace = resources.workspace();
        size = resources.mailboxes().size();
        myRank = resources.mailboxes().myRank();
    }

    /** Returns the arguments of the exchange of the places of a call. */
    public CallArguments exchange(final CallArguments arguments, final CallArguments call)
    {
        final long own = record(myRank);
        UnsafeApi.putLong(own, call.destRegion());
        UnsafeApi.putLong(own + OFFSET, call.destOffset());
        UnsafeApi.putLong(own + SOURCE, call.sourceRegion());
        UnsafeApi.putLong(own + SOURCE + OFFSET, call.sourceOffset());
        return arguments.of(Routine.FCOLLECT, ElementType.BYTE, LENGTH).local(record(0), own);
    }

    /** Returns whether any member has an operand in device memory. */
    public boolean isAnyOnDevice()
    {
        for (int rank = 0; rank < size; rank++)
        {
            if (Region.DEVICE == destRegion(rank) || Region.DEVICE == sourceRegion(rank))
            {
                return true;
            }
        }

        return false;
    }

    public int destRegion(final int rank)
    {
        return (int)UnsafeApi.getLong(record(rank));
    }

    public long destOffset(final int rank)
    {
        return UnsafeApi.getLong(record(rank) + OFFSET);
    }

    public int sourceRegion(final int rank)
    {
        return (int)UnsafeApi.getLong(record(rank) + SOURCE);
    }

    public long sourceOffset(final int rank)
    {
        return UnsafeApi.getLong(record(rank) + SOURCE + OFFSET);
    }

    private long record(final int rank)
    {
        return workspace.records() + (long)rank * LENGTH;
    }
}
