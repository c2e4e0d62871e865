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
 * The teams of one PE whose members have not all announced which calls they have made
 * ({@link CollectiveEngine#announceHistory}). A member announces that when it closes the team, or its PE. Members that
 * have made different calls, in none of which one waited for the other, find that out here at the latest.
 * <p>
 * Thread-safe: threads of the PE create and close teams at the same time.
 */
public final class CallHistories
{
    private CollectiveEngine[] engines = new CollectiveEngine[0];

    /** Adds the engine of a new team. */
    public synchronized void add(final CollectiveEngine engine)
    {
        engines = ArrayUtil.add(engines, engine);
    }

    /** Removes the engine of a team whose members have been compared, or cannot be. */
    public synchronized void remove(final CollectiveEngine engine)
    {
        engines = ArrayUtil.remove(engines, engine);
    }

    /** Announces the calls on all teams that are open. */
    public synchronized void announce()
    {
        for (final CollectiveEngine engine : engines)
        {
            engine.announceHistory();
        }
    }

    /**
     * Compares the calls on all teams, after all PEs have announced theirs.
     *
     * @throws io.aeroshmem.CollectiveMismatchException if they differ; then the job has failed.
     */
    public synchronized void check()
    {
        for (final CollectiveEngine engine : engines)
        {
            final RuntimeException mismatch = engine.differentHistory(true);
            if (null != mismatch)
            {
                throw mismatch;
            }
        }
    }
}
