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
package io.aeroshmem.tools;

import io.aeroshmem.Recovery;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.launch.CpuBinding;
import io.aeroshmem.tools.launch.DebuggedPe;
import io.aeroshmem.tools.launch.HostList;
import io.aeroshmem.tools.launch.HostsLauncher;
import io.aeroshmem.tools.launch.JobLauncher;
import io.aeroshmem.tools.launch.LaunchContext;
import io.aeroshmem.tools.launch.RemoteShell;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Stack;
import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem run} command: runs a program as a job, one process per PE, on this host or on several.
 */
@Command(
    name = "run",
    description =
    {
        "Runs a Java program as a job of N PEs, each a process, on this host or on those of --hosts. " +
            "Standard input goes to PE 0. AeroSHMEM and its samples are appended to the class path."
    },
    mixinStandardHelpOptions = true,
    footer =
    {
        "",
        "Exit codes: that of the PE that caused the failure of the job (128 + n if signal n ended it), or of a " +
            "global exit; 1 if a PE ended with 0 without closing its Shmem, or without joining a job that others " +
            "joined, or if the job could not be run; 124 if --timeout expired; 2 if nothing was started; else 0.",
        "",
        "Example: aeroshmem run -n 4 --tag-output io.aeroshmem.samples.HelloPe",
        "         aeroshmem run --hosts a,b:4 io.aeroshmem.samples.HelloPe"
    })
final class RunCommand implements Callable<Integer>
{
    @Spec
    private CommandSpec spec;

    @Option(names = "-n", paramLabel = "N",
        description = "Number of PEs. With --hosts or --hostfile the default is the sum of their slots.")
    private Integer nPes;

    @Option(names = "--hosts", split = ",", paramLabel = "HOST[:SLOTS]",
        description = "Hosts, such as a,b:4, each with the number of PEs it takes (default: 1). They are filled in" +
            " order and reached by ssh; their paths are the same as on this host.")
    private List<String> hosts = new ArrayList<>();

    @Option(names = "--hostfile", paramLabel = "FILE",
        description = "File with the hosts, in lines such as 'a' or 'b slots=4'.")
    private Path hostFile;

    @Option(names = "--ssh", paramLabel = "COMMAND",
        description = "Command that runs a command line on another host (property aeroshmem.ssh or environment" +
            " variable AEROSHMEM_SSH; default: ssh).")
    private String ssh;

    @Option(names = "--remote", paramLabel = "PATH",
        description = "Path of this script on the other hosts (default: the path on this host).")
    private String remote;

    @Option(names = "--transport", paramLabel = "KIND",
        description = "auto, mapped, ipc or udp (property aeroshmem.transport; default: auto).")
    private String transport;

    @Option(names = "--heap", paramLabel = "SIZE", converter = SizeConverter.class,
        description = "Symmetric heap per PE, such as 64m or 3g (property aeroshmem.heap.size; default: 64m).")
    private Long heapSize;

    @Option(names = "--timeout", paramLabel = "DURATION", converter = DurationConverter.class,
        description = "Ends the job after this time, such as 30s or 5m.")
    private Duration timeout;

    @Option(names = "--keep-going",
        description = "Does not end the other PEs when one fails: they run until they detect it themselves.")
    private boolean keepGoing;

    @Option(names = "--recover", arity = "0..1", paramLabel = "POLICY", preprocessor = DefaultPolicy.class,
        description = "After a failure of the job, ends all PEs and starts them again, or only replaces the lost one" +
            " (property aeroshmem.recovery: none, restart, replace, or shrink, by which the others go on without it;" +
            " default of this option: restart).")
    private String recovery;

    @Option(names = "--spares", paramLabel = "N", defaultValue = "0",
        description = "With --recover, keeps N processes waiting that take the place of lost PEs, on each host" +
            " (default: 0).")
    private int spares;

    @Option(names = "--check",
        description = "Compares the arguments of every collective and checks the use of threads (properties" +
            " aeroshmem.check.collectives and aeroshmem.check.threads).")
    private boolean check;

    @Option(names = "--tag-output",
        description = "Begins each line that PE 3 prints with '[pe 3] ', not only those on standard error.")
    private boolean tagOutput;

    @Option(names = "--tag", paramLabel = "TEXT",
        description = "Begins each line that a PE prints with this text, such as '{host}:{pe} ', in which {pe} is the" +
            " number of the PE and {host} its host.")
    private String tag;

    @Option(names = "--log-dir", paramLabel = "DIR",
        description = "Also writes what PE 3 prints to the files pe-3.out and pe-3.err in this directory, on the host" +
            " of the PE.")
    private Path logDirectory;

    @Option(names = "--archive", paramLabel = "FILE",
        description = "JVMs of PEs map their classes from this file, which shortens their start; the first PE of a" +
            " host writes it when it ends, if it is missing.")
    private Path archive;

    @Option(names = "--bind", paramLabel = "none|core|LIST",
        description = "Binds PEs to processors by taskset: a core for each PE, or a list with the processors of each" +
            " PE on a host in order, such as 0,2 or 0-3,4-7 (default: none).")
    private String binding;

    @Option(names = "--debug-pe", paramLabel = "N[:PORT]",
        description = "PE N waits for a debugger (JDWP) on the loopback interface of its host, at port 5005 by" +
            " default; may be repeated. The limits of joining and of liveness become an hour.")
    private List<String> debuggedPes = new ArrayList<>();

    @Option(names = "--verbose",
        description = "Prints what is started: the host, environment and command line of each PE.")
    private boolean isVerbose;

    @Option(names = "-J", paramLabel = "OPTION",
        description = "Option for the JVM of each PE, such as -J-Xmx1g, in which {pe} is the number of the PE and" +
            " {host} its host; may be repeated.")
    private List<String> jvmOptions = new ArrayList<>();

    @Option(names = {"-cp", "--class-path"}, paramLabel = "CP", description = "Class path of the program.")
    private String classPath;

    @Parameters(index = "0", paramLabel = "MainClass", description = "Class whose main method each PE runs.")
    private String mainClass;

    @Parameters(index = "1..*", paramLabel = "args", arity = "0..*", description = "Arguments of the program.")
    private List<String> arguments = new ArrayList<>();

    /** Takes only what follows '=' as the policy: the next argument may be the main class. */
    static final class DefaultPolicy implements IParameterPreprocessor
    {
        private DefaultPolicy()
        {
        }

        @Override
        public boolean preprocess(
            final Stack<String> args, final CommandSpec spec, final ArgSpec option, final Map<String, Object> info)
        {
            if (" ".equals(info.get("separator")))
            {
                args.push(Recovery.RESTART.name().toLowerCase(Locale.ROOT));
            }

            return false;
        }
    }

    private RunCommand()
    {
    }

    @Override
    public Integer call() throws Exception
    {
        if (!hosts.isEmpty() || null != hostFile)
        {
            return runOnHosts();
        }

        if (null == nPes)
        {
            throw CommandException.usage("number of PEs must be set: specify -n or --hosts");
        }

        if (null != ssh || null != remote)
        {
            throw CommandException.usage("--ssh and --remote require --hosts or --hostfile");
        }

        final JobSettings settings = new JobSettings(nPes, transport, heapSize, jvmOptions());
        return JobLauncher.launch(withProgram(settings.launcherContext(), nPes));
    }

    private int runOnHosts() throws IOException, InterruptedException
    {
        if (!hosts.isEmpty() && null != hostFile)
        {
            throw CommandException.usage("--hosts and --hostfile exclude each other");
        }

        final HostList list = null == hostFile ? HostList.parse(hosts) : HostList.read(hostFile);
        final List<HostList.Node> nodes = list.place(null == nPes ? list.slots() : nPes);
        final int count = nodes.stream().mapToInt(HostList.Node::peCount).sum();
        final LaunchContext ctx =
            withProgram(new JobSettings(count, 0, transport, heapSize, jvmOptions()).launcherContext(), count);
        return HostsLauncher.launch(ctx, nodes, RemoteShell.of(ssh, remote, ctx));
    }

    /** Returns the JVM options, those of --check, --recover and --debug-pe first: the others take precedence. */
    private List<String> jvmOptions()
    {
        final List<String> options = new ArrayList<>();
        if (!debuggedPes.isEmpty())
        {
            // the others wait for a PE that a debugger has suspended
            options.add("-D" + ShmemProperty.JOIN_TIMEOUT.propertyName() + "=1h");
            options.add("-D" + ShmemProperty.LIVENESS_TIMEOUT.propertyName() + "=1h");
        }

        if (check)
        {
            options.add("-D" + ShmemProperty.CHECK_COLLECTIVES.propertyName() + "=true");
            options.add("-D" + ShmemProperty.CHECK_THREADS.propertyName() + "=true");
        }

        if (null != recovery)
        {
            options.add("-D" + ShmemProperty.RECOVERY.propertyName() + "=" + recovery);
        }

        options.addAll(jvmOptions);
        return options;
    }

    private LaunchContext withProgram(final LaunchContext ctx, final int count)
    {
        if (null != tag && !tag.chars().allMatch((character) -> character >= ' '))
        {
            throw CommandException.usage("--tag must not contain control characters");
        }

        return ctx
            .commandClass(spec.root().userObject().getClass().getName())
            .classPath(classPath)
            .mainClass(mainClass)
            .arguments(arguments)
            .timeout(timeout)
            .keepGoing(keepGoing)
            .spares(spares)
            .tag(null == tag && tagOutput ? LaunchContext.DEFAULT_TAG : tag)
            .binding(CpuBinding.parse(binding))
            .debuggedPes(DebuggedPe.parse(debuggedPes, count))
            .logDirectory(logDirectory)
            .archive(archive)
            .verbose(isVerbose);
    }
}
