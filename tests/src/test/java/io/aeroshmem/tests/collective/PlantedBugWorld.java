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
package io.aeroshmem.tests.collective;

import io.aeroshmem.simulation.World;
import io.aeroshmem.tests.launcher.KillsInWorldsTest;

/** The worlds in which a {@link PlantedBug} shows. */
enum PlantedBugWorld
{
    /** One-sided operations take effect when they are issued. */
    MAPPED("")
    {
        @Override
        void run(final LockstepSubject subject, final long seed)
        {
            subject.run(seed, (world) -> {});
        }
    },
    /** One-sided operations take effect as late as OpenSHMEM permits. */
    WEAK("weak")
    {
        @Override
        void run(final LockstepSubject subject, final long seed)
        {
            subject.run(seed, World::weak);
        }
    },
    /** Messages, on streams that are cut for a while. */
    CUTS("cuts")
    {
        @Override
        void run(final LockstepSubject subject, final long seed)
        {
            LockstepMessagesWithFaultsTest.runWithCuts(subject, seed);
        }
    },
    /** A PE dies, which the others must notice. */
    DEATH("a death")
    {
        @Override
        void run(final LockstepSubject subject, final long seed)
        {
            LockstepDeathsTest.runWithADeath(subject, seed);
        }
    },
    /** PEs of a recoverable job die; its program is {@code KilledPe}. */
    RECOVERY("kills and recoveries")
    {
        @Override
        void run(final LockstepSubject subject, final long seed)
        {
            KillsInWorldsTest.run(seed);
        }
    };

    private final String text;

    PlantedBugWorld(final String text)
    {
        this.text = text;
    }

    abstract void run(LockstepSubject subject, long seed);

    /** Runs a world of a seed: for copies of this class. */
    static void run(final String worlds, final String subjectOrNull, final long seed)
    {
        valueOf(worlds).run(null == subjectOrNull ? null : LockstepSubject.valueOf(subjectOrNull), seed);
    }

    @Override
    public String toString()
    {
        return text;
    }
}
