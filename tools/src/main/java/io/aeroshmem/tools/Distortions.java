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
package io.aeroshmem.tools;

import io.aeroshmem.tools.latency.MachineDescription;

import java.util.ArrayList;
import java.util.List;

/**
 * Known conditions under which a measurement shows worse figures than the library can reach: too few processors,
 * threads that are not pinned, or a power-saving governor.
 */
final class Distortions
{
    private Distortions()
    {
    }

    /**
     * Returns the causes in one line, or the empty string if none is known.
     *
     * @param processors number that this process may use; 0 if unknown.
     * @param helpers    busy threads of the media driver and of progress, beside one of each PE.
     */
    static String describe(
        final int processors,
        final int nPes,
        final int helpers,
        final boolean isPinned,
        final MachineDescription machine)
    {
        final List<String> causes = new ArrayList<>();
        if (processors > 0 && processors < nPes + helpers)
        {
            causes.add(processors + " processors for " + (nPes + helpers) + " busy threads");
        }

        if (!isPinned)
        {
            causes.add("threads are not pinned");
        }

        if (machine.isPowersave())
        {
            causes.add("governor " + machine.governors());
        }

        return String.join("; ", causes);
    }
}
