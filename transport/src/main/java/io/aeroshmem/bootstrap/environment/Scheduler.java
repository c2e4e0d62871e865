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
 * The schedulers that start processes, in the order in which the environment is searched for their variables. The first
 * match decides. A launcher precedes the schedulers that may have started it: {@code aeroshmem run}, for example, may
 * itself run under Slurm.
 */
enum Scheduler
{
    /** {@code aeroshmem run}, or another creator of the job's directory. */
    LAUNCHER("aeroshmem run"),

    /** Any launcher that sets rank, size and the whole id. */
    UNIQUE_ID("the launcher that set AEROSHMEM_UNIQUE_ID"),

    /** Any launcher that sets rank and size. */
    ANY("the launcher that set AEROSHMEM_PE"),

    /** A launcher that implements PMI: Hydra of MPICH, Intel MPI, {@code srun --mpi=pmi2}. */
    PMI("a PMI launcher such as mpiexec"),

    /** Open MPI's {@code mpirun}. */
    OPEN_MPI("mpirun of Open MPI"),

    /** {@code srun}. */
    SLURM("srun"),

    /** A Kubernetes job with completion indices. */
    KUBERNETES("a Kubernetes job"),

    /** No scheduler: a job of one PE. */
    NONE("no scheduler");

    private final String words;

    Scheduler(final String words)
    {
        this.words = words;
    }

    String words()
    {
        return words;
    }

    /** Returns whether the host name of PE 0 may become resolvable only while the job starts. */
    boolean isNameLate()
    {
        return ANY == this || KUBERNETES == this;
    }
}
