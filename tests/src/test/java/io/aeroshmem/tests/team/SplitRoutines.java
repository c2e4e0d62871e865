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
 * Successful splits, for jobs of any size.
 */
final class SplitRoutines extends RoutineSet
{
    SplitRoutines()
    {
        add("every triplet", Splits::shouldSplitEveryTriplet);
        add("negative strides", Splits::shouldTakeNegativeStrides);
        add("rows and columns", Splits::shouldSplitInRowsAndColumns);
        add("shrinking", Splits::shouldShrink);
        add("overlapping", Splits::shouldOverlap);
        add("translation", Splits::shouldTranslateBetweenSiblings);
        add("configuration", Splits::shouldGiveBackTheConfiguration);
        add("contexts", Splits::shouldMakeContextsOfATeam);
        add("predefined", Splits::shouldKnowThePredefinedTeams);
        add("closed twice", Splits::shouldCloseOnlyOnce);
        add("threads", TeamThreads::shouldSplitDifferentParentsAtOnce);
    }
}
