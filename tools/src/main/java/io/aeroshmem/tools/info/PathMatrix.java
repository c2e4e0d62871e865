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

import io.aeroshmem.tools.format.Table;
import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.endpoint.JobPaths;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Prints the paths between the PEs of a job. If a row fits in a line, the output is a matrix with a letter for each
 * ordered pair of PEs. Otherwise it is the number of ordered pairs with each kind of path.
 */
final class PathMatrix
{
    private static final int NAME_WIDTH = 10;
    private static final String UNKNOWN = "unknown";

    private final JobPaths paths;

    PathMatrix(final JobPaths paths)
    {
        this.paths = paths;
    }

    void print(final InfoText output)
    {
        final int nPes = paths.nPes();
        if (nPes > Table.WIDTH - NAME_WIDTH)
        {
            for (final PathKind kind : PathKind.values())
            {
                output.line("  " + kind.name().toLowerCase(Locale.ROOT), NAME_WIDTH, count(kind) + " pairs");
            }

            return;
        }

        for (int pe = 0; pe < nPes; pe++)
        {
            final StringBuilder row = new StringBuilder(nPes);
            for (int peer = 0; peer < nPes; peer++)
            {
                row.append(letter(pe, peer));
            }

            output.line("  PE " + pe, NAME_WIDTH, row.toString());
        }
    }

    /** Returns a list for each PE, with the paths to all PEs. */
    List<List<String>> facts()
    {
        return IntStream.range(0, paths.nPes()).mapToObj((pe) -> paths.paths(pe).stream()
            .map((path) -> null == path ? UNKNOWN : path.name().toLowerCase(Locale.ROOT)).toList()).toList();
    }

    private long count(final PathKind kind)
    {
        long count = 0;
        for (int pe = 0; pe < paths.nPes(); pe++)
        {
            for (int peer = 0; peer < paths.nPes(); peer++)
            {
                count += pe != peer && kind == paths.path(pe, peer) ? 1 : 0;
            }
        }

        return count;
    }

    private char letter(final int pe, final int peer)
    {
        final PathKind path = paths.path(pe, peer);
        return pe == peer ? '.' : null == path ? '?' : Character.toLowerCase(path.name().charAt(0));
    }
}
