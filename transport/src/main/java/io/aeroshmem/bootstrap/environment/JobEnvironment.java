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
import io.aeroshmem.transport.TransportException;

import java.util.Map;

/**
 * The job of a process, as detected from the environment variables of the process and from {@link RendezvousSettings}.
 *
 * @param scheduler    scheduler that started the process.
 * @param pe           number of this process's PE, or {@link #UNKNOWN} if only the launcher knows it.
 * @param nPes         number of PEs, or {@link #UNKNOWN}.
 * @param host         name or address of the host of PE 0. Null if the id of the rendezvous contains the address, or if
 *                     the job needs no rendezvous.
 * @param port         port of the rendezvous on that host, or 0 if the user has given none.
 * @param jobKey       text from which the id and the port of the rendezvous are derived: equal on all PEs of the job,
 *                     and unlikely to equal another job's, unless it is made from the address that the user has given.
 *                     Empty if none is needed.
 * @param secret       secret by which the processes of the job authenticate themselves at the rendezvous, or null if
 *                     none is needed. For {@link Scheduler#UNIQUE_ID}, the whole id in hex.
 * @param isSingleHost whether all PEs are known to be on one host.
 */
record JobEnvironment(
    Scheduler scheduler,
    int pe,
    int nPes,
    String host,
    int port,
    String jobKey,
    String secret,
    boolean isSingleHost)
{
    /** A number that only the launcher knows. */
    static final int UNKNOWN = -1;

    /** Minimum length of a secret in characters. */
    static final int MIN_SECRET_LENGTH = 16;

    static final String UNIQUE_ID_ENV = "AEROSHMEM_UNIQUE_ID";
    static final String PMI_FD = "PMI_FD";
    static final String PMI_PORT = "PMI_PORT";
    static final String PMI_ID = "PMI_ID";
    static final String OPEN_MPI_URI = "OMPI_MCA_orte_hnp_uri";

    private static final String PMI_RANK = "PMI_RANK";
    private static final String PMI_SIZE = "PMI_SIZE";
    private static final String LOCAL_RANKS = "MPI_LOCALNRANKS";
    private static final String OPEN_MPI_RANK = "OMPI_COMM_WORLD_RANK";
    private static final String OPEN_MPI_SIZE = "OMPI_COMM_WORLD_SIZE";
    private static final String OPEN_MPI_KEY = "OMPI_MCA_orte_precondition_transports";
    private static final String PMIX_NAMESPACE = "PMIX_NAMESPACE";
    private static final String SLURM_RANK = "SLURM_PROCID";
    private static final String SLURM_SIZE = "SLURM_STEP_NUM_TASKS";
    private static final String SLURM_NODES = "SLURM_STEP_NODELIST";
    private static final String SLURM_NODE_COUNT = "SLURM_STEP_NUM_NODES";
    private static final String SLURM_JOB = "SLURM_JOB_ID";
    private static final String SLURM_STEP = "SLURM_STEP_ID";
    private static final String SLURM_RESTARTS = "SLURM_RESTART_COUNT";
    private static final String COMPLETION_INDEX = "JOB_COMPLETION_INDEX";

    /** Step numbers of Slurm from this one on are not parallel steps, but shells of a batch script or of salloc. */
    private static final long MAX_SLURM_STEP = 0xFFFF_FFF0L;

    /**
     * Reads the job of this process from its environment; {@link Scheduler#NONE} if there is none. Throws a
     * {@link TransportException} if it is incomplete or invalid.
     */
    static JobEnvironment detect(final Map<String, String> environment, final RendezvousSettings settings)
    {
        final JobEnvironment job = new Reading(environment, settings).detect();
        final String given = value(environment, LauncherBootstrap.NPES_ENV);
        if (null != given && UNKNOWN != job.nPes && number(environment, LauncherBootstrap.NPES_ENV) != job.nPes)
        {
            throw new TransportException(LauncherBootstrap.NPES_ENV + " must be " + job.nPes + ", as specified by " +
                job.scheduler.words() + ": " + LauncherBootstrap.NPES_ENV + "=" + given);
        }

        return job;
    }

    /** Returns the same job with a known PE. */
    JobEnvironment withRank(final int newPe, final int newNPes)
    {
        return new JobEnvironment(scheduler, newPe, newNPes, host, port, jobKey, secret, isSingleHost);
    }

    /** Omits the secret. */
    @Override
    public String toString()
    {
        return "PE " + pe + " of " + nPes + ", started by " + scheduler.words();
    }

    private static String value(final Map<String, String> environment, final String name)
    {
        final String value = environment.get(name);
        return null == value || value.isBlank() ? null : value.trim();
    }

    private static int number(final Map<String, String> environment, final String name)
    {
        return number(name, value(environment, name), 1, Integer.MAX_VALUE);
    }

    private static int number(final String name, final String value, final int min, final int max)
    {
        try
        {
            final int number = Integer.parseInt(String.valueOf(value));
            if (number >= min && number <= max)
            {
                return number;
            }
        }
        catch (final NumberFormatException ex)
        {
            throw outOfRange(name, value, min, max, ex);
        }

        throw outOfRange(name, value, min, max, null);
    }

    private static TransportException outOfRange(
        final String name, final String value, final int min, final int max, final Exception cause)
    {
        return new TransportException(name + " must be a number from " + min + " to " + max + ": " + name +
            (null == value ? " is not set" : "=" + value), cause);
    }

    /** State of one detection. */
    private static final class Reading
    {
        private final Map<String, String> environment;
        private final RendezvousSettings settings;
        private Scheduler scheduler;
        private int pe;
        private int nPes;

        Reading(final Map<String, String> environment, final RendezvousSettings settings)
        {
            this.environment = environment;
            this.settings = settings;
        }

        JobEnvironment detect()
        {
            if (isSet(LauncherBootstrap.JOB_DIR_ENV))
            {
                ranks(Scheduler.LAUNCHER, LauncherBootstrap.PE_ENV, LauncherBootstrap.NPES_ENV);
                return job(null, 0, "", null);
            }

            if (isSet(LauncherBootstrap.PE_ENV))
            {
                return any();
            }

            if (isSet(PMI_FD) || isSet(PMI_PORT))
            {
                return pmi();
            }

            if (isSet(OPEN_MPI_RANK))
            {
                return openMpi();
            }

            if (isSet(SLURM_RANK) && isSet(SLURM_SIZE) && isParallelStep())
            {
                return slurm();
            }

            if (isSet(COMPLETION_INDEX))
            {
                if (!isSet(LauncherBootstrap.NPES_ENV))
                {
                    throw new TransportException(LauncherTexts.noSize());
                }

                ranks(Scheduler.KUBERNETES, COMPLETION_INDEX, LauncherBootstrap.NPES_ENV);
                return atGivenAddress();
            }

            return none();
        }

        private JobEnvironment any()
        {
            final String id = text(UNIQUE_ID_ENV);
            if (null != id)
            {
                ranks(Scheduler.UNIQUE_ID, LauncherBootstrap.PE_ENV, LauncherBootstrap.NPES_ENV);
                return job(null, 0, "", id);
            }

            ranks(Scheduler.ANY, LauncherBootstrap.PE_ENV, LauncherBootstrap.NPES_ENV);
            return atGivenAddress();
        }

        /** The id is distributed by the launcher, so nothing else is needed. */
        private JobEnvironment pmi()
        {
            if (isSet(PMI_FD))
            {
                ranks(Scheduler.PMI, PMI_RANK, PMI_SIZE);
            }
            else
            {
                scheduler = Scheduler.PMI;
                pe = UNKNOWN;
                nPes = UNKNOWN;
                if (!isSet(PMI_ID))
                {
                    throw outOfRange(PMI_ID, null, 0, Integer.MAX_VALUE, null);
                }
            }

            final boolean isSingleHost = "1".equals(text(SLURM_NODE_COUNT)) ||
                isSet(PMI_SIZE) && text(PMI_SIZE).equals(text(LOCAL_RANKS));
            final HostAndPort given = given();
            final String host = null == given ? null : given.host();
            final int port = null == given ? 0 : given.port();
            return new JobEnvironment(scheduler, pe, nPes, host, port, "", null, isSingleHost);
        }

        private JobEnvironment openMpi()
        {
            ranks(Scheduler.OPEN_MPI, OPEN_MPI_RANK, OPEN_MPI_SIZE);
            if (1 == nPes)
            {
                return one();
            }

            final HostAndPort given = given();
            final String uri = text(OPEN_MPI_URI);
            if (null == given && null == uri)
            {
                throw new TransportException(LauncherTexts.noPlace(scheduler, "environment variable " + OPEN_MPI_URI +
                    " is not set, so the host of PE 0 is unknown"));
            }

            final String namespace = text(PMIX_NAMESPACE);
            final String jobKey = "openmpi " + (null != namespace ? namespace : null != uri ? uri : given);
            return null != given ?
                job(given.host(), given.port(), jobKey, secret(text(OPEN_MPI_KEY))) :
                job(OpenMpiUri.addresses(OPEN_MPI_URI, uri).get(0), 0, jobKey, secret(text(OPEN_MPI_KEY)));
        }

        private JobEnvironment slurm()
        {
            ranks(Scheduler.SLURM, SLURM_RANK, SLURM_SIZE);
            if (1 == nPes)
            {
                return one();
            }

            final String restarts = isSet(SLURM_RESTARTS) ? text(SLURM_RESTARTS) : "0";
            final String jobKey = "slurm " + needed(SLURM_JOB) + '.' + needed(SLURM_STEP) + '.' + restarts;
            final HostAndPort given = given();
            return null != given ?
                job(given.host(), given.port(), jobKey, secret(null)) :
                job(SlurmNodeList.first(SLURM_NODES, needed(SLURM_NODES)), 0, jobKey, secret(null));
        }

        /** The user specifies the host of PE 0. */
        private JobEnvironment atGivenAddress()
        {
            if (1 == nPes)
            {
                return one();
            }

            final HostAndPort given = given();
            if (null == given)
            {
                throw new TransportException(LauncherTexts.noPlace(scheduler, "the host of PE 0 is unknown"));
            }

            return job(given.host(), given.port(), "meets at " + settings.rendezvous().trim(), secret(null));
        }

        private JobEnvironment none()
        {
            final String given = text(LauncherBootstrap.NPES_ENV);
            if (null != given && 1 != number(environment, LauncherBootstrap.NPES_ENV))
            {
                throw new TransportException(LauncherBootstrap.NPES_ENV + "=" + given +
                    ", but the PE of this process is unknown: set " + LauncherBootstrap.PE_ENV +
                    " to a number from 0 on");
            }

            if (null != settings.rendezvous() || isSet(UNIQUE_ID_ENV))
            {
                throw new TransportException((isSet(UNIQUE_ID_ENV) ?
                    "environment variable " + UNIQUE_ID_ENV :
                    "property " + RendezvousSettings.RENDEZVOUS_PROP_NAME) +
                    " is set, but the PE of this process is unknown: set the environment variables " +
                    LauncherBootstrap.PE_ENV + " and " + LauncherBootstrap.NPES_ENV);
            }

            scheduler = Scheduler.NONE;
            nPes = 1;
            return one();
        }

        private JobEnvironment one()
        {
            return job(null, 0, "", null);
        }

        private JobEnvironment job(
            final String host, final int port, final String jobKey, final String secret)
        {
            return new JobEnvironment(scheduler, pe, nPes, host, port, jobKey, secret, false);
        }

        private void ranks(final Scheduler by, final String peName, final String nPesName)
        {
            scheduler = by;
            nPes = number(environment, nPesName);
            pe = number(peName, text(peName), 0, nPes - 1);
        }

        private boolean isParallelStep()
        {
            final String step = text(SLURM_STEP);
            return null == step || !step.matches("[0-9]{1,18}") || Long.parseLong(step) < MAX_SLURM_STEP;
        }

        private HostAndPort given()
        {
            return null == settings.rendezvous() ? null : HostAndPort.parse(settings.rendezvous().trim());
        }

        private String secret(final String ofScheduler)
        {
            final String secret = null != settings.secret() ? settings.secret() : ofScheduler;
            if (null == secret || secret.length() < MIN_SECRET_LENGTH)
            {
                throw new TransportException(LauncherTexts.noSecret(scheduler, nPes, secret));
            }

            return secret;
        }

        private String needed(final String name)
        {
            final String value = text(name);
            if (null == value)
            {
                throw new TransportException("environment variable " + name + " is not set, although " +
                    scheduler.words() + " sets it");
            }

            return value;
        }

        private String text(final String name)
        {
            return value(environment, name);
        }

        private boolean isSet(final String name)
        {
            return null != text(name);
        }
    }
}
