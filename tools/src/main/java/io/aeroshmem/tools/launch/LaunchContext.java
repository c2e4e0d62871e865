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

import io.aeroshmem.Recovery;
import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.exit.OutputFile;
import io.aeroshmem.tools.topology.HostTopology;
import io.aeroshmem.transport.job.JobDirectory;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Configuration of {@link JobLauncher}, {@link HostsLauncher} and {@link NodeLauncher}: the program and how to run it.
 * The PEs receive the AeroSHMEM properties of the command line in the JVM options. A launcher itself also needs the
 * values of some properties, such as the liveness timeout. So these values are set on this object as well.
 */
public final class LaunchContext
{
    /** Tag of the lines on standard error. */
    public static final String DEFAULT_TAG = "[pe {pe}] ";

    private static final String SAMPLES = "io.aeroshmem.samples.";

    /** Beginnings of JVM options that two processes of one PE cannot both have. */
    private static final List<String> OF_A_PROCESS = List.of("-D", "-agent", "-javaagent", "-Xlog",
        "-XX:StartFlightRecording", "-XX:ArchiveClassesAtExit", "-XX:AOTCacheOutput");

    private final LineOutput lines = new LineOutput(Terminal.isErrorWithOutput());
    private Path root;
    /** Threads that copy output read it too. */
    private volatile int nPes;
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
    private String tag;
    private CpuBinding binding = CpuBinding.parse(null);
    private List<List<String>> bindingCommands = List.of();
    private int firstPe;
    private List<DebuggedPe> debuggedPes = List.of();
    private Path logDirectory;
    private ClassDataArchive archive = ClassDataArchive.NONE;
    private final Map<Integer, Replacement> replacements = new HashMap<>();
    /** PE of the last replacement, until it is confirmed, or -1. */
    private int unconfirmedPe = -1;
    private Replacement beforeUnconfirmed;
    private boolean isVerbose;
    private boolean keepGoing;
    private Recovery recovery = Recovery.NONE;
    private int maxRecoveries;
    private long recoveryWindowNs;
    private long retainTimeoutNs;
    private long recoveryJoinTimeoutNs;
    private int spares;
    private BooleanSupplier endIf = () -> false;
    private PrintStream output = System.out;
    private PrintStream error = System.err;
    private volatile boolean isOutputLost;

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

    /** Sets options for the JVM of each PE, with {@link Placeholders}, in addition to the required ones. */
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
     * Sets the prefix of each line that a PE prints, with {@link Placeholders}. With null, the default, only lines on
     * standard error have one, in a job of several PEs: {@link #DEFAULT_TAG}.
     */
    public LaunchContext tag(final String tag)
    {
        this.tag = tag;
        return this;
    }

    /** Sets the processors that PEs may use; all by default. */
    public LaunchContext binding(final CpuBinding binding)
    {
        this.binding = binding;
        return this;
    }

    /** Sets the PEs that wait for a debugger; none by default. */
    public LaunchContext debuggedPes(final List<DebuggedPe> debuggedPes)
    {
        this.debuggedPes = List.copyOf(debuggedPes);
        return this;
    }

    /**
     * Sets a directory, which is created if it is missing, on the host of each PE: what PE 3 prints is also written to
     * its files {@code pe-3.out} and {@code pe-3.err}. Null, the default, for none.
     */
    public LaunchContext logDirectory(final Path logDirectory)
    {
        this.logDirectory = logDirectory;
        return this;
    }

    /**
     * Sets the file from which the JVMs of PEs map their classes; the first PE of a host writes it if it is missing.
     * Null, the default, for none.
     */
    public LaunchContext archive(final Path file)
    {
        this.archive = new ClassDataArchive(file);
        return this;
    }

    /** Sets whether the launcher prints what it starts. */
    public LaunchContext verbose(final boolean verbose)
    {
        this.isVerbose = verbose;
        return this;
    }

    /** Sets whether PEs continue after the failure of another, until they detect it themselves. */
    public LaunchContext keepGoing(final boolean keepGoing)
    {
        this.keepGoing = keepGoing;
        return this;
    }

    /**
     * Sets what follows a failure of the job; nothing by default. At most {@code max} recoveries within the window are
     * performed, and the directory of the job is kept for the retain timeout if this process is killed.
     */
    public LaunchContext recovery(
        final Recovery recovery, final int max, final long windowNs, final long retainTimeoutNs)
    {
        this.recovery = recovery;
        this.maxRecoveries = max;
        this.recoveryWindowNs = windowNs;
        this.retainTimeoutNs = retainTimeoutNs;
        return this;
    }

    /** Sets the time in which a PE that survives a failure joins the next generation of a job that replaces others. */
    public LaunchContext recoveryJoinTimeoutNs(final long timeoutNs)
    {
        recoveryJoinTimeoutNs = timeoutNs;
        return this;
    }

    /** Sets the number of processes that are kept waiting to take the place of PEs that are lost; none by default. */
    public LaunchContext spares(final int spares)
    {
        this.spares = spares;
        return this;
    }

    /**
     * Sets the destination of the PEs' standard output, {@link System#out} by default; a single PE inherits that of the
     * launcher if it is a terminal.
     */
    public LaunchContext output(final PrintStream output)
    {
        this.output = output;
        return this;
    }

    /** Sets when the PEs are ended although none has failed; never by default. The condition must not block. */
    public LaunchContext endIf(final BooleanSupplier condition)
    {
        this.endIf = condition;
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

    /** Validates the settings and completes them, also those of the PEs that this process starts itself. */
    void conclude(final int firstPeHere, final int peCount)
    {
        conclude();
        firstPe = firstPeHere;
        bindingCommands = binding.commands(peCount, HostTopology::read);
        debuggedPes.stream().filter((each) -> each.pe() >= firstPeHere && each.pe() < firstPeHere + peCount)
            .forEach(DebuggedPe::requireFreePort);
        if (null != logDirectory)
        {
            OutputFile.createDirectory("--log-dir", logDirectory);
        }
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

        if (keepGoing && isRecovering())
        {
            throw new IllegalArgumentException("--keep-going and --recover exclude each other: recovery=" + recovery +
                " (" + ShmemProperty.RECOVERY.propertyName() + ")");
        }

        requireSpares();
        if (null == root)
        {
            root = JobDirectory.defaultRoot();
        }

        requireMainClass(classPath);
    }

    /** A spare process has its options before it has a PE. */
    private void requireSpares()
    {
        final String problem = 0 == spares ? null : spares < 0 ? "must be >= 0" :
            !isRecovering() || isShrinking() ? "requires --recover=restart or --recover=replace" :
            binding.isAny() ? "and --bind exclude each other" :
            !debuggedPes.isEmpty() ? "and --debug-pe exclude each other" :
            jvmOptions.stream().anyMatch(Placeholders::isOfPe) ? "requires -J options without {pe}" : null;
        if (null != problem)
        {
            throw new IllegalArgumentException("--spares " + problem + ": --spares=" + spares);
        }
    }

    private void requireMainClass(final String path)
    {
        try
        {
            if (!ClassPath.contains(ClassPath.withLauncher(path), mainClass))
            {
                throw new IllegalArgumentException("main class must be on the class path: mainClass=" + mainClass +
                    (null == path ? " (-cp is not set)" : ", classPath=" + path + " (-cp)") + hint());
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("cannot read the class path " + path, ex);
        }
    }

    /** Returns what was meant, if the name is that of a sample without its package, or of a file. */
    private String hint() throws IOException
    {
        final String sample = SAMPLES + mainClass;
        return ClassPath.contains(ClassPath.withLauncher(null), sample) ? "; the sample is " + sample :
            mainClass.endsWith(".jar") ? "; a program in a jar is run by -cp " + mainClass + " MainClass" : "";
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

    /** Returns the JVM options that a JVM may refuse, as the command received them; empty if there are none. */
    String refusableOptions()
    {
        return jvmOptions.stream().filter((option) -> !option.startsWith("-D")).map((option) -> "-J" + option)
            .collect(Collectors.joining(" "));
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

    /** Returns the tag of all lines, null for that of standard error alone. */
    String tag()
    {
        return tag;
    }

    /** Returns the tag of the lines of a PE, whether its standard output has it or not. */
    String tag(final int pe, final String host)
    {
        return Placeholders.replace(null == tag ? DEFAULT_TAG : tag, pe, host);
    }

    CpuBinding binding()
    {
        return binding;
    }

    List<DebuggedPe> debuggedPes()
    {
        return debuggedPes;
    }

    /** Returns how a PE waits for a debugger, or null. */
    DebuggedPe debuggedPe(final int pe)
    {
        return debuggedPes.stream().filter((each) -> each.pe() == pe).findFirst().orElse(null);
    }

    Path logDirectory()
    {
        return logDirectory;
    }

    ClassDataArchive archive()
    {
        return archive;
    }

    boolean isVerbose()
    {
        return isVerbose;
    }

    boolean isKeepingGoing()
    {
        return keepGoing;
    }

    /** Returns whether a failure of the job is followed by another generation. */
    boolean isRecovering()
    {
        return Recovery.NONE != recovery;
    }

    /** Returns whether the PEs that survive a failure go on in their processes. */
    boolean isReplacing()
    {
        return Recovery.REPLACE == recovery || isShrinking();
    }

    /** Returns whether they go on without those that are lost. */
    boolean isShrinking()
    {
        return Recovery.SHRINK == recovery;
    }

    long recoveryJoinTimeoutNs()
    {
        return recoveryJoinTimeoutNs;
    }

    int spares()
    {
        return spares;
    }

    int maxRecoveries()
    {
        return maxRecoveries;
    }

    long recoveryWindowNs()
    {
        return recoveryWindowNs;
    }

    long retainTimeoutNs()
    {
        return retainTimeoutNs;
    }

    BooleanSupplier endIf()
    {
        return endIf;
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

    /** Prints why output of a PE is lost that was to be written to a file; any thread. */
    void reportLost(final String line)
    {
        isOutputLost = true;
        report(line);
    }

    /** Returns the exit code of a job that has ended: its own, unless that is OK and output of its PEs is lost. */
    int exitCode(final int code)
    {
        return ExitCode.OK == code && isOutputLost ? ExitCode.FAILURE : code;
    }

    /**
     * Returns what later processes of a PE may run: with another class path unless it is null, and unless there are
     * none, with JVM options in addition to those of all PEs.
     */
    Replacement replacement(final int pe, final String newClassPath, final List<String> addedJvmOptions)
    {
        final Replacement before = replacement(pe);
        final Replacement after = new Replacement(
            null == newClassPath ? before.classPath : newClassPath,
            addedJvmOptions.isEmpty() ? before.jvmOptions : List.copyOf(addedJvmOptions));
        requireMainClass(after.classPath);
        return after;
    }

    /** Changes what later processes of a PE run, which has yet to be confirmed. */
    void replace(final int pe, final Replacement replacement)
    {
        unconfirmedPe = pe;
        beforeUnconfirmed = replacement(pe);
        replacements.put(pe, replacement);
    }

    /** Handles that the tasks of all PEs have begun with the last replacement. */
    void confirmReplacement()
    {
        unconfirmedPe = -1;
    }

    /** Takes the last replacement back, unless it is confirmed. Returns its PE, or -1. */
    int undoReplacement()
    {
        final int pe = unconfirmedPe;
        if (pe >= 0)
        {
            replacements.put(pe, beforeUnconfirmed);
            unconfirmedPe = -1;
        }

        return pe;
    }

    /** Throws an IllegalArgumentException if this host cannot run a number of PEs, as they are bound to processors. */
    void requireBinding(final int newNPes)
    {
        binding.commands(newNPes, HostTopology::read);
    }

    /** Changes the number of PEs, all of which are on this host. */
    void resize(final int newNPes)
    {
        bindingCommands = binding.commands(newNPes, HostTopology::read);
        nPes = newNPes;
    }

    /** Changes the number of PEs of a job on several hosts, from the next generation on: none is started. */
    void shrink(final int newNPes)
    {
        nPes = newNPes;
    }

    /** Returns whether a PE runs something else than the others do. */
    boolean isReplaced(final int pe)
    {
        // most have none, and comparing records the first time takes a starting launcher 10 ms of processor time
        final Replacement replacement = replacements.get(pe);
        return null != replacement && !replacement.equals(common());
    }

    /** Returns what processes of a PE run. */
    Replacement replacement(final int pe)
    {
        return replacements.getOrDefault(pe, common());
    }

    private Replacement common()
    {
        return new Replacement(classPath, List.of());
    }

    /** Returns a new list with the command that runs a PE on a host. */
    List<String> command(final int pe, final String host)
    {
        final Replacement replacement = replacement(pe);
        final List<String> command = new ArrayList<>(bindingCommands.get(pe - firstPe));
        command.addAll(java(pe, host, jvmOptions.stream(), replacement, pe == firstPe && !isReplaced(pe)));
        final DebuggedPe debugged = debuggedPe(pe);
        if (null != debugged)
        {
            command.add(debugged.jvmOption());
        }

        command.addAll(program(replacement.classPath));
        return command;
    }

    /**
     * Returns a new list with the command of a JVM that only starts, with the options of a replacement beside those of
     * the job: without those that name what a process has for itself, such as ports and files to write.
     */
    List<String> trialCommand(final int pe, final String host, final Replacement replacement)
    {
        final Stream<String> options =
            jvmOptions.stream().filter((option) -> OF_A_PROCESS.stream().noneMatch(option::startsWith));
        final List<String> command = java(pe, host, options, replacement, false);
        command.addAll(List.of("-cp", ClassPath.withLauncher(replacement.classPath), "-version"));
        return command;
    }

    /** Returns a new list with the command that runs a spare process on a host, see {@link SparePe}. */
    List<String> spareCommand(final String host)
    {
        final List<String> command = java(0, host, jvmOptions.stream(), common(), false);
        command.addAll(program(classPath));
        command.add(command.indexOf(mainClass), SparePe.class.getName());
        return command;
    }

    private List<String> java(
        final int pe,
        final String host,
        final Stream<String> options,
        final Replacement replacement,
        final boolean isWriterOfArchive)
    {
        final List<String> command = JvmCommand.java();
        command.addAll(archive.options(isWriterOfArchive));
        Stream.concat(options, replacement.jvmOptions.stream())
            .forEach((option) -> command.add(Placeholders.replace(option, pe, host)));
        return command;
    }

    private List<String> program(final String path)
    {
        final List<String> program = new ArrayList<>(List.of("-cp", ClassPath.withLauncher(path), mainClass));
        program.addAll(arguments);
        return program;
    }

    /** What a PE runs in place of what all run. */
    record Replacement(String classPath, List<String> jvmOptions)
    {
    }
}
