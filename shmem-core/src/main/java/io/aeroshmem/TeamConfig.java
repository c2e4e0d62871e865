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
 * The configuration of a team to create: {@code shmem_team_config_t}, {@code nvshmem_team_config_t}. The setter of a
 * field also sets the field's bit in the {@link #mask(long) mask}. A field outside the mask has its default, so a mask
 * of 0 means all defaults.
 */
public final class TeamConfig
{
    /** Mask bit of {@link #numContexts(int)}: {@code SHMEM_TEAM_NUM_CONTEXTS}. */
    public static final long NUM_CONTEXTS = 1;

    /** Mask bit of {@link #uniqueId(TeamUniqueId)}: {@code NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID}. */
    public static final long UNIQUE_ID = 2;

    private static final long ALL = NUM_CONTEXTS | UNIQUE_ID;

    private int numContexts;
    private TeamUniqueId uniqueId;
    private long mask;

    /** Constructs a configuration with all defaults. */
    public TeamConfig()
    {
    }

    /**
     * Sets the number of contexts that the program will create from the team: {@code num_contexts} of
     * {@code shmem_team_config_t}. A hint: a context takes a few objects of the Java heap, which need not be reserved,
     * and any number may be created. The same on all members of a team.
     *
     * @param numContexts 0 or more; 0 is the default.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it is negative.
     */
    public TeamConfig numContexts(final int numContexts)
    {
        Arguments.notNegative(numContexts, "numContexts");
        this.numContexts = numContexts;
        mask |= NUM_CONTEXTS;
        return this;
    }

    /**
     * Returns the number of contexts that the program will create from the team: {@code num_contexts} of
     * {@code shmem_team_config_t}.
     *
     * @return the number, or 0 if it is not in the mask.
     */
    public int numContexts()
    {
        return 0 != (mask & NUM_CONTEXTS) ? numContexts : 0;
    }

    /**
     * Sets the id of the team that {@link Shmem#teamInit} creates: {@code uniqueid} of {@code nvshmem_team_config_t}. A
     * split rejects a configuration with an id, on all PEs that take part.
     *
     * @param uniqueId that {@link Shmem#teamUniqueId()} returned on one of the PEs of the job.
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
     * Returns the id of the team that {@link Shmem#teamInit} creates: {@code uniqueid} of
     * {@code nvshmem_team_config_t}.
     *
     * @return the id, or null if it is not in the mask.
     */
    public TeamUniqueId uniqueId()
    {
        return 0 != (mask & UNIQUE_ID) ? uniqueId : null;
    }

    /**
     * Sets the fields that apply: {@code config_mask} of {@code shmem_team_split_strided}.
     *
     * @param mask bits of the constants of this class.
     * @return this for a fluent API.
     * @throws IllegalArgumentException if it has other bits.
     */
    public TeamConfig mask(final long mask)
    {
        if (0 != (mask & ~ALL))
        {
            throw Arguments.mustBe("mask", "a subset of 0x" + Long.toHexString(ALL), "0x" + Long.toHexString(mask));
        }

        this.mask = mask;
        return this;
    }

    /**
     * Returns the fields that apply: {@code config_mask} of {@code shmem_team_split_strided}.
     *
     * @return bits of the constants of this class.
     */
    public long mask()
    {
        return mask;
    }

    /**
     * Returns all values.
     *
     * @return one line.
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
