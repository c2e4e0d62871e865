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
package io.aeroshmem.tools.info;

import io.aeroshmem.collective.selection.AlgorithmDocs;
import io.aeroshmem.tools.format.Json;

/**
 * Section of {@code aeroshmem info} on the algorithms of the collectives: the table from which a call selects its
 * algorithm.
 */
public final class AlgorithmSection implements InfoSection
{
    private static final int NAME_WIDTH = 22;
    private static final String NO_NEED = "nothing";

    /** Creates a section on the table of this version. */
    public AlgorithmSection()
    {
    }

    @Override
    public void print(final InfoText output)
    {
        String routine = "";
        for (final AlgorithmDocs.Row row : AlgorithmDocs.rows())
        {
            if (!routine.equals(row.routine()))
            {
                routine = row.routine();
                output.title(routine + " (" + row.property() + ")");
            }

            output.line("  " + row.algorithm(), NAME_WIDTH,
                row.preferredFor() + (NO_NEED.equals(row.needs()) ? "" : " (needs " + row.needs() + ")"));
        }
    }

    @Override
    public Object facts()
    {
        return AlgorithmDocs.rows().stream().map((row) -> Json.object(
            "property", row.property(),
            "routine", row.routine(),
            "algorithm", row.algorithm(),
            "preferred_for", row.preferredFor(),
            "needs", row.needs())).toList();
    }
}
