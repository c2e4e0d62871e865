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
package io.aeroshmem.bootstrap;

import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.LocalProcess;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.JobDirectory;

import java.nio.file.Path;
import java.util.Map;

/**
 * A PE that is the process the launcher started: the environment names the job's directory and the PE's number.
 */
public final class LauncherBootstrap implements PeBootstrap
{
    /**
     * Environment variable with the path of the job's directory.
     */
    public static final String JOB_DIR_ENV = "AEROSHMEM_JOB_DIR";

    /**
     * Environment variable with this PE's number.
     */
    public static final String PE_ENV = "AEROSHMEM_PE";

    /**
     * Environment variable with the number of PEs.
     */
    public static final String NPES_ENV = "AEROSHMEM_NPES";

    private final Path jobDirectory;
    private final int pe;
    private final int nPes;

    private LauncherBootstrap(final Path jobDirectory, final int pe, final int nPes)
    {
        this.jobDirectory = jobDirectory;
        this.pe = pe;
        this.nPes = nPes;
    }

    /**
     * Read this process's environment.
     *
     * @return the bootstrap, or null when the environment names no job.
     * @throws TransportException if it names one but is not complete or not sane.
     */
    public static LauncherBootstrap fromEnvironment()
    {
        return fromEnvironment(System.getenv());
    }

    static LauncherBootstrap fromEnvironment(final Map<String, String> environment)
    {
        final String jobDirectory = environment.get(JOB_DIR_ENV);
        if (null == jobDirectory)
        {
            return null;
        }

        final int nPes = number(environment, NPES_ENV, 1, Integer.MAX_VALUE);
        final int pe = number(environment, PE_ENV, 0, nPes - 1);
        return new LauncherBootstrap(Path.of(jobDirectory), pe, nPes);
    }

    private static int number(
        final Map<String, String> environment, final String name, final int min, final int max)
    {
        final String value = environment.get(name);
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
        return new TransportException(
            "environment variable " + name + "=" + value + ": a number from " + min + " to " + max + " is needed",
            cause);
    }

    @Override
    public int pe()
    {
        return pe;
    }

    @Override
    public int nPes()
    {
        return nPes;
    }

    @Override
    public LocalProcess enter(final Endpoint.Context context)
    {
        final JobDirectory directory = JobDirectory.open(jobDirectory);
        if (directory.nPes() != nPes)
        {
            directory.close();
            throw new TransportException("job directory " + jobDirectory + " is of " + directory.nPes() +
                " PEs, the environment says " + NPES_ENV + "=" + nPes);
        }

        // To find out later, while joining, would fail the job, which may be well.
        final long pid = directory.control().pid(pe);
        if (0 != pid)
        {
            directory.close();
            throw new TransportException("PE " + pe + " of the job in " + jobDirectory +
                " was set up before, by process " + pid + ": a PE is set up once");
        }

        final LocalProcess process = new LocalProcess(directory, "pe-" + pe, new int[]{pe});
        process.enter();
        return process;
    }
}
