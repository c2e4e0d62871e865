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

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EndpointContext;
import io.aeroshmem.transport.endpoint.JobProcess;
import io.aeroshmem.transport.endpoint.PeBootstrap;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.SuccessorState;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The bootstrap of a PE that {@code aeroshmem run} started. The launcher has created the {@link JobDirectory}, and
 * passes the path of the directory, the number of the PE and the number of PEs in the environment.
 */
public final class LauncherBootstrap implements PeBootstrap
{
    /** Environment variable with the path of the job's directory. */
    public static final String JOB_DIR_ENV = "AEROSHMEM_JOB_DIR";

    /** Environment variable with this PE's number. */
    public static final String PE_ENV = "AEROSHMEM_PE";

    /** Environment variable with the number of PEs. */
    public static final String NPES_ENV = "AEROSHMEM_NPES";

    /** Environment variable with the file through which a spare process gets its PE. */
    public static final String SPARE_ENV = "AEROSHMEM_SPARE";

    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The launcher that has started this process. */
    private static final Optional<ProcessHandle> LAUNCHER = ProcessHandle.current().parent();

    private final Path jobDirectory;
    private final int pe;
    private final int nPes;

    public LauncherBootstrap(final Path jobDirectory, final int pe, final int nPes)
    {
        this.jobDirectory = jobDirectory;
        this.pe = pe;
        this.nPes = nPes;
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
    public JobProcess enter(final EndpointContext context)
    {
        return enter(jobDirectory);
    }

    /**
     * Joins the successor of a job that all PEs of this process have left: its launcher creates the directory on the
     * first request of a PE, see {@link ControlFile#requestSuccessor()}. So PEs that left the same job join the same
     * successor, without counting.
     */
    public JobProcess enterAfter(final JobProcess last, final EndpointContext context)
    {
        final Path successor = awaitSuccessor(last.directory(), context);
        last.unmap();
        return enter(successor);
    }

    /**
     * Returns whether the launcher that has started this process has ended. Another launcher on this host may keep the
     * directory of the job.
     */
    public static boolean isOrphan()
    {
        return LAUNCHER.filter(ProcessHandle::isAlive).isEmpty();
    }

    /**
     * Waits for the successor of a failed job of {@code aeroshmem run --recover=replace}, which is the next generation.
     * The launcher answers in any case, so there is no time limit.
     *
     * @return whether there is one; false also if the thread is interrupted, or the launcher has ended.
     */
    private static boolean awaitNext(final JobProcess failed)
    {
        final JobDirectory directory = failed.directory();
        final ControlFile control = directory.control();
        control.requestSuccessor();
        while (control.successorState() < SuccessorState.READY)
        {
            if (SuccessorState.NONE == control.successorState() || Thread.currentThread().isInterrupted() ||
                !directory.isCreatorAlive())
            {
                return SuccessorState.READY == control.successorState();
            }

            Pause.SYSTEM.park(failed, POLL_NS);
        }

        return SuccessorState.READY == control.successorState();
    }

    /**
     * {@linkplain #awaitNext Waits} for the next generation, and returns how a PE of the failed one joins it; null if
     * there is none, or the PE is not in it, as it was taken for lost.
     */
    public static LauncherBootstrap next(final JobProcess failed, final int pe)
    {
        if (!awaitNext(failed) || isOrphan())
        {
            return null;
        }

        final Path path = Path.of(failed.directory().control().successor());
        try (JobDirectory next = JobDirectory.open(path))
        {
            for (int number = 0; number < next.nPes(); number++)
            {
                if (pe == next.control().previousPe(number))
                {
                    return new LauncherBootstrap(path, number, next.nPes());
                }
            }

            return null;
        }
    }

    private static Path awaitSuccessor(final JobDirectory last, final EndpointContext context)
    {
        final ControlFile control = last.control();
        control.requestSuccessor();
        if (SuccessorState.NONE == control.successorState())
        {
            throw new TransportException("the launcher of the job (pid " + control.creatorPid() +
                ") makes no successor: a PE can be set up only once");
        }

        final Pause pause = context.pause();
        final long deadlineNs = pause.nanoTime() + context.settings().joinTimeoutNs();
        while (control.successorState() < SuccessorState.READY)
        {
            if (!last.isCreatorAlive() && control.successorState() < SuccessorState.READY)
            {
                throw new TransportException("the launcher (pid " + control.creatorPid() +
                    ") has ended and makes no successor");
            }

            if (pause.nanoTime() - deadlineNs >= 0)
            {
                throw new TransportException("the launcher (pid " + control.creatorPid() +
                    ") made no successor within " +
                    TimeUnit.NANOSECONDS.toMillis(context.settings().joinTimeoutNs()) + " ms (aeroshmem.join.timeout)");
            }

            if (Thread.currentThread().isInterrupted())
            {
                throw context.exceptions().interrupted("init");
            }

            pause.park(last, POLL_NS);
        }

        if (SuccessorState.FAILED == control.successorState())
        {
            throw new TransportException(control.successor());
        }

        return Path.of(control.successor());
    }

    private JobProcess enter(final Path path)
    {
        final JobDirectory directory = JobDirectory.open(path);
        if (directory.nPes() != nPes)
        {
            directory.close();
            throw new TransportException(NPES_ENV + " must be " + directory.nPes() + ", as in the job directory: " +
                NPES_ENV + "=" + nPes + " directory=" + path);
        }

        // Detected while joining, this would fail a job that may be healthy.
        final long pid = directory.control().pid(pe);
        if (0 != pid)
        {
            directory.close();
            throw new TransportException("PE " + pe + " of the job in " + path +
                " was set up already by process " + pid + ": a PE can be set up only once");
        }

        final JobProcess process = new JobProcess(directory, JobDirectory.peName(pe), new int[]{pe});
        process.enter();
        return process;
    }
}
