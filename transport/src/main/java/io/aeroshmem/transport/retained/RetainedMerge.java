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
 */
public final class RetainedMerge
{
    private RetainedMerge()
    {
    }

    /**
     * Merges the blocks of tables of one generation.
     *
     * @param tables of the PEs that still have theirs; at least one.
     * @return the allocations that exist, all COMMITTED.
     * @throws RetainedTableException if the tables cannot be those of one generation.
     */
    public static List<RetainedBlock> merge(final List<List<RetainedBlock>> tables)
    {
        final Set<String> names = new LinkedHashSet<>();
        tables.forEach((table) -> table.forEach((block) -> names.add(block.name())));
        final List<RetainedBlock> merged = new ArrayList<>();
        for (final String name : names)
        {
            final RetainedBlock block = merge(name, tables);
            if (null != block)
            {
                merged.add(block);
            }
        }
        return merged;
    }

    private static RetainedBlock merge(final String name, final List<List<RetainedBlock>> tables)
    {
        RetainedBlock first = null;
        int prepared = 0;
        int committed = 0;
        int releasing = 0;
        for (final List<RetainedBlock> table : tables)
        {
            final RetainedBlock block = find(name, table);
            if (null == block)
            {
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
                case COMMITTED -> committed++;
                case RELEASING -> releasing++;
            }
        }

        final int absent = tables.size() - prepared - committed - releasing;
        if (absent > 0 && committed > 0 || prepared > 0 && releasing > 0)
        {
            throw new RetainedTableException("PEs differ in retained memory: " + name + " is prepared on " + prepared +
                ", committed on " + committed + ", being released on " + releasing + " and unknown on " + absent);
        }

        final boolean exists = committed > 0 || releasing > 0 && 0 == absent;
        return exists ? first.in(RetainedBlock.State.COMMITTED) : null;
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
