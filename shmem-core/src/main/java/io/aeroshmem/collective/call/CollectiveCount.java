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
package io.aeroshmem.collective.call;

import org.agrona.collections.ArrayUtil;

/**
 * The number of collective calls and posted requests of one PE, shown as a counter. The PE's teams keep counts for
 * other purposes, and this number is the sum of those counts. So it adds no work to a call.
 */
public final class CollectiveCount
{
    /*
     * Ordering. The monitor of this object guards two things: the list of the engines of the open teams
     * (CollectiveEngine), and the sum of the counts of the closed teams. An engine counts its blocking calls in a plain
     * field. The thread that makes a call increments this field before it stores the first signal of the call with
     * release. So a reader that has loaded a signal of the call with acquire reads a sum that contains the call. The
     * count of posted requests is stored with release. After the last call on a team, the thread that closes the team
     * removes the team's engine from the list and adds the engine's counts to the sum for the closed teams, in one step
     * under the monitor. So the total never decreases.
     */
    private CollectiveEngine[] engines = new CollectiveEngine[0];
    private long closed;

    /** Adds an engine, whose team is open. */
    public synchronized void add(final CollectiveEngine engine)
    {
        engines = ArrayUtil.add(engines, engine);
    }

    /** Keeps the count of an engine that serves no further call. */
    public synchronized void remove(final CollectiveEngine engine)
    {
        final CollectiveEngine[] others = ArrayUtil.remove(engines, engine);
        if (others != engines)
        {
            engines = others;
            closed += engine.collectives();
        }
    }

    /** Returns the number of calls and of posted requests on all teams, closed ones included. Any thread. */
    public synchronized long total()
    {
        long total = closed;
        for (final CollectiveEngine engine : engines)
        {
            total += engine.collectives();
        }

        return total;
    }
}
