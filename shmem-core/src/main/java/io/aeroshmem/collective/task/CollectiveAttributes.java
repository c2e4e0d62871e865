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
package io.aeroshmem.collective.task;

import io.aeroshmem.Ordering;
import io.aeroshmem.Synchronization;
import io.aeroshmem.memory.MemoryBounds;

/**
 * The attributes that govern the collectives of a team. They are equal on all members, except for the number of
 * outstanding calls, which is a hint.
 *
 * @param ordering         the rule by which requests are matched.
 * @param outstandingCalls number of requests that the program expects to have in flight at once; 0: no hint.
 * @param synchronization  the synchronisation in effect: SYNCHRONIZED if the library or the team is configured to be
 *                         synchronised.
 * @param memory           the memory that the program has declared for the buffers of the team's collectives.
 */
public record CollectiveAttributes(
    Ordering ordering,
    int outstandingCalls,
    Synchronization synchronization,
    MemoryBounds memory)
{
    /** Returns whether requests are matched by their tags, so that threads may post them in any order, and at once. */
    public boolean isByTag()
    {
        return Ordering.POST_ORDERED != ordering && Ordering.INIT_AND_POST_ORDERED != ordering &&
            Ordering.INIT_ORDERED != ordering;
    }

    /** Returns whether every call begins and ends with a barrier. */
    public boolean isSynchronized()
    {
        return Synchronization.SYNCHRONIZED == synchronization;
    }
}
