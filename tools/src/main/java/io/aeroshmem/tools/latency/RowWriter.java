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

/**
 * Writes rows of results in one format. One output may have the rows of several jobs. There is one job for each
 * combination of a number of PEs and a transport. The first job opens the output, and the last job closes it.
 */
public interface RowWriter
{
    /** Begins a job; {@code isFirst} opens the result. */
    void begin(LatencyEnvironment environment, boolean isFirst);

    /** Prints a row immediately, so that progress is visible. */
    void row(LatencyRow row);

    /** Ends a job; {@code isLast} closes the result. */
    void end(boolean isLast);
}
