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

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeroshmem.Bootstrap;
import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import io.aeroshmem.UniqueId;
import io.aeroshmem.bootstrap.DirectoryBootstraps;
import io.aeroshmem.tests.fixture.PeProcess;
import io.aeroshmem.tests.fixture.Player;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.job.JobDirectory;
import org.agrona.concurrent.SleepingMillisIdleStrategy;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs PEs in a JVM of the pool, any number of them at a time, each on a thread, and media drivers. It reports events
 * on standard output, as lines of fields that begin with {@link #MARK}.
 */
public final class FaultPe implements Player
{
    private static final String MARK = "@";
    private static final String SEPARATOR = "\t";
    static final String ID = "id:";
    static final String CREATED = "created";
    static final String READY = "ready";
    static final String BLOCKED = "blocked";
    static final String DONE = "done";
    static final String RETURNED = "returned";
    static final String CLIENT_NOTIFIED = "client notified";
    static final String CLIENT_OPEN = "client open";
    static final String OF_LIBRARY = "library";
    static final String OF_PROGRAM = "program";
    /** With the error handler that Aeron has by default, which ends the JVM. */
    static final String OF_PROGRAM_WITH_DEFAULT_HANDLER = "program with default handler";
    static final long CLIENT_MS = 3_000;

    /** Long, because dozens of jobs share the processors. */
    private static final int IDLE_MS = 10;
    private static final long LOOPS_WHEN_BLOCKED = 5;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final String WAITING = "io.aeroshmem.transport.progress.BlockingWait";
    private static final PrintStream OUT = System.out;

    private final Map<String, CountDownLatch> goByJob = new ConcurrentHashMap<>();
    private final List<JobDirectory> created = new ArrayList<>();

    private final List<MediaDriver> drivers = new ArrayList<>();

    /** Returns a JVM of the pool that runs a media driver, when that runs. */
    static PeProcess launchDriver(final Path directory, final long livenessMs)
    {
        final PeProcess process = PeProcess.take();
        send(process, "driver", directory.toString(), Long.toString(livenessMs));
        await(process, directory.toString(), -1, READY);
        return process;
    }

    /** Sends words to the player of this class in a JVM of the pool. */
    static void send(final PeProcess process, final String... words)
    {
        final String[] all = new String[words.length + 1];
        all[0] = FaultPe.class.getName();
        System.arraycopy(words, 0, all, 1, words.length);
        process.send(all);
    }

    /**
     * Waits for an event of this kind.
     *
     * @return all fields: mark, job, PE, kind, then what belongs to the kind.
     */
    static String[] await(final PeProcess process, final String job, final int pe, final String kind)
    {
        return process.awaitLine(event(job, pe, kind), SEPARATOR).split(SEPARATOR, -1);
    }

    static boolean hasReported(final PeProcess process, final String job, final int pe, final String kind)
    {
        return process.line(event(job, pe, kind), SEPARATOR).isPresent();
    }

    private static String event(final String job, final int pe, final String kind)
    {
        return String.join(SEPARATOR, MARK, job, Integer.toString(pe), kind);
    }

    @Override
    public void obey(final String[] words)
    {
        switch (words[0])
        {
            case "create":
                final JobDirectory directory = JobDirectory.create(Path.of(words[2]), Integer.parseInt(words[3]));
                created.add(directory);
                report(words[1], -1, CREATED, directory.path().toString());
                break;

            case "id":
                report(words[1], -1, CREATED, HexFormat.of().formatHex(UniqueId.create().toBytes()));
                break;

            case "go":
                goByJob.computeIfAbsent(words[1], (key) -> new CountDownLatch(1)).countDown();
                break;

            case "driver":
                drivers.add(EmbeddedDriver.launch(
                    EmbeddedDriver.context(TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[2])))
                    .sharedIdleStrategy(new SleepingMillisIdleStrategy()).aeronDirectoryName(words[1])));
                report(words[1], -1, READY);
                break;

            case "play":
                final Thread thread = new Thread(() -> play(words), "job-" + words[1]);
                thread.setDaemon(true);
                thread.start();
                break;

            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    /**
     * @param words play, job, directory or {@link #ID} and a unique id, PE, number of PEs, transport, directory of the
     *              driver or nothing, liveness timeout in ms, situation, idle PE, seed, whose Aeron client: {@link
     *              #OF_LIBRARY} or another, root of job directories.
     */
    private void play(final String[] words)
    {
        final String job = words[1];
        final int pe = Integer.parseInt(words[3]);
        final Situation situation = Situation.valueOf(words[8]);
        final int idlePe = Integer.parseInt(words[9]);
        String outcome = RETURNED;
        Shmem shmem = null;
        Aeron client = null;
        try
        {
            client = client(words[11], words[6], job, pe);
            shmem = Shmem.init(new Shmem.Context()
                .bootstrap(bootstrap(words[2], pe, Integer.parseInt(words[4])))
                .transport(TransportKind.valueOf(words[5]))
                .aeronDirectoryName(words[6].isEmpty() ? null : words[6])
                .aeron(client)
                .livenessTimeoutNs(TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[7])))
                .shmDirectoryName(words[12])
                .termLength(1 << 16)
                .heapSize(1 << 16)
                .idleStrategySupplier(() -> new SleepingMillisIdleStrategy(IDLE_MS))
                .waitIdleStrategySupplier(() -> new SleepingMillisIdleStrategy(IDLE_MS))
                .errorHandler((ex) -> report(job, pe, "error", ex.toString())));
            final CountDownLatch go = goByJob.computeIfAbsent(job, (key) -> new CountDownLatch(1));
            final Scene scene = new Scene(
                shmem, idlePe, Long.parseLong(words[10]), go, () -> report(job, pe, READY));
            if (!scene.isIdle())
            {
                watch(job, pe, scene, Thread.currentThread());
            }

            situation.run(scene);
        }
        catch (final Throwable ex)
        {
            outcome = outcome(ex);
        }

        final long endNs = System.nanoTime();
        final String closing = null == shmem ? "" : close(shmem);
        report(job, pe, DONE, Long.toString(endNs), Long.toString(System.nanoTime() - endNs), closing, outcome);
        if (null != client && !client.isClosed())
        {
            report(job, pe, CLIENT_OPEN);
        }
    }

    private static Bootstrap bootstrap(final String where, final int pe, final int nPes)
    {
        return where.startsWith(ID) ?
            Bootstrap.uniqueId(pe, nPes, UniqueId.fromBytes(HexFormat.of().parseHex(where.substring(ID.length())))) :
            DirectoryBootstraps.of(Path.of(where), pe, nPes);
    }

    /**
     * Returns a client of the program's own, with the shortest driver timeout that Aeron allows.
     */
    private static Aeron client(final String owner, final String directory, final String job, final int pe)
    {
        final Aeron.Context context = new Aeron.Context().aeronDirectoryName(directory).driverTimeoutMs(CLIENT_MS);
        switch (owner)
        {
            case OF_PROGRAM:
                return Aeron.connect(context.errorHandler((ex) -> report(job, pe, CLIENT_NOTIFIED, ex.toString())));

            case OF_PROGRAM_WITH_DEFAULT_HANDLER:
                return Aeron.connect(context);

            default:
                return null;
        }
    }

    /**
     * Closes twice, the first time on another thread than the PE's own.
     */
    private static String close(final Shmem shmem)
    {
        final StringBuffer problems = new StringBuffer();
        final Thread closer = new Thread(() ->
        {
            try
            {
                shmem.close();
            }
            catch (final Throwable ex)
            {
                problems.append(ex);
            }
        });
        closer.start();
        try
        {
            closer.join();
            shmem.close();
        }
        catch (final Throwable ex)
        {
            problems.append(ex);
        }

        return problems.toString();
    }

    /**
     * Reports when the PE is blocked in a call, or has completed many.
     */
    private static void watch(final String job, final int pe, final Scene scene, final Thread player)
    {
        final Thread watcher = new Thread(() ->
        {
            while (player.isAlive() && !(scene.isReady() &&
                (scene.loops() > LOOPS_WHEN_BLOCKED || isWaiting(player))))
            {
                LockSupport.parkNanos(POLL_NS);
            }

            report(job, pe, BLOCKED);
        });
        watcher.setDaemon(true);
        watcher.start();
    }

    private static boolean isWaiting(final Thread player)
    {
        for (final StackTraceElement element : player.getStackTrace())
        {
            if (WAITING.equals(element.getClassName()))
            {
                return true;
            }
        }

        return false;
    }

    private static String outcome(final Throwable thrown)
    {
        final StringBuilder text = new StringBuilder();
        for (Throwable ex = thrown; null != ex; ex = ex.getCause())
        {
            text.append(text.length() > 0 ? " by " : "").append(ex.getClass().getSimpleName());
        }

        return text.append(": ").append(thrown.getMessage()).toString();
    }

    private static void report(final String job, final int pe, final String... fields)
    {
        final String line = event(job, pe, String.join(SEPARATOR, fields)).replace('\n', ' ');
        synchronized (OUT)
        {
            OUT.println(line);
            OUT.flush();
        }
    }
}
