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
 * What a program asks of a team it creates: {@code shmem_team_config_t}, {@code nvshmem_team_config_t}. Each setter
 * sets the field's bit in the mask; a field outside the mask has its default, so a mask of 0 means all defaults.
 */
public final class TeamConfig
{
    /**
     * Mask bit of {@link #numContexts(int)}: {@code SHMEM_TEAM_NUM_CONTEXTS}.
     */
    public static final long NUM_CONTEXTS = 1;

    /**
     * Mask bit of {@link #uniqueId(TeamUniqueId)}: {@code NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID}.
     */
    public static final long UNIQUE_ID = 2;

    private static final long ALL = NUM_CONTEXTS | UNIQUE_ID;

    private int numContexts;
    private TeamUniqueId uniqueId;
    private long mask;

    /**
     * Makes a configuration with all defaults.
     */
    public TeamConfig()
    {
    }

    /**
     * How many contexts the program means to create from the team: {@code num_contexts} of {@code
     * shmem_team_config_t}. A hint: a context takes a few objects of the Java heap, which need not be reserved, and any
     * number may be created. The members of a team give the same.
     *
     * @param numContexts 0 or more; 0 is the default.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it is negative.
     */
    public TeamConfig numContexts(final int numContexts)
    {
        if (numContexts < 0)
        {
            throw new IllegalArgumentException("numContexts: given " + numContexts + ", allowed is 0 or more");
        }

        this.numContexts = numContexts;
        mask |= NUM_CONTEXTS;
        return this;
    }

    /**
     * How many contexts the program means to create from the team: {@code num_contexts} of {@code
     * shmem_team_config_t}.
     *
     * @return what was set, or 0 where the mask leaves it out.
     */
    public int numContexts()
    {
        return 0 != (mask & NUM_CONTEXTS) ? numContexts : 0;
    }

    /**
     * The id by which the PEs that call {@link Shmem#teamInit} find each other: {@code uniqueid} of {@code
     * nvshmem_team_config_t}. A split refuses a configuration with one, on all PEs that take part.
     *
     * @param uniqueId that {@link Shmem#teamUniqueId()} made on one of the PEs of the job.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it is null.
     */
    public TeamConfig uniqueId(final TeamUniqueId uniqueId)
    {
        this.uniqueId = Arguments.notNull(uniqueId, "uniqueId");
        mask |= UNIQUE_ID;
        return this;
    }

    /**
     * The id by which the PEs that call {@link Shmem#teamInit} find each other: {@code uniqueid} of {@code
     * nvshmem_team_config_t}.
     *
     * @return what was set, or null where the mask leaves it out.
     */
    public TeamUniqueId uniqueId()
    {
        return 0 != (mask & UNIQUE_ID) ? uniqueId : null;
    }

    /**
     * Says which fields count: {@code config_mask} of {@code shmem_team_split_strided}.
     *
     * @param mask of the constants of this class.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it has other bits.
     */
    public TeamConfig mask(final long mask)
    {
        if (0 != (mask & ~ALL))
        {
            throw new IllegalArgumentException(
                "mask: given 0x" + Long.toHexString(mask) + ", allowed are the bits 0x" + Long.toHexString(ALL));
        }

        this.mask = mask;
        return this;
    }

    /**
     * Which fields count: {@code config_mask} of {@code shmem_team_split_strided}.
     *
     * @return bits of the constants of this class.
     */
    public long mask()
    {
        return mask;
    }

    /**
     * All values.
     *
     * @return in one line.
     */
    @Override
    public String toString()
    {
        return "TeamConfig{mask=0x" + Long.toHexString(mask) + ", numContexts=" + numContexts() + ", uniqueId=" +
            uniqueId() + "}";
    }

    TeamConfig copy()
    {
        final TeamConfig copy = new TeamConfig();
        copy.numContexts = numContexts;
        copy.uniqueId = uniqueId;
        copy.mask = mask;
        return copy;
    }
}
