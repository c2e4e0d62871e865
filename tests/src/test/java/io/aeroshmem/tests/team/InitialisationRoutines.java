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
 * Teams created with a unique id, for jobs of any size that allow few teams.
 */
final class InitialisationRoutines extends RoutineSet
{
    InitialisationRoutines()
    {
        add("any members", Initialisation::shouldMakeAnyTeam);
        add("at the same time", Initialisation::shouldMakeTeamsAtTheSameTime);
        add("wrong indices", Initialisation::shouldRejectWrongIndices);
        add("wrong sizes", Initialisation::shouldRejectWrongSizes);
        add("no unique id", Initialisation::shouldRequireAUniqueId);
    }
}
