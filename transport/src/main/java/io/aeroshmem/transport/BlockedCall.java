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
package io.aeroshmem.transport;

import io.aeroshmem.transport.job.PeActivities;

/**
 * A call in which a thread waits, as other PEs and the launcher see it.
 */
public interface BlockedCall
{
    /**
     * Name of the routine.
     *
     * @return such as "reduce"; ASCII.
     */
    String name();

    /**
     * Where it is called.
     *
     * @return such as " on team WORLD", or the empty string; ASCII.
     */
    String place();

    /**
     * Identifies the team of a collective call.
     *
     * @return the same on all members, different from other teams; {@link PeActivities#ANY_PE} for other calls.
     */
    long team();

    /**
     * Number of a collective call on its team.
     *
     * @return from 1, the same on all members; 0 for other calls.
     */
    long number();

    /**
     * Signature of a collective call.
     *
     * @return equal on all members that make the same call; 0 to 2^32 - 1.
     */
    long signature();

    /**
     * The PEs that the call waits for.
     *
     * @return such as "PE 2", or the empty string where that is not known.
     */
    String missing();

    /**
     * A call that any PE can end, such as a wait on memory.
     *
     * @param name of the routine.
     * @return the call.
     */
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
