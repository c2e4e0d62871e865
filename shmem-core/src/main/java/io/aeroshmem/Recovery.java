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
package io.aeroshmem;

/**
 * What follows the failure of a job ({@link Shmem.Context#recovery}). With recovery a job has generations, see
 * {@link Generation}. No counterpart in OpenSHMEM, NVSHMEM and UCC, where a failure ends the job.
 */
public enum Recovery
{
    /** The job ends. */
    NONE,

    /**
     * The processes of all PEs end, and are started again as the next generation of the job. So no thread of an earlier
     * generation runs in a later one. Requires {@code aeroshmem run --recover}; or a supervisor, such as systemd or
     * Kubernetes, that starts a process with the same variables whenever one has ended with an error, as the page
     * bootstraps/supervisor.md describes; or {@link Shmem#runLocal}, where the threads of all PEs end and new ones are
     * started.
     */
    RESTART,

    /**
     * The process of the PE that was lost ends, and is started again; all others go on, and {@link Shmem#run} runs
     * their task again in the next generation. A process that does not join it within
     * {@code aeroshmem.recovery.join.timeout}, because its task does not return, is ended and replaced too. The program
     * ends the calls of its own threads before its task returns: their puts, copies and stores to views could reach
     * the {@linkplain Shmem#retain retained} memory of the next generation. Requires
     * {@code aeroshmem run --recover=replace}, a supervisor as above, or {@link Shmem#runLocal}, where the threads of
     * the PEs that survive go on.
     */
    REPLACE,

    /**
     * The PEs that survive go on in their processes, as with {@link #REPLACE}, but without the lost ones: the next
     * generation has fewer PEs. They are numbered densely, in their order ({@link Generation#previousPe}). The retained
     * memory of the lost PEs is lost. A process that does not join the next generation within
     * {@code aeroshmem.recovery.join.timeout} is ended, which is a failure of that generation. Requires
     * {@code aeroshmem run --recover=shrink}.
     */
    SHRINK
}
