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
package io.aeroshmem.tests.fault;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.JobState;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.PeProcess;
import io.aeroshmem.tests.fixture.TestDriver;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PePhase;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Kills and stops PEs, media drivers and launchers while the PEs of many jobs are blocked in each of the blocking
 * calls, and prints the time to the exceptions. Two JVMs survive all faults; a third runs the idle PE of each job and
 * is the one that is killed.
 */
@Tag("ci")
@Tag("waits")
class FaultTest
{
    private static final long BOUND_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long SLACK_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long LIVENESS_MS = 10_000;
    private static final long SHORT_LIVENESS_MS = 1_500;
    /** Jobs that join at a time: PEs that join yield and park briefly, so more of them delay the driver. */
    private static final int JOINING = 3;
    private static final int N_PES = 3;
    /** Of random kills: 1, and more in the nightly run. */
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int ROUNDS = 3 * VOLUME;
    private static final int MANY_ROUNDS = 100;
    private static final TransportKind[] TRANSPORTS = {TransportKind.MAPPED, TransportKind.IPC, TransportKind.UDP};
    private static final TransportKind[] MESSAGES = {TransportKind.IPC, TransportKind.UDP};
    /** Situations that the idle PE can end later; init and close leave it no such part. */
    private static final Situation[] RESUMABLE =
    {
        Situation.BARRIER, Situation.FETCH, Situation.WAIT, Situation.CREATE, Situation.LOCK
    };
    private static final PrintStream OUT = System.out;

    /** What ends a job. */
    private enum Fault
    {
        PE_KILLED(TRANSPORTS),
        PE_STOPPED(TRANSPORTS),
        LAUNCHER_KILLED(TRANSPORTS),
        LEADER_KILLED(TRANSPORTS),
        DRIVER_KILLED(MESSAGES),
        DRIVER_STOPPED(MESSAGES);

        private final TransportKind[] transports;

        Fault(final TransportKind... transports)
        {
            this.transports = transports;
        }

        /**
         * Returns the transports over which it meets a situation: one of them, so that each situation meets all faults
         * and all transports; in the nightly run all.
         */
        List<TransportKind> transports(final Situation situation)
        {
            return VOLUME > 1 ? List.of(transports) :
                List.of(transports[(ordinal() + situation.ordinal()) % transports.length]);
        }

        String text()
        {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    private static PeProcess first;
    private static PeProcess second;
    private static PeProcess third;
    private static int jobs;
    private static final List<String> TABLE = new ArrayList<>();
    private static final List<Path> DRIVER_DIRECTORIES = new ArrayList<>();

    private final List<FaultJob> playing = new ArrayList<>();
    private final List<AutoCloseable> resources = new ArrayList<>();

    @BeforeAll
    static void startPool()
    {
        first = PeProcess.take();
        second = PeProcess.take();
        third = PeProcess.take();
        PeProcess.startAhead();
    }

    /** One whose heartbeat stops while the machine is busy is killed by the others of its job. */
    @BeforeEach
    void replaceJvmsThatHaveEnded()
    {
        first = first.orNext();
        second = second.orNext();
    }

    @AfterAll
    static void endPool()
    {
        CloseHelper.closeAll(first, second, third);
        DRIVER_DIRECTORIES.forEach(TestMemory::delete);
        TABLE.forEach(OUT::println);
    }

    /**
     * A driver that is killed does not remove its directory.
     */
    private static Path driverDirectory(final String name)
    {
        final Path directory = TestMemory.root().resolve(name);
        DRIVER_DIRECTORIES.add(directory);
        return directory;
    }

    @AfterEach
    void leaveNothing()
    {
        CloseHelper.closeAll(playing);
        CloseHelper.closeAll(resources);
        JobCleaner.clean(TestMemory.root());
        assertTrue(TestMemory.jobs().isEmpty(), () -> "left: " + JobState.withLocks(TestMemory.jobs()));
    }

    private static void awaitNoJobs(final String what)
    {
        Pe.await(
            () -> TestMemory.jobs().isEmpty(), () -> what + ":\n" + JobState.withLocks(TestMemory.jobs()) +
            "the JVMs: " + first.pid() + ", " + second.pid() + ", " + third.pid());
    }

    @Test
    void shouldReportThatAPeWasKilled()
    {
        final TestDriver driver = driver(LIVENESS_MS);
        final PeProcess victim = victim();
        play(Fault.PE_KILLED, driver.directory(), LIVENESS_MS, victim);
        killAndRecord(Fault.PE_KILLED, victim, playing);
    }

    /** Kills the JVM of the idle PEs of the jobs. */
    private static void killAndRecord(final Fault fault, final PeProcess victim, final List<FaultJob> cast)
    {
        final long killedNs = victim.kill();
        for (final FaultJob job : cast)
        {
            record(fault.text(), job, job.awaitEnds(job.idlePe, killedNs, BOUND_NS, died(job, victim)));
        }
    }

    /**
     * The process of the PE has created the unique ids, runs the rendezvous, leads the node and runs the media drivers.
     */
    @Test
    void shouldReportThatThePeHoldingAllLocksWasKilled()
    {
        final PeProcess leader = victim();
        final List<FaultJob> led = new ArrayList<>();
        for (final Situation situation : RESUMABLE)
        {
            for (final TransportKind transport : Fault.LEADER_KILLED.transports(situation))
            {
                final String name = "met-" + ++jobs;
                FaultPe.send(leader, "id", name);
                final String id = FaultPe.await(leader, name, -1, FaultPe.CREATED)[4];
                led.add(new FaultJob(
                    name, situation, transport, id, null, false, "", LIVENESS_MS, 0, 0, leader, first, second));
            }
        }

        play(led);
        killAndRecord(Fault.LEADER_KILLED, leader, led);
        awaitNoJobs("end of what the leaders have left");
    }

    /**
     * The kill hits the others in different phases of joining.
     */
    @Test
    void shouldReportThatAPeWasKilledWhileItJoined()
    {
        final TestDriver driver = driver(LIVENESS_MS);
        for (int phase = PePhase.ABSENT; phase <= PePhase.RUNNING; phase++)
        {
            final TransportKind transport = TRANSPORTS[phase % TRANSPORTS.length];
            final PeProcess victim = victim();
            // the victim, which is idle, keeps the others from the end of the job
            final FaultJob job = job(
                Situation.BARRIER, transport, null, driver.directory(), LIVENESS_MS, 1, 0, first, victim, second);
            job.play();
            job.awaitRegistered(1);
            job.awaitPhase(1, phase);
            final long killedNs = victim.kill();
            victim.awaitEnd();
            final String met = PePhase.name(job.control().phase(1));
            TABLE.add(row("PE killed, " + met, job, job.awaitDeath(1, killedNs, BOUND_NS)));
        }
    }

    @Test
    void shouldKillAPeThatIsStoppedForTooLong()
    {
        final TestDriver driver = driver(SHORT_LIVENESS_MS);
        final PeProcess victim = victim();
        play(Fault.PE_STOPPED, driver.directory(), SHORT_LIVENESS_MS, victim);
        final long boundNs = TimeUnit.MILLISECONDS.toNanos(SHORT_LIVENESS_MS) / 10 * 12 + SLACK_NS;
        final long stoppedNs = victim.signal("STOP");
        for (final FaultJob job : playing)
        {
            record(Fault.PE_STOPPED.text(), job, job.awaitEnds(job.idlePe, stoppedNs, boundNs, died(job, victim)));
        }

        victim.awaitEnd();
    }

    /**
     * All processes of the jobs, two drivers too, resume after twice the timeout, but not at the same moment: a driver
     * first, another last. Then the idle PE, which has not called the library for twice the timeout in which it ran,
     * is stopped for a part of it.
     */
    @Test
    void shouldGoOnWhenAllProcessesArePausedAndWhenOneIsSlowOrStoppedForAShortTime()
    {
        final List<Path> directories = List.of(driverDirectory("driver-first"), driverDirectory("driver-last"));
        final List<PeProcess> paused = new ArrayList<>();
        paused.add(keep(FaultPe.launchDriver(directories.get(0), SHORT_LIVENESS_MS)));
        final PeProcess[] players = {keep(PeProcess.take()), keep(PeProcess.take()), keep(PeProcess.take())};
        paused.addAll(List.of(players));
        paused.add(keep(FaultPe.launchDriver(directories.get(1), SHORT_LIVENESS_MS)));
        for (final TransportKind transport : TRANSPORTS)
        {
            for (int i = 0; i < RESUMABLE.length; i++)
            {
                final String directory = directories.get(i % directories.size()).toString();
                job(RESUMABLE[i], transport, null, directory, SHORT_LIVENESS_MS, 0, 0, players);
            }
        }

        play(playing);
        stop(2 * SHORT_LIVENESS_MS, paused);
        pass(2 * SHORT_LIVENESS_MS);
        assertHealthy(playing);
        stop(SHORT_LIVENESS_MS / 4, List.of(players[0]));
        pass(SHORT_LIVENESS_MS / 4);
        assertHealthy(playing);
        playing.forEach(FaultJob::go);
        playing.forEach(FaultJob::awaitGoodEnd);
    }

    private static void stop(final long millis, final List<PeProcess> jvms)
    {
        jvms.forEach((jvm) -> jvm.signal("STOP"));
        pass(millis);
        jvms.forEach((jvm) -> jvm.signal("CONT"));
    }

    @Test
    void shouldReportThatTheDriverWasKilled()
    {
        final Path directory = driverDirectory("driver-to-kill");
        final PeProcess driver = keep(FaultPe.launchDriver(directory, LIVENESS_MS));
        play(Fault.DRIVER_KILLED, directory.toString(), LIVENESS_MS, victim());
        final long killedNs = driver.kill();
        awaitDriverFailures(Fault.DRIVER_KILLED, directory, driver, killedNs, BOUND_NS);
    }

    /**
     * Aeron's minimum tolerance is three seconds, because drivers may send a heartbeat only once a second.
     */
    @Test
    void shouldReportThatTheDriverWasStoppedForTooLong()
    {
        final List<PeProcess> users = killTheDriverOfClientsOfPrograms();
        final Path directory = driverDirectory("driver-to-stop");
        final PeProcess driver = keep(FaultPe.launchDriver(directory, SHORT_LIVENESS_MS));
        play(Fault.DRIVER_STOPPED, directory.toString(), SHORT_LIVENESS_MS, victim());
        driver.signal("STOP");
        pass(SHORT_LIVENESS_MS);
        driver.signal("CONT");
        pass(SHORT_LIVENESS_MS / 2);
        assertHealthy(playing);
        final long stoppedNs = driver.signal("STOP");
        awaitDriverFailures(
            Fault.DRIVER_STOPPED, directory, driver, stoppedNs, TimeUnit.SECONDS.toNanos(3) + SLACK_NS);
        FaultPe.await(first, "programs", 0, FaultPe.CLIENT_NOTIFIED);
        users.forEach((user) -> assertTrue(user.isAlive(), "Aeron has ended the JVM"));
    }

    /**
     * The job ends at once. A client with an error handler of its own stays open, and Aeron notifies the handler on
     * detection; one whose handler would end the JVM is closed.
     */
    private List<PeProcess> killTheDriverOfClientsOfPrograms()
    {
        final Path directory = driverDirectory("driver-of-programs");
        final PeProcess driver = keep(FaultPe.launchDriver(directory, LIVENESS_MS));
        final FaultJob job = new FaultJob("programs", Situation.BARRIER, TransportKind.IPC, null,
            JobDirectory.create(TestMemory.root(), N_PES), true, directory.toString(), LIVENESS_MS, 2, 0,
            first, second, victim());
        keep(job).clients(FaultPe.OF_PROGRAM, FaultPe.OF_PROGRAM_WITH_DEFAULT_HANDLER, FaultPe.OF_LIBRARY).play();
        job.awaitBlocked();
        final long killedNs = driver.kill();
        record("driver of program", job, job.awaitEnds(2, killedNs, BOUND_NS, "DriverFailureException: ",
            "media driver in " + directory, "pid " + driver.pid()));
        job.go();
        job.awaitIdle();
        FaultPe.await(first, "programs", 0, FaultPe.CLIENT_OPEN);
        assertFalse(FaultPe.hasReported(second, "programs", 1, FaultPe.CLIENT_OPEN));
        return List.of(first, second);
    }

    private void awaitDriverFailures(
        final Fault fault, final Path directory, final PeProcess driver, final long sinceNs, final long boundNs)
    {
        for (final FaultJob job : playing)
        {
            record(fault.text(), job, job.awaitEnds(job.idlePe, sinceNs, boundNs, "DriverFailureException: ",
                "media driver in " + directory, "pid " + driver.pid()));
        }

        endIdle();
    }

    @Test
    void shouldReportThatTheLauncherWasKilled()
    {
        final TestDriver driver = driver(LIVENESS_MS);
        final PeProcess launcher = keep(PeProcess.take());
        for (final Situation situation : Situation.WAITS)
        {
            for (final TransportKind transport : Fault.LAUNCHER_KILLED.transports(situation))
            {
                final int nPes = Situation.INIT == situation ? N_PES + 1 : N_PES;
                final String id = "launched-" + transport + "-" + situation;
                FaultPe.send(launcher, "create", id, TestMemory.root().toString(), Integer.toString(nPes));
                final Path path = Path.of(FaultPe.await(launcher, id, -1, FaultPe.CREATED)[4]);
                final JobDirectory directory = JobDirectory.open(path);
                cast(situation, transport, directory, driver.directory(), LIVENESS_MS, victim());
            }
        }

        play(playing);
        final long killedNs = launcher.kill();
        for (final FaultJob job : playing)
        {
            record(Fault.LAUNCHER_KILLED.text(), job, job.awaitEnds(job.idlePe, killedNs, BOUND_NS,
                "DriverFailureException: the launcher of the job has failed", "pid " + launcher.pid()));
        }

        endIdle();
        awaitNoJobs("end of what the launcher has left");
    }

    @Test
    void shouldReportKillsAtRandomPoints()
    {
        killAtRandom(ROUNDS);
    }

    @Test
    @Tag("exhaustive")
    void shouldReportManyKillsAtRandomPoints()
    {
        killAtRandom(MANY_ROUNDS);
    }

    private void killAtRandom(final int rounds)
    {
        final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime() & 0xFFFF_FFFFFFFFL);
        OUT.println("kills at random points: -Daeroshmem.test.seed=" + seed);
        final SplittableRandom random = new SplittableRandom(seed);
        final TestDriver driver = driver(LIVENESS_MS);
        long worstNs = 0;
        long worstCloseNs = 0;
        for (int round = 0; round < rounds; round++)
        {
            final TransportKind transport = TRANSPORTS[random.nextInt(TRANSPORTS.length)];
            final int victimPe = random.nextInt(N_PES);
            final PeProcess victim = victim();
            final PeProcess[] players = {first, second, first};
            players[victimPe] = victim;
            players[(victimPe + 1) % N_PES] = first;
            players[(victimPe + 2) % N_PES] = second;
            final FaultJob job = job(Situation.ANYTHING, transport, null, driver.directory(), LIVENESS_MS, victimPe,
                random.nextLong(), players);
            job.play();
            job.awaitRegistered(victimPe);
            job.awaitPhase(victimPe, 0 == random.nextInt(4) ? random.nextInt(PePhase.RUNNING) : PePhase.RUNNING);
            pass(random.nextInt(200));
            final long killedNs = victim.kill();
            final long[] longest = job.awaitDeath(victimPe, killedNs, BOUND_NS);
            worstNs = Math.max(worstNs, longest[0]);
            worstCloseNs = Math.max(worstCloseNs, longest[1]);
        }

        TABLE.add(String.format("%-22s %-8s %-10s %6d ms, close %4d ms", rounds + " kills at random", "all", "any",
            TimeUnit.NANOSECONDS.toMillis(worstNs), TimeUnit.NANOSECONDS.toMillis(worstCloseNs)));
    }

    /** Starts the jobs, at most {@value #JOINING} joining at a time, and waits until their PEs are blocked. */
    private static void play(final List<FaultJob> cast)
    {
        for (int i = 0; i < cast.size(); i++)
        {
            if (i >= JOINING)
            {
                cast.get(i - JOINING).awaitBlocked();
            }

            cast.get(i).play();
        }

        cast.forEach(FaultJob::awaitBlocked);
    }

    private void play(final Fault fault, final String driver, final long livenessMs, final PeProcess idle)
    {
        for (final Situation situation : Situation.WAITS)
        {
            for (final TransportKind transport : fault.transports(situation))
            {
                cast(situation, transport, null, driver, livenessMs, idle);
            }
        }

        play(playing);
    }

    /**
     * The assignment of JVMs to PEs changes from situation to situation; in init all wait for a PE that never joins.
     */
    private void cast(
        final Situation situation,
        final TransportKind transport,
        final JobDirectory launched,
        final String driver,
        final long livenessMs,
        final PeProcess idle)
    {
        final int idlePe = situation.ordinal() % N_PES;
        final PeProcess[] players = new PeProcess[Situation.INIT == situation ? N_PES + 1 : N_PES];
        players[idlePe] = idle;
        players[(idlePe + 1) % N_PES] = first;
        players[(idlePe + 2) % N_PES] = second;
        job(situation, transport, launched, driver, livenessMs, idlePe, 0, players);
    }

    private FaultJob job(
        final Situation situation,
        final TransportKind transport,
        final JobDirectory launched,
        final String driver,
        final long livenessMs,
        final int idlePe,
        final long seed,
        final PeProcess... players)
    {
        final JobDirectory directory =
            null == launched ? JobDirectory.create(TestMemory.root(), players.length) : launched;
        final FaultJob job = new FaultJob("job-" + ++jobs, situation, transport, null, directory, null == launched,
            driver, livenessMs, idlePe, seed, players);
        playing.add(job);
        return job;
    }

    private static String[] died(final FaultJob job, final PeProcess victim)
    {
        return new String[]{
            "PeFailureException: ",
            "PE " + job.idlePe + " (pid " + victim.pid() + ", host " + HostName.local() + ") died",
            "last activity",
            "its log: "};
    }

    private static void assertHealthy(final List<FaultJob> jobs)
    {
        jobs.forEach((job) -> assertFalse(job.control().isFailed(), () -> job + ": " + job.control().failure()));
    }

    /**
     * The idle PEs of failed jobs detect the failure when they call the library.
     */
    private void endIdle()
    {
        for (final FaultJob job : playing)
        {
            job.go();
            job.awaitIdle();
        }
    }

    private TestDriver driver(final long livenessMs)
    {
        return keep(TestDriver.launchForWaits(TimeUnit.MILLISECONDS.toNanos(livenessMs)));
    }

    private <T extends AutoCloseable> T keep(final T resource)
    {
        resources.add(resource);
        return resource;
    }

    /**
     * Returns the JVM to be killed; a new one if it was killed.
     */
    private static PeProcess victim()
    {
        if (!third.isAlive())
        {
            third = PeProcess.take();
            PeProcess.startAhead();
        }

        return third;
    }

    private static void record(final String event, final FaultJob job, final long[] longest)
    {
        TABLE.add(row(event, job, longest));
    }

    private static String row(final String event, final FaultJob job, final long[] longest)
    {
        return String.format("%-22s %-8s %-10s %6d ms, close %4d ms", event, job.transport, job.situation,
            TimeUnit.NANOSECONDS.toMillis(longest[0]), TimeUnit.NANOSECONDS.toMillis(longest[1]));
    }

    private static void pass(final long millis)
    {
        final long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long leftNs = untilNs - System.nanoTime(); leftNs > 0; leftNs = untilNs - System.nanoTime())
        {
            LockSupport.parkNanos(leftNs);
        }
    }
}
