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
 * Prints rows in one format. One result may come from several jobs (one per transport): the first of them opens it, the
 * last closes it.
 */
public interface RowWriter
{
    /**
     * Called once per job, before its rows.
     *
     * @param environment of this job.
     * @param isFirst     true in the job that opens the result.
     */
    void begin(LatencyEnvironment environment, boolean isFirst);

    /**
     * Prints a row at once, so that a reader sees the progress.
     *
     * @param row to print.
     */
    void row(LatencyRow row);

    /**
     * Called once per job, after its rows.
     *
     * @param isLast true in the job that closes the result.
     */
    void end(boolean isLast);
}
