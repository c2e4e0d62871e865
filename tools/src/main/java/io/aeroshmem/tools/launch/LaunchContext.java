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

import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.transport.job.JobDirectory;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a launcher runs and how: the configuration of {@link JobLauncher}. The properties of the job are among the
 * options of the JVMs; those that the launcher itself needs are here besides.
 */
public final class LaunchContext
{
    private final LineOutput lines = new LineOutput(Terminal.isErrorWithOutput());
    private Path root;
    private int nPes;
    private String classPath;
    private String mainClass;
    private File directory;
    private List<String> jvmOptions = List.of();
    private List<String> arguments = List.of();
    private Duration timeout;
    private long livenessTimeoutNs = TimeUnit.SECONDS.toNanos(10);
    private long joinTimeoutNs = TimeUnit.SECONDS.toNanos(60);
    private String nodeName;
    private String rendezvousInterface;
    private boolean tagOutput;
    private boolean keepGoing;
    private PrintStream output = System.out;
    private PrintStream error = System.err;

    /**
     * A context without a program.
     */
    public LaunchContext()
    {
    }

    /**
     * The directory under which the job's directory is made.
     *
     * @param root an existing directory; {@link JobDirectory#defaultRoot()} by default.
     * @return this for a fluent API.
     */
    public LaunchContext root(final Path root)
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
    public LaunchContext nPes(final int nPes)
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
    public LaunchContext classPath(final String classPath)
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
    public LaunchContext mainClass(final String mainClass)
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
    public LaunchContext jvmOptions(final List<String> jvmOptions)
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
    public LaunchContext arguments(final List<String> arguments)
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
    public LaunchContext livenessTimeoutNs(final long livenessTimeoutNs)
    {
        this.livenessTimeoutNs = livenessTimeoutNs;
        return this;
    }

    /**
     * How long the launchers of a job over several nodes wait for each other.
     *
     * @param joinTimeoutNs of the job; 60 s by default.
     * @return this for a fluent API.
     */
    public LaunchContext joinTimeoutNs(final long joinTimeoutNs)
    {
        this.joinTimeoutNs = joinTimeoutNs;
        return this;
    }

    /**
     * The node that the PEs count themselves to.
     *
     * @param nodeName null if it is the one that they find themselves on.
     * @return this for a fluent API.
     */
    public LaunchContext nodeName(final String nodeName)
    {
        this.nodeName = nodeName;
        return this;
    }

    /**
     * Where the launcher of a job over several hosts listens for those of the nodes.
     *
     * @param rendezvousInterface an address or a subnet; null if it is to be found.
     * @return this for a fluent API.
     */
    public LaunchContext rendezvousInterface(final String rendezvousInterface)
    {
        this.rendezvousInterface = rendezvousInterface;
        return this;
    }

    /**
     * The working directory of the PEs.
     *
     * @param directory null for that of the launcher.
     * @return this for a fluent API.
     */
    public LaunchContext directory(final File directory)
    {
        this.directory = directory;
        return this;
    }

    /**
     * How long the job may take.
     *
     * @param timeout or null for no limit.
     * @return this for a fluent API.
     */
    public LaunchContext timeout(final Duration timeout)
    {
        this.timeout = timeout;
        return this;
    }

    /**
     * Whether each line that a PE prints is preceded by the PE's number. Otherwise only lines on the standard error
     * are, in a job of several PEs.
     *
     * @param tagOutput true to tag.
     * @return this for a fluent API.
     */
    public LaunchContext tagOutput(final boolean tagOutput)
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
    public LaunchContext keepGoing(final boolean keepGoing)
    {
        this.keepGoing = keepGoing;
        return this;
    }

    /**
     * Where the standard output of PEs goes, unless a PE is alone and inherits that of the launcher.
     *
     * @param output {@link System#out} by default.
     * @return this for a fluent API.
     */
    public LaunchContext output(final PrintStream output)
    {
        this.output = output;
        return this;
    }

    /**
     * Where the standard error of PEs goes, unless a PE is alone and inherits that of the launcher, and the launcher's
     * own lines.
     *
     * @param error {@link System#err} by default.
     * @return this for a fluent API.
     */
    public LaunchContext error(final PrintStream error)
    {
        this.error = error;
        return this;
    }

    /**
     * Checks what is given and completes it.
     */
    void conclude()
    {
        if (nPes < 1)
        {
            throw new IllegalArgumentException("number of PEs is " + nPes + ", allowed: 1 or more");
        }
        if (null == mainClass)
        {
            throw new IllegalArgumentException("no main class was given");
        }
        if (null != directory && !directory.isDirectory())
        {
            throw new IllegalArgumentException("there is no directory " + directory +
                ": the PEs of a job run in the same directory on all hosts");
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

    File directory()
    {
        return directory;
    }

    Path root()
    {
        return root;
    }

    int nPes()
    {
        return nPes;
    }

    Duration timeout()
    {
        return timeout;
    }

    String timeoutText()
    {
        return PropertyParser.formatDuration(timeout.toNanos());
    }

    String classPath()
    {
        return classPath;
    }

    String mainClass()
    {
        return mainClass;
    }

    List<String> jvmOptions()
    {
        return jvmOptions;
    }

    List<String> arguments()
    {
        return arguments;
    }

    long joinTimeoutNs()
    {
        return joinTimeoutNs;
    }

    String rendezvousInterface()
    {
        return rendezvousInterface;
    }

    String nodeName()
    {
        return nodeName;
    }

    long livenessTimeoutNs()
    {
        return livenessTimeoutNs;
    }

    boolean isOutputTagged()
    {
        return tagOutput;
    }

    boolean isKeepingGoing()
    {
        return keepGoing;
    }

    PrintStream output()
    {
        return output;
    }

    PrintStream error()
    {
        return error;
    }

    LineOutput lines()
    {
        return lines;
    }

    /**
     * Prints a line of the launcher itself.
     *
     * @param line for the user.
     */
    void say(final String line)
    {
        lines.own("aeroshmem: " + line, error);
    }

    /**
     * The command that runs a PE.
     *
     * @return a new list.
     */
    List<String> command()
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
