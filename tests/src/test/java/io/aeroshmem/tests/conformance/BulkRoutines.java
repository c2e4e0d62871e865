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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.tests.fixture.RoutineSet;

/**
 * The routines that move arrays, and many small operations.
 */
public final class BulkRoutines extends RoutineSet
{
    public BulkRoutines()
    {
        add("bulk: arrays", Bulk::shouldMoveElementsOfArrays);
        add("bulk: nonblocking to local buffers", Bulk::shouldGetToLocalBuffersWithoutBlocking);
        add("bulk: own elements", Bulk::shouldReadAndWriteElementsOfOnesOwn);
        add("bulk: many updates", Bulk::shouldPerformManySmallUpdatesOnce);
        add("bulk: many fetches", Bulk::shouldFetchManyWordsWithoutBlocking);
        add("bulk: fence", Bulk::shouldOrderManyUpdatesByFence);
        add("bulk: sessions", Bulk::shouldRejectSessionsThatAreNotBalanced);
    }
}
