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
package io.aeroshmem.collective.selection;

import io.aeroshmem.config.PropertyParser;

import java.util.ArrayList;
import java.util.List;

/**
 * Formatter of the {@link AlgorithmTable}: as text, and as Markdown for the documentation.
 */
public final class AlgorithmDocs
{
    private AlgorithmDocs()
    {
    }

    /**
     * Row of the table as text.
     *
     * @param property     name of the property that selects an algorithm of the routine.
     * @param routine      name of the routine, or names of the routines that share the row.
     * @param algorithm    value of the property.
     * @param preferredFor calls that the algorithm is preferred for.
     * @param needs        requirements that make the algorithm eligible.
     */
    public record Row(String property, String routine, String algorithm, String preferredFor, String needs)
    {
    }

    /** Returns the table as text, in the order in which a call tries its rows. */
    public static List<Row> rows()
    {
        return AlgorithmTable.rows().stream().map((row) -> new Row(
            row.routine().algorithmProperty().propertyName(),
            routine(row),
            row.algorithm().propertyValue(),
            preferredFor(row),
            needs(row))).toList();
    }

    /** Returns the whole page of the documentation as Markdown; lines end with a line feed. */
    public static String markdown()
    {
        final StringBuilder page = new StringBuilder(4096);
        page.append("""
            # Algorithms of the collectives

            A call uses the first row of its routine that is eligible for it (last column), and preferred for its team
            and the size of its blocks in bytes. Rows marked *requests* are not preferred for blocking calls. The
            property in the first column specifies an algorithm that is then preferred for all calls. A call for which
            it is not eligible uses the table. [collectives.md](collectives.md) defines the terms. This page is
            generated from the class `AlgorithmTable` (`aeroshmem info --algorithms --format markdown`).

            | property | routine | algorithm | preferred for | needs |
            |---|---|---|---|---|
            """);

        for (final Row row : rows())
        {
            page.append("| `").append(row.property)
                .append("` | ").append(row.routine)
                .append(" | `").append(row.algorithm)
                .append("` | ").append(row.preferredFor)
                .append(" | ").append(row.needs)
                .append(" |\n");
        }

        return page.toString();
    }

    private static String routine(final AlgorithmRow row)
    {
        return switch (row.routine())
        {
            case SYNC -> "barrier, sync";
            case FCOLLECT -> "collect, fcollect";
            default -> row.routine().methodName();
        };
    }

    private static String preferredFor(final AlgorithmRow row)
    {
        final AlgorithmRow.Preference preference = row.preference();
        final List<String> words = new ArrayList<>();
        if (TopologyPredicate.ANY != preference.teams())
        {
            words.add(preference.teams().description());
        }

        if (Integer.MAX_VALUE != preference.maxMembers())
        {
            words.add("up to " + preference.maxMembers() + " members");
        }

        if (Long.MAX_VALUE != preference.maxBytes())
        {
            words.add("blocks up to " + PropertyParser.formatSize(preference.maxBytes()));
        }

        if (preference.isForRequests())
        {
            words.add("requests");
        }

        return words.isEmpty() ? "all calls" : String.join(", ", words);
    }

    private static String needs(final AlgorithmRow row)
    {
        final AlgorithmRow.Eligibility eligibility = row.eligibility();
        final List<String> words = new ArrayList<>();
        if (TopologyPredicate.ANY != eligibility.need())
        {
            words.add(eligibility.need().description());
        }

        if (Long.MAX_VALUE != eligibility.capacity())
        {
            words.add("blocks up to " + PropertyParser.formatSize(eligibility.capacity()));
        }

        if (TopologyPredicate.ANY != eligibility.exact())
        {
            words.add("an order-free reduction, or " + eligibility.exact().description());
        }

        if (!row.isSlotsOnly())
        {
            words.add("symmetric buffers");
        }

        return words.isEmpty() ? "nothing" : String.join("; ", words);
    }
}
