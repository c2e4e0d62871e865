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
package io.aeroshmem.transport.retained;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides which allocations of the generation that ended exist in the next one, from the tables of the PEs that still
 * have theirs. Every PE comes to the same result.
 * <p>
 * Commits roll forward: an allocation exists if a PE has committed it, and has ended if a PE has removed it. A PE
 * commits or removes only after all PEs have prepared that, so where no PE has, none has returned from the call.
 * <p>
 * So does a restore: if a PE has committed the contents of the snapshot, all have stored them. If a PE has not begun,
 * none has changed a byte. Where all have begun and none has committed, the contents are lost, on all PEs alike.
 */
public final class RetainedMerge
{
    /** What the blocks of PEs contain that still have their tables. */
    public enum Contents
    {
        /** What each PE had stored, unless its own block is zeroed. */
        KEPT,
        /** That of the snapshot, on all PEs, though not all have said so. */
        RESTORED,
        /** Undefined. */
        LOST
    }

    /** An allocation that exists: its block, COMMITTED, and what it contains. */
    public record Merged(RetainedBlock block, Contents contents)
    {
    }

    private RetainedMerge()
    {
    }

    /**
     * Merges the blocks of tables of one generation.
     *
     * @param tables of the PEs that still have theirs; at least one.
     * @return the allocations that exist.
     * @throws RetainedTableException if the tables cannot be those of one generation.
     */
    public static List<Merged> merge(final List<List<RetainedBlock>> tables)
    {
        final Set<String> names = new LinkedHashSet<>();
        tables.forEach((table) -> table.forEach((block) -> names.add(block.name())));
        final List<Merged> merged = new ArrayList<>();
        for (final String name : names)
        {
            final Merged allocation = merge(name, tables);
            if (null != allocation)
            {
                merged.add(allocation);
            }
        }

        return merged;
    }

    private static Merged merge(final String name, final List<List<RetainedBlock>> tables)
    {
        RetainedBlock committed = null;
        RetainedBlock restoring = null;
        RetainedBlock first = null;
        int prepared = 0;
        int releasing = 0;
        int absent = 0;
        for (final List<RetainedBlock> table : tables)
        {
            final RetainedBlock block = find(name, table);
            if (null == block)
            {
                absent++;
                continue;
            }

            if (null != first && !first.isSameMemory(block))
            {
                throw new RetainedTableException("PEs differ in retained memory: " + first + " and " + block);
            }

            first = block;
            switch (block.state())
            {
                case PREPARED -> prepared++;
                case COMMITTED ->
                {
                    checkRestores(committed, block);
                    committed = block;
                }
                case RELEASING -> releasing++;
                case RESTORING ->
                {
                    checkRestores(restoring, block);
                    restoring = block;
                }
            }
        }

        final boolean isKnownToAll = null != committed || null != restoring;
        if (absent > 0 && isKnownToAll || prepared > 0 && releasing > 0 ||
            null != restoring && prepared + releasing > 0)
        {
            throw new RetainedTableException("PEs differ in retained memory by more than a step: " + name +
                " is prepared on " + prepared + ", being released on " + releasing + " and unknown on " + absent +
                "; committed: " + committed + ", being restored: " + restoring);
        }

        if (null != restoring)
        {
            return restored(restoring, committed);
        }

        final boolean exists = null != committed || releasing > 0 && 0 == absent;
        return exists ? new Merged(first.in(RetainedBlock.State.COMMITTED), Contents.KEPT) : null;
    }

    /** Only the generation before the last, in which all were RESTORING, may have counted the loss already. */
    private static Merged restored(final RetainedBlock restoring, final RetainedBlock committed)
    {
        final int ahead = null == committed ? 1 : committed.restores() - restoring.restores();
        return switch (ahead)
        {
            case -1 -> new Merged(committed, Contents.KEPT);
            case 0 -> new Merged(committed, Contents.RESTORED);
            case 1 -> new Merged(null == committed ? restoring.lost() : committed, Contents.LOST);
            default -> throw new RetainedTableException(
                "PEs differ in retained memory: " + restoring + " and " + committed);
        };
    }

    private static void checkRestores(final RetainedBlock one, final RetainedBlock other)
    {
        if (null != one && one.restores() != other.restores())
        {
            throw new RetainedTableException("PEs differ in retained memory: " + one + " and " + other + " were" +
                " restored " + one.restores() + " and " + other.restores() + " times");
        }
    }

    private static RetainedBlock find(final String name, final List<RetainedBlock> table)
    {
        for (final RetainedBlock block : table)
        {
            if (name.equals(block.name()))
            {
                return block;
            }
        }

        return null;
    }
}
