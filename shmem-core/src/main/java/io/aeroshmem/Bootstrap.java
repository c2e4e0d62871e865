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

import io.aeroshmem.bootstrap.InJvmBootstrap;
import io.aeroshmem.bootstrap.environment.EnvironmentBootstrap;
import io.aeroshmem.bootstrap.environment.RendezvousSettings;
import io.aeroshmem.bootstrap.environment.UniqueIdBootstrap;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.lifecycle.OutOfBandBootstrap;
import io.aeroshmem.lifecycle.TeamBootstrap;
import io.aeroshmem.transport.JdkPackages;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.PeBootstrap;
import io.aeroshmem.transport.job.RetainedHeaps;

import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The means by which a PE joins the other PEs of its job; passed to {@link Shmem.Context#bootstrap(Bootstrap)}. One
 * bootstrap sets up one PE.
 */
public final class Bootstrap
{
    private final PeBootstrap peBootstrap;
    private final boolean isJvmShared;
    private final boolean isRecovering;
    private final RetainedHeaps retainedHeaps;

    Bootstrap(final PeBootstrap peBootstrap, final boolean isJvmShared)
    {
        this(peBootstrap, isJvmShared, ShmemProperty.RECOVERY_DIRECTORY.isGiven(), null);
    }

    private Bootstrap(
        final PeBootstrap peBootstrap,
        final boolean isJvmShared,
        final boolean isRecovering,
        final RetainedHeaps retainedHeaps)
    {
        this.peBootstrap = peBootstrap;
        this.isJvmShared = isJvmShared;
        this.isRecovering = isRecovering;
        this.retainedHeaps = retainedHeaps;
    }

    /**
     * Returns the bootstrap of the job that this process was started for, as {@code shmem_init} finds it: by
     * {@code aeroshmem run}, {@code mpirun}, {@code mpiexec}, {@code srun}, as a Kubernetes job, or by any scheduler
     * that sets {@code AEROSHMEM_PE} and {@code AEROSHMEM_NPES}. Unless the environment specifies otherwise the job has
     * one PE. The page bootstraps/environment.md lists the variables.
     *
     * @return the bootstrap of this process's PE.
     * @throws BootstrapException if the environment specifies a job incompletely or inconsistently; or if this
     *                            JVM was started without the options that the library needs, which the message names.
     */
    public static Bootstrap fromEnvironment()
    {
        return fromEnvironment(ShmemProperty::text);
    }

    /** As {@link #fromEnvironment()}, with these values of properties. */
    static Bootstrap fromEnvironment(final Function<ShmemProperty, String> values)
    {
        final RendezvousSettings rendezvous = new RendezvousSettings(
            values.apply(ShmemProperty.RENDEZVOUS),
            values.apply(ShmemProperty.RENDEZVOUS_SECRET),
            values.apply(ShmemProperty.RENDEZVOUS_INTERFACE));
        try
        {
            requireJdkPackages();
        }
        catch (final BootstrapException ex)
        {
            EnvironmentBootstrap.abandon(rendezvous, ex);
            throw ex;
        }

        try
        {
            final String recovery = values.apply(ShmemProperty.RECOVERY_DIRECTORY);
            final PeBootstrap environment = EnvironmentBootstrap.fromEnvironment(rendezvous);
            return new Bootstrap(
                environment,
                false,
                null != recovery,
                null == recovery ? null : new RetainedHeaps(Path.of(recovery)));
        }
        catch (final TransportException ex)
        {
            throw new BootstrapException(ex.getMessage(), ex);
        }
    }

    /**
     * Returns the bootstraps of a job whose PEs are threads of this JVM; no counterpart in C, where a PE is a process.
     * Each element initialises one PE, all of them at the same time, each on its own thread. A group is used once: if
     * the set-up of one of its PEs fails, so does that of the others, and a further attempt needs a new group.
     *
     * @param npes number of PEs, 1 or more.
     * @return one bootstrap per PE, in order of rank.
     * @throws IllegalArgumentException if {@code npes} is less than 1.
     * @throws BootstrapException       if this JVM was started without the options that the library needs, which the
     *                                  message names.
     */
    public static Bootstrap[] inProcess(final int npes)
    {
        if (npes < 1)
        {
            throw Arguments.mustBe("npes", ">= 1", npes);
        }

        requireJdkPackages();
        final PeBootstrap[] group = InJvmBootstrap.create(npes);
        final Bootstrap[] bootstraps = new Bootstrap[npes];
        for (int pe = 0; pe < npes; pe++)
        {
            bootstraps[pe] = new Bootstrap(group[pe], true);
        }

        return bootstraps;
    }

    /** Returns the bootstraps of a generation of a job in this JVM; {@code heaps} as {@link #retainedHeaps} returns. */
    static Bootstrap[] inProcess(final InJvmBootstrap generation, final RetainedHeaps heaps)
    {
        requireJdkPackages();
        return Stream.of(generation.pes()).map((pe) -> new Bootstrap(pe, true, true, heaps)).toArray(Bootstrap[]::new);
    }

    /**
     * Returns the bootstrap of a PE of a job whose PEs share an id, on any hosts:
     * {@code nvshmemx_set_attr_uniqueid_args} with {@code NVSHMEMX_INIT_WITH_UNIQUEID}. It needs no launcher and no
     * shared file system, only that each host reaches the address in the id.
     * <p>
     * The job can recover ({@link Shmem.Context#recovery}, RESTART or REPLACE, two or more PEs) if a supervisor starts
     * each process that ends with an error again, with the same rank and id. Then rank 0 is in the process that has
     * created the id, or takes its place on the same host, with {@link UniqueId#fromBytes}: it listens at the address
     * in the id in each generation.
     *
     * @param rank   number of the PE, 0 to {@code nranks} - 1; each is taken by one PE.
     * @param nranks number of PEs, the same for all.
     * @param id     the same for all.
     * @return the bootstrap of the PE.
     * @throws IllegalArgumentException if there is no such rank, or the id is null.
     * @throws BootstrapException       if this JVM was started without the options that the library needs, which the
     *                                  message names.
     */
    public static Bootstrap uniqueId(final int rank, final int nranks, final UniqueId id)
    {
        checkRank(rank, nranks);
        requireJdkPackages();
        // what aeroshmem run starts again is its own job
        final boolean isStartedAgain = nranks > 1 && !ShmemProperty.RECOVERY_DIRECTORY.isGiven();
        return new Bootstrap(new UniqueIdBootstrap(
            Arguments.notNull(id, "id").rendezvousId(), rank, nranks, isStartedAgain, id::release), false);
    }

    /**
     * Returns the bootstrap of a PE of a job whose PEs can exchange a few bytes by other means, such as an MPI
     * communicator: {@code NVSHMEMX_INIT_WITH_MPI_COMM}, UCC's out-of-band collective. The exchange is used once, when
     * the PE is set up.
     *
     * @param rank       number of the PE, its rank in the exchange, 0 to {@code nranks} - 1.
     * @param nranks     number of PEs, and of ranks in the exchange.
     * @param collective the exchange.
     * @return the bootstrap of the PE.
     * @throws IllegalArgumentException if there is no such rank, or the exchange is null.
     * @throws BootstrapException       if this JVM was started without the options that the library needs, which the
     *                                  message names.
     */
    public static Bootstrap outOfBand(final int rank, final int nranks, final OobCollective collective)
    {
        checkRank(rank, nranks);
        Arguments.notNull(collective, "collective");
        requireJdkPackages();
        return new Bootstrap(new OutOfBandBootstrap(rank, nranks, collective), false);
    }

    /**
     * Returns the bootstrap of a PE of a second job, whose PEs are the members of a team:
     * {@code NVSHMEMX_INIT_WITH_SHMEM}. They have the numbers that they have in the team. Their set-up is a collective
     * call on the team, of all its members; afterwards the jobs are independent, and either may end first.
     *
     * @param team of the first job.
     * @return the bootstrap of this member's PE.
     * @throws IllegalArgumentException if the team is null.
     * @throws IllegalStateException    if it is {@link Team#INVALID} or closed.
     */
    public static Bootstrap overTeam(final Team team)
    {
        final boolean isOneNode = Arguments.notNull(team, "team").isOneNode();
        return new Bootstrap(
            new TeamBootstrap(team.myPe(), team.nPes(), (value) -> team.broadcastLong(value, 0), isOneNode),
            team.isJvmShared());
    }

    /**
     * Checks the JVM before anything is created: otherwise a PE would leave a job directory or an unused rendezvous.
     */
    static void requireJdkPackages()
    {
        final String problem = JdkPackages.problem();
        if (null != problem)
        {
            throw new BootstrapException(problem);
        }
    }

    private static void checkRank(final int rank, final int nranks)
    {
        if (nranks < 1)
        {
            throw Arguments.mustBe("nranks", ">= 1", nranks);
        }

        if (rank < 0 || rank >= nranks)
        {
            throw Arguments.mustBe("rank", "0 to " + (nranks - 1), rank);
        }
    }

    /**
     * Returns the PE that it sets up.
     *
     * @return such as "PE 0 of 2".
     */
    @Override
    public String toString()
    {
        return "PE " + peBootstrap.pe() + " of " + peBootstrap.nPes();
    }

    PeBootstrap peBootstrap()
    {
        return peBootstrap;
    }

    /**
     * Waits until it is known whether another generation of the job follows the one that has failed. Returns the
     * bootstrap of this process for it; null if none follows in this process.
     */
    Bootstrap next()
    {
        final PeBootstrap next = peBootstrap.next();
        return null == next ? null : new Bootstrap(next, isJvmShared, isRecovering, retainedHeaps);
    }

    /** Rejects a recovery that nobody would perform, before anything is created. */
    void requireRecovery(final Recovery recovery)
    {
        if (Recovery.SHRINK == recovery && (!isRecovering || isJvmShared))
        {
            throw new BootstrapException("recovery=" + recovery + " (" + ShmemProperty.RECOVERY.propertyName() +
                ") requires aeroshmem run --recover=shrink");
        }

        if (Recovery.NONE != recovery && !isRecovering && !isSupervised())
        {
            throw new BootstrapException("recovery=" + recovery + " (" + ShmemProperty.RECOVERY.propertyName() +
                ") requires aeroshmem run --recover, Shmem.runLocal or a supervisor of the processes of " +
                "AEROSHMEM_PE, JOB_COMPLETION_INDEX or a UniqueId, two or more: nothing else starts the PEs of a job " +
                "again");
        }
    }

    /** Returns where the heaps of the job are, if it is recoverable; else null. */
    RetainedHeaps retainedHeaps()
    {
        return retainedHeaps;
    }

    /** Returns whether a supervisor starts the process of the PE again, once it has ended after a failure. */
    boolean isSupervised()
    {
        return peBootstrap.isStartedAgain();
    }

    /** Returns true if the PE shares this JVM with others, so that the job must not end the JVM. */
    boolean isJvmShared()
    {
        return isJvmShared;
    }
}
