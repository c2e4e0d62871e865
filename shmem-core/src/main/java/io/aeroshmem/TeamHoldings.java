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

import io.aeroshmem.memory.DeclaredMemory;
import io.aeroshmem.memory.MemoryBounds;
import io.aeroshmem.rma.ContextUse;
import io.aeroshmem.team.TeamIds;

import java.util.List;

/**
 * The resources of a PE that a team, or a {@link TeamCreation} in progress, holds:
 * <ul>
 *     <li>contexts, which must not be closed;</li>
 *     <li>memory, which must not be freed;</li>
 *     <li>an id, which no other team of the PE may have.</li>
 * </ul>
 */
final class TeamHoldings
{
    private final TeamIds ids;
    private final DeclaredMemory declared;
    private final List<ContextUse> contexts;
    private final MemoryBounds memory;
    private String teamName;
    private boolean hasId;
    private long id;

    /**
     * Takes contexts and memory.
     *
     * @param teamName for messages.
     * @throws IllegalArgumentException if a context is closed.
     */
    TeamHoldings(
        final TeamIds ids,
        final DeclaredMemory declared,
        final List<ContextUse> contexts,
        final MemoryBounds memory,
        final String teamName)
    {
        this.ids = ids;
        this.declared = declared;
        this.contexts = contexts;
        this.memory = memory;
        this.teamName = teamName;
        contribute(teamName);
        declared.add(memory, teamName);
    }

    private void contribute(final String teamName)
    {
        for (int i = 0; i < contexts.size(); i++)
        {
            if (!contexts.get(i).add(teamName))
            {
                withdraw(i, teamName);
                throw new IllegalArgumentException("contexts must be open: context " + i + " is closed");
            }
        }
    }

    private void withdraw(final int count, final String teamName)
    {
        for (int i = 0; i < count; i++)
        {
            contexts.get(i).remove(teamName);
        }
    }

    /** Takes the id that the program has given; returns false if an open team has it. */
    boolean takeId(final long given)
    {
        id = given;
        hasId = ids.take(given);
        return hasId;
    }

    /** Takes a generated id, or the next free one, unless there is a given one. */
    void takeGeneratedId(final long generated)
    {
        if (!hasId)
        {
            id = ids.takeGenerated(generated);
            hasId = true;
        }
    }

    long id()
    {
        return id;
    }

    /** Sets the name of the team, once it is made. */
    void rename(final String name)
    {
        contribute(name);
        declared.add(memory, name);
        withdraw(contexts.size(), teamName);
        declared.remove(memory, teamName);
        teamName = name;
    }

    /** Releases everything. */
    void release()
    {
        withdraw(contexts.size(), teamName);
        declared.remove(memory, teamName);
        if (hasId)
        {
            ids.release(id);
            hasId = false;
        }
    }
}
