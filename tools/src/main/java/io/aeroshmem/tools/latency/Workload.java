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

/** A workload that all PEs perform together in one measurement. */
interface Workload
{
    /**
     * Performs operations of this PE, as many as each other one. Collective over the job.
     *
     * @return nanoseconds from barrier to barrier.
     */
    long perform(int count);

    /** Returns whether all that was performed has the right results. Collective over the job. */
    boolean isRight();
}
