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
package io.aeroshmem.tests.team;

import io.aeroshmem.tests.fixture.RoutineSet;

/**
 * Successful creations without blocking, for jobs of any size.
 */
final class CreationRoutines extends RoutineSet
{
    CreationRoutines()
    {
        add("world", Creations::shouldTakeTheWorldByDefault);
        add("attributes", Creations::shouldHoldAndInheritWhatWasGiven);
        add("maps", Creations::shouldTakePesOfAMap);
        add("contiguous endpoints", Creations::shouldOrderRanksByContiguousEndpoints);
        add("exchange", Creations::shouldFindParticipantsByAnExchange);
        add("colours", Creations::shouldSplitByColourAndKey);
        add("calls and splits", Creations::shouldServeEveryCallAndSplit);
        add("predefined", Creations::shouldKnowTheEndpointsAndIdsOfPredefinedTeams);
        add("ids", Creations::shouldTakeAnIdAgainAfterTheTeamIsClosed);
        add("contexts and memory", Creations::shouldKeepContextsAndMemoryOfOpenTeams);
        add("destruction", Creations::shouldDestroyWhenAllHaveCalled);
        add("threads", Creations::shouldPollOnOneThreadWhileAnotherUsesOtherTeams);
    }
}
