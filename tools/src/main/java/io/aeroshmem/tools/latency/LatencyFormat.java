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
package io.aeroshmem.tools.latency;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Output format of the results.
 */
public enum LatencyFormat
{
    /** Aligned columns below a header with the environment. */
    TABLE,

    /** Comma-separated values, a header line first. */
    CSV,

    /** One JSON document. */
    JSON;

    /** Returns the name on the command line. */
    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns a writer of this format.
     *
     * @param baseline whose ratios stand beside the rows, except in CSV; or null.
     */
    public RowWriter writer(final PrintStream output, final Baseline baseline)
    {
        return switch (this)
        {
            case CSV -> new CsvWriter(output);
            case JSON -> new JsonWriter(output, baseline);
            default -> new TableWriter(output, baseline);
        };
    }
}
