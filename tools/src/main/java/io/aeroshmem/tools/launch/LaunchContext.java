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
 * Configuration of {@link JobLauncher} and {@link HostsLauncher}: the program and how to run it. The properties of the
 * job are among the JVM options; those that the launcher itself needs are also set here.
 */
public final class LaunchContext
{
    private final LineOutput lines = new LineOutput(Terminal.isErrorWithOutput());
    private Path root;
    private int nPes;
    private String classPath;
    private String mainClass;
    private String commandClass;
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
     * Sets the existing directory in which the job directory is created; {@link JobDirectory#defaultRoot()} by default.
     */
    public LaunchContext root(final Path root)
    {
        this.root = root;
        return this;
    }

    public LaunchContext nPes(final int nPes)
    {
        this.nPes = nPes;
        return this;
    }

    /** Sets the class path of the program, null for none; that of the launcher is appended. */
    public LaunchContext classPath(final String classPath)
    {
        this.classPath = classPath;
        return this;
    }

    /** Sets the binary name of the class whose {@code main} every PE runs. */
    public LaunchContext mainClass(final String mainClass)
    {
        this.mainClass = mainClass;
        return this;
    }

    /** Sets the main class of the {@code aeroshmem} command, which runs the launcher of a node on this host. */
    public LaunchContext commandClass(final String commandClass)
    {
        this.commandClass = commandClass;
        return this;
    }

    /** Sets options for the JVM of each PE, in addition to the required ones. */
    public LaunchContext jvmOptions(final List<String> jvmOptions)
    {
        this.jvmOptions = List.copyOf(jvmOptions);
        return this;
    }

    /** Sets the arguments of {@code main}. */
    public LaunchContext arguments(final List<String> arguments)
    {
        this.arguments = List.copyOf(arguments);
        return this;
    }

    /**
     * Sets the silence after which the embedded media driver expires a PE; its other timeouts follow. Default: 10 s.
     */
    public LaunchContext livenessTimeoutNs(final long livenessTimeoutNs)
    {
        this.livenessTimeoutNs = livenessTimeoutNs;
        return this;
    }

    /** Sets the time that the launchers of a job on several nodes wait for each other. Default: 60 s. */
    public LaunchContext joinTimeoutNs(final long joinTimeoutNs)
    {
        this.joinTimeoutNs = joinTimeoutNs;
        return this;
    }

    /** Sets the name of the node that the PEs report; null for the one that they detect. */
    public LaunchContext nodeName(final String nodeName)
    {
        this.nodeName = nodeName;
        return this;
    }

    /**
     * Sets the address or subnet on which the launcher of a job on several hosts listens for node launchers; null to
     * detect it.
     */
    public LaunchContext rendezvousInterface(final String rendezvousInterface)
    {
        this.rendezvousInterface = rendezvousInterface;
        return this;
    }

    /** Sets the working directory of the PEs; null for that of the launcher. */
    public LaunchContext directory(final File directory)
    {
        this.directory = directory;
        return this;
    }

    /** Sets the time after which the job is ended; null for no limit. */
    public LaunchContext timeout(final Duration timeout)
    {
        this.timeout = timeout;
        return this;
    }

    /**
     * Sets whether each line that a PE prints begins with the PE's number. Otherwise only lines on the standard error
     * do, in a job of several PEs.
     */
    public LaunchContext tagOutput(final boolean tagOutput)
    {
        this.tagOutput = tagOutput;
        return this;
    }

    /** Sets whether PEs continue after the failure of another, until they detect it themselves. */
    public LaunchContext keepGoing(final boolean keepGoing)
    {
        this.keepGoing = keepGoing;
        return this;
    }

    /**
     * Sets the destination of the PEs' standard output, {@link System#out} by default; a single PE inherits that of the
     * launcher.
     */
    public LaunchContext output(final PrintStream output)
    {
        this.output = output;
        return this;
    }

    /**
     * Sets the destination of the PEs' standard error and of the launcher's own lines, {@link System#err} by default.
     */
    public LaunchContext error(final PrintStream error)
    {
        this.error = error;
        return this;
    }

    /** Validates the settings and completes them. */
    void conclude()
    {
        if (nPes < 1)
        {
            throw new IllegalArgumentException("nPes must be >= 1: nPes=" + nPes);
        }
        if (null == mainClass)
        {
            throw new IllegalArgumentException("mainClass must be set");
        }
        if (null != directory && !directory.isDirectory())
        {
            throw new IllegalArgumentException(
                "working directory must exist on all hosts of a job: directory=" + directory);
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
                throw new IllegalArgumentException("main class must be on the class path: mainClass=" + mainClass +
                    (null == classPath ? " (-cp is not set)" : ", classPath=" + classPath + " (-cp)"));
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

    String commandClass()
    {
        return commandClass;
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

    /** Prints a line of the launcher itself. */
    void report(final String line)
    {
        lines.own("aeroshmem: " + line, error);
    }

    /** Returns a new list with the command that runs a PE. */
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
