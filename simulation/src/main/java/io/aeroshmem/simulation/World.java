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
package io.aeroshmem.simulation;

import io.aeroshmem.DriverFailureException;
import io.aeroshmem.GlobalExitException;
import io.aeroshmem.OobCollective;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.PeTask;
import io.aeroshmem.ProgressMode;
import io.aeroshmem.Recovery;
import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import io.aeroshmem.simulation.SimulatedNetwork.LostStream;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.endpoint.EndpointContext;
import io.aeroshmem.transport.endpoint.JobProcess;
import io.aeroshmem.transport.endpoint.PeBootstrap;
import io.aeroshmem.transport.endpoint.TransportFilter;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.RetainedHeaps;
import org.agrona.CloseHelper;
import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.IdleStrategy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A job in which one seed decides everything that elsewhere the operating system decides: which PE goes on at each
 * pause, and what time it is. Each PE is a process of its own to the library, with its own lock and liveness thread.
 * Its threads are {@link Actor actors}, of which one at a time has the baton. In half of the worlds the PEs have
 * progress agents, which are polled.
 */
public final class World
{
    /*
     * Clock. Time passes by reading the clock and by pausing, so that no limited loop stands still. When no actor can
     * go on, the clock is set to the time at which the first wakes up.
     *
     * Idle PEs. A PE that has waited in vain would do so again until something changes that may end its wait: so it
     * does not go on before, unless all PEs wait, and for nothing that is about to happen by itself.
     *
     * Quiescence. If every PE has paused QUIET times in vain since one last ended a wait, they wait for each other, and
     * the world reports the calls that they are blocked in. If a PE is dead or held, the clock is set to the next round
     * of the liveness threads instead, which are to detect that.
     *
     * Deaths. A PE that is killed stops wherever it is: nothing is unwound, and its lock is released as the kernel
     * would. When the world has ended, its threads are, with all pauses ended.
     */
    /** Pauses in vain of every PE after which they wait for each other: more than a wait needs to check that itself. */
    static final int QUIET = 2_048;

    private static final long START_NS = TimeUnit.SECONDS.toNanos(1_000);
    private static final long START_MS = 1_700_000_000_000L;
    private static final long READ_NS = 20;
    private static final long PAUSE_NS = 100;
    /** While a death or the end of a stream is to be detected, which takes a while: others may proceed until then. */
    private static final long LOSS_PAUSE_NS = 100_000;
    private static final long BATON_LIMIT_NS = TimeUnit.SECONDS.toNanos(2);
    static final long STUCK_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long END_MS = 10_000;
    /** A job that takes longer does not end. */
    private static final long MAX_PAUSES = 20_000_000;
    /** Rounds of liveness threads after which a death or a stop must have been detected. */
    private static final int MAX_LEAPS = 1_000;
    private static final int LOSS_DELAY = 500;
    private static final long LEAP_NS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Of PEs that share no memory, one step in so many may end the wait of another that no message ends. */
    private static final int RARE = 256;
    private static final long NEVER = -1;
    /** Between the scripts of the generations of a job. */
    private static final String GENERATIONS = "/";
    /** In the names of calls whose time limit the program has set. */
    private static final String TIMED = "timed";
    /** Of the number of times that something may happen by itself while all wait, before one of them polls again. */
    private static final int MAX_IDLE_BITS = 10;
    /** Of the mean number of steps between two operations that take effect, where memory is weak. */
    private static final int MAX_WEAK_INTERVAL_BITS = 7;
    /** Of so many accesses to symmetric memory, one is followed by a step of another actor, unless it is a poll. */
    private static final int ACCESSES = 4;
    /** A program that polls in vain polls again, though nothing has changed, in one of so many cases. */
    private static final int AGAIN = 4;
    /** The system areas are hashed each time that the baton has been passed on so often for each PE. */
    private static final int HASHED = 2;

    private final long seed;
    private final int nPes;
    private final SplittableRandom random;
    private Schedule schedule;
    private int processor;
    private final Trace trace;
    private final Pause pause = new WorldPause();
    private final List<Actor> actors = new ArrayList<>();
    /** The same, all and by PE, for the loops of each step. */
    private Actor[] all = {};
    private final Actor[][] byPe;
    private final List<Actor> runnable = new ArrayList<>();
    private final JobDirectory directory;
    private final JobDirectory[] processes;
    private final boolean[] isDead;
    private final int[] phases;
    /** Between the PEs, if they exchange messages; else null. */
    private SimulatedNetwork network;
    /** If operations take effect later than they are issued; else null. */
    private WeakMemory weakMemory;
    /** One of both, or null. */
    private InFlight inFlight;
    private RetainedHeaps retainedHeaps;
    /** Number of the generation of a job whose program recovers. */
    private final int generation;
    /** Time of faults that has passed in earlier generations, and when this one began. */
    private final long passedNs;
    private final long beginNs;
    /** When the first PE died here, or {@link #NEVER}. */
    private long deathNs = NEVER;
    private TransportKind transport = TransportKind.MAPPED;
    private int networkInterval;
    /** Whether the PEs share no memory but that of the job, so that the network ends nearly all waits. */
    private boolean isApart;
    /** Whether each operation of a communication context, and each access to symmetric memory, is a step. */
    private boolean isStepping;
    private boolean hasAgents;
    /** Null if they are not hashed. */
    private SystemAreas systemAreas;
    private long changes;
    /** The actor in whose step the holder of the baton is, or null; and that holder. */
    private Actor polled;
    private Actor poller;
    /** Of each PE, or empty if all are on one. */
    private int[] hosts = {};
    private boolean isUntilTimeLimits;
    private final Map<String, Exchange> exchanges = new HashMap<>();
    private final StringBuilder script;
    private final List<Event> events = new ArrayList<>();
    private final List<Throwable> causes = new ArrayList<>();
    private final List<Throwable> consequences = new ArrayList<>();
    private final Thread main = Thread.currentThread();

    private volatile Actor holder;
    private volatile long pauses;
    private volatile boolean isEnding;
    private volatile boolean isOver;
    private long nowNs;
    /** Counts the ends of waits. */
    private long event;
    /** Counts what may end the wait of any PE. */
    private long change;
    /** Whether the actors that can go on do so only because no other can. */
    private boolean areAllIdle;
    private int leaps;
    private long stuckNs = STUCK_NS;
    /** Counts the PEs that have left after their program had ended. */
    private int left;
    private boolean isLossPending;
    private int lastChosen;
    private int timesChosen;
    private String deadlock;

    /** Ends the threads of a world that has ended. */
    static final class Ended extends RuntimeException
    {
        private static final long serialVersionUID = 1L;

        Ended()
        {
            super("the simulated world has ended", null, false, false);
        }
    }

    /** What happens at a pause, or at a time, whichever comes later. */
    private record Event(long atPause, long atNs, Runnable action)
    {
        Event(final long atPause, final Runnable action)
        {
            this(atPause, 0, action);
        }
    }

    public World(final long seed, final int nPes)
    {
        this(seed, nPes, 0, new SplittableRandom(seed), new Trace(), new StringBuilder(), START_NS, 0);
    }

    private World(
        final long seed,
        final int nPes,
        final int generation,
        final SplittableRandom random,
        final Trace trace,
        final StringBuilder script,
        final long beginNs,
        final long passedNs)
    {
        this.seed = seed;
        this.nPes = nPes;
        this.generation = generation;
        this.random = random;
        this.trace = trace;
        this.script = script;
        this.beginNs = beginNs;
        this.passedNs = passedNs;
        nowNs = beginNs;
        schedule = Schedule.of(seed + generation, random.split());
        // the token is part of what PEs exchange
        directory = JobDirectory.create(JobDirectory.defaultRoot(), nPes, seed | 1, JobDirectory.SIMULATED);
        directory.control().pause(pause);
        processes = new JobDirectory[nPes];
        isDead = new boolean[nPes];
        phases = new int[nPes];
        byPe = new Actor[nPes][0];
    }

    /** Returns the world of the next generation of this job, whose time and trace go on. */
    World next(final JobFailure failure)
    {
        final World next = new World(
            seed,
            nPes,
            generation + 1,
            random.split(),
            trace,
            new StringBuilder(script() + GENERATIONS),
            nowNs,
            passedNs + (NEVER == deathNs ? nowNs : deathNs) - beginNs);
        next.directory.control().generation(generation + 1, failure);
        next.retainedHeaps = retainedHeaps;
        return next;
    }

    /** Has the threads of this world share the processor of a number. */
    World onProcessor(final int number)
    {
        processor = number;
        return this;
    }

    /** Has the job retain memory for generations that follow. */
    World recovering(final RetainedHeaps heaps)
    {
        retainedHeaps = heaps;
        return this;
    }

    /** Has the actors go on in the order of a script, which an earlier world {@linkplain #script() has recorded}. */
    public World scripted(final String script)
    {
        final String[] generations = script.split(GENERATIONS);
        schedule = generation < generations.length ? Schedule.of(generations[generation], schedule) : schedule;
        return this;
    }

    /** Returns the order in which the actors have gone on. It outlives changes that the meaning of seeds does not. */
    public String script()
    {
        return script.toString() + lastChosen + "*" + timesChosen;
    }

    public long seed()
    {
        return seed;
    }

    /** How the PEs reach each other. */
    public TransportKind transport()
    {
        return transport;
    }

    public Trace trace()
    {
        return trace;
    }

    /**
     * Has the PEs exchange messages, over a network that the seed makes slow or fast, and that refuses some frames.
     */
    public World messages()
    {
        return exchanging(-1);
    }

    /** As {@link #messages()}, with a share of refused frames in percent, or -1 for one by the seed. */
    World exchanging(final int refusalPercent)
    {
        final int mtu = 1024 + 32 * random.nextInt(225);
        final SplittableRandom networkRandom = random.split();
        final int bySeed = random.nextInt(4) > 0 ? 5 : 50;
        final int refusal = refusalPercent < 0 ? bySeed : refusalPercent;
        network = new SimulatedNetwork(networkRandom, 1 << 16, mtu, refusal);
        inFlight = network;
        networkInterval = 1 << random.nextInt(4);
        transport = random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP;
        isApart = true;
        return this;
    }

    /** Has messages take a time, from the least to the most latency, and a stream carry so many bytes per second. */
    World link(final long leastNs, final long mostNs, final double bytesPerSecond)
    {
        network.link(new SimulatedLink(() -> nowNs, leastNs, mostNs, bytesPerSecond));
        return this;
    }

    /** Has one-sided operations take effect in any order, and as late, as OpenSHMEM permits. */
    public World weak()
    {
        weakMemory = new WeakMemory(this, random.split(), nPes);
        inFlight = weakMemory;
        networkInterval = 1 << random.nextInt(MAX_WEAK_INTERVAL_BITS);
        isApart = true;
        return this;
    }

    /** Makes each operation of a communication context, and each access to symmetric memory, a step. */
    public World stepping()
    {
        isStepping = true;
        return this;
    }

    /** Has the PEs run on up to three hosts: those of one map each other, and all others exchange messages. */
    public World severalHosts()
    {
        messages();
        isApart = false;
        transport = TransportKind.AUTO;
        hosts = random.ints(nPes, 0, 3).toArray();
        return this;
    }

    /**
     * Lets time limits pass when all PEs wait for each other, as those do that have made different calls. Without it
     * that is a failure at once.
     */
    public World untilTimeLimits()
    {
        isUntilTimeLimits = true;
        return this;
    }

    /** Has the hash of the trace contain what is in the system areas when the baton is passed on, now and then. */
    public World hashingSystemAreas()
    {
        systemAreas = new SystemAreas(directory);
        return this;
    }

    /** Makes the job a generation of a recoverable one. */
    public World retaining(final RetainedHeaps heaps, final int generation)
    {
        if (generation > 0)
        {
            directory.control().generation(
                generation, new JobFailure(JobFailure.Kind.RECOVERY_REQUESTED, 0, -1, "the next generation"));
        }

        retainedHeaps = heaps;
        return this;
    }

    /** Has a PE die at the pause of this number, of the whole world. */
    public World kill(final int pe, final long atPause)
    {
        events.add(new Event(atPause, () -> kill(pe)));
        return this;
    }

    /**
     * Has something happen after a virtual time from the start of the job, in the generation that is at that time. The
     * detection of a death takes no such time.
     */
    private World after(final long ns, final Runnable action)
    {
        if (0 == generation || ns > passedNs)
        {
            events.add(new Event(0, beginNs + ns - passedNs, action));
        }

        return this;
    }

    /** Has a PE die after a virtual time; after another death, in the next generation of the job. */
    World killAfter(final int pe, final long ns)
    {
        return after(ns, () ->
        {
            if (null == retainedHeaps || NEVER == deathNs || nowNs == deathNs)
            {
                kill(pe);
            }
        });
    }

    /** Has a PE stop after a virtual time, for another. */
    public World pauseAfter(final int pe, final long ns, final long lengthNs)
    {
        return after(ns, () -> hold(pe, true)).after(ns + lengthNs, () -> hold(pe, false));
    }

    /** Cuts a stream after a virtual time, for another, or until all PEs wait for it. */
    public World cutAfter(final long ns, final long lengthNs)
    {
        return after(ns, () -> network.cut()).after(ns + lengthNs, () -> network.mend());
    }

    /** Has the job fail after a time, instead of {@link #STUCK_NS}, in which one actor has kept the baton. */
    World stuckAfter(final long ns)
    {
        stuckNs = ns;
        return this;
    }

    /** Lets a PE go on in one of so many of its turns only, while others can. */
    public World slow(final int pe, final int factor)
    {
        schedule = Schedule.slowing(pe, factor, schedule);
        return this;
    }

    /** Cuts a stream from the pause of this number, for a number of pauses, or until all wait for it. */
    public World cut(final long atPause, final long length)
    {
        events.add(new Event(atPause, () -> network.cut()));
        events.add(new Event(atPause + length, () -> network.mend()));
        return this;
    }

    /** Ends a stream at the pause of this number, or as soon as one is in use. */
    public World loseStream(final long atPause)
    {
        events.add(new Event(atPause, this::loseStream));
        return this;
    }

    /** Has a PE stop at the pause of this number, until it is resumed. */
    public World stop(final int pe, final long atPause)
    {
        events.add(new Event(atPause, () -> hold(pe, true)));
        return this;
    }

    /** Has a stopped PE go on at the pause of this number. */
    public World resume(final int pe, final long atPause)
    {
        events.add(new Event(atPause, () -> hold(pe, false)));
        return this;
    }

    /**
     * Runs a job to its end.
     *
     * @param template configuration of all PEs.
     * @param task     program of each PE, whose pauses are {@link #pause}.
     * @throws SimulationFailure if a PE fails, keeps the baton, or all wait for each other.
     */
    public void run(final Shmem.Context template, final PeTask task)
    {
        runGeneration(template, task);
        final Throwable first = !causes.isEmpty() ? causes.get(0) : consequences.isEmpty() ? null : consequences.get(0);
        if (null != deadlock || null != first)
        {
            throw failure(null == deadlock ? first.toString() : deadlock, first);
        }

        final JobFailure death = 0 == left ? firstDead() : null;
        if (null != death)
        {
            throw failure(death.message(), new PeFailureException(death.pe(), death.message()));
        }
    }

    /**
     * Runs a generation of a job whose program recovers: another one follows the death of a PE, or a request.
     *
     * @return why the generation has ended, or null if the job has: all programs have.
     * @throws SimulationFailure if a PE fails, keeps the baton, or all wait for each other.
     */
    JobFailure runRecovering(final Shmem.Context template, final PeTask task)
    {
        final JobFailure failure = runGeneration(template, task);
        if (null != deadlock || !causes.isEmpty() || null != failure && !isFollowed(failure))
        {
            causes.addAll(consequences);
            final Throwable first = causes.isEmpty() ? null : causes.get(0);
            throw failure(null != deadlock ? deadlock : null == first ? failure.message() : first.toString(), first);
        }

        // a PE leaves when the programs of all have ended
        return left > 0 ? null : null == failure ? firstDead() : failure;
    }

    /** Returns the failure that nobody was left to detect, or null if no PE is dead. */
    private JobFailure firstDead()
    {
        for (int pe = 0; pe < nPes; pe++)
        {
            if (isDead[pe])
            {
                return new JobFailure(JobFailure.Kind.PE_DIED, pe, -1, "PE " + pe + " died: it was killed");
            }
        }

        return null;
    }

    private SimulationFailure failure(final String what, final Throwable first)
    {
        return new SimulationFailure(
            this, nPes, 0 == generation ? what : "generation " + generation + ": " + what, first);
    }

    /** Runs the job to its end, and returns its failure, or null. */
    private JobFailure runGeneration(final Shmem.Context template, final PeTask task)
    {
        hasAgents = random.nextBoolean();
        try
        {
            for (int pe = 0; pe < nPes; pe++)
            {
                newProgram(pe, template, task);
            }

            Processor.start(processor, actors);
            pass(nextThread(null));
            watch();
            final JobFailure failure = directory.control().failure();
            endLeft();
            return failure;
        }
        finally
        {
            discard();
        }
    }

    /** Removes a job that will not run. */
    void discard()
    {
        CloseHelper.close(systemAreas);
        directory.delete();
        directory.close();
    }

    private void newProgram(final int pe, final Shmem.Context template, final PeTask task)
    {
        final Shmem.Context context = template.clone()
            .transport(transport)
            .bootstrap(PeBootstraps.of(new Process(pe), retainedHeaps))
            .progressMode(isStepping ? template.progressMode() : hasAgents ? ProgressMode.AGENT : ProgressMode.INVOKER)
            .waitIdleStrategySupplier(Idle::new)
            .errorHandler(this::onError)
            .threadFactory((service) -> newActor(pe, true, service));
        if (hosts.length > 0)
        {
            context.nodeName("host-" + hosts[pe]);
        }

        newActor(pe, false, () ->
        {
            try
            {
                Shmem.run(context, task);
                left++;
            }
            catch (final Throwable ex)
            {
                if (!isEnding)
                {
                    final Throwable reason = reason(ex);
                    (isConsequence(pe, reason) || isAfterEnd(template) ? consequences : causes).add(reason);
                }
            }
        });
    }

    /** An error on a thread of the library, which is a consequence if the job has failed. */
    private void onError(final Throwable error)
    {
        if (!isEnding && null == directory.control().failure())
        {
            causes.add(error);
        }
    }

    /** Returns the failure of a PE or driver that has caused an exception, or the exception. */
    private static Throwable reason(final Throwable ex)
    {
        Throwable reason = ex;
        while (null != reason && !(reason instanceof PeFailureException) && !(reason instanceof DriverFailureException))
        {
            reason = reason.getCause();
        }

        return null == reason ? ex : reason;
    }

    private boolean isConsequence(final int pe, final Throwable ex)
    {
        return ex instanceof PeFailureException failure && failure.pe() != pe || ex instanceof GlobalExitException;
    }

    /** Returns whether another generation will follow: what leaves a program then is no failure. */
    private boolean isAfterEnd(final Shmem.Context template)
    {
        final JobFailure failure = directory.control().failure();
        return Recovery.NONE != template.recovery() && null != failure && isFollowed(failure);
    }

    /** Returns whether a generation follows one that has ended by a failure. */
    private static boolean isFollowed(final JobFailure failure)
    {
        return JobFailure.Kind.PE_DIED == failure.kind() || JobFailure.Kind.RECOVERY_REQUESTED == failure.kind();
    }

    private Actor newActor(final int pe, final boolean isService, final Runnable task)
    {
        final Actor actor = new Actor(this, pe, actors.size(), isService, task);
        actors.add(actor);
        all = ArrayUtil.add(all, actor);
        byPe[pe] = ArrayUtil.add(byPe[pe], actor);
        return actor;
    }

    /** A pause of a program that polls, in vain so far; what it polls may have proceeded. */
    public void pause()
    {
        pause(true, 0 != random.nextInt(AGAIN));
    }

    /** A pause of a caller that has nothing to do before the memory of its PE has changed. */
    void pauseInVain()
    {
        pause(true);
    }

    /** A point at which others may go on, of a program that has something to do. */
    public void point()
    {
        pause(false);
    }

    /** Returns the number of pauses of all actors so far. */
    public long pauses()
    {
        return pauses;
    }

    /** Returns the virtual time in nanoseconds. */
    public long nanoTime()
    {
        return pause.nanoTime();
    }

    /** Parks the program for a virtual time. */
    public void sleep(final long ns)
    {
        pause.park(this, ns);
    }

    /** Returns an exchange between ranks beside the library, the same for the same name. */
    public OobCollective exchange(final String name, final int rank, final int nRanks)
    {
        return exchanges.computeIfAbsent(name, (key) -> new Exchange(nRanks)).of(rank);
    }

    /** Records in the trace what a program has done. */
    public void record(final int pe, final String operation, final long value)
    {
        trace.add(nowNs, pe, operation, value);
    }

    Actor holder()
    {
        return holder;
    }

    private void pause(final boolean isInVain)
    {
        pause(isInVain, isInVain);
    }

    private void pause(final boolean isInVain, final boolean isIdle)
    {
        final Actor actor = holder;
        if (isEnding || actor != Thread.currentThread())
        {
            if (isEnding)
            {
                throw new Ended();
            }

            throw new IllegalStateException("a thread outside the world pauses: " + Thread.currentThread());
        }

        if (null == polled)
        {
            step(actor, isInVain, isIdle);
        }

        final Actor next = null == polled ? nextThread(isInVain ? actor : null) : nextInStep(actor);
        if (next != actor)
        {
            if (null != systemAreas && 0 == ++changes % (HASHED * nPes))
            {
                trace.mix(systemAreas.checksum());
            }

            pass(next);
            actor.awaitBaton();
        }

        if (isEnding)
        {
            throw new Ended();
        }
    }

    /** What happens at a pause, or after a step of an actor that is polled. */
    private void step(final Actor actor, final boolean isInVain, final boolean isIdle)
    {
        countPause();
        trace.add(nowNs, actor.pe, isInVain ? "wait" : "go", actor.number);
        if (actor.isPolled() ? !isInVain : !actor.isService)
        {
            count(actor, isInVain);
        }

        if (!isIdle)
        {
            wakeNode(actor.pe);
            change += isOneNode() || hasNewPhase(actor.pe) || 0 == random.nextInt(RARE) ? 1 : 0;
        }

        final boolean hasRefused = null != inFlight && inFlight.hasRefused(actor.pe);
        actor.idleSince(isIdle && !hasRefused && (actor.isPolled() || !actor.isService) ? change : NEVER);
        actBetweenSteps();
    }

    private void countPause()
    {
        pauses++;
        nowNs += isLossPending ? LOSS_PAUSE_NS : PAUSE_NS;
    }

    private void actBetweenSteps()
    {
        act();
        if (null != inFlight && 0 == random.nextInt(networkInterval))
        {
            stepNetwork();
        }
    }

    /** Has the actors without thread go on whose turn it is, and returns the one with a thread that is next. */
    private Actor nextThread(final Actor paused)
    {
        Actor next = next(paused);
        while (null != next && next.isPolled())
        {
            final boolean hasWorked = poll(next);
            step(next, !hasWorked, !hasWorked);
            next = next(hasWorked ? null : next);
        }

        return next;
    }

    private boolean poll(final Actor actor)
    {
        polled = actor;
        poller = holder;
        try
        {
            return actor.poll();
        }
        catch (final Ended ex)
        {
            throw ex;
        }
        catch (final Throwable ex)
        {
            onError(ex);
            return true;
        }
        finally
        {
            polled = null;
        }
    }

    /**
     * A pause in a step of an actor that is polled, which waits for room in a stream, or of a service meanwhile.
     * Engines, the network and services end such a wait, and nothing else goes on. Returns the actor that does.
     */
    private Actor nextInStep(final Actor actor)
    {
        countPause();
        if (pauses > MAX_PAUSES)
        {
            throw new IllegalStateException("a step without end of PE " + polled.pe);
        }

        trace.add(nowNs, polled.pe, "wait in a step", actor.number);
        act();
        if (null != inFlight)
        {
            stepNetwork();
        }

        if (actor != poller)
        {
            return poller;
        }

        if (0 == pauses % QUIET)
        {
            nowNs = Math.max(nowNs, Math.min(firstWake(), nowNs + LEAP_NS));
        }

        final List<Actor> agents =
            actors.stream().filter((other) -> other.isPolled() && other.isRunnable(nowNs)).toList();
        if (!agents.isEmpty())
        {
            agents.get(random.nextInt(agents.size())).pollEngines();
        }

        for (final Actor service : actors)
        {
            if (service.isService && !service.isPolled() && service.isRunnable(nowNs))
            {
                service.goOn();
                return service;
            }
        }

        return poller;
    }

    /** Returns whether a PE is in another phase, which others may wait for, than when this was last called. */
    private boolean hasNewPhase(final int pe)
    {
        final int phase = directory.control().phase(pe);
        final boolean isNew = phase != phases[pe];
        phases[pe] = phase;
        return isNew;
    }

    /** What an actor has done may concern the others of its PE. */
    private void wake(final int pe)
    {
        for (final Actor actor : byPe[pe])
        {
            actor.idleSince(NEVER);
        }
    }

    /** What an actor has done may concern those of all PEs that share memory with its PE. */
    private void wakeNode(final int pe)
    {
        if (0 == hosts.length)
        {
            wake(pe);
            return;
        }

        for (int other = 0; other < nPes; other++)
        {
            if (hosts[pe] == hosts[other])
            {
                wake(other);
            }
        }
    }

    /** Returns whether all PEs share memory. */
    private boolean isOneNode()
    {
        return !isApart && 0 == hosts.length;
    }

    private void stepNetwork()
    {
        if (inFlight.stepOfSome())
        {
            event++;
            for (int pe = 0; pe < nPes; pe++)
            {
                if (inFlight.hasMoved(pe))
                {
                    wake(pe);
                }
            }
        }
    }

    /** Returns whether the job has failed. */
    boolean hasFailed()
    {
        return directory.control().isFailed();
    }

    /** An operation may have changed the memory of a PE. */
    void onStore(final int pe)
    {
        event++;
        wake(pe);
    }

    /** An actor has read, or is about to access, a word with this value; if it polls it, others go on. */
    void onAccess(final Actor actor, final long key, final long value)
    {
        if (!isStepping || actor.isService || isEnding)
        {
            return;
        }

        if (actor.hasSeen(key, value))
        {
            pause(true);
        }
        else if (0 == random.nextInt(ACCESSES))
        {
            pause(false);
        }
    }

    private void count(final Actor actor, final boolean isInVain)
    {
        if (!isInVain)
        {
            event++;
            leaps = 0;
        }
        else if (actor.event == event)
        {
            actor.pausesInVain++;
        }
        else
        {
            actor.event = event;
            actor.pausesInVain = 1;
        }
    }

    /** Has events happen whose time has come. */
    private void act()
    {
        for (int i = 0; i < events.size(); i++)
        {
            final Event due = events.get(i);
            if (due.atPause <= pauses && due.atNs <= nowNs)
            {
                events.remove(i--);
                due.action.run();
                change++;
            }
        }
    }

    private void kill(final int pe)
    {
        if (isDead[pe] || hasLeft(pe))
        {
            return;
        }

        // what has not entered the job yet dies when it has
        if (isInStep(pe) || null == processes[pe])
        {
            events.add(new Event(pauses + 1, () -> kill(pe)));
        }
        else
        {
            trace.add(nowNs, pe, "killed", 0);
            isDead[pe] = true;
            deathNs = NEVER == deathNs ? nowNs : deathNs;
            isLossPending = true;
            if (null != network)
            {
                network.kill(pe).forEach(this::onLost);
            }

            if (null != weakMemory)
            {
                weakMemory.kill(pe);
            }

            hold(pe, true);
            processes[pe].close();
        }
    }

    private void loseStream()
    {
        final LostStream lost = network.lose();
        if (null != lost)
        {
            onLost(lost);
        }
        else if (pauses < MAX_PAUSES / 2)
        {
            events.add(new Event(pauses + 1 + random.nextInt(LOSS_DELAY), this::loseStream));
        }
    }

    /** Both ends of a stream see its end later: the receiver on a thread of its own, as that of Aeron's conductor. */
    private void onLost(final LostStream lost)
    {
        isLossPending = true;
        events.add(new Event(pauses + random.nextInt(LOSS_DELAY), () ->
        {
            if (!isDead[lost.receiver()])
            {
                trace.add(nowNs, lost.receiver(), "stream lost", 0);
                newActor(lost.receiver(), true, lost.notification()).start();
            }
        }));
        events.add(new Event(pauses + random.nextInt(LOSS_DELAY), lost.disconnection()));
    }

    private boolean hasLeft(final int pe)
    {
        return actors.stream().noneMatch((actor) -> actor.pe == pe && !actor.isService && actor.isAtWork());
    }

    /** Returns whether a PE waits in the step of an actor that is polled, or runs one that does: then it stays. */
    private boolean isInStep(final int pe)
    {
        return null != polled && (pe == polled.pe || pe == poller.pe);
    }

    private void hold(final int pe, final boolean isHeld)
    {
        if (isInStep(pe))
        {
            events.add(new Event(pauses + 1, () -> hold(pe, isHeld)));
            return;
        }

        trace.add(nowNs, pe, isHeld ? "held" : "resumed", 0);
        event++;
        for (final Actor actor : actors)
        {
            if (actor.pe == pe && (isHeld || !isDead[pe]))
            {
                actor.hold(isHeld);
            }
        }
    }

    /** Returns the actor that goes on, or null if none is left. */
    private Actor next(final Actor paused)
    {
        final boolean isEndless = pauses > MAX_PAUSES;
        if (isEndless || isQuiet() && !leap())
        {
            deadlock = (isEndless ? "the PEs go on endlessly:\n" : "all PEs wait for each other:\n") +
                directory.control().describeAll();
            isEnding = true;
            return null;
        }

        findRunnable();
        do
        {
            while (runnable.isEmpty())
            {
                final long wakeNs = firstWake();
                if (Long.MAX_VALUE == wakeNs)
                {
                    return null;
                }

                nowNs = Math.max(nowNs, wakeNs);
                act();
                findRunnable();
            }

            if (areAllIdle && (isLossPending || !events.isEmpty() || null != inFlight && inFlight.canMove()))
            {
                // meanwhile the last PE may have died
                passPauses();
            }
        }
        while (runnable.isEmpty());

        final Actor next = schedule.next(runnable, paused, areAllIdle);
        recordChoice(next.number);
        next.goOn();
        return next;
    }

    /** Lets pauses go by in which nobody polls in vain, until something has happened that may end a wait. */
    private void passPauses()
    {
        long wakeNs = firstWake();
        long lastEvent = event;
        long lastChange = change;
        for (int left = Math.max(1, networkInterval) << random.nextInt(MAX_IDLE_BITS); areAllIdle && left > 0; left--)
        {
            countPause();
            actBetweenSteps();
            if (event != lastEvent || change != lastChange || nowNs >= wakeNs)
            {
                findRunnable();
                wakeNs = firstWake();
                lastEvent = event;
                lastChange = change;
            }
        }
    }

    private void recordChoice(final int number)
    {
        if (number != lastChosen && timesChosen > 0)
        {
            script.append(lastChosen).append('*').append(timesChosen).append(' ');
            timesChosen = 0;
        }

        lastChosen = number;
        timesChosen++;
    }

    /** Those that are idle would poll in vain, so they only go on where all are. */
    private void findRunnable()
    {
        runnable.clear();
        for (final Actor actor : all)
        {
            if (!actor.isIdleSince(change) && actor.isRunnable(nowNs))
            {
                runnable.add(actor);
            }
        }

        areAllIdle = runnable.isEmpty();
        if (areAllIdle)
        {
            findIdle();
        }
    }

    private void findIdle()
    {
        boolean isAnyGated = false;
        for (final Actor actor : all)
        {
            if (actor.isRunnable(nowNs))
            {
                runnable.add(actor);
                isAnyGated |= !actor.isPolled();
            }
        }

        if (!isAnyGated)
        {
            // agents alone wait for the clock
            runnable.clear();
        }
    }

    /** Returns when the first actor goes on by itself, or something is to happen. */
    private long firstWake()
    {
        long first = Long.MAX_VALUE;
        for (final Event due : events)
        {
            first = due.atNs > nowNs ? Math.min(first, due.atNs) : first;
        }

        for (final Actor actor : all)
        {
            final long wakeNs = actor.wakeNs();
            if (wakeNs > nowNs && wakeNs < first)
            {
                first = wakeNs;
            }
        }

        return first;
    }

    private boolean isQuiet()
    {
        boolean isAnyWaiting = false;
        for (final Actor actor : all)
        {
            if (actor.isService && actor.isParked() && actor.isRunnable(nowNs))
            {
                // the round of a liveness thread is due, which may end the waits
                return false;
            }

            if (!actor.isService && actor.isAtWork() && !actor.isHeld())
            {
                if (actor.isParked() || actor.event != event || actor.pausesInVain < actor.patience())
                {
                    return false;
                }

                isAnyWaiting = true;
            }
        }

        return isAnyWaiting;
    }

    /**
     * Mends a stream that is cut, or lets the liveness threads run, if the end of a stream or a PE that is dead or held
     * is to be detected; returns whether there was any of this.
     */
    private boolean leap()
    {
        if (null != network && network.mend())
        {
            event++;
            return true;
        }

        final long arrivalNs = null == network ? Long.MAX_VALUE : network.nextArrivalNs();
        if (arrivalNs > nowNs && Long.MAX_VALUE != arrivalNs)
        {
            nowNs = arrivalNs;
            event++;
            return true;
        }

        boolean isAnyHeld = isUntilTimeLimits || isLossPending;
        for (final Event due : events)
        {
            isAnyHeld |= due.atNs > nowNs;
        }

        for (final Actor actor : actors)
        {
            isAnyHeld |= actor.isAtWork() && actor.isHeld();
        }

        final long wakeNs = firstWake();
        final boolean isTimed = directory.control().describeAll().contains(TIMED);
        if (!isTimed && (!isAnyHeld || ++leaps > MAX_LEAPS) || Long.MAX_VALUE == wakeNs)
        {
            return false;
        }

        nowNs = wakeNs;
        act();
        for (final Actor actor : actors)
        {
            // a few pauses let all of them look at what the liveness threads found
            actor.pausesInVain = actor.patience() - 8;
        }

        return true;
    }

    private void pass(final Actor next)
    {
        holder = next;
        if (null == next)
        {
            isOver = true;
            LockSupport.unpark(main);
        }
        else
        {
            LockSupport.unpark(next);
        }
    }

    /** The thread of an actor ends. */
    void onEnd(final Actor actor)
    {
        if (!isEnding)
        {
            trace.add(nowNs, actor.pe, "end", actor.number);
            event++;
            change++;
            try
            {
                pass(null == polled ? nextThread(null) : poller);
            }
            catch (final Ended ex)
            {
                LockSupport.unpark(main);
            }
        }
        else
        {
            LockSupport.unpark(main);
        }
    }

    /** Waits for the end, and reports an actor that keeps the baton. */
    private void watch()
    {
        long lastPauses = -1;
        long sinceNs = System.nanoTime();
        boolean isReported = false;
        while (!isOver)
        {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(100));
            final long nowNs = System.nanoTime();
            if (pauses != lastPauses)
            {
                lastPauses = pauses;
                sinceNs = nowNs;
                isReported = false;
            }
            else if (nowNs - sinceNs > BATON_LIMIT_NS && !isReported)
            {
                isReported = true;
                System.err.println("seed " + seed + ": " + stackOfHolder());
            }
            else if (nowNs - sinceNs > stuckNs)
            {
                // what keeps the baton may go on later, and must find that the world has ended
                isEnding = true;
                throw failure(stackOfHolder() + "\nthe PEs are in:\n" + directory.control().describeAll(), null);
            }
        }
    }

    private String stackOfHolder()
    {
        final Actor actor = holder;
        if (null == actor)
        {
            return "no actor has the baton";
        }

        final StringBuilder text = new StringBuilder(actor.getName()).append(" keeps the baton:");
        for (final StackTraceElement element : actor.getStackTrace())
        {
            text.append("\n    at ").append(element);
        }

        return text.toString();
    }

    /** Ends the threads of PEs that were killed, or that wait for each other. */
    private void endLeft()
    {
        isEnding = true;
        for (int i = 0; i < actors.size(); i++)
        {
            final Actor actor = actors.get(i);
            if (actor.isAtWork() && !actor.isPolled())
            {
                holder = actor;
                LockSupport.unpark(actor);
                Threads.join(actor, END_MS);
                if (actor.isAlive())
                {
                    throw failure("it does not end: " + stackOfHolder(), null);
                }
            }
        }
    }

    /** A PE's process. */
    private final class Process implements PeBootstrap
    {
        private final int pe;

        Process(final int pe)
        {
            this.pe = pe;
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
            processes[pe] = JobDirectory.open(directory.path());
            final JobProcess process = new JobProcess(
                processes[pe],
                "pe-" + pe,
                new int[]{pe},
                null,
                pause,
                null == network ? null : network.process(pe),
                new Filter(pe));
            process.enter();
            return process;
        }
    }

    /** What traces the operations of a PE, and delays their effects if the memory is weak. */
    private final class Filter implements TransportFilter
    {
        private final int pe;

        Filter(final int pe)
        {
            this.pe = pe;
        }

        @Override
        public Transport ofLibrary(final Transport transport)
        {
            return new TracedTransport(weakened(transport, true), this::trace);
        }

        @Override
        public Transport ofContexts(final Transport transport)
        {
            return new TracedTransport(weakened(transport, false), isStepping ? this::step : this::trace);
        }

        private Transport weakened(final Transport transport, final boolean isOrdered)
        {
            return null == weakMemory ? transport :
                new WeakTransport(new TracedTransport(transport, this::traceEffect), weakMemory, pe, isOrdered);
        }

        private void trace(
            final String operation, final int peer, final int region, final long offset, final long length,
            final long payload)
        {
            trace.add(nowNs, pe, operation, peer, region, offset, length, payload);
        }

        private void step(
            final String operation, final int peer, final int region, final long offset, final long length,
            final long payload)
        {
            trace(operation, peer, region, offset, length, payload);
            final boolean isRead = TracedTransport.GET.equals(operation) || TracedTransport.FETCH.equals(operation);
            pause(isRead && holder.hasSeen((long)(peer << 2 | region) << 48 ^ offset, payload));
        }

        /** Gets and fetches that wait have their effect when they are issued. */
        private void traceEffect(
            final String operation, final int peer, final int region, final long offset, final long length,
            final long payload)
        {
            if (!TracedTransport.GET.equals(operation) && !TracedTransport.FETCH.equals(operation))
            {
                trace(operation + " takes effect", peer, region, offset, length, payload);
            }
        }
    }

    /** How a caller that is blocked waits. */
    private final class Idle implements IdleStrategy
    {
        @Override
        public void idle(final int workCount)
        {
            await(0 == workCount);
        }

        @Override
        public void idle()
        {
            await(true);
        }

        private void await(final boolean isInVain)
        {
            holder.polling(false);
            pause(isInVain);
        }

        @Override
        public void reset()
        {
        }
    }

    private final class WorldPause extends Pause
    {
        @Override
        public long nanoTime()
        {
            nowNs += READ_NS;
            return nowNs;
        }

        @Override
        public long time()
        {
            return START_MS + TimeUnit.NANOSECONDS.toMillis(nanoTime());
        }

        /** Each poll in vain is followed by a pause. */
        @Override
        public int polls(final int most)
        {
            return 0;
        }

        @Override
        public void step()
        {
            pause(false);
        }

        @Override
        public void poll()
        {
            if (isStepping)
            {
                holder.polling(true);
                pause(true);
            }
        }

        @Override
        public void spin()
        {
            pause(true);
        }

        @Override
        public void yieldThread()
        {
            pause(true);
        }

        @Override
        public void park(final Object blocker, final long ns)
        {
            if (!isEnding && (null == polled || poller != holder))
            {
                holder.parkUntil(nowNs + ns);
            }

            World.this.pause(true);
        }

        @Override
        public void unpark(final Thread thread)
        {
            if (thread instanceof Actor actor)
            {
                actor.unpark();
            }
        }

        @Override
        public void join(final Thread thread, final long timeoutMs)
        {
            while (thread instanceof Actor actor && actor.isAtWork())
            {
                World.this.pause(true);
            }

            super.join(thread, timeoutMs);
        }
    }
}
