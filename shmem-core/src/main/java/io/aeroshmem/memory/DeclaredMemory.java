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
package io.aeroshmem.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * The memory of one PE that teams, open or being created, have declared ({@link io.aeroshmem.TeamParams#memory}), and
 * that must therefore not be freed. Thread-safe: one thread may free memory while others create and close teams.
 */
public final class DeclaredMemory implements MemoryUse
{
    private final List<Declaration> declarations = new ArrayList<>();

    private record Declaration(MemoryBounds bounds, String teamName)
    {
    }

    /** Adds what a team, or one that is being created, has declared. */
    public synchronized void add(final MemoryBounds bounds, final String teamName)
    {
        if (bounds.count() > 0)
        {
            declarations.add(new Declaration(bounds, teamName));
        }
    }

    /** Removes what was added once with these bounds and this name. */
    public synchronized void remove(final MemoryBounds bounds, final String teamName)
    {
        for (int i = declarations.size() - 1; i >= 0; i--)
        {
            if (declarations.get(i).bounds == bounds && declarations.get(i).teamName.equals(teamName))
            {
                declarations.remove(i);
                return;
            }
        }
    }

    /**
     * Checks that no open team has declared memory of an allocation.
     *
     * @throws IllegalStateException if one has.
     */
    @Override
    public synchronized void checkFree(final Allocation allocation)
    {
        for (final Declaration declaration : declarations)
        {
            if (declaration.bounds.overlaps(allocation))
            {
                throw new IllegalStateException(
                    "buffer must not be declared memory of an open team (TeamParams.memory): the " + allocation +
                    " is that of team " + declaration.teamName);
            }
        }
    }
}
