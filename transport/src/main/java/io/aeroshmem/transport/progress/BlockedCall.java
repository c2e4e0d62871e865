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
package io.aeroshmem.transport.progress;

import io.aeroshmem.transport.job.PeActivities;

/**
 * Describes a blocking call. While a PE is blocked in the call, the description is published to other PEs and the
 * launcher.
 */
public interface BlockedCall
{
    /** Returns the name of the routine, such as "reduce"; ASCII. */
    String name();

    /** Returns the call's location, such as " on team WORLD", or the empty string; ASCII. */
    String place();

    /**
     * Returns the identity of a collective call's team, equal on all members; {@link PeActivities#ANY_PE} for other
     * calls.
     */
    long team();

    /** Returns the number of a collective call on its team, from 1, equal on all members; 0 for other calls. */
    long number();

    /** Returns the signature of a collective call, 0 to 2^32 - 1, equal on all members that make the same call. */
    long signature();

    /** Returns the PEs that the call waits for, such as "PE 2", or the empty string if they are unknown. */
    String missing();

    /** Returns a call that any PE can end, such as a wait on memory. */
    static BlockedCall ofAnyPe(final String name)
    {
        return new BlockedCall()
        {
            @Override
            public String name()
            {
                return name;
            }

            @Override
            public String place()
            {
                return "";
            }

            @Override
            public long team()
            {
                return PeActivities.ANY_PE;
            }

            @Override
            public long number()
            {
                return 0;
            }

            @Override
            public long signature()
            {
                return 0;
            }

            @Override
            public String missing()
            {
                return "";
            }
        };
    }
}
