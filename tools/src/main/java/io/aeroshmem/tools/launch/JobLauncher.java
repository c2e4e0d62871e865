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
package io.aeroshmem.tools.launch;

import io.aeroshmem.bootstrap.LauncherBootstrap;
import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.tools.ExitCode;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.aeron.EmbeddedDriver;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Runs one job: a process per PE on this host, from the job directory's creation to its removal.
 * <p>
 * Whichever way the job goes, nothing of it is left: {@link #close()} ends the PEs that still live, closes the driver
 * if one was embedded, and deletes the job directory. It may be called from a shutdown hook while {@link #run()} is on
 * another thread; the two meet in the monitor of this object, which guards the list of processes and the stages of
 * closing. Should the launcher itself be killed, the PEs notice that the lock it holds on the job directory is free and
 * end by themselves, and the next launcher removes the directory.
 */
public final class JobLauncher implements AutoCloseable
{
    /**
     * How long, in milliseconds, the other PEs may take to notice a failure and end by themselves before they get
     * SIGTERM: long enough to print what they have to say.
     */
    static final long NOTICE_MS = 500;

    /**
     * How long, in milliseconds, a PE may take to end after SIGTERM before it gets SIGKILL.
     */
    static final long GRACE_MS = 2_000;

    private static final long JOINING_POLL_MS = 2;
    private static final long RUNNING_POLL_MS = 100;
    private static final long NEVER = Long.MAX_VALUE;

    private final Context ctx;
    private final BlockingQueue<PeProcess> ends = new LinkedBlockingQueue<>();
    private final List<PeProcess> processes = new ArrayList<>();
    private final boolean[] isEnded;
    private JobDirectory job;
    private EmbeddedDriver driver;
    private int exitCode = ExitCode.OK;
    private long terminateAtNs = NEVER;
    private long killAtNs = NEVER;
    private volatile boolean isClosing;
    private boolean isClosed;
    private boolean isDesertionReported;

    /**
     * A launcher for one job; nothing is started yet.
     *
     * @param ctx concluded here.
     */
    public JobLauncher(final Context ctx)
    {
        ctx.conclude();
        this.ctx = ctx;
        isEnded = new boolean[ctx.nPes];
    }

    /**
     * Runs a job to its end, also when the process of the launcher is told to end meanwhile (Ctrl-C, SIGTERM): a
     * shutdown hook then ends the PEs and cleans up.
     *
     * @param ctx what to run.
     * @return the exit code, see {@link #run()}.
     * @throws InterruptedException if the calling thread was interrupted.
     * @throws IOException          if a process cannot be started.
     */
    public static int launch(final Context ctx) throws InterruptedException, IOException
    {
        try (JobLauncher launcher = new JobLauncher(ctx))
        {
            Runtime.getRuntime().addShutdownHook(new Thread(launcher::close, "end-of-launcher"));
            return launcher.run();
        }
    }

    /**
     * Removes dead jobs, runs this one to its end and says on the error stream why it failed, if it did.
     *
     * @return 0, or the first nonzero exit code of a PE, or {@link ExitCode#TIMEOUT}, or {@link ExitCode#FAILURE} if a
     * PE left the others alone with exit code 0.
     * @throws InterruptedException if the calling thread was interrupted; {@link #close()} then ends the job.
     * @throws IOException          if a process cannot be started.
     */
    public int run() throws InterruptedException, IOException
    {
        JobCleaner.clean(ctx.root);
        open();
        final long timeoutAtNs = null == ctx.timeout ? NEVER : System.nanoTime() + ctx.timeout.toNanos();
        for (int pe = 0; pe < ctx.nPes; pe++)
        {
            start(pe);
        }
        int alive = ctx.nPes;
        while (alive > 0 && !isClosing)
        {
            final PeProcess ended = ends.poll(pollMs(), TimeUnit.MILLISECONDS);
            if (null != ended)
            {
                alive--;
                onEnd(ended);
            }
            serveDriverRequest();
            findDeserters();
            final long nowNs = System.nanoTime();
            if (NEVER != timeoutAtNs && nowNs - timeoutAtNs >= 0 && NEVER == terminateAtNs)
            {
                onTimeout(nowNs);
            }
            pressOn(nowNs);
        }
        return exitCode;
    }

    /**
     * The directory of the job.
     *
     * @return the path, or null before {@link #run()} made it.
     */
    public synchronized Path directory()
    {
        return null == job ? null : job.path();
    }

    /**
     * Ends what is left of the job (SIGTERM, after a grace SIGKILL) and removes its directory. Idempotent, any thread.
     */
    @Override
    public void close()
    {
        isClosing = true;
        synchronized (this)
        {
            if (!isClosed)
            {
                isClosed = true;
                endProcesses();
                closeJob();
            }
        }
    }

    private synchronized void open()
    {
        if (!isClosing)
        {
            job = JobDirectory.create(ctx.root, ctx.nPes);
        }
    }

    private synchronized void start(final int pe) throws IOException
    {
        if (isClosing)
        {
            return;
        }
        final ProcessBuilder builder = new ProcessBuilder(ctx.command(pe));
        final Map<String, String> environment = builder.environment();
        environment.put(LauncherBootstrap.JOB_DIR_ENV, job.path().toString());
        environment.put(LauncherBootstrap.PE_ENV, Integer.toString(pe));
        environment.put(LauncherBootstrap.NPES_ENV, Integer.toString(ctx.nPes));
        builder.redirectInput(0 == pe ? Redirect.INHERIT : Redirect.from(new File("/dev/null")));
        if (!ctx.tagOutput)
        {
            builder.redirectOutput(Redirect.INHERIT).redirectError(Redirect.INHERIT);
        }
        final Process process = builder.start();
        final PeProcess started = ctx.tagOutput ?
            new PeProcess(pe, process,
                copier(pe, process.getInputStream(), ctx.output), copier(pe, process.getErrorStream(), ctx.error)) :
            new PeProcess(pe, process);
        processes.add(started);
        process.onExit().thenRun(() -> ends.add(started));
    }

    private Thread copier(final int pe, final InputStream source, final PrintStream destination)
    {
        final TaggedLines lines = new TaggedLines("[pe " + pe + "] ", source, destination,
            (ex) -> say("cannot read the output of PE " + pe + ": " + ex.getMessage()));
        final Thread thread = new Thread(lines, "output-of-pe-" + pe);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /**
     * A PE that joins may ask for a driver, and should not wait for it; later there is nothing to be quick about.
     */
    private long pollMs()
    {
        if (null != driver || NEVER != terminateAtNs)
        {
            return RUNNING_POLL_MS;
        }
        final Control control = job.control();
        for (int pe = 0; pe < ctx.nPes; pe++)
        {
            if (!isEnded[pe] && control.phase(pe) < PePhase.CONNECTED)
            {
                return JOINING_POLL_MS;
            }
        }
        return RUNNING_POLL_MS;
    }

    private synchronized void serveDriverRequest()
    {
        if (isClosing || null != driver || !EmbeddedDriver.isWanted(job.control()))
        {
            return;
        }
        try
        {
            driver = EmbeddedDriver.start(
                job, ctx.livenessTimeoutNs, (ex) -> say("media driver: " + ex.getMessage()));
        }
        catch (final TransportException ex)
        {
            // the PEs have been told and end the job
            say(ex.getMessage());
        }
    }

    private void onEnd(final PeProcess ended)
    {
        final int pe = ended.pe();
        final int code = ended.exitCode();
        isEnded[pe] = true;
        final int phase = job.control().phase(pe);
        if (0 != code)
        {
            onFailure(pe, code, ended.describeEnd());
        }
        else if (PePhase.ABSENT != phase && phase < PePhase.CLOSED && !job.control().isFailed())
        {
            onFailure(pe, ExitCode.FAILURE, ended.describeEnd() + " without closing its Shmem");
        }
    }

    /**
     * A PE that ended without joining, while others did join, leaves them waiting for it.
     */
    private void findDeserters()
    {
        if (NEVER != terminateAtNs || isDesertionReported)
        {
            return;
        }
        final Control control = job.control();
        int absent = -1;
        boolean isJoined = false;
        for (int pe = 0; pe < ctx.nPes; pe++)
        {
            final boolean isAbsent = PePhase.ABSENT == control.phase(pe);
            isJoined |= !isAbsent;
            if (isAbsent && isEnded[pe])
            {
                absent = pe;
            }
        }
        if (isJoined && absent >= 0 && !control.isFailed())
        {
            isDesertionReported = true;
            final String what = "PE " + absent + " ended without joining the job that others joined";
            onFailure(absent, ExitCode.FAILURE, what);
            // told also with --keep-going: the others cannot notice by themselves the death of what was never there
            control.fail(ctx.nPes, new JobFailure(JobFailure.Kind.PE_DIED, absent, ExitCode.OK, what));
        }
    }

    private void onFailure(final int pe, final int code, final String what)
    {
        final boolean isFirst = ExitCode.OK == exitCode;
        if (isFirst)
        {
            exitCode = code;
        }
        if (isClosing || NEVER != terminateAtNs)
        {
            return;
        }
        final int others = aliveCount();
        final JobFailure cause = job.control().failure();
        final String because = null == cause || (cause.pe() == pe && cause.kind() == JobFailure.Kind.PE_DIED) ?
            "" : "; " + cause.message();
        if (ctx.keepGoing)
        {
            say(what + because);
            return;
        }
        say(what + because + (0 == others ? "" : "; ending the other " + (1 == others ? "PE" : others + " PEs")));
        job.control().fail(ctx.nPes, new JobFailure(JobFailure.Kind.PE_DIED, pe, code, what));
        terminateAtNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(NOTICE_MS);
    }

    private void onTimeout(final long nowNs)
    {
        exitCode = ExitCode.TIMEOUT;
        say("the job did not end within " + ctx.timeoutText() + " (--timeout); ending its " + aliveCount() + " PEs");
        terminateAtNs = nowNs;
    }

    private void pressOn(final long nowNs)
    {
        if (NEVER != terminateAtNs && NEVER == killAtNs && nowNs - terminateAtNs >= 0)
        {
            killAtNs = nowNs + TimeUnit.MILLISECONDS.toNanos(GRACE_MS);
            processes.stream().filter(PeProcess::isAlive).forEach(PeProcess::terminate);
        }
        else if (NEVER != killAtNs && nowNs - killAtNs >= 0)
        {
            processes.stream().filter(PeProcess::isAlive).forEach(PeProcess::kill);
        }
    }

    private int aliveCount()
    {
        return (int)processes.stream().filter(PeProcess::isAlive).count();
    }

    private void endProcesses()
    {
        if (null != job && processes.stream().anyMatch(PeProcess::isAlive))
        {
            job.control().fail(ctx.nPes,
                new JobFailure(JobFailure.Kind.LAUNCHER_DIED, -1, ExitCode.FAILURE, "the launcher is ending the job"));
            processes.stream().filter(PeProcess::isAlive).forEach(PeProcess::terminate);
            final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GRACE_MS);
            for (final PeProcess process : processes)
            {
                process.awaitEnd(deadlineNs);
            }
            for (final PeProcess process : processes)
            {
                process.kill();
                process.awaitEnd(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GRACE_MS));
            }
        }
        processes.forEach((process) -> process.awaitOutput(GRACE_MS));
    }

    private void closeJob()
    {
        if (null != driver)
        {
            driver.close();
        }
        if (null != job)
        {
            job.delete();
            job.close();
        }
    }

    private void say(final String line)
    {
        synchronized (ctx.error)
        {
            ctx.error.println("aeroshmem: " + line);
            ctx.error.flush();
        }
    }

    /**
     * What to run and how.
     */
    public static final class Context
    {
        private Path root;
        private int nPes;
        private String classPath;
        private String mainClass;
        private List<String> jvmOptions = List.of();
        private List<String> arguments = List.of();
        private Duration timeout;
        private long livenessTimeoutNs = TimeUnit.SECONDS.toNanos(10);
        private boolean tagOutput;
        private boolean keepGoing;
        private PrintStream output = System.out;
        private PrintStream error = System.err;

        /**
         * A context without a program.
         */
        public Context()
        {
        }

        /**
         * The directory under which the job's directory is made.
         *
         * @param root an existing directory; {@link JobDirectory#defaultRoot()} by default.
         * @return this for a fluent API.
         */
        public Context root(final Path root)
        {
            this.root = root;
            return this;
        }

        /**
         * Number of PEs.
         *
         * @param nPes at least 1.
         * @return this for a fluent API.
         */
        public Context nPes(final int nPes)
        {
            this.nPes = nPes;
            return this;
        }

        /**
         * Class path of the program; that of the launcher is appended.
         *
         * @param classPath as in the {@code java} command; null for none.
         * @return this for a fluent API.
         */
        public Context classPath(final String classPath)
        {
            this.classPath = classPath;
            return this;
        }

        /**
         * Class whose {@code main} every PE runs.
         *
         * @param mainClass binary name.
         * @return this for a fluent API.
         */
        public Context mainClass(final String mainClass)
        {
            this.mainClass = mainClass;
            return this;
        }

        /**
         * Options for the JVM of each PE, besides those AeroSHMEM needs.
         *
         * @param jvmOptions such as {@code -Xmx1g}.
         * @return this for a fluent API.
         */
        public Context jvmOptions(final List<String> jvmOptions)
        {
            this.jvmOptions = List.copyOf(jvmOptions);
            return this;
        }

        /**
         * Arguments of the program.
         *
         * @param arguments passed to {@code main} of every PE.
         * @return this for a fluent API.
         */
        public Context arguments(final List<String> arguments)
        {
            this.arguments = List.copyOf(arguments);
            return this;
        }

        /**
         * After which silence the embedded media driver gives a PE up; its other timeouts follow.
         *
         * @param livenessTimeoutNs of the job; 10 s by default.
         * @return this for a fluent API.
         */
        public Context livenessTimeoutNs(final long livenessTimeoutNs)
        {
            this.livenessTimeoutNs = livenessTimeoutNs;
            return this;
        }

        /**
         * How long the job may take.
         *
         * @param timeout or null for no limit.
         * @return this for a fluent API.
         */
        public Context timeout(final Duration timeout)
        {
            this.timeout = timeout;
            return this;
        }

        /**
         * Whether each line that a PE prints is preceded by the PE's number. Otherwise PEs inherit the launcher's
         * standard output and error.
         *
         * @param tagOutput true to tag.
         * @return this for a fluent API.
         */
        public Context tagOutput(final boolean tagOutput)
        {
            this.tagOutput = tagOutput;
            return this;
        }

        /**
         * Whether PEs go on when one failed, until they notice by themselves.
         *
         * @param keepGoing false to end them.
         * @return this for a fluent API.
         */
        public Context keepGoing(final boolean keepGoing)
        {
            this.keepGoing = keepGoing;
            return this;
        }

        /**
         * Where tagged output goes.
         *
         * @param output {@link System#out} by default.
         * @return this for a fluent API.
         */
        public Context output(final PrintStream output)
        {
            this.output = output;
            return this;
        }

        /**
         * Where tagged errors and the launcher's own lines go.
         *
         * @param error {@link System#err} by default.
         * @return this for a fluent API.
         */
        public Context error(final PrintStream error)
        {
            this.error = error;
            return this;
        }

        private void conclude()
        {
            if (nPes < 1)
            {
                throw new IllegalArgumentException("number of PEs is " + nPes + ", allowed: 1 or more");
            }
            if (null == mainClass)
            {
                throw new IllegalArgumentException("no main class was given");
            }
            if (null == root)
            {
                root = JobDirectory.defaultRoot();
            }
            requireMainClass();
        }

        private void requireMainClass()
        {
            try
            {
                if (!ClassPath.contains(ClassPath.withLauncher(classPath), mainClass))
                {
                    throw new IllegalArgumentException("there is no class " + mainClass + " on the class path" +
                        (null == classPath ? ": no -cp was given" : " " + classPath));
                }
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException("cannot read the class path " + classPath, ex);
            }
        }

        private String timeoutText()
        {
            return PropertyParser.formatDuration(timeout.toNanos());
        }

        private List<String> command(final int pe)
        {
            final List<String> command = new ArrayList<>(JvmCommand.java());
            command.addAll(jvmOptions);
            command.add("-cp");
            command.add(ClassPath.withLauncher(classPath));
            command.add(mainClass);
            command.addAll(arguments);
            return command;
        }
    }
}
