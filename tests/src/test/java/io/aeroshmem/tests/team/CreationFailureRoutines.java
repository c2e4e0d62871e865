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
 * Failing creations without blocking, for jobs of any size that allow {@link Failures#MAX_TEAMS} teams.
 */
final class CreationFailureRoutines extends RoutineSet
{
    CreationFailureRoutines()
    {
        add("different parameters", CreationFailures::shouldRejectDifferentParameters);
        add("ids", CreationFailures::shouldRejectAnIdThatAnOpenTeamHas);
        add("arguments", CreationFailures::shouldRejectArgumentsBeforeAnythingIsSent);
        add("overlapping", CreationFailures::shouldRejectOverlappingCreations);
        add("never polls", CreationFailures::shouldEndInTheTimeLimitOfOneWhenAnotherNeverPolls);
        add("calls late", CreationFailures::shouldEndInTheTimeLimitWhenOneCallsLate);
        add("closes", CreationFailures::shouldEndForAllWhenOneCloses);
        add("exchange", CreationFailures::shouldEndForAllWhenAnExchangeFails);
        add("altered record", CreationFailures::shouldEndForAllWhenAnExchangeAltersARecord);
        add("limit of teams", CreationFailures::shouldNameTheLimitOfTeams);
    }
}
