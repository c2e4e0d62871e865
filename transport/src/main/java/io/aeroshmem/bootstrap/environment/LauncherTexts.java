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

import io.aeroshmem.bootstrap.LauncherBootstrap;

/** The messages for an incomplete environment, with the remedy for each scheduler. */
final class LauncherTexts
{
    private static final String RENDEZVOUS_ENV = "AEROSHMEM_RENDEZVOUS";
    private static final String SECRET_ENV = "AEROSHMEM_RENDEZVOUS_SECRET";

    private LauncherTexts()
    {
    }

    /** Returns the message for an unknown or wrong host of PE 0. */
    static String noPlace(final Scheduler scheduler, final String problem)
    {
        return problem + ": " + howToSay(scheduler) + " (property " + RendezvousSettings.RENDEZVOUS_PROP_NAME + ")";
    }

    /** Returns the message for a missing or short secret. */
    static String noSecret(final Scheduler scheduler, final int nPes, final String secret)
    {
        final String problem = null == secret ?
            "has none" : "has one of " + secret.length() + " characters";
        return "a job of " + nPes + " PEs started by " + scheduler.words() +
            " needs a secret that only its processes know, and " + problem + ": set the environment variable " +
            SECRET_ENV + " (property " + RendezvousSettings.SECRET_PROP_NAME + ") to the same " +
            JobEnvironment.MIN_SECRET_LENGTH + " or more random characters on all PEs, such as those of " +
            "'openssl rand -hex 32'" + jobsOfOne(scheduler);
    }

    /** Returns the message for an unknown number of pods of a Kubernetes job. */
    static String noSize()
    {
        return LauncherBootstrap.NPES_ENV + " is not set, which in a Kubernetes job with completion indices" +
            " specifies the number of PEs: set it in the container's environment to the job's completions" +
            jobsOfOne(Scheduler.KUBERNETES);
    }

    /** Schedulers also start processes that are not to form a job. */
    private static String jobsOfOne(final Scheduler scheduler)
    {
        return Scheduler.ANY == scheduler ? "" : "; for a job of one in each process, set " +
            LauncherBootstrap.PE_ENV + "=0 and " + LauncherBootstrap.NPES_ENV + "=1";
    }

    private static String howToSay(final Scheduler scheduler)
    {
        return switch (scheduler)
        {
            case OPEN_MPI -> "pass -x " + RENDEZVOUS_ENV + "=host:port to mpirun, with the host of PE 0";
            case SLURM -> "export " + RENDEZVOUS_ENV + "=host:port before srun, with the host of PE 0";
            case KUBERNETES -> "set " + RENDEZVOUS_ENV +
                "=name:port in the container's environment, with the name of the pod of index 0" + jobsOfOne(scheduler);
            default -> "set " + RENDEZVOUS_ENV + "=host:port on all PEs, with the host of PE 0";
        };
    }
}
