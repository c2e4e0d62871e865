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
 * The routines whose results depend on when an effect becomes visible to which PE: those that a network with losses
 * and reordering can break.
 */
public final class OrderRoutines extends RoutineSet
{
    public OrderRoutines()
    {
        add("elements: many", SingleElements::shouldSeeManySmallPutsAfterQuiet);
        add("blocks: many nonblocking", Blocks::shouldKeepManyNonblockingTransfersApart);
        add("atomics: contended", Atomics::shouldLoseNoContendedUpdate);
        add("signals: put from local buffers", Signals::shouldPutWithSignalFromLocalBuffers);
        add("signals: to all others", Signals::shouldPutWithSignalToAllOthers);
        add("signals: stream", Signals::shouldStreamPutsWithSignalsWithoutAcknowledgement);
        add("ordering: fence", Ordering::shouldOrderPutsByFence);
        add("ordering: quiet", Ordering::shouldCompleteAtQuiet);
        add("ordering: testQuiet", Ordering::shouldTestQuietUntilComplete);
        add("ordering: barrierAll", Ordering::shouldCompletePutsAtBarrier);
        add("teams: barrier and sync", Teams::shouldMeetInTeams);
        add("interleavings: oracle", Interleavings::shouldDoWhatTheOracleDoes);
    }
}
