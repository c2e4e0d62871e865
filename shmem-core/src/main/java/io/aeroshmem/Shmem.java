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

import io.aeron.Aeron;
import io.aeroshmem.collective.selection.AlgorithmSettings;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.config.PropertyNameCheck;
import io.aeroshmem.config.Settings;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.device.DeviceAttachment;
import io.aeroshmem.device.DeviceModule;
import io.aeroshmem.device.RetainedMemory;
import io.aeroshmem.lifecycle.FailureExceptions;
import io.aeroshmem.lifecycle.FailureNotifier;
import io.aeroshmem.lifecycle.JobGeneration;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.lifecycle.Termination;
import io.aeroshmem.memory.Allocation;
import io.aeroshmem.memory.AllocationConsensus;
import io.aeroshmem.memory.CollectiveHeap;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.RetainedAllocations;
import io.aeroshmem.memory.SymmetricHeap;
import io.aeroshmem.sync.Locks;
import io.aeroshmem.sync.PointToPointSync;
import io.aeroshmem.sync.PointToPointSync.Quantifier;
import io.aeroshmem.sync.SystemAreaDescriptor;
import io.aeroshmem.team.PredefinedMembership;
import io.aeroshmem.team.TeamIds;
import io.aeroshmem.thread.ThreadGuard;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.endpoint.BootstrappedEndpoint;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.endpoint.EndpointContext;
import io.aeroshmem.transport.endpoint.EndpointSettings;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.LangUtil;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.status.AtomicCounter;

import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import static io.aeroshmem.sync.PointToPointSync.NO_LIMIT;

/**
 * One processing element (PE) of a job, and the entry point of the library. A PE is an object of this class, so one JVM
 * may have several PEs. The number of a PE is its rank in the world team. Units and errors are those of the
 * {@linkplain io.aeroshmem package}.
 * <p>
 * <b>Threads.</b> Any number of threads may make calls, unless the {@link ThreadLevel} restricts them. On each PE, only
 * one thread at a time may make collective calls of a team.
 * <p>
 * <b>End of the JVM.</b> The threads of the library are daemons: the JVM ends when the program's own threads do, with
 * the program's exit code. If a PE is still open when the JVM ends, a shutdown hook of the program may close it. If no
 * hook closes the PE, its memory is freed, and the calls of the other PEs end with a {@link PeFailureException} that
 * names this PE.
 */
public final class Shmem implements AutoCloseable
{
    /** How long the close of the PE waits for the release of a device module. */
    private static final long DEFERRED_MS = 10_000;
    private static final PredefinedTeam[] PREDEFINED_TEAMS = PredefinedTeam.values();

    private final Context context;
    private final PeIdentity identity;
    private final Termination termination;
    private final FailureExceptions exceptions;
    private final FailureNotifier failureNotifier;
    private final SystemAreaDescriptor descriptor;
    private final BootstrappedEndpoint bootstrapped;
    private final Generation generation;
    private final ThreadGuard guard;
    private final Team[] teams = new Team[PREDEFINED_TEAMS.length];
    private final Object completionLock = new Object();
    private final AtomicBoolean isClosing = new AtomicBoolean();

    /*
     * Set when the set-up is complete, before the PE is open, which calls check first; a call that does not check finds
     * null, or takes a buffer, and none exists before.
     */
    private Endpoint endpoint;
    private PeParts parts;
    private volatile DevicePart device;
    private final SymmetricBuffer[] retained = new SymmetricBuffer[RetainedMemory.values().length];
    /** Thread that completes the release of a device module after its close, or null. */
    private volatile Thread deferred;
    /** True once no PE performs operations any more. */
    private volatile boolean isLeaving;

    private Shmem(
        final Context context,
        final boolean isJvmShared,
        final Termination termination,
        final FailureExceptions exceptions,
        final FailureNotifier failureNotifier,
        final SystemAreaDescriptor descriptor,
        final BootstrappedEndpoint bootstrapped)
    {
        this.context = context;
        this.termination = termination;
        this.exceptions = exceptions;
        this.failureNotifier = failureNotifier;
        this.descriptor = descriptor;
        this.bootstrapped = bootstrapped;
        final BitSet replacements = new BitSet();
        IntStream.range(0, bootstrapped.nPes()).filter(bootstrapped::isNew).forEach(replacements::set);
        generation = new JobGeneration(
            IntStream.range(0, bootstrapped.nPes()).map(bootstrapped::previousPe).toArray(),
            bootstrapped.generation(),
            bootstrapped.previousFailure(),
            bootstrapped.lost(),
            replacements);
        guard = context.checkThreads() ? ThreadGuard.of(context.threadLevel()) : null;
        identity = new PeIdentity(
            bootstrapped.pe(),
            Recovery.NONE == context.recovery() ? -1 : generation.number(),
            isJvmShared,
            this::complete,
            ThreadGuard.ofCalls(guard));
        final PredefinedMembership memberships = new PredefinedMembership(bootstrapped);
        for (final PredefinedTeam which : PREDEFINED_TEAMS)
        {
            teams[which.ordinal()] =
                new Team(
                    which.name(),
                    identity,
                    memberships.of(which),
                    new TeamConfig(),
                    TeamAttributes.of(context.synchronization(), TeamIds.of(which)),
                    null);
        }
    }

    /**
     * Completes the second phase of the set-up. Collective. Of several threads one executes it, and the others wait for
     * it.
     */
    private void complete()
    {
        synchronized (completionLock)
        {
            if (identity.isBootstrapped())
            {
                bootstrapped.checkFailure();
                endpoint = joining(exceptions, "the completion of init", bootstrapped::connect);
                try
                {
                    parts = new PeParts(context, identity, endpoint, bootstrapped, descriptor, exceptions, teams);
                }
                catch (final RuntimeException | Error ex)
                {
                    fail(ex);
                    endpoint.close(true);
                    throw ex;
                }

                identity.open();
                endpoint.taskBegins();
            }
        }
    }

    /**
     * Sets up this PE with all defaults: {@code shmem_init}, {@code nvshmem_init}. Collective over the job, which has
     * one PE unless the environment specifies otherwise.
     *
     * @return the PE, to be closed by the program.
     * @throws BootstrapException if the PEs of the job do not find each other; the message names what to set.
     */
    public static Shmem init()
    {
        return init(new Context());
    }

    /**
     * Sets up this PE: {@code shmem_init_thread}, {@code nvshmemx_init_attr}, {@code nvshmemx_hostlib_init_attr}: no
     * device is required or probed. Collective over the job; returns when all PEs are connected and their heaps exist,
     * or, with {@link Context#delayedInit()}, when all PEs have joined. The time limit is the property
     * {@code aeroshmem.join.timeout}, not the operation timeout.
     * <p>
     * A process may set up a PE of another job, with other settings too, after it has closed the previous one; without
     * a bootstrap it is the next job of the same launcher. While the PE that the environment specifies is open, another
     * one of the environment is rejected.
     *
     * @param config concluded by this call; a context sets up one PE.
     * @return the PE, to be closed by the program.
     * @throws IllegalArgumentException  if the context is null, or a value of it is not allowed.
     * @throws IllegalStateException     if the context has set up a PE already.
     * @throws BootstrapException        if the PEs of the job do not find each other, or the heap of this one cannot be
     *                                   allocated; the message names what to set. If the set-up of another PE has
     *                                   failed, the cause is a {@link PeFailureException} that names it. If this JVM
     *                                   was started without the options that the library needs, or Agrona or Aeron is
     *                                   older than the library requires, the message names them, and nothing has been
     *                                   created.
     * @throws ShmemInterruptedException if the thread is interrupted, the flag kept.
     */
    public static Shmem init(final Shmem.Context config)
    {
        Arguments.notNull(config, "config");
        try
        {
            return setUp(config);
        }
        catch (final RuntimeException | Error ex)
        {
            if (null != config.bootstrap())
            {
                config.bootstrap().peBootstrap().withdraw(ex, config.joinTimeoutNs());
            }

            if (isFailureOfJob(ex))
            {
                throw new BootstrapException(ex.getMessage(), ex);
            }

            throw ex;
        }
    }

    /** Returns true for a failure of the whole job, be it of a PE or of no PE in particular. */
    static boolean isFailureOfJob(final Throwable ex)
    {
        return ex instanceof PeFailureException || null != ex && ShmemException.class == ex.getClass();
    }

    private static Shmem setUp(final Shmem.Context config)
    {
        config.conclude();
        if (null == config.bootstrap())
        {
            config.defaultBootstrap(Bootstrap.fromEnvironment(config.settings::text));
        }

        final Bootstrap bootstrap = config.bootstrap();
        bootstrap.requireRecovery(config.recovery());
        final Termination termination = new Termination(
            config.terminationHook(),
            bootstrap.isJvmShared(),
            bootstrap.isSupervised() ? config.haltAfterFailureNs() : 0);
        config.termination = termination;
        final FailureExceptions exceptions = new FailureExceptions(termination);
        final FailureNotifier failureNotifier = new FailureNotifier();
        final EndpointContext endpointContext = new EndpointContext(config.endpointSettings())
            .errorHandler(config.countedErrorHandler())
            .bootstrap(bootstrap.peBootstrap())
            .retainedHeaps(bootstrap.retainedHeaps())
            .firstGeneration(config.firstGeneration)
            .trainingJobs(config.warmUp().isZero() ? null : WarmUp.TRAINING)
            .systemAreaSize((placement) -> TeamAreaDescriptor.systemArea(placement).length())
            .systemArenaSize(SystemAreaDescriptor.MAX_ARENA_LENGTH)
            .exceptions(exceptions)
            .failureListener((failure) ->
            {
                // First, as the termination may end the JVM.
                failureNotifier.onFailure(failure);
                termination.onFailure(failure);
            });
        final BootstrappedEndpoint bootstrapped =
            joining(exceptions, "init", () -> BootstrappedEndpoint.of(endpointContext));

        try
        {
            final Shmem shmem = new Shmem(
                config,
                bootstrap.isJvmShared(),
                termination,
                exceptions,
                failureNotifier,
                TeamAreaDescriptor.systemArea(bootstrapped.placement()),
                bootstrapped);
            // the survivors of a failure are warm, and do not wait for the others
            if (0 == bootstrapped.generation() && !config.warmUp().isZero())
            {
                WarmUp.perform(config, bootstrapped, exceptions);
            }

            if (!config.delayedInit())
            {
                shmem.complete();
            }

            failureNotifier.open(
                config.threadFactory(), shmem.failureHandlers(), bootstrapped.pause(), bootstrapped.errorHandler());
            return shmem;
        }
        catch (final RuntimeException | Error ex)
        {
            leaveAfter(bootstrapped, ex);
            throw ex;
        }
    }

    /** Leaves when the job fails between the phases. No effect if the second phase has left already. */
    private static void leaveAfter(final BootstrappedEndpoint bootstrapped, final Throwable failure)
    {
        try
        {
            bootstrapped.close(true);
        }
        catch (final RuntimeException ex)
        {
            failure.addSuppressed(ex);
        }
    }

    private static <T> T joining(final FailureExceptions exceptions, final String phaseName, final Supplier<T> phase)
    {
        try
        {
            return phase.get();
        }
        catch (final TransportException ex)
        {
            throw isInterrupt(ex) ? exceptions.interrupted(phaseName) : new BootstrapException(ex.getMessage(), ex);
        }
    }

    /** Returns true if an interrupt has closed the file in use, which is no error of the file. */
    private static boolean isInterrupt(final Throwable ex)
    {
        Throwable cause = ex;
        while (null != cause && !(cause instanceof ClosedByInterruptException))
        {
            cause = cause.getCause();
        }

        return null != cause;
    }

    /**
     * Sets up this PE, runs a task on it and closes it: the recommended form. An exception in the task, or one that
     * refuses the close, fails the job with its cause: the other PEs get {@link PeFailureException}, and the exception
     * is thrown here. In C a program calls {@code shmem_init} and {@code shmem_finalize} itself.
     * <p>
     * With {@link Recovery} an exception, or a return, that leaves the task after its generation of the job has ended
     * is a consequence of that, whatever its type. An exception that leaves it before ends the generation, and this
     * PE is lost. With {@link Recovery#REPLACE} and {@link Recovery#SHRINK} this call does not return after a
     * consequence: it closes the PE and runs the task again, with the PE of the next generation, unless the job ends.
     * In all other cases this call throws, the process ends, and the task runs again in the process that the launcher
     * starts for the next generation. Once the tasks of all PEs have returned, the job ends.
     *
     * @param config of the PE.
     * @param task   of the PE.
     * @throws Exception of the task, the set-up or the close; {@link PeFailureException} if another PE
     *                   failed while this one closed.
     */
    public static void run(final Shmem.Context config, final PeTask task) throws Exception
    {
        Arguments.notNull(task, "task");
        GenerationLoop.run(Arguments.notNull(config, "config"), task);
    }

    /**
     * Runs a job whose PEs are threads of this JVM, and waits for its end. Each PE has its own thread and a clone of
     * the template. No counterpart in C, where a PE is a process.
     * <p>
     * With {@link Recovery#RESTART} in the template, a failure ends the threads of all PEs, and the task runs again on
     * new ones, in the next {@link Generation}, with the {@linkplain #retain retained} memory: so a test shows how a
     * program recovers. With {@link Recovery#REPLACE} the PEs that survive go on in their threads, and only the one
     * that failed has a new thread. A failure ends the job after {@link Context#maxRecoveries(int)} recoveries, after a
     * global exit, if the task of a PE has returned in this generation, or if a task does not end within
     * {@code aeroshmem.recovery.join.timeout}.
     *
     * @param npes     number of PEs, 1 or more.
     * @param template of their contexts; not concluded. Its thread factory makes their threads; the default names
     *                 them {@code aeroshmem-pe-0} and so on. Collectives and threads are checked
     *                 ({@link Context#checkCollectives(boolean)}, {@link Context#checkThreads(boolean)}) unless the
     *                 template or a property specifies it.
     * @param task     of each PE.
     * @throws Exception the first cause of a failure, not a consequence of another PE's failure; all others are
     *                   suppressed exceptions of it, as are the causes of the earlier generations.
     *                   {@link InterruptedException} if this thread is interrupted; the PEs' threads are then
     *                   interrupted and awaited.
     */
    public static void runLocal(final int npes, final Shmem.Context template, final PeTask task) throws Exception
    {
        final Context config = Arguments.notNull(template, "template").checkedByDefault();
        new InJvmJob(npes, config, Arguments.notNull(task, "task"), Bootstrap::inProcess).run();
    }

    /**
     * Returns the number of this PE in the world: {@code shmem_my_pe}.
     *
     * @return 0 to {@link #nPes()} - 1.
     */
    public int myPe()
    {
        return bootstrapped.pe();
    }

    /**
     * Returns the number of PEs in the world: {@code shmem_n_pes}.
     *
     * @return 1 or more.
     */
    public int nPes()
    {
        return bootstrapped.nPes();
    }

    /**
     * Returns whether the PE is closed. No counterpart in C; see {@link #initStatus()}.
     *
     * @return true after {@link #close()}.
     */
    public boolean isClosed()
    {
        return identity.isClosed();
    }

    /**
     * Returns the configuration of the PE: {@code nvshmemx_init_attr_t}.
     *
     * @return the concluded context.
     */
    public Shmem.Context context()
    {
        return context;
    }

    /**
     * Returns the team of all PEs: {@code SHMEM_TEAM_WORLD}.
     *
     * @return the team.
     */
    public Team world()
    {
        return team(PredefinedTeam.WORLD);
    }

    /**
     * Returns the team of the PEs that share memory with this one: {@code SHMEM_TEAM_SHARED}.
     *
     * @return the team.
     */
    public Team shared()
    {
        return team(PredefinedTeam.SHARED);
    }

    /**
     * Returns the team of the PEs on this host: {@code NVSHMEMX_TEAM_NODE}.
     *
     * @return the team.
     */
    public Team node()
    {
        return team(PredefinedTeam.NODE);
    }

    /**
     * Returns a predefined team: {@code SHMEM_TEAM_WORLD}, {@code SHMEM_TEAM_SHARED}, {@code NVSHMEMX_TEAM_NODE},
     * {@code NVSHMEMX_TEAM_SAME_MYPE_NODE}.
     *
     * @param which one.
     * @return the team.
     * @throws IllegalArgumentException if it is null.
     */
    public Team team(final PredefinedTeam which)
    {
        return teams[Arguments.notNull(which, "which").ordinal()];
    }

    /**
     * Creates an id for a team of any PEs: {@code nvshmemx_team_get_uniqueid}. Local; this PE need not be in the team,
     * but must not close before the team exists. The program passes the id to all PEs of the team, each of which then
     * calls {@link #teamInit}. One id identifies one team.
     *
     * @return the id.
     * @throws TeamCreationException if 1024 ids are in use, or there is no memory for another.
     * @throws IllegalStateException if the PE is closed.
     */
    public TeamUniqueId teamUniqueId()
    {
        identity.checkOpen();
        return parts.teamFactory.uniqueId();
    }

    /**
     * Creates a team of any PEs of the world in any order: {@code nvshmemx_team_init}. Called only by the PEs of the
     * team; returns when all of them have made the call. Obeys the operation timeout; when one PE times out or is
     * interrupted, the others get {@link TeamCreationException}.
     *
     * @param config        of the team, the same on all of them; its {@link TeamConfig#uniqueId(TeamUniqueId)}
     *                      identifies the team, and is of no earlier team.
     * @param npes          number of PEs of the team, the same on all of them.
     * @param peIndexInTeam rank of this PE in the team, 0 to npes - 1, different on each of them.
     * @return the team, to be closed by the program.
     * @throws TeamCreationException on all of them, with the same message, also for calls after it has failed: if they
     *                               pass different npes or configurations, an index out of range or the same one
     *                               twice, or one of them has reached its number of teams (property
     *                               {@code aeroshmem.teams.max}) or has no memory for another. Only on this PE, if the
     *                               configuration has no unique id, or one of another job or of an earlier team.
     * @throws IllegalArgumentException if the configuration is null.
     * @throws CollectiveMismatchException if PEs that passed another npes have created the team before this PE made
     *                               the call: the job fails, on all PEs.
     * @throws IllegalStateException if the PE is closed.
     */
    public Team teamInit(final TeamConfig config, final int npes, final int peIndexInTeam)
    {
        identity.checkOpen();
        Arguments.notNull(config, "config");
        return identity.call("Shmem.teamInit", () -> parts.teamFactory.initialized(config, npes, peIndexInTeam));
    }

    /**
     * Begins to create a team: {@code ucc_team_create_post}. Returns at once. Collective over the participants: the PEs
     * of the out-of-band exchange, of the endpoint map, or of the world. The k-th creations that two PEs have in common
     * match. The team offers the same calls as any other team. One creation of a PE may be in progress at a time;
     * splits of teams, {@link #teamInit} and all other calls may be made meanwhile.
     *
     * @param params of the team; copied.
     * @return the creation, to be polled until the team is made.
     * @throws IllegalArgumentException if params is null, a context is closed or of another PE, a buffer is of another
     *                                  PE, or the endpoint map lacks this PE, has a PE that is not of the world, has a
     *                                  PE twice, or differs in size from the exchange. Nothing has been sent.
     * @throws IllegalStateException    if an earlier creation is in progress, a buffer was freed, or the PE is closed.
     *                                  Nothing has been sent.
     */
    public TeamCreation createTeam(final TeamParams params)
    {
        identity.checkOpen();
        final TeamParams copy = Arguments.notNull(params, "params").copy();
        return identity.call("Shmem.createTeam", () -> parts.teamFactory.create(copy));
    }

    /**
     * Allocates symmetric memory: {@code shmem_malloc}. Collective over the world: all PEs call it with the same
     * arguments, in the same order of calls. A barrier on exit. Aligned to 64 bytes; contents undefined.
     *
     * @param bytes 0 or more.
     * @return the buffer; null for 0 bytes, and then the call has no effect. The calls that move or test any number of
     *         elements accept null where that number is 0.
     * @throws IllegalArgumentException        if it is negative.
     * @throws SymmetricHeapExhaustedException if no free block is large enough, on all PEs; nothing has changed.
     * @throws CollectiveMismatchException     if PEs made different calls or passed different arguments, on all PEs.
     * @throws IllegalStateException           if the PE is closed.
     */
    public SymmetricBuffer malloc(final long bytes)
    {
        return allocate(AllocationConsensus.MALLOC, bytes, 0, bytes, () -> parts.collectiveHeap.malloc(bytes));
    }

    /**
     * Allocates zeroed symmetric memory: {@code shmem_calloc}. Otherwise as {@link #malloc}.
     *
     * @param count        of elements, 0 or more.
     * @param elementBytes size of an element in bytes, 0 or more.
     * @return the buffer; null where that makes 0 bytes.
     * @throws IllegalArgumentException        if one is negative or the product is out of range.
     * @throws SymmetricHeapExhaustedException if no free block is large enough, on all PEs; nothing has changed.
     * @throws CollectiveMismatchException     if PEs made different calls or passed different arguments, on all PEs.
     * @throws IllegalStateException           if the PE is closed.
     */
    public SymmetricBuffer calloc(final long count, final long elementBytes)
    {
        return allocate(
            AllocationConsensus.CALLOC,
            count,
            elementBytes,
            0 == count ? 0 : elementBytes,
            () -> parts.collectiveHeap.calloc(count, elementBytes));
    }

    /**
     * Allocates aligned symmetric memory: {@code shmem_align}. Otherwise as {@link #malloc}.
     *
     * @param alignment of the address, in bytes: a power of two, 8 or more.
     * @param bytes     0 or more.
     * @return the buffer; null for 0 bytes.
     * @throws IllegalArgumentException        if an argument is not allowed.
     * @throws SymmetricHeapExhaustedException if no free block is large enough, on all PEs; nothing has changed.
     * @throws CollectiveMismatchException     if PEs made different calls or passed different arguments, on all PEs.
     * @throws IllegalStateException           if the PE is closed.
     */
    public SymmetricBuffer align(final long alignment, final long bytes)
    {
        return allocate(
            AllocationConsensus.ALIGN, bytes, alignment, bytes, () -> parts.collectiveHeap.align(alignment, bytes));
    }

    /**
     * Changes the size of an allocation and keeps its contents, as far as they fit: {@code shmem_realloc}. Collective
     * as {@link #malloc}; a barrier on entry and on exit. The old object, and its slices, are invalid after success,
     * and so are views of them, as after {@link #free}; on failure they are as before.
     *
     * @param buffer that an allocation returned; null: as {@link #malloc}.
     * @param bytes  0 or more; 0: as {@link #free}.
     * @return the buffer to use from now on; null for 0 bytes.
     * @throws IllegalArgumentException        if the buffer is a slice or belongs to another PE, or the number of
     *                                         bytes is negative.
     * @throws IllegalStateException           if the buffer was freed, or the PE is closed.
     * @throws SymmetricHeapExhaustedException if no free block is large enough, on all PEs; nothing has changed.
     * @throws CollectiveMismatchException     if PEs made different calls or passed different arguments, on all PEs.
     */
    public SymmetricBuffer realloc(final SymmetricBuffer buffer, final long bytes)
    {
        identity.enter(true);
        if (null == buffer)
        {
            return malloc(bytes);
        }

        if (0 == bytes)
        {
            free(buffer);
            return null;
        }

        final CollectiveHeap heap = heapOf(buffer);
        return callOnHeap(
            kind(AllocationConsensus.REALLOC, buffer), bytes, HeapAccess.start(buffer),
            () ->
            {
                final SymmetricBuffer reallocated = buffer(heap.realloc(buffer, bytes));
                parts.locks.forget(buffer, reallocated.address() == buffer.address() ? reallocated.length() : 0);
                return reallocated;
            });
    }

    /**
     * Allocates symmetric memory for a special use: {@code shmem_malloc_with_hints}. Otherwise as {@link #malloc}.
     *
     * @param bytes 0 or more.
     * @param hints bits {@link SymmetricBuffer#ATOMICS_REMOTE} and {@link SymmetricBuffer#SIGNAL_REMOTE}, or 0.
     * @return the buffer; null for 0 bytes.
     * @throws IllegalArgumentException        if an argument is not allowed.
     * @throws SymmetricHeapExhaustedException if no free block is large enough, on all PEs; nothing has changed.
     * @throws CollectiveMismatchException     if PEs made different calls or passed different arguments, on all PEs.
     * @throws IllegalStateException           if the PE is closed.
     */
    public SymmetricBuffer mallocWithHints(final long bytes, final long hints)
    {
        return allocate(
            AllocationConsensus.MALLOC_WITH_HINTS,
            bytes,
            hints,
            bytes,
            () -> parts.collectiveHeap.mallocWithHints(bytes, hints));
    }

    /**
     * Frees an allocation, and with it all slices: {@code shmem_free}. Collective as {@link #malloc}; a barrier on
     * entry. The buffer and its slices throw {@link IllegalStateException} from then on; views of it that were made
     * before still access that memory, whatever allocation it belongs to next (see {@link SymmetricBuffer#local()}).
     *
     * @param buffer that an allocation returned; null: no effect.
     * @throws IllegalArgumentException    if the buffer is a slice or belongs to another PE.
     * @throws IllegalStateException       if it was freed before, a {@link CollectiveRequest} uses it, an open team has
     *                                     declared it ({@link TeamParams#memory}), or the PE is closed.
     * @throws CollectiveMismatchException if PEs made different calls or passed different arguments, on all PEs.
     */
    public void free(final SymmetricBuffer buffer)
    {
        identity.checkOpen();
        if (null == buffer)
        {
            world().omitHeapCall(AllocationConsensus.FREE);
            parts.collectiveHeap.omitted(AllocationConsensus.FREE);
            return;
        }

        final CollectiveHeap heap = heapOf(buffer);
        callOnHeap(kind(AllocationConsensus.FREE, buffer), HeapAccess.start(buffer), 0, () ->
        {
            heap.free(buffer);
            // within the call: another thread of this PE may allocate there after it
            parts.locks.forget(buffer, 0);
            return null;
        });
    }

    /**
     * Retains memory of layout version 0, as {@link #retain(String, long, int)} does. No counterpart in C.
     *
     * @param name  of the memory.
     * @param bytes 1 or more.
     * @return the buffer.
     * @throws IllegalArgumentException        if the name or the number of bytes is not allowed, or the name is that of
     *                                         memory of another length or layout version; nothing has changed.
     * @throws SymmetricHeapExhaustedException if no free block is large enough, on all PEs; nothing has changed.
     * @throws CollectiveMismatchException     if PEs made different calls or passed different arguments, on all PEs.
     * @throws IllegalStateException           if there are 1023 retained allocations already, or the PE is closed.
     */
    public SymmetricBuffer retain(final String name, final long bytes)
    {
        return retain(name, bytes, 0);
    }

    /**
     * Returns the retained memory of a name, which is allocated and zeroed if it does not exist. In a recoverable job
     * it exists in the next generation too, with what was stored there; {@link #retained()} has the state of each PE's
     * part. In other jobs it ends with the job. Collective over the world: all PEs call it with the same arguments, in
     * the same order of calls. A barrier on exit if the memory is new. No counterpart in C.
     *
     * @param name          of the memory, 1 to 96 bytes in UTF-8.
     * @param bytes         1 or more.
     * @param layoutVersion of the contents, which the program defines. To change the layout, retain memory of another
     *                      name, copy, and release the old one.
     * @return the buffer, aligned to 64 bytes. It cannot be freed or reallocated, but {@linkplain #release released}.
     * @throws IllegalArgumentException        if the name or the number of bytes is not allowed, or the name is that of
     *                                         memory of another length or layout version; nothing has changed.
     * @throws SymmetricHeapExhaustedException if no free block is large enough, on all PEs; nothing has changed.
     * @throws CollectiveMismatchException     if PEs made different calls or passed different arguments, on all PEs.
     * @throws IllegalStateException           if there are 1023 retained allocations already, or the PE is closed.
     */
    public SymmetricBuffer retain(final String name, final long bytes, final int layoutVersion)
    {
        identity.enter(true);
        final long hash = RetainedAllocations.hash(name, layoutVersion);
        return buffer(identity.call("Shmem.retain", () -> world().callOnHeap(
            AllocationConsensus.RETAIN,
            bytes,
            hash,
            () -> parts.retainedAllocations.retain(name, bytes, layoutVersion, hash))));
    }

    /**
     * Frees retained memory, as {@link #free} frees other memory. It does not exist in the next generation. Collective
     * over the world, with barriers before the memory is free. No counterpart in C.
     *
     * @param name of the memory.
     * @throws IllegalArgumentException    if no memory is retained by that name.
     * @throws IllegalStateException       if a {@link CollectiveRequest} uses it, an open team has declared it
     *                                     ({@link TeamParams#memory}), or the PE is closed.
     * @throws CollectiveMismatchException if PEs made different calls or passed different arguments, on all PEs.
     */
    public void release(final String name)
    {
        identity.enter(true);
        final long hash = RetainedAllocations.hash(name, 0);
        identity.call("Shmem.release", () -> world().callOnHeap(
            AllocationConsensus.RELEASE, hash, 0, () ->
            {
                parts.locks.forget(parts.retainedAllocations.release(name, hash));
                return null;
            }));
    }

    /**
     * Writes the retained memory of all PEs to files, as the next snapshot in a directory. Collective over the world,
     * with barriers at the start and at the end: what PEs have stored and put before the call is in the snapshot.
     * Between them no PE stores to retained memory. The snapshot counts from the moment at which all files are on the
     * disk; until then, and if the job ends before, the earlier one does. It has no time limit but
     * {@link Context#operationTimeoutNs()} for waits for the slowest PE. No counterpart in C.
     *
     * @param directory to which this PE writes its part, made if it does not exist: one that all hosts share, or one of
     *                  the PE's host. PE 0 commits the snapshot in its own. No other user must be able to write to it.
     * @throws SnapshotException           on all PEs, if one cannot write its part, such as for want of space. Earlier
     *                                     snapshots, and the memory, are as before.
     * @throws CollectiveMismatchException if PEs made different calls, on all PEs.
     * @throws IllegalArgumentException    if the directory is null.
     * @throws IllegalStateException       if the PE is closed.
     */
    public void snapshot(final Path directory)
    {
        identity.enter(true);
        identity.call("Shmem.snapshot", () -> world().callOnHeap(AllocationConsensus.SNAPSHOT, 0, 0, () ->
        {
            parts.snapshots.write(directory);
            return null;
        }));
    }

    /**
     * Replaces the contents of all retained memory, on all PEs, by those of the newest snapshot in a directory. What
     * the snapshot has and no PE has retained is allocated, as by {@link #retain(String, long, int)}. All is verified
     * before anything changes. If PEs fail during the call, the next generation finds the memory as before, restored,
     * or zeroed, on all PEs alike; {@link Retained#state} says which. Collective over the world, with barriers at the
     * start and at the end; meanwhile no PE accesses retained memory. No counterpart in C.
     *
     * @param directory in which this PE finds the part that it has written.
     * @throws SnapshotException               on all PEs, if there is no snapshot, it is one of another number of PEs,
     *                                         a file is missing, was altered or truncated, or is not a private one of
     *                                         this user, or if memory is retained that the snapshot does not have with
     *                                         the same length and layout version; nothing has changed. Also if a file
     *                                         that was verified cannot be read a second time; then all retained memory
     *                                         is zeroed, as the message says.
     * @throws SymmetricHeapExhaustedException if there is no room for the memory, on all PEs; nothing has changed.
     * @throws CollectiveMismatchException     if PEs made different calls, on all PEs.
     * @throws IllegalArgumentException        if the directory is null.
     * @throws IllegalStateException           if the PE is closed.
     */
    public void restore(final Path directory)
    {
        identity.enter(true);
        identity.call("Shmem.restore", () -> world().callOnHeap(AllocationConsensus.RESTORE, 0, 0, () ->
        {
            parts.snapshots.restore(directory);
            return null;
        }));
    }

    /**
     * Returns the retained memory, in the same order on all PEs. No counterpart in C.
     *
     * @return an unmodifiable list, which does not change.
     * @throws IllegalStateException if the PE is closed.
     */
    public List<Retained> retained()
    {
        identity.enter(true);
        return parts.retainedAllocations.list();
    }

    /** Returns the heap that contains a buffer of this PE. For one of another PE, a heap that rejects it. */
    private CollectiveHeap heapOf(final SymmetricBuffer buffer)
    {
        final DevicePart device = this.device;
        return null == device || null == device.collectiveHeap() || MemoryKind.DEVICE != buffer.kind() ?
            parts.collectiveHeap : device.collectiveHeap();
    }

    private static int kind(final int kind, final SymmetricBuffer buffer)
    {
        return MemoryKind.DEVICE == buffer.kind() ? AllocationConsensus.DEVICE + kind : kind;
    }

    /**
     * Returns a view of the memory of a buffer on a PE, for loads and stores: {@code shmem_ptr}. It stays readable,
     * detached, after the job is closed. It does not detect {@link #free} and {@link #realloc}: see
     * {@link SymmetricBuffer#local()}.
     *
     * @param dest the buffer.
     * @param pe   of the world.
     * @return the view, or null where loads and stores do not reach that memory.
     * @throws IllegalArgumentException if there is no such PE, or the buffer belongs to another PE.
     * @throws IllegalStateException    if the buffer was freed or is longer than 2 GiB - 1, or if the PE is closed.
     */
    public AtomicBuffer ptr(final SymmetricBuffer dest, final int pe)
    {
        return world().ptr(dest, pe);
    }

    /**
     * Returns whether a PE can be reached: {@code shmem_pe_accessible}.
     *
     * @param pe any number.
     * @return true for every PE of an open job that has not failed, false for a number that no PE has.
     */
    public boolean peAccessible(final int pe)
    {
        return pe >= 0 && pe < nPes() && !isClosed() && null == bootstrapped.failure();
    }

    /**
     * Returns the time on the clock of the library's time limits: that of {@link System#nanoTime()}, and in a simulated
     * job that of its world. A program with time limits of its own can be simulated if it reads this clock. No
     * counterpart in C.
     *
     * @return nanoseconds since an origin that two values have in common if one PE has read them.
     */
    public long nanoTime()
    {
        final Pause pause = bootstrapped.pause();
        pause.step();
        return pause.nanoTime();
    }

    /**
     * Returns the default context: {@code SHMEM_CTX_DEFAULT}. Its ranks are PEs of the world.
     *
     * @return the context; it closes with the PE.
     * @throws IllegalStateException if the PE is only bootstrapped.
     */
    public CommunicationContext defaultContext()
    {
        return required().defaultContext;
    }

    /**
     * Creates a context over the world: {@code shmem_ctx_create}. Local.
     *
     * @param options promises of the program about its use.
     * @return the context, to be closed by the program.
     * @throws IllegalStateException if the PE is closed.
     */
    public CommunicationContext createContext(final ContextOption... options)
    {
        return world().createContext(options);
    }

    /**
     * Completes what this PE issued, and then waits until all PEs have entered it: {@code shmem_barrier_all}. This
     * covers everything that any thread issued before on the default context and on contexts that threads share. A full
     * fence: all PEs see after it what any PE wrote before it.
     *
     * @throws IllegalStateException if the PE is closed.
     */
    public void barrierAll()
    {
        completeDevice();
        world().barrier();
    }

    /**
     * Waits until all PEs have entered it, and completes nothing: {@code shmem_sync_all}. Stores to a PE's own memory
     * before it are visible to PEs that read them after it.
     *
     * @throws IllegalStateException if the PE is closed.
     */
    public void syncAll()
    {
        completeDevice();
        world().sync();
    }

    /**
     * Waits until one {@code long} of this PE's own memory satisfies a comparison: {@code shmem_long_wait_until}.
     * Acquire. No time limit.
     *
     * @param ivar   that holds it.
     * @param offset in bytes; its address is a multiple of 8.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @throws IndexOutOfBoundsException if it does not lie within the buffer.
     * @throws IllegalArgumentException  if it is not aligned to its size, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public void waitUntilLong(final SymmetricBuffer ivar, final long offset, final Comparison cmp, final long value)
    {
        pointToPoint().until(
            "Shmem.waitUntilLong", pointToPoint().wordAddress(ivar, offset, Long.BYTES), Long.BYTES, cmp, value);
    }

    /**
     * Waits as {@link #waitUntilLong} does, for a limited time. No counterpart in C.
     *
     * @param ivar      that holds it.
     * @param offset    in bytes; its address is a multiple of 8.
     * @param cmp       the comparison.
     * @param value     to compare with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return true if it was satisfied, false if the time has passed.
     * @throws IndexOutOfBoundsException if it does not lie within the buffer.
     * @throws IllegalArgumentException  if it is not aligned to its size, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean tryWaitUntilLong(
        final SymmetricBuffer ivar, final long offset, final Comparison cmp, final long value, final long timeoutNs)
    {
        return pointToPoint().tryUntil(
            "Shmem.tryWaitUntilLong",
            pointToPoint().wordAddress(ivar, offset, Long.BYTES),
            Long.BYTES,
            cmp,
            value,
            timeoutNs);
    }

    /**
     * Tests whether one {@code long} of this PE's own memory satisfies a comparison: {@code shmem_long_test}.
     * Acquire; drives progress when it does not.
     *
     * @param ivar   that holds it.
     * @param offset in bytes; its address is a multiple of 8.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @return whether it does.
     * @throws IndexOutOfBoundsException if it does not lie within the buffer.
     * @throws IllegalArgumentException  if it is not aligned to its size, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean testLong(final SymmetricBuffer ivar, final long offset, final Comparison cmp, final long value)
    {
        return pointToPoint().test(pointToPoint().wordAddress(ivar, offset, Long.BYTES), Long.BYTES, cmp, value);
    }

    /**
     * Waits until all elements of a set have satisfied a comparison: {@code shmem_long_wait_until_all}. Acquire.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 8.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public void waitUntilAllLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        pointToPoint().await(
            Quantifier.ALL, ivars, offset, Long.BYTES, n, null, status, cmp, value, null, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilAllLong} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 8.
     * @param n         number of elements, 0 or more.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param value     to compare with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return true if each has satisfied it, or the set is empty; false if the time has passed.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean tryWaitUntilAllLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long timeoutNs)
    {
        return pointToPoint().await(
            Quantifier.ALL, ivars, offset, Long.BYTES, n, null, status, cmp, value, null, timeoutNs) >= 0;
    }

    /**
     * Waits until all elements of a set have satisfied a comparison, each with a value of its own:
     * {@code shmem_long_wait_until_all_vector}. Acquire.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 8.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param values what each element is compared with.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public void waitUntilAllVectorLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        pointToPoint().await(
            Quantifier.ALL, ivars, offset, Long.BYTES, n, null, status, cmp, 0, values, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilAllVectorLong} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 8.
     * @param n         number of elements, 0 or more.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param values    what each element is compared with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return true if each has satisfied it, or the set is empty; false if the time has passed.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean tryWaitUntilAllVectorLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values,
        final long timeoutNs)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().await(
            Quantifier.ALL, ivars, offset, Long.BYTES, n, null, status, cmp, 0, values, timeoutNs) >= 0;
    }

    /**
     * Waits until an element of a set satisfies a comparison: {@code shmem_long_wait_until_any}. Acquire. Repeated
     * calls eventually report every element that satisfies it.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 8.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @return index of the element; -1 for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int waitUntilAnyLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        return pointToPoint().await(
            Quantifier.ANY, ivars, offset, Long.BYTES, n, null, status, cmp, value, null, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilAnyLong} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 8.
     * @param n         number of elements, 0 or more.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param value     to compare with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return index of the element; -1 if the time has passed, and for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int tryWaitUntilAnyLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long timeoutNs)
    {
        return pointToPoint().await(
            Quantifier.ANY, ivars, offset, Long.BYTES, n, null, status, cmp, value, null, timeoutNs);
    }

    /**
     * Waits until an element of a set satisfies a comparison, each with a value of its own:
     * {@code shmem_long_wait_until_any_vector}. Acquire. Repeated calls eventually report every element that satisfies
     * it.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 8.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param values what each element is compared with.
     * @return index of the element; -1 for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int waitUntilAnyVectorLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().await(
            Quantifier.ANY, ivars, offset, Long.BYTES, n, null, status, cmp, 0, values, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilAnyVectorLong} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 8.
     * @param n         number of elements, 0 or more.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param values    what each element is compared with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return index of the element; -1 if the time has passed, and for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int tryWaitUntilAnyVectorLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values,
        final long timeoutNs)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().await(
            Quantifier.ANY, ivars, offset, Long.BYTES, n, null, status, cmp, 0, values, timeoutNs);
    }

    /**
     * Waits until one element or more of a set satisfy a comparison: {@code shmem_long_wait_until_some}. Acquire.
     *
     * @param ivars   that holds the elements, one after another.
     * @param offset  of the first in bytes; its address is a multiple of 8.
     * @param n       number of elements, 0 or more.
     * @param indices takes the indices of all elements that satisfy it, ascending.
     * @param status  of each element; one that is not 0 leaves it out. May be null.
     * @param cmp     the comparison.
     * @param value   to compare with.
     * @return number of such elements; 0 for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int waitUntilSomeLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        return pointToPoint().await(
            Quantifier.SOME, ivars, offset, Long.BYTES, n, indices, status, cmp, value, null, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilSomeLong} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 8.
     * @param n         number of elements, 0 or more.
     * @param indices   takes the indices of all elements that satisfy it, ascending.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param value     to compare with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return number of such elements; 0 if the time has passed, and for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int tryWaitUntilSomeLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long timeoutNs)
    {
        return pointToPoint().await(
            Quantifier.SOME, ivars, offset, Long.BYTES, n, indices, status, cmp, value, null, timeoutNs);
    }

    /**
     * Waits until one element or more of a set satisfy a comparison, each with a value of its own:
     * {@code shmem_long_wait_until_some_vector}. Acquire.
     *
     * @param ivars   that holds the elements, one after another.
     * @param offset  of the first in bytes; its address is a multiple of 8.
     * @param n       number of elements, 0 or more.
     * @param indices takes the indices of all elements that satisfy it, ascending.
     * @param status  of each element; one that is not 0 leaves it out. May be null.
     * @param cmp     the comparison.
     * @param values  what each element is compared with.
     * @return number of such elements; 0 for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int waitUntilSomeVectorLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().await(
            Quantifier.SOME, ivars, offset, Long.BYTES, n, indices, status, cmp, 0, values, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilSomeVectorLong} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 8.
     * @param n         number of elements, 0 or more.
     * @param indices   takes the indices of all elements that satisfy it, ascending.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param values    what each element is compared with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return number of such elements; 0 if the time has passed, and for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int tryWaitUntilSomeVectorLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long[] values,
        final long timeoutNs)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().await(
            Quantifier.SOME, ivars, offset, Long.BYTES, n, indices, status, cmp, 0, values, timeoutNs);
    }

    /**
     * Tests whether all elements of a set satisfy a comparison: {@code shmem_long_test_all}. Acquire.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 8.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @return whether they do; true for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean testAllLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        return pointToPoint().test(
            Quantifier.ALL, ivars, offset, Long.BYTES, n, null, status, cmp, value, null) >= 0;
    }

    /**
     * Tests whether all elements of a set satisfy a comparison, each with a value of its own:
     * {@code shmem_long_test_all_vector}. Acquire.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 8.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param values what each element is compared with.
     * @return whether they do; true for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean testAllVectorLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().test(
            Quantifier.ALL, ivars, offset, Long.BYTES, n, null, status, cmp, 0, values) >= 0;
    }

    /**
     * Tests whether an element of a set satisfies a comparison: {@code shmem_long_test_any}. Acquire. Repeated calls
     * eventually report every element that satisfies it.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 8.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @return index of the element; -1 if there is none.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int testAnyLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        return pointToPoint().test(
            Quantifier.ANY, ivars, offset, Long.BYTES, n, null, status, cmp, value, null);
    }

    /**
     * Tests whether an element of a set satisfies a comparison, each with a value of its own:
     * {@code shmem_long_test_any_vector}. Acquire. Repeated calls eventually report every element that satisfies it.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 8.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param values what each element is compared with.
     * @return index of the element; -1 if there is none.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int testAnyVectorLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().test(
            Quantifier.ANY, ivars, offset, Long.BYTES, n, null, status, cmp, 0, values);
    }

    /**
     * Tests whether one element or more of a set satisfy a comparison: {@code shmem_long_test_some}. Acquire.
     *
     * @param ivars   that holds the elements, one after another.
     * @param offset  of the first in bytes; its address is a multiple of 8.
     * @param n       number of elements, 0 or more.
     * @param indices takes the indices of all elements that satisfy it, ascending.
     * @param status  of each element; one that is not 0 leaves it out. May be null.
     * @param cmp     the comparison.
     * @param value   to compare with.
     * @return number of such elements.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int testSomeLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        return pointToPoint().test(
            Quantifier.SOME, ivars, offset, Long.BYTES, n, indices, status, cmp, value, null);
    }

    /**
     * Tests whether one element or more of a set satisfy a comparison, each with a value of its own:
     * {@code shmem_long_test_some_vector}. Acquire.
     *
     * @param ivars   that holds the elements, one after another.
     * @param offset  of the first in bytes; its address is a multiple of 8.
     * @param n       number of elements, 0 or more.
     * @param indices takes the indices of all elements that satisfy it, ascending.
     * @param status  of each element; one that is not 0 leaves it out. May be null.
     * @param cmp     the comparison.
     * @param values  what each element is compared with.
     * @return number of such elements.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int testSomeVectorLong(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().test(
            Quantifier.SOME, ivars, offset, Long.BYTES, n, indices, status, cmp, 0, values);
    }

    /**
     * Waits until one {@code int} of this PE's own memory satisfies a comparison: {@code shmem_int_wait_until}.
     * Acquire. No time limit.
     *
     * @param ivar   that holds it.
     * @param offset in bytes; its address is a multiple of 4.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @throws IndexOutOfBoundsException if it does not lie within the buffer.
     * @throws IllegalArgumentException  if it is not aligned to its size, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public void waitUntilInt(final SymmetricBuffer ivar, final long offset, final Comparison cmp, final int value)
    {
        pointToPoint().until(
            "Shmem.waitUntilInt",
            pointToPoint().wordAddress(ivar, offset, Integer.BYTES),
            Integer.BYTES,
            cmp,
            value);
    }

    /**
     * Waits as {@link #waitUntilInt} does, for a limited time. No counterpart in C.
     *
     * @param ivar      that holds it.
     * @param offset    in bytes; its address is a multiple of 4.
     * @param cmp       the comparison.
     * @param value     to compare with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return true if it was satisfied, false if the time has passed.
     * @throws IndexOutOfBoundsException if it does not lie within the buffer.
     * @throws IllegalArgumentException  if it is not aligned to its size, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean tryWaitUntilInt(
        final SymmetricBuffer ivar, final long offset, final Comparison cmp, final int value, final long timeoutNs)
    {
        return pointToPoint().tryUntil(
            "Shmem.tryWaitUntilInt",
            pointToPoint().wordAddress(ivar, offset, Integer.BYTES),
            Integer.BYTES,
            cmp,
            value,
            timeoutNs);
    }

    /**
     * Tests whether one {@code int} of this PE's own memory satisfies a comparison: {@code shmem_int_test}. Acquire;
     * drives progress when it does not.
     *
     * @param ivar   that holds it.
     * @param offset in bytes; its address is a multiple of 4.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @return whether it does.
     * @throws IndexOutOfBoundsException if it does not lie within the buffer.
     * @throws IllegalArgumentException  if it is not aligned to its size, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean testInt(final SymmetricBuffer ivar, final long offset, final Comparison cmp, final int value)
    {
        return pointToPoint().test(pointToPoint().wordAddress(ivar, offset, Integer.BYTES), Integer.BYTES, cmp, value);
    }

    /**
     * Waits until all elements of a set have satisfied a comparison: {@code shmem_int_wait_until_all}. Acquire.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 4.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public void waitUntilAllInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int value)
    {
        pointToPoint().await(
            Quantifier.ALL, ivars, offset, Integer.BYTES, n, null, status, cmp, value, null, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilAllInt} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 4.
     * @param n         number of elements, 0 or more.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param value     to compare with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return true if each has satisfied it, or the set is empty; false if the time has passed.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean tryWaitUntilAllInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int value,
        final long timeoutNs)
    {
        return pointToPoint().await(
            Quantifier.ALL, ivars, offset, Integer.BYTES, n, null, status, cmp, value, null, timeoutNs) >= 0;
    }

    /**
     * Waits until all elements of a set have satisfied a comparison, each with a value of its own:
     * {@code shmem_int_wait_until_all_vector}. Acquire.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 4.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param values what each element is compared with.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public void waitUntilAllVectorInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        pointToPoint().await(
            Quantifier.ALL, ivars, offset, Integer.BYTES, n, null, status, cmp, 0, values, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilAllVectorInt} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 4.
     * @param n         number of elements, 0 or more.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param values    what each element is compared with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return true if each has satisfied it, or the set is empty; false if the time has passed.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean tryWaitUntilAllVectorInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int[] values,
        final long timeoutNs)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().await(
            Quantifier.ALL, ivars, offset, Integer.BYTES, n, null, status, cmp, 0, values, timeoutNs) >= 0;
    }

    /**
     * Waits until an element of a set satisfies a comparison: {@code shmem_int_wait_until_any}. Acquire. Repeated calls
     * eventually report every element that satisfies it.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 4.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @return index of the element; -1 for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int waitUntilAnyInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int value)
    {
        return pointToPoint().await(
            Quantifier.ANY, ivars, offset, Integer.BYTES, n, null, status, cmp, value, null, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilAnyInt} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 4.
     * @param n         number of elements, 0 or more.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param value     to compare with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return index of the element; -1 if the time has passed, and for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int tryWaitUntilAnyInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int value,
        final long timeoutNs)
    {
        return pointToPoint().await(
            Quantifier.ANY, ivars, offset, Integer.BYTES, n, null, status, cmp, value, null, timeoutNs);
    }

    /**
     * Waits until an element of a set satisfies a comparison, each with a value of its own:
     * {@code shmem_int_wait_until_any_vector}. Acquire. Repeated calls eventually report every element that satisfies
     * it.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 4.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param values what each element is compared with.
     * @return index of the element; -1 for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int waitUntilAnyVectorInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().await(
            Quantifier.ANY, ivars, offset, Integer.BYTES, n, null, status, cmp, 0, values, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilAnyVectorInt} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 4.
     * @param n         number of elements, 0 or more.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param values    what each element is compared with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return index of the element; -1 if the time has passed, and for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int tryWaitUntilAnyVectorInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int[] values,
        final long timeoutNs)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().await(
            Quantifier.ANY, ivars, offset, Integer.BYTES, n, null, status, cmp, 0, values, timeoutNs);
    }

    /**
     * Waits until one element or more of a set satisfy a comparison: {@code shmem_int_wait_until_some}. Acquire.
     *
     * @param ivars   that holds the elements, one after another.
     * @param offset  of the first in bytes; its address is a multiple of 4.
     * @param n       number of elements, 0 or more.
     * @param indices takes the indices of all elements that satisfy it, ascending.
     * @param status  of each element; one that is not 0 leaves it out. May be null.
     * @param cmp     the comparison.
     * @param value   to compare with.
     * @return number of such elements; 0 for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int waitUntilSomeInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final int value)
    {
        return pointToPoint().await(
            Quantifier.SOME, ivars, offset, Integer.BYTES, n, indices, status, cmp, value, null, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilSomeInt} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 4.
     * @param n         number of elements, 0 or more.
     * @param indices   takes the indices of all elements that satisfy it, ascending.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param value     to compare with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return number of such elements; 0 if the time has passed, and for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int tryWaitUntilSomeInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final int value,
        final long timeoutNs)
    {
        return pointToPoint().await(
            Quantifier.SOME, ivars, offset, Integer.BYTES, n, indices, status, cmp, value, null, timeoutNs);
    }

    /**
     * Waits until one element or more of a set satisfy a comparison, each with a value of its own:
     * {@code shmem_int_wait_until_some_vector}. Acquire.
     *
     * @param ivars   that holds the elements, one after another.
     * @param offset  of the first in bytes; its address is a multiple of 4.
     * @param n       number of elements, 0 or more.
     * @param indices takes the indices of all elements that satisfy it, ascending.
     * @param status  of each element; one that is not 0 leaves it out. May be null.
     * @param cmp     the comparison.
     * @param values  what each element is compared with.
     * @return number of such elements; 0 for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int waitUntilSomeVectorInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final int[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().await(
            Quantifier.SOME, ivars, offset, Integer.BYTES, n, indices, status, cmp, 0, values, NO_LIMIT);
    }

    /**
     * Waits as {@link #waitUntilSomeVectorInt} does, for a limited time. Acquire. No counterpart in C.
     *
     * @param ivars     that holds the elements, one after another.
     * @param offset    of the first in bytes; its address is a multiple of 4.
     * @param n         number of elements, 0 or more.
     * @param indices   takes the indices of all elements that satisfy it, ascending.
     * @param status    of each element; one that is not 0 leaves it out. May be null.
     * @param cmp       the comparison.
     * @param values    what each element is compared with.
     * @param timeoutNs the limit in nanoseconds; 0 polls once, after an attempt at progress.
     * @return number of such elements; 0 if the time has passed, and for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, the limit is
     *                                   negative, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int tryWaitUntilSomeVectorInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final int[] values,
        final long timeoutNs)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().await(
            Quantifier.SOME, ivars, offset, Integer.BYTES, n, indices, status, cmp, 0, values, timeoutNs);
    }

    /**
     * Tests whether all elements of a set satisfy a comparison: {@code shmem_int_test_all}. Acquire.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 4.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @return whether they do; true for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean testAllInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int value)
    {
        return pointToPoint().test(
            Quantifier.ALL, ivars, offset, Integer.BYTES, n, null, status, cmp, value, null) >= 0;
    }

    /**
     * Tests whether all elements of a set satisfy a comparison, each with a value of its own:
     * {@code shmem_int_test_all_vector}. Acquire.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 4.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param values what each element is compared with.
     * @return whether they do; true for an empty set.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public boolean testAllVectorInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().test(
            Quantifier.ALL, ivars, offset, Integer.BYTES, n, null, status, cmp, 0, values) >= 0;
    }

    /**
     * Tests whether an element of a set satisfies a comparison: {@code shmem_int_test_any}. Acquire. Repeated calls
     * eventually report every element that satisfies it.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 4.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @return index of the element; -1 if there is none.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int testAnyInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int value)
    {
        return pointToPoint().test(
            Quantifier.ANY, ivars, offset, Integer.BYTES, n, null, status, cmp, value, null);
    }

    /**
     * Tests whether an element of a set satisfies a comparison, each with a value of its own:
     * {@code shmem_int_test_any_vector}. Acquire. Repeated calls eventually report every element that satisfies it.
     *
     * @param ivars  that holds the elements, one after another.
     * @param offset of the first in bytes; its address is a multiple of 4.
     * @param n      number of elements, 0 or more.
     * @param status of each element; one that is not 0 leaves it out. May be null.
     * @param cmp    the comparison.
     * @param values what each element is compared with.
     * @return index of the element; -1 if there is none.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int testAnyVectorInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] status,
        final Comparison cmp,
        final int[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().test(
            Quantifier.ANY, ivars, offset, Integer.BYTES, n, null, status, cmp, 0, values);
    }

    /**
     * Tests whether one element or more of a set satisfy a comparison: {@code shmem_int_test_some}. Acquire.
     *
     * @param ivars   that holds the elements, one after another.
     * @param offset  of the first in bytes; its address is a multiple of 4.
     * @param n       number of elements, 0 or more.
     * @param indices takes the indices of all elements that satisfy it, ascending.
     * @param status  of each element; one that is not 0 leaves it out. May be null.
     * @param cmp     the comparison.
     * @param value   to compare with.
     * @return number of such elements.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int testSomeInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final int value)
    {
        return pointToPoint().test(
            Quantifier.SOME, ivars, offset, Integer.BYTES, n, indices, status, cmp, value, null);
    }

    /**
     * Tests whether one element or more of a set satisfy a comparison, each with a value of its own:
     * {@code shmem_int_test_some_vector}. Acquire.
     *
     * @param ivars   that holds the elements, one after another.
     * @param offset  of the first in bytes; its address is a multiple of 4.
     * @param n       number of elements, 0 or more.
     * @param indices takes the indices of all elements that satisfy it, ascending.
     * @param status  of each element; one that is not 0 leaves it out. May be null.
     * @param cmp     the comparison.
     * @param values  what each element is compared with.
     * @return number of such elements.
     * @throws IndexOutOfBoundsException if they do not lie within the buffer.
     * @throws IllegalArgumentException  if they are not aligned to their size, an array is too short, or the buffer
     *                                   belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public int testSomeVectorInt(
        final SymmetricBuffer ivars,
        final long offset,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final int[] values)
    {
        PointToPointSync.checkArray("values", values, n);
        return pointToPoint().test(
            Quantifier.SOME, ivars, offset, Integer.BYTES, n, indices, status, cmp, 0, values);
    }

    /**
     * Reads a signal of this PE's own memory: {@code shmem_signal_fetch}. Acquire. Makes progress first, as
     * {@link #progress} does.
     *
     * @param signal that holds it.
     * @param offset in bytes; its address is a multiple of 8.
     * @return its value.
     * @throws IndexOutOfBoundsException if it does not lie within the buffer.
     * @throws IllegalArgumentException  if it is not aligned to its size, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public long signalFetch(final SymmetricBuffer signal, final long offset)
    {
        return pointToPoint().signal(signal, offset);
    }

    /**
     * Waits until a signal of this PE's own memory satisfies a comparison: {@code shmem_signal_wait_until}. Acquire:
     * the payload that was put with the signal is there. No time limit. C's signals are unsigned; the comparison here
     * is signed, see {@link Comparison}.
     *
     * @param signal that holds it.
     * @param offset in bytes; its address is a multiple of 8.
     * @param cmp    the comparison.
     * @param value  to compare with.
     * @return the value that satisfied it.
     * @throws IndexOutOfBoundsException if it does not lie within the buffer.
     * @throws IllegalArgumentException  if it is not aligned to its size, or the buffer belongs to another PE.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public long signalWaitUntil(final SymmetricBuffer signal, final long offset, final Comparison cmp, final long value)
    {
        return pointToPoint().until(
            "Shmem.signalWaitUntil", pointToPoint().signalAddress(signal, offset), Long.BYTES, cmp, value);
    }

    /**
     * Waits as {@link #signalWaitUntil} does, for a limited time. No counterpart in C;
     * {@code shmem_signal_wait_until} with a limit.
     *
     * @param signal    buffer that holds the signal.
     * @param offset    of the signal in the buffer, in bytes, a multiple of 8.
     * @param cmp       comparison.
     * @param value     to compare with.
     * @param timeoutNs how long to wait in nanoseconds, 0 or more.
     * @return true if the comparison was satisfied; false if the time had passed before.
     * @throws IllegalArgumentException  if the time is negative, or the offset is not a multiple of 8.
     * @throws IndexOutOfBoundsException if the offset does not fit the buffer.
     * @throws ShmemInterruptedException if the thread is interrupted.
     */
    public boolean trySignalWaitUntil(
        final SymmetricBuffer signal, final long offset, final Comparison cmp, final long value, final long timeoutNs)
    {
        return pointToPoint().tryUntil(
            "Shmem.trySignalWaitUntil",
            pointToPoint().signalAddress(signal, offset),
            Long.BYTES,
            cmp,
            value,
            timeoutNs);
    }

    /**
     * Waits until this thread holds a lock: {@code shmem_set_lock}. First come, first served, across PEs and threads.
     * No time limit.
     *
     * @param lock   that holds the lock, 8 bytes that were zero on all PEs when it was first used.
     * @param offset in bytes; its address is a multiple of 8.
     * @throws ShmemInterruptedException if the thread is interrupted; it does not hold the lock then.
     * @throws IllegalStateException     if this thread holds it already, the buffer was freed or the PE is closed.
     */
    public void lock(final SymmetricBuffer lock, final long offset)
    {
        final Locks locks = locks();
        identity.enterCall("Shmem.lock");
        try
        {
            locks.lock(lock, offset);
        }
        finally
        {
            identity.leaveCall();
        }
    }

    /**
     * Takes a lock if it is free and no other caller waits for it: {@code shmem_test_lock}.
     *
     * @param lock   that holds the lock, 8 bytes that were zero on all PEs when it was first used.
     * @param offset in bytes; its address is a multiple of 8.
     * @return true if this thread holds it now.
     * @throws IllegalStateException if this thread holds it already, the buffer was freed or the PE is closed.
     */
    public boolean testLock(final SymmetricBuffer lock, final long offset)
    {
        final Locks locks = locks();
        identity.enterCall("Shmem.testLock");
        try
        {
            return locks.test(lock, offset);
        }
        finally
        {
            identity.leaveCall();
        }
    }

    /**
     * Takes a lock as {@link #lock} does, and withdraws from the queue after a time limit. It enters the queue when
     * fewer than 32 callers are in it, the holder included; until then, callers of {@link #lock} may precede it. No
     * counterpart in C; {@code shmem_set_lock} with a limit.
     *
     * @param lock      buffer that holds it.
     * @param offset    of the lock in the buffer, in bytes, a multiple of 8.
     * @param timeoutNs how long to wait in nanoseconds, 0 or more; 0: as {@link #testLock}.
     * @return true if this thread holds the lock now; false if the time had passed before.
     * @throws IllegalStateException     if this thread holds it already, or the PE is closed.
     * @throws IllegalArgumentException  if the time is negative, or the offset is not a multiple of 8.
     * @throws IndexOutOfBoundsException if the offset does not fit the buffer.
     * @throws ShmemInterruptedException if the thread is interrupted; then it does not hold the lock.
     */
    public boolean tryLock(final SymmetricBuffer lock, final long offset, final long timeoutNs)
    {
        final Locks locks = locks();
        identity.enterCall("Shmem.tryLock");
        try
        {
            return locks.tryLock(lock, offset, timeoutNs);
        }
        finally
        {
            identity.leaveCall();
        }
    }

    /**
     * Releases a lock: {@code shmem_clear_lock}. Operations issued on the default context before it are complete when
     * the next holder gets the lock.
     *
     * @param lock   that holds the lock, 8 bytes that were zero on all PEs when it was first used.
     * @param offset in bytes; its address is a multiple of 8.
     * @throws IllegalStateException if no thread of this PE holds it, the buffer was freed or the PE is closed.
     */
    public void unlock(final SymmetricBuffer lock, final long offset)
    {
        final Locks locks = locks();
        identity.enterCall("Shmem.unlock");
        try
        {
            locks.unlock(lock, offset);
        }
        finally
        {
            identity.leaveCall();
        }
    }

    /**
     * Makes a lock free whose holder may have died in an earlier generation: one in retained memory. No PE may hold it
     * or wait for it. Collective over the world, with a barrier on entry and on exit. No counterpart in C.
     *
     * @param lock   buffer that holds it.
     * @param offset of the lock in the buffer, in bytes, a multiple of 8.
     * @throws IllegalArgumentException  if the offset is not a multiple of 8.
     * @throws IndexOutOfBoundsException if the offset does not fit the buffer.
     * @throws IllegalStateException     if the buffer was freed or the PE is closed.
     */
    public void resetLock(final SymmetricBuffer lock, final long offset)
    {
        final Locks locks = locks();
        locks.check(lock, offset);
        world().barrier();
        locks.reset(lock, offset);
        world().barrier();
    }

    /**
     * Makes progress on outstanding operations, in any progress mode, from any thread: {@code ucc_context_progress}.
     * Never blocks.
     *
     * @return amount of work done; 0 if there was none, or if another thread makes progress.
     * @throws ShmemException        if the job has failed.
     * @throws IllegalStateException if the PE is closed.
     */
    public int progress()
    {
        identity.checkOpenForAllThreads();
        final int workCount = endpoint.progress() + parts.requestProgress.pollLimited();
        endpoint.checkFailure();
        return workCount;
    }

    /**
     * Switches the recording of latencies on or off for this PE, as {@code shmem_pcontrol} does with a profiling tool.
     * Local; the PEs of a job may differ. While it is on, the duration of each collective call is added to a histogram
     * for its team, its routine and its class of message sizes. Each interval is written to {@code aeroshmem-peN.hlog},
     * and the distributions to {@code aeroshmem-peN.<tag>.hgrm} when the PE is closed, in
     * {@link Context#latencyDirectoryName()}, by a thread of the library that starts at the first use. An error of that
     * thread is reported to the error handler and does not affect calls. Calls in progress are recorded if they began
     * while it was on.
     *
     * @param on whether to record; no effect if unchanged.
     * @throws IllegalStateException if the PE is closed.
     */
    public void recordLatency(final boolean on)
    {
        identity.checkOpen();
        parts.latency.record(on);
    }

    /**
     * Returns whether a PE of this process is set up and not closed: {@code shmem_query_initialized}. Any thread, at
     * any time.
     *
     * @return true between the set-up of the first PE of this process and the close of the last.
     */
    public static boolean isInitialized()
    {
        return PeIdentity.isAnyOpen();
    }

    /**
     * Returns the state of the set-up of this PE: {@code nvshmemx_init_status}.
     *
     * @return {@link InitStatus#BOOTSTRAPPED} while its set-up is delayed ({@link Context#delayedInit()}),
     *     {@link InitStatus#INITIALIZED} afterwards, {@link InitStatus#BOOTSTRAPPED} again once it is closed. While a
     *     module for devices is attached, such as the GPU module, the status of that module. A failure of the job does
     *     not change it: see {@link #failure()}.
     */
    public InitStatus initStatus()
    {
        if (isClosed() || identity.isBootstrapped())
        {
            return InitStatus.BOOTSTRAPPED;
        }

        final DevicePart device = this.device;
        return null == device ? InitStatus.INITIALIZED : device.module().initStatus();
    }

    /**
     * Attaches a module for the memory of devices, until it detaches itself or the PE is closed. For modules of the
     * library, which offer an API of their own. No counterpart in C. Local.
     *
     * @param module to attach.
     * @return the module's access to the PE.
     * @throws IllegalStateException if a module is attached already, or the PE is closed.
     */
    public DeviceAttachment attach(final DeviceModule module)
    {
        Arguments.notNull(module, "module");
        identity.enter(true);
        synchronized (completionLock)
        {
            identity.checkOpen();
            if (null != device)
            {
                throw new IllegalStateException("this PE has a device module already: close it first");
            }

            device = new DevicePart(
                this,
                identity,
                endpoint,
                parts.requestProgress,
                bootstrapped.errorHandler(),
                parts::collectiveHeap,
                module);
            return device;
        }
    }

    void detach(final DevicePart part)
    {
        synchronized (completionLock)
        {
            if (device == part)
            {
                device = null;
            }
        }
    }

    SymmetricBuffer retained(final RetainedMemory which, final long bytes)
    {
        if (null == retained[which.ordinal()])
        {
            retained[which.ordinal()] = calloc(1, bytes);
        }

        return retained[which.ordinal()];
    }

    void defer(final Thread thread)
    {
        deferred = thread;
        thread.start();
    }

    /** Waits for the release of the earlier device module, which ends when all PEs have closed theirs. */
    void awaitDeferred()
    {
        final Thread thread = deferred;
        if (null != thread)
        {
            final BlockingWait waiting = endpoint.blockingWait();
            final long deadlineNs = waiting.operationDeadline();
            int round = 0;
            while (thread.isAlive())
            {
                round = waiting.idle(round, deadlineNs, "the release of the earlier device");
            }

            waiting.reset(round);
            deferred = null;
        }
    }

    boolean isLeaving()
    {
        return isLeaving;
    }

    private void completeDevice()
    {
        final DevicePart device = this.device;
        if (null != device)
        {
            device.module().complete();
        }
    }

    private void closeHeap()
    {
        close(parts.heap, parts.retainedAllocations.list().size(), "heap", "its " + identity.scope() + " is closed");
    }

    /**
     * Ends the allocations of a heap. Programs may leave that to the end of the job, as in C; those that ask for checks
     * get a report on what they have not freed.
     *
     * @param retained number of allocations that are not to be freed.
     */
    void close(final SymmetricHeap heap, final int retained, final String name, final String why)
    {
        final int left = heap.allocationCount() - retained;
        heap.close(why);
        if (left > 0 && context.isCheckRequested() && null == endpoint.failure())
        {
            bootstrapped.errorHandler().onError(new LeftAllocationsException(
                identity + " has closed its " + name + " with " + left + (1 == left ? " allocation" : " allocations") +
                " that it has not freed"));
        }
    }

    /** Closes the device, after the last operation of any PE, or after a failure. */
    private void closeDevice()
    {
        isLeaving = true;
        final DevicePart device = this.device;
        if (null != device)
        {
            device.module().onClose();
        }

        final Thread thread = deferred;
        if (null != thread)
        {
            Threads.join(thread, DEFERRED_MS);
        }
    }

    /**
     * Returns the thread level of this PE: {@code shmem_query_thread}.
     *
     * @return the level that was requested, which is always granted.
     */
    public ThreadLevel threadLevel()
    {
        return context.threadLevel();
    }

    /**
     * Ends the whole job: {@code shmem_global_exit}. Any thread of any PE may call it; no other PE takes part. Never
     * returns. Every process of the job ends with one of the given statuses, its output flushed; PEs that share a JVM
     * get {@link GlobalExitException} instead. See {@link Context#terminationHook()}. Shutdown hooks have 800 ms, then
     * the JVM is halted.
     *
     * @param status to exit with: the low eight bits of it, as with every process, -1 being 255; a status that is not 0
     *               but whose low eight bits are, such as 256, becomes 1. {@link GlobalExitException#status()} is the
     *               unmodified value.
     * @throws GlobalExitException where the JVM does not end.
     */
    public void globalExit(final int status)
    {
        termination.startDeadline(status);
        if (!isClosed())
        {
            fail(new JobFailure(
                JobFailure.Kind.GLOBAL_EXIT, myPe(), status, identity + " called globalExit(" + status + ")"));
            if (termination.isEndingJvm())
            {
                closeTransport(true);
            }
        }

        // Another PE or thread may have been first.
        final JobFailure failure = bootstrapped.failure();
        throw null != failure && JobFailure.Kind.GLOBAL_EXIT == failure.kind() ?
            termination.exception(failure.status(), failure.message()) :
            termination.exception(status, identity + " called globalExit(" + status + ")");
    }

    /**
     * Fails the job, which has no counterpart in C ({@code shmem_global_exit} ends the processes too): the calls of all
     * PEs, those of this PE too, end with {@link PeFailureException}, which has this PE's number and the cause in its
     * message. The JVM continues, and the PE must still be closed. No effect if the job has failed before or the PE is
     * closed.
     *
     * @param cause why.
     * @throws IllegalArgumentException if it is null.
     */
    public void fail(final Throwable cause)
    {
        Arguments.notNull(cause, "cause");
        if (!isClosed())
        {
            fail(failureOf(cause));
        }
    }

    /** Returns what the program wants to be called when the job fails, in this order. */
    private List<Consumer<ShmemException>> failureHandlers()
    {
        final List<Consumer<ShmemException>> handlers = new ArrayList<>();
        if (null != context.onGenerationEnd())
        {
            handlers.add((failure) -> context.onGenerationEnd().run());
        }

        if (null != context.failureHandler())
        {
            handlers.add((failure) -> context.failureHandler().onFailure(this, failure));
        }

        return handlers;
    }

    private void fail(final JobFailure failure)
    {
        bootstrapped.fail(failure);
        failureNotifier.onFailure(bootstrapped.failure());
    }

    /**
     * Returns the failure of the job, for loops whose calls do not check for it, such as those of puts. No counterpart
     * in C. Any thread, at any time, after {@link #close()} too; never blocks. Costs a load while there is none.
     *
     * @return a new exception, of the type that calls throw, or null while the job has not failed.
     * @see Context#failureHandler
     */
    public ShmemException failure()
    {
        final JobFailure failure = bootstrapped.failure();
        return null == failure ? null : FailureExceptions.of(failure);
    }

    /**
     * Returns the generation of the job that this PE belongs to. No counterpart in C. Local.
     *
     * @return the same object each time; of number 0 unless the job has been started again after a failure.
     */
    public Generation generation()
    {
        return generation;
    }

    /**
     * Returns whether this generation of the job is over, because the job has failed: for loops that compute. No
     * counterpart in C. Any thread, at any time; costs one load.
     *
     * @return true once {@link #failure()} is not null.
     */
    public boolean isEnded()
    {
        return bootstrapped.isFailed();
    }

    /**
     * Ends this generation of the job on purpose, on all PEs, as a failure does: their calls end with
     * {@link PeFailureException}, which has this PE's number and the reason. Then the next generation begins. Any PE,
     * any thread. No effect if this generation has ended before or the PE is closed. No counterpart in C.
     *
     * @param reason of the recovery, for people.
     * @throws IllegalArgumentException if it is null.
     * @throws IllegalStateException    if the job has no recovery ({@link Context#recovery()}).
     */
    public void requestRecovery(final String reason)
    {
        Arguments.notNull(reason, "reason");
        if (Recovery.NONE == context.recovery())
        {
            throw new IllegalStateException("a recovery requires a recoverable job: recovery=none (" +
                ShmemProperty.RECOVERY.propertyName() + ")");
        }

        if (!isClosed())
        {
            fail(new JobFailure(
                JobFailure.Kind.RECOVERY_REQUESTED, myPe(), -1, identity + " requested a recovery: " + reason));
        }
    }

    /**
     * Leaves the job: {@code shmem_finalize}, {@code nvshmemx_hostlib_finalize}. Collective; an implicit barrier, and
     * all communication is complete. Calls on objects of the PE throw {@link IllegalStateException} after it, except
     * queries of what does not change, such as {@link #myPe()}; views of its memory stay readable, detached. After a
     * failure of the job it is local and prompt and throws nothing. A further call has no effect. A JVM that ends
     * without this call fails the job.
     *
     * @throws ShmemInterruptedException if the thread is interrupted before the others close; then the job fails.
     * @throws ShmemTimeoutException     if the others do not close in time; then the job fails.
     * @throws CollectiveMismatchException if PEs have made different collective calls on a team, and none has found out
     *                                   before, as none waited for the other in these calls; then the job fails.
     * @throws IllegalStateException     if threads are checked ({@link Context#checkThreads()}) and another one set up
     *                                   the PE, or a request is in flight; the PE stays open.
     */
    @Override
    public void close()
    {
        final boolean hasFailed = null != bootstrapped.failure();
        final RuntimeException failure = leave();
        if (failure instanceof ShmemInterruptedException || failure instanceof ShmemTimeoutException ||
            !hasFailed && failure instanceof CollectiveMismatchException)
        {
            throw failure;
        }
    }

    @Override
    public String toString()
    {
        return "Shmem{" + identity + " of " + nPes() + ", " + (isClosed() ? "closed" : initStatus()) + "}";
    }

    /** Closes; returns the failure that prevented an orderly leave, null if none did or the PE has left already. */
    RuntimeException leave()
    {
        if (null != guard && !isClosed() && null == bootstrapped.failure())
        {
            guard.checkClose();
        }

        if (null != parts && !isClosed() && null == bootstrapped.failure() && parts.requestProgress.isInFlight())
        {
            throw new IllegalStateException("a PE must not be closed while a request is in flight");
        }

        if (!isClosing.compareAndSet(false, true))
        {
            return null;
        }

        synchronized (completionLock)
        {
            boolean isOrderly = false;
            try
            {
                final RuntimeException failure = identity.isBootstrapped() ? leaveBootstrapped() : leaveOpen();
                isOrderly = null == failure;
                return failure;
            }
            finally
            {
                failureNotifier.close(isOrderly ? null : bootstrapped.failure());
            }
        }
    }

    private RuntimeException leaveBootstrapped()
    {
        identity.close();
        failureNotifier.hold();
        try
        {
            bootstrapped.checkFailure();
            bootstrapped.close(false);
            return null;
        }
        catch (final TransportException ex)
        {
            return new ShmemException(ex.getMessage(), ex);
        }
        catch (final ShmemException ex)
        {
            closeAfterFailure();
            return ex;
        }
        catch (final RuntimeException | Error ex)
        {
            closeAfterFailure();
            throw ex;
        }
    }

    private void closeAfterFailure()
    {
        try
        {
            bootstrapped.close(true);
        }
        catch (final RuntimeException ex)
        {
            // Resources that are gone cannot be closed: the failure of the job takes precedence.
            bootstrapped.errorHandler().onError(ex);
        }
    }

    private RuntimeException leaveOpen()
    {
        Throwable problem = null;
        try
        {
            endpoint.checkFailure();
            checkInStep();
            world().engine().complete("close");
            parts.histories.announce();
            endpoint.finish();
            parts.histories.check();
            failureNotifier.hold();
            endpoint.checkFailure();
        }
        catch (final RuntimeException | Error ex)
        {
            // Not only the library's own: the termination hook of the program may throw anything.
            problem = ex;
            endpoint.fail(failureOf(ex));
        }

        identity.close();
        parts.requestProgress.retire(new ShmemException("the PE was closed"));
        final boolean isFailed = null != problem;
        try
        {
            CloseHelper.closeAll(
                this::closeDevice,
                this::closeHeap,
                parts.locks::close,
                parts.latency::close,
                () -> endpoint.close(isFailed));
        }
        catch (final ShmemException ex)
        {
            problem = isFailed ? problem : ex;
        }
        catch (final RuntimeException ex)
        {
            if (!isFailed && !isFailedOtherwise())
            {
                throw ex;
            }

            // Resources that are gone cannot be closed: the failure of the job takes precedence.
            bootstrapped.errorHandler().onError(ex);
        }
        catch (final Error ex)
        {
            // closeAll ends at an error, and leaves the rest open.
            endpoint.fail(failureOf(ex));
            CloseHelper.quietCloseAll(
                this::closeHeap, parts.locks::close, parts.latency::close, () -> endpoint.close(true));
            throw ex;
        }

        if (null != problem && !(problem instanceof ShmemException))
        {
            LangUtil.rethrowUnchecked(problem);
        }

        return (ShmemException)problem;
    }

    /** Returns whether the job has failed, and not because an exception ended the close of this PE. */
    boolean isFailedOtherwise()
    {
        final JobFailure failure = bootstrapped.failure();
        return null != failure && (JobFailure.Kind.PE_FAILED != failure.kind() || failure.pe() != myPe());
    }

    private void closeTransport(final boolean afterFailure)
    {
        bootstrapped.close(afterFailure);
        if (null != endpoint)
        {
            endpoint.close(afterFailure);
        }
    }

    private PointToPointSync pointToPoint()
    {
        return required().pointToPoint;
    }

    private Locks locks()
    {
        return required().locks;
    }

    private PeParts required()
    {
        final PeParts parts = this.parts;
        if (null == parts)
        {
            throw identity.rejection();
        }

        return parts;
    }

    /** Allocates; a request for 0 bytes makes no call on the heap. */
    SymmetricBuffer allocate(
        final int kind, final long first, final long second, final long bytes, final Supplier<Allocation> call)
    {
        identity.enter(true);
        if (0 == bytes)
        {
            world().omitHeapCall(kind);
            return buffer(call.get());
        }

        return buffer(callOnHeap(kind, first, second, call));
    }

    private <T> T callOnHeap(final int kind, final long first, final long second, final Supplier<T> call)
    {
        final Team world = world();
        return null == identity.guard() ? world.callOnHeap(kind, first, second, call) : identity.call(
            "Shmem." + AllocationConsensus.methodName(kind & AllocationConsensus.DEVICE - 1),
            () -> world.callOnHeap(kind, first, second, call));
    }

    /**
     * Rejects a close during a collective call: the other members of the team may be blocked in it and never enter the
     * final barrier.
     */
    private void checkInStep()
    {
        final String team = identity.teamOutOfStep();
        if (null != team)
        {
            throw new ShmemException(
                "closed during a collective call on team " + team + ", which had ended by an exception");
        }
    }

    private JobFailure failureOf(final Throwable cause)
    {
        return new JobFailure(JobFailure.Kind.PE_FAILED, myPe(), -1, identity + " failed: " + cause);
    }

    private static SymmetricBuffer buffer(final Allocation allocation)
    {
        return null == allocation ? null : new SymmetricBuffer(allocation);
    }

    /**
     * Configuration of a PE. A new context has the values of {@link ShmemProperty}: those of system properties, of the
     * environment, or the defaults. Setters override them. {@link Shmem#init(Shmem.Context)} concludes the context, so
     * a context sets up one PE: {@link #clone()} it for each further PE. Not thread-safe until it is concluded.
     */
    public static final class Context implements Cloneable
    {
        /**
         * Version of these attributes, raised when they change; corresponds to {@code NVSHMEMX_INIT_ATTR_INITIALIZER}.
         */
        public static final int ATTRIBUTES_VERSION = 1;

        private Settings settings;
        private int version = ATTRIBUTES_VERSION;
        private Bootstrap bootstrap;
        private boolean isBootstrapDefault;
        private Termination termination;
        private ThreadFactory threadFactory;
        private Aeron aeron;
        private boolean ownsAeronClient;
        private AgentInvoker mediaDriverAgentInvoker;
        private ErrorHandler errorHandler;
        private AtomicCounter errorCounter;
        private FailureHandler failureHandler;
        private IntConsumer terminationHook;
        private Runnable onGenerationEnd;
        private boolean isConcluded;
        /** The first generation in which this process was set up; -1 if in none so far. */
        int firstGeneration = -1;

        /**
         * Constructs a context with the values of system properties and environment variables.
         *
         * @throws IllegalArgumentException if a value cannot be parsed, or is out of range, or if a system property
         *                                  with the library's prefix is unknown, or the name of an environment variable
         *                                  is misspelt.
         */
        public Context()
        {
            PropertyNameCheck.check();
            settings = new Settings();
            AlgorithmSettings.read(settings);
        }

        /**
         * Copies the context; the copy can be changed and concluded independently. Objects such as an Aeron client are
         * shared, also a bootstrap that the program has set.
         *
         * @return the copy, not concluded.
         */
        @Override
        public Context clone()
        {
            try
            {
                final Context copy = (Context)super.clone();
                copy.settings = settings.clone();
                copy.isConcluded = false;
                if (isBootstrapDefault)
                {
                    copy.bootstrap(null);
                }

                return copy;
            }
            catch (final CloneNotSupportedException ex)
            {
                throw new AssertionError(ex);
            }
        }

        /**
         * Returns a copy with all checks enabled that the program did not set.
         */
        Context checkedByDefault()
        {
            final Context copy = clone();
            copy.settings.setDefault(ShmemProperty.CHECK_THREADS, true);
            copy.settings.setDefault(ShmemProperty.CHECK_COLLECTIVES, true);
            return copy;
        }

        /**
         * Waits for the generation after that of another context, which has failed. Returns whether this process goes
         * on in it: then this context joins it.
         */
        boolean follow(final Context previous)
        {
            final boolean isSurvivor = Recovery.REPLACE == recovery() || Recovery.SHRINK == recovery();
            final Bootstrap next = isSurvivor ? previous.bootstrap.next() : null;
            if (null != next)
            {
                bootstrap = next;
                isBootstrapDefault = previous.isBootstrapDefault;
                previous.termination.goOn();
            }

            return null != next;
        }

        /** Returns how long after a failure the process ends, if a supervisor starts it again; 0 if it does not. */
        private long haltAfterFailureNs()
        {
            return switch (recovery())
            {
                case RESTART -> Termination.HALT_AFTER_FAILURE_NS;
                case REPLACE -> recoveryJoinTimeoutNs();
                default -> 0;
            };
        }

        /**
         * Validates all values, and sets the default thread factory and error handler.
         *
         * @throws IllegalStateException    if it was concluded before.
         * @throws IllegalArgumentException if a value is invalid; the message states the rule.
         */
        public synchronized void conclude()
        {
            if (isConcluded)
            {
                throw new IllegalStateException(
                    "Shmem.Context must be used for one PE: use clone() for each further PE");
            }

            if (version < 1 || version > ATTRIBUTES_VERSION)
            {
                throw new IllegalArgumentException("version must be 1 to " + ATTRIBUTES_VERSION + ": version=" +
                    version + ", the program was compiled for a later AeroSHMEM than it runs with");
            }

            settings.check();
            if (warmUp().toNanos() >= joinTimeoutNs())
            {
                throw new IllegalArgumentException("warmUp must be < joinTimeoutNs: warmUp=" + warmUp().toNanos() +
                    " (aeroshmem.warmup), joinTimeoutNs=" + joinTimeoutNs() + " (aeroshmem.join.timeout)");
            }

            if (null == threadFactory)
            {
                threadFactory = Context::daemon;
            }

            if (null == errorHandler)
            {
                errorHandler = Context::log;
            }

            isConcluded = true;
        }

        private Context set(final ShmemProperty property, final Object value)
        {
            settings.set(property, value);
            return this;
        }

        AlgorithmSettings algorithmSettings()
        {
            return new AlgorithmSettings(settings);
        }

        /** Returns what concerns the connection of the PE. */
        EndpointSettings endpointSettings()
        {
            return new EndpointSettings(
                JobDirectory.root(shmDirectoryName()),
                nodeName(),
                heapSize(),
                heapSparse(),
                TransportMode.valueOf(transport().name()),
                delayedInit(),
                ProgressMode.AGENT == progressMode(),
                idleStrategySupplier(),
                waitIdleStrategySupplier(),
                threadFactory,
                aeron,
                ownsAeronClient,
                aeronDirectoryName(),
                mediaDriverAgentInvoker,
                udpInterface(),
                udpMtu(),
                udpMulticast(),
                ipcMtu(),
                termLength(),
                rendezvousInterface(),
                joinTimeoutNs(),
                livenessTimeoutNs(),
                operationTimeoutNs(),
                Recovery.NONE != recovery(),
                recoveryRetainTimeoutNs(),
                compared());
        }

        /** Returns what must be equal on all PEs, the version first: layouts of memory may differ with it. */
        private Map<String, String> compared()
        {
            final Map<String, String> compared = new LinkedHashMap<>();
            compared.put("version of the library", Info.name());
            compared.putAll(settings.compared());
            return compared;
        }

        /** Returns the handler of errors, after its counter if it has one. */
        private ErrorHandler countedErrorHandler()
        {
            return null == errorCounter ? errorHandler : (throwable) ->
            {
                errorCounter.increment();
                errorHandler.onError(throwable);
            };
        }

        /**
         * Sets the version of these attributes that the program was compiled with, {@link #ATTRIBUTES_VERSION}, a
         * constant that the compiler copies into the program. The default is the library's own. A version later than
         * the library's is rejected.
         *
         * @param version to set.
         * @return this for a fluent API.
         */
        public Context version(final int version)
        {
            this.version = version;
            return this;
        }

        /** {@return the version of these attributes that the program was compiled with} */
        public int version()
        {
            return version;
        }

        /**
         * Sets how the PE joins its job; null means {@link Bootstrap#fromEnvironment()}.
         *
         * @param bootstrap to set.
         * @return this for a fluent API.
         */
        public Context bootstrap(final Bootstrap bootstrap)
        {
            this.bootstrap = bootstrap;
            isBootstrapDefault = false;
            return this;
        }

        /** Sets the bootstrap that the program has not set. It is used once, so copies do not have it. */
        private void defaultBootstrap(final Bootstrap bootstrap)
        {
            this.bootstrap = bootstrap;
            isBootstrapDefault = true;
        }

        /** {@return how the PE joins its job; null means {@link Bootstrap#fromEnvironment()}} */
        public Bootstrap bootstrap()
        {
            return bootstrap;
        }

        /**
         * Sets the size of the symmetric heap in bytes, at least 4096; equal on all PEs. Property
         * {@code aeroshmem.heap.size}.
         *
         * @param heapSize to set.
         * @return this for a fluent API.
         */
        public Context heapSize(final long heapSize)
        {
            return set(ShmemProperty.HEAP_SIZE, heapSize);
        }

        /** {@return the size of the symmetric heap in bytes} */
        public long heapSize()
        {
            return settings.longValue(ShmemProperty.HEAP_SIZE);
        }

        /**
         * Sets whether pages of the heap are supplied on first touch instead of being reserved. Property
         * {@code aeroshmem.heap.sparse}.
         *
         * @param heapSparse to set.
         * @return this for a fluent API.
         */
        public Context heapSparse(final boolean heapSparse)
        {
            return set(ShmemProperty.HEAP_SPARSE, heapSparse);
        }

        /** {@return whether pages of the heap are supplied on first touch instead of being reserved} */
        public boolean heapSparse()
        {
            return settings.booleanValue(ShmemProperty.HEAP_SPARSE);
        }

        /**
         * Sets the parent of the directory of the job, with the heaps; null means {@code /dev/shm}, else
         * {@code java.io.tmpdir}. Of the PEs of a process, that of the first to join counts. It has no effect where a
         * launcher has made the directory. Property {@code aeroshmem.shm.dir}.
         *
         * @param shmDirectoryName to set.
         * @return this for a fluent API.
         */
        public Context shmDirectoryName(final String shmDirectoryName)
        {
            return set(ShmemProperty.SHM_DIR, shmDirectoryName);
        }

        /** {@return the parent of the directory of the job; null means the default} */
        public String shmDirectoryName()
        {
            return settings.text(ShmemProperty.SHM_DIR);
        }

        /**
         * Sets the transport to peers. Property {@code aeroshmem.transport}.
         *
         * @param transport to set.
         * @return this for a fluent API.
         */
        public Context transport(final TransportKind transport)
        {
            return set(ShmemProperty.TRANSPORT, transport);
        }

        /** {@return the transport to peers} */
        public TransportKind transport()
        {
            return settings.choice(ShmemProperty.TRANSPORT, TransportKind.class);
        }

        /**
         * Sets a name, up to 128 characters, that divides the PEs of a host into several nodes; null means none. PEs on
         * different nodes do not map each other: with {@link TransportKind#AUTO} they exchange UDP messages.
         * {@link PredefinedTeam#NODE}, {@link PredefinedTeam#SHARED} and the choice of algorithms depend on it.
         * Property {@code aeroshmem.node.name}.
         *
         * @param nodeName to set.
         * @return this for a fluent API.
         */
        public Context nodeName(final String nodeName)
        {
            return set(ShmemProperty.NODE_NAME, nodeName);
        }

        /** {@return the name that divides the PEs of a host into several nodes; null means none} */
        public String nodeName()
        {
            return settings.text(ShmemProperty.NODE_NAME);
        }

        /**
         * Sets whether init returns when the PEs know each other, {@link InitStatus#BOOTSTRAPPED}, and leaves memory
         * and connections to the first call that allocates, is a barrier or sync of all PEs, or attaches a device;
         * equal on all PEs. Property {@code aeroshmem.init.delayed}.
         *
         * @param delayedInit to set.
         * @return this for a fluent API.
         */
        public Context delayedInit(final boolean delayedInit)
        {
            return set(ShmemProperty.DELAYED_INIT, delayedInit);
        }

        /** {@return whether init returns when the PEs know each other} */
        public boolean delayedInit()
        {
            return settings.booleanValue(ShmemProperty.DELAYED_INIT);
        }

        /**
         * Sets the time that {@code init} trains the library's own code, so that the JVM has compiled it when
         * {@code init} returns; zero, the default, for not at all, and less than {@link #joinTimeoutNs()}. The training
         * makes calls in memory of its own: it leaves the memory, the counters and the peers of the PE alone. It covers
         * the usual operations of 8 and 2048 bytes on each path to a peer; a path of messages only if threads of its
         * own run the media driver, whose code it covers, too. A process that replaces another one after a failure is
         * not trained, and of the PEs of {@link Shmem#runLocal} one trains the JVM. If shared memory has no room for
         * the training beside the job, {@code init} does without it and reports that to the {@link #errorHandler()}.
         * Property {@code aeroshmem.warmup}. No counterpart in C, whose code is compiled before it runs.
         *
         * @param warmUp to set, equal on all PEs, which wait for each other.
         * @return this for a fluent API.
         */
        public Context warmUp(final Duration warmUp)
        {
            return set(ShmemProperty.WARM_UP, Arguments.notNull(warmUp, "warmUp").toNanos());
        }

        /** {@return the time that {@code init} trains the library's own code} */
        public Duration warmUp()
        {
            return Duration.ofNanos(settings.longValue(ShmemProperty.WARM_UP));
        }

        /**
         * Returns the context of the PEs that train the library ({@link WarmUp}). They use no object of the program but
         * its thread factory, its idle strategies and its error handler.
         *
         * @param driver directory of the media driver, or null.
         */
        Context training(final TransportKind transport, final String driver, final int termLength)
        {
            final Context copy = clone();
            copy.termination = null;
            copy.aeron = null;
            copy.ownsAeronClient = false;
            copy.mediaDriverAgentInvoker = null;
            copy.errorCounter = null;
            copy.failureHandler = null;
            copy.terminationHook = null;
            copy.onGenerationEnd = null;
            if (null == waitIdleStrategySupplier())
            {
                copy.waitIdleStrategySupplier(WarmUp.idleStrategies());
            }

            return copy.warmUp(Duration.ZERO).transport(transport).aeronDirectoryName(driver).nodeName(null)
                .udpInterface(null).udpMulticast(null).heapSize(WarmUp.HEAP_SIZE).heapSparse(false)
                .termLength(termLength)
                .delayedInit(false).recovery(Recovery.NONE)
                .recordLatency(false).recordOperations(false).operationTimeoutNs(0);
        }

        /**
         * Sets the address at which PE 0 serves the rendezvous of a job that a scheduler has started,
         * {@code host:port} for example; null, the default, means that of the environment. Without effect if
         * {@link #bootstrap(Bootstrap)} is set. Property {@code aeroshmem.rendezvous}.
         *
         * @param rendezvous to set.
         * @return this for a fluent API.
         */
        public Context rendezvous(final String rendezvous)
        {
            return set(ShmemProperty.RENDEZVOUS, rendezvous);
        }

        /** {@return the address of the rendezvous, or null} */
        public String rendezvous()
        {
            return settings.text(ShmemProperty.RENDEZVOUS);
        }

        /**
         * Sets the secret of the job at that address, 16 characters or more; null, the default, means that of the
         * environment. Without effect if {@link #bootstrap(Bootstrap)} is set. Property
         * {@code aeroshmem.rendezvous.secret}.
         *
         * @param rendezvousSecret to set.
         * @return this for a fluent API.
         */
        public Context rendezvousSecret(final String rendezvousSecret)
        {
            return set(ShmemProperty.RENDEZVOUS_SECRET, rendezvousSecret);
        }

        /** {@return the secret of the job, or null} */
        public String rendezvousSecret()
        {
            return settings.text(ShmemProperty.RENDEZVOUS_SECRET);
        }

        /**
         * Sets the address, host name or subnet at which this PE opens a rendezvous, if it is the one that does; null,
         * the default, means the first address that other hosts can reach. {@link UniqueId#create()} takes the value of
         * the property only. Property {@code aeroshmem.rendezvous.interface}.
         *
         * @param rendezvousInterface to set.
         * @return this for a fluent API.
         */
        public Context rendezvousInterface(final String rendezvousInterface)
        {
            return set(ShmemProperty.RENDEZVOUS_INTERFACE, rendezvousInterface);
        }

        /** {@return the address at which this PE opens a rendezvous, or null} */
        public String rendezvousInterface()
        {
            return settings.text(ShmemProperty.RENDEZVOUS_INTERFACE);
        }

        /**
         * Sets the directory of the heaps that the generations of a recoverable job keep, which its launcher sets for
         * the processes that it starts; null, the default, if the job has none. Without effect if
         * {@link #bootstrap(Bootstrap)} is set. Property {@code aeroshmem.recovery.directory}.
         *
         * @param recoveryDirectory to set.
         * @return this for a fluent API.
         */
        public Context recoveryDirectory(final String recoveryDirectory)
        {
            return set(ShmemProperty.RECOVERY_DIRECTORY, recoveryDirectory);
        }

        /** {@return the directory of the heaps of a recoverable job, or null} */
        public String recoveryDirectory()
        {
            return settings.text(ShmemProperty.RECOVERY_DIRECTORY);
        }

        /**
         * Sets the time in nanoseconds that this PE waits for the others to join, at least a millisecond. Property
         * {@code aeroshmem.join.timeout}.
         *
         * @param joinTimeoutNs to set.
         * @return this for a fluent API.
         */
        public Context joinTimeoutNs(final long joinTimeoutNs)
        {
            return set(ShmemProperty.JOIN_TIMEOUT, joinTimeoutNs);
        }

        /** {@return the nanoseconds that this PE waits for the others to join} */
        public long joinTimeoutNs()
        {
            return settings.longValue(ShmemProperty.JOIN_TIMEOUT);
        }

        /**
         * Sets the permitted concurrency of calls. Property {@code aeroshmem.thread.level}.
         *
         * @param threadLevel to set.
         * @return this for a fluent API.
         */
        public Context threadLevel(final ThreadLevel threadLevel)
        {
            return set(ShmemProperty.THREAD_LEVEL, threadLevel);
        }

        /** {@return the permitted concurrency of calls} */
        public ThreadLevel threadLevel()
        {
            return settings.choice(ShmemProperty.THREAD_LEVEL, ThreadLevel.class);
        }

        /**
         * Sets whether calls are checked against the thread level: a violation throws {@link IllegalStateException}
         * with the level, the threads and the call. For debugging: calls of a communication context take about a
         * microsecond longer. Property {@code aeroshmem.check.threads}.
         *
         * @param checkThreads to set.
         * @return this for a fluent API.
         */
        public Context checkThreads(final boolean checkThreads)
        {
            return set(ShmemProperty.CHECK_THREADS, checkThreads);
        }

        /** {@return whether calls are checked against the thread level} */
        public boolean checkThreads()
        {
            return settings.booleanValue(ShmemProperty.CHECK_THREADS);
        }

        /**
         * Sets the source of progress while no call is blocked. Property {@code aeroshmem.progress.mode}.
         *
         * @param progressMode to set.
         * @return this for a fluent API.
         */
        public Context progressMode(final ProgressMode progressMode)
        {
            return set(ShmemProperty.PROGRESS_MODE, progressMode);
        }

        /** {@return the source of progress while no call is blocked} */
        public ProgressMode progressMode()
        {
            return settings.choice(ShmemProperty.PROGRESS_MODE, ProgressMode.class);
        }

        /**
         * Sets the idle strategy of the background thread; null means automatic. Property
         * {@code aeroshmem.idle.strategy}.
         *
         * @param idleStrategySupplier to set.
         * @return this for a fluent API.
         */
        public Context idleStrategySupplier(final Supplier<IdleStrategy> idleStrategySupplier)
        {
            return set(ShmemProperty.IDLE_STRATEGY, idleStrategySupplier);
        }

        /** {@return the supplier of the background thread's idle strategy; null means automatic} */
        public Supplier<IdleStrategy> idleStrategySupplier()
        {
            return settings.idleStrategy(ShmemProperty.IDLE_STRATEGY);
        }

        /**
         * Sets the idle strategy of blocked callers, one per thread; null means automatic. Property
         * {@code aeroshmem.wait.idle.strategy}.
         *
         * @param waitIdleStrategySupplier to set.
         * @return this for a fluent API.
         */
        public Context waitIdleStrategySupplier(final Supplier<IdleStrategy> waitIdleStrategySupplier)
        {
            return set(ShmemProperty.WAIT_IDLE_STRATEGY, waitIdleStrategySupplier);
        }

        /** {@return the supplier of the idle strategies of blocked callers; null means automatic} */
        public Supplier<IdleStrategy> waitIdleStrategySupplier()
        {
            return settings.idleStrategy(ShmemProperty.WAIT_IDLE_STRATEGY);
        }

        /**
         * Sets the factory of the library's threads, which are made daemons.
         *
         * @param threadFactory to set.
         * @return this for a fluent API.
         */
        public Context threadFactory(final ThreadFactory threadFactory)
        {
            this.threadFactory = threadFactory;
            return this;
        }

        /** {@return the factory of the library's threads} */
        public ThreadFactory threadFactory()
        {
            return threadFactory;
        }

        /**
         * Sets the Aeron client to use; null means one of the library's own, created when messages are needed. The
         * threads of a given client belong to the program: with Aeron's default factory they keep the JVM alive until
         * the client is closed. The directory of its media driver is not verified: the program has chosen to trust it.
         *
         * @param aeron to set.
         * @return this for a fluent API.
         */
        public Context aeron(final Aeron aeron)
        {
            this.aeron = aeron;
            return this;
        }

        /** {@return the Aeron client to use; null means one of the library's own} */
        public Aeron aeron()
        {
            return aeron;
        }

        /**
         * Sets whether closing the PE closes the Aeron client; the library's own is always closed.
         *
         * @param ownsAeronClient to set.
         * @return this for a fluent API.
         */
        public Context ownsAeronClient(final boolean ownsAeronClient)
        {
            this.ownsAeronClient = ownsAeronClient;
            return this;
        }

        /** {@return whether closing the PE closes the Aeron client} */
        public boolean ownsAeronClient()
        {
            return ownsAeronClient;
        }

        /**
         * Sets the directory of the media driver to use; null means the job's own driver. It must belong to this user
         * and have mode 0700, otherwise the initialisation fails with a {@link BootstrapException}. Property
         * {@code aeroshmem.aeron.dir}.
         *
         * @param aeronDirectoryName to set.
         * @return this for a fluent API.
         */
        public Context aeronDirectoryName(final String aeronDirectoryName)
        {
            return set(ShmemProperty.AERON_DIR, aeronDirectoryName);
        }

        /** {@return the directory of the media driver to use; null means the job's own driver} */
        public String aeronDirectoryName()
        {
            return settings.text(ShmemProperty.AERON_DIR);
        }

        /**
         * Sets the invoker of a media driver without threads of its own, which blocked calls run; null means none.
         *
         * @param mediaDriverAgentInvoker to set.
         * @return this for a fluent API.
         */
        public Context mediaDriverAgentInvoker(final AgentInvoker mediaDriverAgentInvoker)
        {
            this.mediaDriverAgentInvoker = mediaDriverAgentInvoker;
            return this;
        }

        /** {@return the invoker of a media driver without threads of its own; null means none} */
        public AgentInvoker mediaDriverAgentInvoker()
        {
            return mediaDriverAgentInvoker;
        }

        /**
         * Sets the network interface for Aeron UDP, an IP address or a subnet such as {@code 10.0.0.0/24}; null means
         * loopback, or in a job over several nodes the local address that reaches the rendezvous. Property
         * {@code aeroshmem.udp.interface}.
         *
         * @param udpInterface to set.
         * @return this for a fluent API.
         */
        public Context udpInterface(final String udpInterface)
        {
            return set(ShmemProperty.UDP_INTERFACE, udpInterface);
        }

        /** {@return the network interface for Aeron UDP; null means the default} */
        public String udpInterface()
        {
            return settings.text(ShmemProperty.UDP_INTERFACE);
        }

        /**
         * Sets the multicast group of the job, an IP address and a port such as {@code 239.1.2.3:40500}. Then
         * {@code putAll} and {@code putSignalAll} of host memory outside sessions send one message to all PEs that are
         * reached by UDP, instead of one to each. No other program may use the group. Null, the default, means none.
         * Equal on all PEs. Property {@code aeroshmem.udp.multicast}.
         *
         * @param udpMulticast to set.
         * @return this for a fluent API.
         */
        public Context udpMulticast(final String udpMulticast)
        {
            return set(ShmemProperty.UDP_MULTICAST, udpMulticast);
        }

        /** {@return the address and port of the multicast group of the job; null means none} */
        public String udpMulticast()
        {
            return settings.text(ShmemProperty.UDP_MULTICAST);
        }

        /**
         * Sets the largest UDP payload in bytes, 1024 to 65504, a multiple of 32; 0, the default, means 64512 on the
         * loopback interface, 1408 on others. Equal on all PEs. Property {@code aeroshmem.udp.mtu}.
         *
         * @param udpMtu to set.
         * @return this for a fluent API.
         */
        public Context udpMtu(final int udpMtu)
        {
            return set(ShmemProperty.UDP_MTU, (long)udpMtu);
        }

        /** {@return the largest UDP payload in bytes; 0 means the default} */
        public int udpMtu()
        {
            return settings.intValue(ShmemProperty.UDP_MTU);
        }

        /**
         * Sets the largest frame over Aeron IPC in bytes, 1024 to 65504, a multiple of 32; equal on all PEs. Property
         * {@code aeroshmem.ipc.mtu}.
         *
         * @param ipcMtu to set.
         * @return this for a fluent API.
         */
        public Context ipcMtu(final int ipcMtu)
        {
            return set(ShmemProperty.IPC_MTU, (long)ipcMtu);
        }

        /** {@return the largest frame over Aeron IPC in bytes} */
        public int ipcMtu()
        {
            return settings.intValue(ShmemProperty.IPC_MTU);
        }

        /**
         * Sets the length of a term buffer of an Aeron stream in bytes, a power of two from 64 KiB to 1 GiB; each
         * stream has three. Equal on all PEs. Property {@code aeroshmem.term.length}.
         *
         * @param termLength to set.
         * @return this for a fluent API.
         */
        public Context termLength(final int termLength)
        {
            return set(ShmemProperty.TERM_LENGTH, (long)termLength);
        }

        /** {@return the length of a term buffer of an Aeron stream in bytes} */
        public int termLength()
        {
            return settings.intValue(ShmemProperty.TERM_LENGTH);
        }

        /**
         * Sets the handler of errors on the library's threads; the default logs to {@link System.Logger}
         * {@code io.aeroshmem}. A failure of the job is no such error: calls throw it, and {@link #failureHandler}
         * gets it.
         *
         * @param errorHandler to set.
         * @return this for a fluent API.
         */
        public Context errorHandler(final ErrorHandler errorHandler)
        {
            this.errorHandler = errorHandler;
            return this;
        }

        /** {@return the handler of errors on the library's threads} */
        public ErrorHandler errorHandler()
        {
            return errorHandler;
        }

        /**
         * Sets a counter of the errors that the handler gets; null means none.
         *
         * @param errorCounter to set.
         * @return this for a fluent API.
         */
        public Context errorCounter(final AtomicCounter errorCounter)
        {
            this.errorCounter = errorCounter;
            return this;
        }

        /** {@return the counter of the errors that the handler gets; null means none} */
        public AtomicCounter errorCounter()
        {
            return errorCounter;
        }

        /**
         * Sets the handler of the failure of the job, which is called once on a library thread; null means none.
         *
         * @param failureHandler to set.
         * @return this for a fluent API.
         */
        public Context failureHandler(final FailureHandler failureHandler)
        {
            this.failureHandler = failureHandler;
            return this;
        }

        /** {@return the handler of the failure of the job, or null} */
        public FailureHandler failureHandler()
        {
            return failureHandler;
        }

        /**
         * Sets the last action of {@link Shmem#globalExit}, which gets the status; null ends the JVM, or throws
         * {@link GlobalExitException} if PEs share it.
         *
         * @param terminationHook to set.
         * @return this for a fluent API.
         */
        public Context terminationHook(final IntConsumer terminationHook)
        {
            this.terminationHook = terminationHook;
            return this;
        }

        /** {@return the last action of {@link Shmem#globalExit}, or null} */
        public IntConsumer terminationHook()
        {
            return terminationHook;
        }

        /**
         * Sets what follows a failure of the job. Property {@code aeroshmem.recovery}. A recovery
         * requires {@code aeroshmem run --recover}, {@link Shmem#runLocal} or a supervisor, which start PEs again, and
         * is refused elsewhere. All PEs need the same value.
         *
         * @param recovery to set.
         * @return this for a fluent API.
         */
        public Context recovery(final Recovery recovery)
        {
            return set(ShmemProperty.RECOVERY, recovery);
        }

        /** {@return what follows a failure of the job} */
        public Recovery recovery()
        {
            return settings.choice(ShmemProperty.RECOVERY, Recovery.class);
        }

        /**
         * Sets the number of recoveries within {@code aeroshmem.recovery.window}, after which the next failure ends the
         * job, 0 or more. Property {@code aeroshmem.recovery.max}. {@link Shmem#runLocal} takes the value of its
         * template; a launcher takes that of the property only.
         *
         * @param maxRecoveries to set.
         * @return this for a fluent API.
         */
        public Context maxRecoveries(final int maxRecoveries)
        {
            return set(ShmemProperty.RECOVERY_MAX, (long)maxRecoveries);
        }

        /** {@return the number of recoveries after which the next failure ends the job} */
        public int maxRecoveries()
        {
            return settings.intValue(ShmemProperty.RECOVERY_MAX);
        }

        /**
         * Sets the time in nanoseconds for which a recovery counts in {@link #maxRecoveries}, at least a millisecond;
         * for {@link Shmem#runLocal} as there. Property {@code aeroshmem.recovery.window}.
         *
         * @param recoveryWindowNs to set.
         * @return this for a fluent API.
         */
        public Context recoveryWindowNs(final long recoveryWindowNs)
        {
            return set(ShmemProperty.RECOVERY_WINDOW, recoveryWindowNs);
        }

        /** {@return the nanoseconds for which a recovery counts} */
        public long recoveryWindowNs()
        {
            return settings.longValue(ShmemProperty.RECOVERY_WINDOW);
        }

        /**
         * Sets the time in nanoseconds in which a PE that survives a failure has to join the next generation, at least
         * a millisecond; for {@link Shmem#runLocal}, as {@link #maxRecoveries}. Property
         * {@code aeroshmem.recovery.join.timeout}.
         *
         * @param recoveryJoinTimeoutNs to set.
         * @return this for a fluent API.
         */
        public Context recoveryJoinTimeoutNs(final long recoveryJoinTimeoutNs)
        {
            return set(ShmemProperty.RECOVERY_JOIN_TIMEOUT, recoveryJoinTimeoutNs);
        }

        /** {@return the nanoseconds in which a surviving PE has to join the next generation} */
        public long recoveryJoinTimeoutNs()
        {
            return settings.longValue(ShmemProperty.RECOVERY_JOIN_TIMEOUT);
        }

        /**
         * Sets the time in nanoseconds for which the directory of a recoverable job outlives the last of its processes
         * under a supervisor, at least a millisecond; a launcher takes the value of the property only. Property
         * {@code aeroshmem.recovery.retain.timeout}.
         *
         * @param recoveryRetainTimeoutNs to set.
         * @return this for a fluent API.
         */
        public Context recoveryRetainTimeoutNs(final long recoveryRetainTimeoutNs)
        {
            return set(ShmemProperty.RECOVERY_RETAIN_TIMEOUT, recoveryRetainTimeoutNs);
        }

        /** {@return the nanoseconds for which the directory of a recoverable job outlives its processes} */
        public long recoveryRetainTimeoutNs()
        {
            return settings.longValue(ShmemProperty.RECOVERY_RETAIN_TIMEOUT);
        }

        /**
         * Sets the number of snapshots that {@link Shmem#snapshot} keeps in its directory, 1 to 1 000 000; the value of
         * PE 0 counts. Property {@code aeroshmem.snapshot.keep}. No counterpart in C.
         *
         * @param snapshotKeep to set.
         * @return this for a fluent API.
         */
        public Context snapshotKeep(final int snapshotKeep)
        {
            return set(ShmemProperty.SNAPSHOT_KEEP, (long)snapshotKeep);
        }

        /** {@return the number of snapshots that are kept} */
        public int snapshotKeep()
        {
            return settings.intValue(ShmemProperty.SNAPSHOT_KEEP);
        }

        /**
         * Sets what a thread of the library calls once, as soon as it is known that this generation of the job has
         * ended by a failure, before the {@link #failureHandler}; null, the default, for nothing. A program ends its
         * other work with it. Neither {@link Shmem#close()} nor the end of the JVM waits for it.
         *
         * @param onGenerationEnd to set.
         * @return this for a fluent API.
         * @see Shmem#isEnded()
         */
        public Context onGenerationEnd(final Runnable onGenerationEnd)
        {
            this.onGenerationEnd = onGenerationEnd;
            return this;
        }

        /** {@return what is called when this generation of the job has ended by a failure} */
        public Runnable onGenerationEnd()
        {
            return onGenerationEnd;
        }

        /**
         * Sets the time in nanoseconds after which a blocking call throws {@link ShmemTimeoutException}; 0 means never.
         * Property {@code aeroshmem.operation.timeout}.
         *
         * @param operationTimeoutNs to set.
         * @return this for a fluent API.
         */
        public Context operationTimeoutNs(final long operationTimeoutNs)
        {
            return set(ShmemProperty.OPERATION_TIMEOUT, operationTimeoutNs);
        }

        /** {@return nanoseconds after which a blocking call throws {@link ShmemTimeoutException}; 0 means never} */
        public long operationTimeoutNs()
        {
            return settings.longValue(ShmemProperty.OPERATION_TIMEOUT);
        }

        /**
         * Sets the silence in nanoseconds after which a PE that has not died counts as failed; equal on all PEs.
         * Property {@code aeroshmem.liveness.timeout}.
         *
         * @param livenessTimeoutNs to set.
         * @return this for a fluent API.
         */
        public Context livenessTimeoutNs(final long livenessTimeoutNs)
        {
            return set(ShmemProperty.LIVENESS_TIMEOUT, livenessTimeoutNs);
        }

        /** {@return the silence in nanoseconds after which a PE that has not died counts as failed} */
        public long livenessTimeoutNs()
        {
            return settings.longValue(ShmemProperty.LIVENESS_TIMEOUT);
        }

        /**
         * Sets the number of teams that this PE can belong to at once, besides the predefined ones; equal on all PEs.
         * Property {@code aeroshmem.teams.max}.
         *
         * @param maxTeams to set.
         * @return this for a fluent API.
         */
        public Context maxTeams(final int maxTeams)
        {
            return set(ShmemProperty.MAX_TEAMS, (long)maxTeams);
        }

        /** {@return the number of teams that this PE can belong to at once, besides the predefined ones} */
        public int maxTeams()
        {
            return settings.intValue(ShmemProperty.MAX_TEAMS);
        }

        /**
         * Sets whether collectives are compared across PEs, and allocations that a PE has not freed when it is closed
         * are reported to the error handler; equal on all PEs. Property {@code aeroshmem.check.collectives}.
         *
         * @param checkCollectives to set.
         * @return this for a fluent API.
         */
        public Context checkCollectives(final boolean checkCollectives)
        {
            return set(ShmemProperty.CHECK_COLLECTIVES, checkCollectives);
        }

        /** Returns whether the program has asked for checks, and not only {@link Shmem#runLocal}. */
        private boolean isCheckRequested()
        {
            return checkCollectives() && settings.isGiven(ShmemProperty.CHECK_COLLECTIVES);
        }

        /** {@return whether collectives are compared across PEs} */
        public boolean checkCollectives()
        {
            return settings.booleanValue(ShmemProperty.CHECK_COLLECTIVES);
        }

        /**
         * Sets the synchronisation of the collectives of teams; equal on all PEs. With
         * {@link Synchronization#SYNCHRONIZED} every team is synchronised, whatever it was created with. Corresponds to
         * {@code sync_type} of {@code ucc_lib_params_t}. Property {@code aeroshmem.collectives.synchronization}.
         *
         * @param synchronization to set.
         * @return this for a fluent API.
         */
        public Context synchronization(final Synchronization synchronization)
        {
            return set(ShmemProperty.COLLECTIVES_SYNCHRONIZATION, synchronization);
        }

        /** {@return the synchronisation of the collectives of teams} */
        public Synchronization synchronization()
        {
            return settings.choice(ShmemProperty.COLLECTIVES_SYNCHRONIZATION, Synchronization.class);
        }

        /**
         * Sets the algorithm of a collective routine, used wherever it applies; equal on all PEs. Properties
         * {@code aeroshmem.algorithm.broadcast}, {@code …collect} (fcollect too), {@code …alltoall},
         * {@code …alltoalls}, {@code …reduce}, {@code …reduce_scatter}, {@code …scan} (both) and {@code …barrier} (sync
         * too).
         *
         * @param routine   as in the name of its property, such as {@code reduce_scatter}.
         * @param algorithm a name such as {@code flat} that {@code aeroshmem info --algorithms} lists for the routine,
         *                  or {@code auto}, a choice by the size of team and blocks.
         * @return this for a fluent API.
         * @throws IllegalArgumentException if the routine is unknown, or has no such algorithm.
         */
        public Context algorithm(final String routine, final String algorithm)
        {
            AlgorithmSettings.set(settings, routine, algorithm);
            return this;
        }

        /**
         * Returns the algorithm of a collective routine.
         *
         * @param routine as in the name of its property, such as {@code reduce_scatter}.
         * @return the name of an algorithm, or {@code auto}.
         * @throws IllegalArgumentException if the routine is unknown.
         */
        public String algorithm(final String routine)
        {
            return AlgorithmSettings.name(settings, routine);
        }

        /**
         * Sets whether latencies are recorded from the start. Property {@code aeroshmem.latency.record}. See
         * {@link Shmem#recordLatency}.
         *
         * @param recordLatency to set.
         * @return this for a fluent API.
         */
        public Context recordLatency(final boolean recordLatency)
        {
            return set(ShmemProperty.RECORD_LATENCY, recordLatency);
        }

        /** {@return whether latencies are recorded from the start} */
        public boolean recordLatency()
        {
            return settings.booleanValue(ShmemProperty.RECORD_LATENCY);
        }

        /**
         * Sets whether the one-sided operations of this PE are counted, also those on mapped memory, and, while
         * latencies are recorded ({@link #recordLatency}), the latencies of these operations and of waits too. Each
         * operation then takes longer. Without the request operations have no code for it. Property
         * {@code aeroshmem.operations.record}.
         *
         * @param recordOperations to set.
         * @return this.
         */
        public Context recordOperations(final boolean recordOperations)
        {
            return set(ShmemProperty.RECORD_OPERATIONS, recordOperations);
        }

        /** {@return whether one-sided operations and waits are recorded} */
        public boolean recordOperations()
        {
            return settings.booleanValue(ShmemProperty.RECORD_OPERATIONS);
        }

        /**
         * Sets the directory of recorded latencies, which is created if missing; null means the working directory.
         * Property {@code aeroshmem.latency.dir}.
         *
         * @param latencyDirectoryName to set.
         * @return this for a fluent API.
         */
        public Context latencyDirectoryName(final String latencyDirectoryName)
        {
            return set(ShmemProperty.LATENCY_DIR, latencyDirectoryName);
        }

        /** {@return the directory of recorded latencies; null means the working directory} */
        public String latencyDirectoryName()
        {
            return settings.text(ShmemProperty.LATENCY_DIR);
        }

        /**
         * Sets the length of an interval of the latency log in nanoseconds, from a millisecond to an hour. Property
         * {@code aeroshmem.latency.interval}.
         *
         * @param latencyIntervalNs to set.
         * @return this for a fluent API.
         */
        public Context latencyIntervalNs(final long latencyIntervalNs)
        {
            return set(ShmemProperty.LATENCY_INTERVAL, latencyIntervalNs);
        }

        /** {@return the length of an interval of the latency log in nanoseconds} */
        public long latencyIntervalNs()
        {
            return settings.longValue(ShmemProperty.LATENCY_INTERVAL);
        }

        /**
         * Lists all values.
         *
         * @return one value per line.
         */
        @Override
        public String toString()
        {
            return "Shmem.Context\n{" +
                "\n    isConcluded=" + isConcluded +
                "\n    version=" + version +
                "\n    bootstrap=" + bootstrap +
                "\n    threadFactory=" + threadFactory +
                "\n    aeron=" + aeron +
                "\n    ownsAeronClient=" + ownsAeronClient +
                "\n    mediaDriverAgentInvoker=" + mediaDriverAgentInvoker +
                "\n    errorHandler=" + errorHandler +
                "\n    errorCounter=" + errorCounter +
                "\n    failureHandler=" + failureHandler +
                "\n    terminationHook=" + terminationHook +
                "\n    onGenerationEnd=" + onGenerationEnd +
                settings +
                "\n}";
        }

        private static Thread daemon(final Runnable task)
        {
            final Thread thread = new Thread(task, "aeroshmem");
            thread.setDaemon(true);
            return thread;
        }

        private static void log(final Throwable error)
        {
            final System.Logger logger = System.getLogger("io.aeroshmem");
            if (error instanceof LeftAllocationsException)
            {
                logger.log(System.Logger.Level.WARNING, error.getMessage());
            }
            else
            {
                logger.log(System.Logger.Level.ERROR, "error on a library thread", error);
            }
        }
    }
}
