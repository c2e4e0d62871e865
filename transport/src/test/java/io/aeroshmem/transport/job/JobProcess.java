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
package io.aeroshmem.transport.job;

import io.aeroshmem.transport.Pause;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A second process of a job. It executes commands from its standard input, a line each, replies to each with a line,
 * and ends when its input closes, so that it does not outlive the test.
 */
final class JobProcess implements AutoCloseable
{
    private final Process process;
    private final BufferedReader output;
    private final PrintStream input;

    private JobProcess(final Process process)
    {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    static JobProcess start() throws IOException
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String argument : ManagementFactory.getRuntimeMXBean().getInputArguments())
        {
            if (argument.startsWith("--"))
            {
                command.add(argument);
            }
        }

        command.addAll(List.of(
            "-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData",
            "-cp", System.getProperty("java.class.path"),
            JobProcess.class.getName()));

        return new JobProcess(
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    static JobProcess startPe(final Path directory, final int pe) throws IOException
    {
        final JobProcess process = start();
        process.command("pe " + pe + ' ' + directory);

        return process;
    }

    long pid()
    {
        return process.pid();
    }

    String command(final String line) throws IOException
    {
        input.println(line);
        final String answer = output.readLine();
        assertTrue(null != answer && !answer.startsWith("error"), () -> line + " -> " + answer);

        return answer;
    }

    void kill()
    {
        process.destroyForcibly();
        assertTrue(null != process.onExit().completeOnTimeout(null, 30, TimeUnit.SECONDS).join());
    }

    void signal(final String name) throws IOException, InterruptedException
    {
        final Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).inheritIO().start();
        assertEquals(0, kill.waitFor());
    }

    boolean isAlive()
    {
        return process.isAlive();
    }

    /** Kills it: a process that is stopped would not notice that its input is closed. */
    @Override
    public void close()
    {
        kill();
    }

    /**
     * The other side.
     *
     * @param args none.
     * @throws IOException if the test has ended.
     */
    public static void main(final String[] args) throws IOException
    {
        final Part part = new Part();
        final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)))
        {
            for (String line = in.readLine(); null != line; line = in.readLine())
            {
                String answer;
                try
                {
                    answer = part.obey(line.split(" "));
                }
                catch (final RuntimeException ex)
                {
                    ex.printStackTrace();
                    answer = "error " + ex;
                }

                out.println(answer);
            }
        }

        // The test no longer needs this process, or has ended itself: no shutdown hook may run.
        Runtime.getRuntime().halt(0);
    }

    private static final class Part
    {
        private JobDirectory directory;
        private Liveness liveness;
        private ProcessLock lock;
        private int pe = -1;

        String obey(final String[] words)
        {
            switch (words[0])
            {
                case "create":
                    directory = JobDirectory.create(Path.of(words[2]), Integer.parseInt(words[1]));
                    return directory.path().toString();

                case "open":
                    directory = JobDirectory.open(Path.of(words[1]));
                    return "opened";

                case "pe":
                    register(Integer.parseInt(words[1]), JobDirectory.open(Path.of(words[2])));
                    return "registered";

                case "fail":
                    return Boolean.toString(directory.control().fail(
                        pe, new JobFailure(JobFailure.Kind.PE_FAILED, pe, 3, words[1])));

                case "held":
                    return Boolean.toString(ProcessLock.isHeld(Path.of(words[1])));

                case "clean":
                    return Integer.toString(JobCleaner.clean(Path.of(words[1])).size());

                case "clean-until-job-count":
                    return cleanUntil(Path.of(words[1]), Integer.parseInt(words[2]));

                case "leave":
                    leave();
                    return "left";

                default:
                    throw new IllegalArgumentException(words[0]);
            }
        }

        private void register(final int newPe, final JobDirectory newDirectory)
        {
            pe = newPe;
            directory = newDirectory;
            lock = directory.lockProcess("pe-" + pe);
            final ProcessIdentity self = ProcessIdentity.current();
            final ControlFile control = directory.control();
            control.register(pe, self.pid(), self.startTime(), lock.path().getFileName().toString());
            control.phase(pe, PePhase.RUNNING);
            liveness = new Liveness(
                directory, new int[]{ pe }, false, 0, Thread::new, Throwable::printStackTrace, Pause.SYSTEM);
            liveness.start();
        }

        private void leave()
        {
            liveness.close();
            directory.control().phase(pe, PePhase.CLOSED);
            lock.close();
            directory.close();
        }

        /**
         * Cleans repeatedly until it finds that many live jobs at once. Returns the number of jobs removed that had a
         * control file. A directory whose lock file is not locked yet may be removed too: its creator notices and
         * begins again.
         */
        private static String cleanUntil(final Path root, final int count)
        {
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            long removed = 0;
            while (JobCleaner.list(root).stream().filter(JobCleaner.JobSummary::live).count() < count)
            {
                if (System.nanoTime() - deadlineNs >= 0)
                {
                    throw new IllegalStateException("timed out: " + JobCleaner.list(root));
                }

                removed += JobCleaner.clean(root).stream().filter((job) -> 0 != job.nPes()).count();
            }

            return Long.toString(removed);
        }
    }
}
