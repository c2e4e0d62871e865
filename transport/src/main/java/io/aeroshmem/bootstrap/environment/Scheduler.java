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
package io.aeroshmem.bootstrap.environment;

/**
 * Who started a process, in the order in which the environment is searched for their traces: the first that left some
 * is it, since launchers run under each other.
 */
enum Scheduler
{
    /** {@code aeroshmem run}, or whoever else made the job's directory. */
    LAUNCHER("aeroshmem run"),

    /** Anybody who tells rank, size and the whole id. */
    UNIQUE_ID("whoever set AEROSHMEM_UNIQUE_ID"),

    /** Anybody who tells rank and size. */
    ANY("whoever set AEROSHMEM_PE"),

    /** A launcher that answers PMI: Hydra of MPICH, Intel MPI, {@code srun --mpi=pmi2}. */
    PMI("a PMI launcher such as mpiexec"),

    /** Open MPI's {@code mpirun}. */
    OPEN_MPI("mpirun of Open MPI"),

    /** {@code srun}. */
    SLURM("srun"),

    /** A Kubernetes job with completion indices. */
    KUBERNETES("a Kubernetes job"),

    /** Nobody: a job of one. */
    NOBODY("nobody");

    private final String words;

    Scheduler(final String words)
    {
        this.words = words;
    }

    /**
     * Who it is, in words for messages.
     */
    String words()
    {
        return words;
    }

    /**
     * May the name of PE 0's host become known only while the job starts?
     */
    boolean isNameLate()
    {
        return ANY == this || KUBERNETES == this;
    }
}
