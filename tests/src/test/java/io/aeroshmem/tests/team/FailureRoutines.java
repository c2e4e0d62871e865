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
 * Failing creations of teams, for jobs of any size that allow few teams.
 */
final class FailureRoutines extends RoutineSet
{
    FailureRoutines()
    {
        add("invalid triplets", Failures::shouldRejectInvalidTriplets);
        add("triplets outside the parent", Failures::shouldRejectTripletsOutsideTheParent);
        add("different triplets", Failures::shouldRejectDifferentTriplets);
        add("different configurations", Failures::shouldRejectDifferentConfigurations);
        add("different creations", Failures::shouldRejectACreationBesideAnotherOne);
        add("no parent", Failures::shouldRejectClosedParents);
        add("limit", Failures::shouldReportWhichLimitIsReached);
        add("limit of one", Failures::shouldFailOnAllWhenOneHasNoRoom);
    }
}
