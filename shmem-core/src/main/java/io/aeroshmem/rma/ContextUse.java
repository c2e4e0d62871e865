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
package io.aeroshmem.rma;

import io.aeroshmem.lifecycle.PeIdentity;

import java.util.ArrayList;
import java.util.List;

/**
 * The teams that a context was contributed to ({@link io.aeroshmem.TeamParams#contexts}), from the start of their
 * creation until they are closed. The context must not be closed while there is such a team. Thread-safe.
 */
public final class ContextUse
{
    private final PeIdentity owner;
    private final List<String> teamNames = new ArrayList<>();
    private boolean isClosed;

    ContextUse(final PeIdentity owner)
    {
        this.owner = owner;
    }

    /** Adds a team, or one that is being created; returns false if the context or its PE is closed. */
    public synchronized boolean add(final String teamName)
    {
        return !isClosed() && teamNames.add(teamName);
    }

    /** Removes a team that was added. */
    public synchronized void remove(final String teamName)
    {
        teamNames.remove(teamName);
    }

    /**
     * Checks that the context may be closed.
     *
     * @throws IllegalStateException if a team uses it.
     */
    public synchronized void check()
    {
        if (!teamNames.isEmpty())
        {
            throw new IllegalStateException("context must not be closed while a team that it was contributed to is" +
                " open (TeamParams.contexts): team " + teamNames.get(0) + " is open");
        }
    }

    /** Returns whether the context or its PE is closed. */
    public synchronized boolean isClosed()
    {
        return isClosed || owner.isClosed();
    }

    /**
     * Admits no further team.
     *
     * @throws IllegalStateException if a team uses the context.
     */
    synchronized void close()
    {
        check();
        isClosed = true;
    }
}
