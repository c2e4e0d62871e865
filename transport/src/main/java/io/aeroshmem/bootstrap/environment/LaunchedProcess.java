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

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.JobProcess;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * The state of a process across its jobs. The process is started once and its environment does not change, but it may
 * join several jobs, one after another.
 * <p>
 * Each job at a rendezvous has an id of its own. A process derives the id from its environment, its settings, and the
 * sequence number of the job among the jobs of the process. All PEs of a job must derive the same id, so their
 * processes must have tried to join the same number of jobs before; a failed attempt counts. Under PMI the launcher
 * distributes the id of the first job, and the ids of later jobs are derived from that id and from their sequence
 * numbers. A process whose environment contains a whole id ({@link Scheduler#UNIQUE_ID}) can join only the job with
 * this id.
 */
final class LaunchedProcess
{
    /** This process. */
    static final LaunchedProcess THIS = new LaunchedProcess(System.getenv());

    private static final long LAUNCHER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private volatile Map<String, String> environment;
    private PmiLauncher pmi;
    private int jobs;
    private JobProcess last;
    private boolean isJoining;

    LaunchedProcess(final Map<String, String> environment)
    {
        this.environment = environment;
    }

    /** Adds variables, before this process joins a job. */
    void assume(final Map<String, String> variables)
    {
        final Map<String, String> all = new HashMap<>(environment);
        all.putAll(variables);
        environment = Map.copyOf(all);
    }

    Map<String, String> environment()
    {
        return environment;
    }

    /**
     * Joins a job. Throws if this process is in one already: its environment is that of one PE. {@code join} receives
     * the job that the process joined before and has left, or null.
     */
    JobProcess join(final int pe, final UnaryOperator<JobProcess> join)
    {
        final JobProcess left = begin(pe);
        JobProcess joined = null;
        try
        {
            joined = join.apply(left);
            return joined;
        }
        finally
        {
            end(joined);
        }
    }

    private synchronized JobProcess begin(final int pe)
    {
        if (isJoining || null != last && !last.hasEnded())
        {
            throw new TransportException("PE " + pe + " of this job is open in this process: close it before init");
        }

        isJoining = true;
        return last;
    }

    private synchronized void end(final JobProcess joined)
    {
        isJoining = false;
        last = null == joined ? last : joined;
    }

    /** Returns the job that this process has joined last, or null. */
    synchronized JobProcess last()
    {
        return last;
    }

    /** Returns the sequence number of the next job, from 1. */
    synchronized int nextJob()
    {
        return ++jobs;
    }

    /** Returns the PMI launcher, always the same. */
    synchronized PmiLauncher pmi(final JobEnvironment job)
    {
        if (null == pmi)
        {
            final String inherited = environment.get(JobEnvironment.PMI_FD);
            if (null != inherited && JobEnvironment.UNKNOWN != job.pe())
            {
                pmi = new PmiLauncher(PmiConnection.inherited(inherited.trim()), job.pe(), job.nPes());
            }
            else
            {
                final PmiConnection connection = PmiConnection.connect(
                    environment.get(JobEnvironment.PMI_PORT).trim(),
                    environment.get(JobEnvironment.PMI_ID).trim(),
                    System.nanoTime() + LAUNCHER_TIMEOUT_NS);
                pmi = new PmiLauncher(connection, connection.rank(), connection.size());
            }
        }

        return pmi;
    }
}
