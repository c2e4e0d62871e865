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
package io.aeroshmem.transport.endpoint;

/**
 * Jobs that train the library in each process of PEs before these create their memory.
 *
 * @param jobs     that run one after the other. A media driver keeps the log buffers of a job for some seconds after
 *                 its end, and a JVM the memory of its PEs until it collects garbage, so those of all count.
 * @param pes      of each job, threads of the process.
 * @param peLength memory of each of these in bytes.
 */
public record TrainingJobs(int jobs, int pes, long peLength)
{
    /** Term length of the streams if memory is short. They train the library less well than long ones. */
    static final int SHORT_TERM_LENGTH = 128 << 10;
}
