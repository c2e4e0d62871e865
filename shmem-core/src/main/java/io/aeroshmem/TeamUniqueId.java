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

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * An id that identifies a new team to its PEs: {@code nvshmemx_team_uniqueid_t}. One PE creates it by
 * {@link Shmem#teamUniqueId()} and passes it to the other PEs of the team by any means that the program chooses. Then
 * exactly the PEs of the team call {@link Shmem#teamInit}. An id serves one team of one job. It does not identify a
 * job; {@link UniqueId} does.
 * <p>
 * Immutable.
 */
public final class TeamUniqueId
{
    /** Number of bytes that {@link #toBytes()} returns. */
    public static final int LENGTH = 48;

    private static final long MAGIC = 0x31_44_49_4D_41_45_54_41L;
    private static final int PE = Long.BYTES;
    private static final int PLACE = 2 * Long.BYTES;
    private static final int SERIAL = 3 * Long.BYTES;
    private static final int SEAL = 4 * Long.BYTES;
    private static final int SEAL_LENGTH = 16;

    private final byte[] bytes;

    private TeamUniqueId(final byte[] bytes)
    {
        this.bytes = bytes;
    }

    static TeamUniqueId of(final int pe, final long place, final long serial, final byte[] seal)
    {
        final byte[] bytes = new byte[LENGTH];
        buffer(bytes).putLong(0, MAGIC).putInt(PE, pe).putLong(PLACE, place).putLong(SERIAL, serial)
            .put(SEAL, seal, 0, SEAL_LENGTH);
        return new TeamUniqueId(bytes);
    }

    /**
     * Returns the id as bytes, for other PEs: the memory of an {@code nvshmemx_team_uniqueid_t}.
     *
     * @return a copy, {@value #LENGTH} bytes.
     */
    public byte[] toBytes()
    {
        return bytes.clone();
    }

    /**
     * Returns the id of received bytes: an {@code nvshmemx_team_uniqueid_t}.
     *
     * @param bytes what {@link #toBytes()} returned.
     * @return an equal id.
     * @throws IllegalArgumentException if they are not the bytes of an id of this kind.
     */
    public static TeamUniqueId fromBytes(final byte[] bytes)
    {
        if (LENGTH != Arguments.notNull(bytes, "bytes").length || MAGIC != buffer(bytes).getLong(0))
        {
            throw new IllegalArgumentException(
                "bytes must be the " + LENGTH + " bytes of TeamUniqueId.toBytes: bytes.length=" + bytes.length);
        }

        return new TeamUniqueId(bytes.clone());
    }

    int pe()
    {
        return buffer(bytes).getInt(PE);
    }

    long place()
    {
        return buffer(bytes).getLong(PLACE);
    }

    long serial()
    {
        return buffer(bytes).getLong(SERIAL);
    }

    boolean isSealed(final byte[] seal)
    {
        return Arrays.equals(bytes, SEAL, LENGTH, seal, 0, SEAL_LENGTH);
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof TeamUniqueId && Arrays.equals(bytes, ((TeamUniqueId)other).bytes);
    }

    @Override
    public int hashCode()
    {
        return Arrays.hashCode(bytes);
    }

    /**
     * Returns the PE that created the id, and its number there.
     *
     * @return one line.
     */
    @Override
    public String toString()
    {
        return "TeamUniqueId{pe=" + pe() + ", place=" + place() + ", serial=" + serial() + "}";
    }

    private static ByteBuffer buffer(final byte[] bytes)
    {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
