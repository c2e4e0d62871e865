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

import io.aeroshmem.transport.LocalProcess;
import io.aeroshmem.transport.TransportException;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * What a process keeps from one of its jobs to the next. It is started once, and what its launcher told it stays as it
 * is, but it may join one job after the other, and each must have an id of its own: the place in the sequence of jobs
 * is part of it, so all PEs join the same number of them. Whatever else a job has, it does not share.
 */
final class LaunchedProcess
{
    /**
     * This process.
     */
    static final LaunchedProcess THIS = new LaunchedProcess(System.getenv());

    private static final long LAUNCHER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private final Map<String, String> environment;
    private PmiLauncher pmi;
    private int jobs;
    private LocalProcess last;
    private boolean isJoining;

    LaunchedProcess(final Map<String, String> environment)
    {
        this.environment = environment;
    }

    Map<String, String> environment()
    {
        return environment;
    }

    /**
     * Joins a job, unless this process is in one: the environment of a process is that of one PE.
     *
     * @param pe   number of the PE.
     * @param join joins, given the job that the process joined before and has left, or null.
     * @return the process's share of the job.
     * @throws TransportException if the process has not left the job before.
     */
    LocalProcess join(final int pe, final UnaryOperator<LocalProcess> join)
    {
        final LocalProcess left = begin(pe);
        LocalProcess joined = null;
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

    private synchronized LocalProcess begin(final int pe)
    {
        if (isJoining || null != last && !last.isOver())
        {
            throw new TransportException("PE " + pe + " of this job is open in this process: close it before init");
        }
        isJoining = true;
        return last;
    }

    private synchronized void end(final LocalProcess joined)
    {
        isJoining = false;
        last = null == joined ? last : joined;
    }

    /**
     * Counts the jobs.
     *
     * @return the place of the next one, from 1.
     */
    synchronized int nextJob()
    {
        return ++jobs;
    }

    /**
     * The launcher, where it speaks PMI.
     *
     * @param job as the environment tells it.
     * @return always the same.
     */
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
