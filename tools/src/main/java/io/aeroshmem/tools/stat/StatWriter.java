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
package io.aeroshmem.tools.stat;

import io.aeroshmem.transport.job.JobView;

import java.io.PrintWriter;
import java.util.List;

/** Writes the states of jobs at one point in time, in one format. */
@FunctionalInterface
public interface StatWriter
{
    /**
     * Writes the jobs.
     *
     * @param earlier previous states of some of these jobs, to calculate rates; may be empty.
     */
    void write(PrintWriter output, List<JobView.Snapshot> jobs, List<JobView.Snapshot> earlier);
}
