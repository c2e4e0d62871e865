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

import io.aeroshmem.Shmem;
import io.aeroshmem.collective.selection.AlgorithmDocs;
import io.aeroshmem.config.ConfigurationDocs;
import io.aeroshmem.device.DeviceProvider;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.format.Json;
import io.aeroshmem.tools.info.AlgorithmSection;
import io.aeroshmem.tools.info.BuildSection;
import io.aeroshmem.tools.info.DeviceSection;
import io.aeroshmem.tools.info.HostSection;
import io.aeroshmem.tools.info.InfoSection;
import io.aeroshmem.tools.info.InfoText;
import io.aeroshmem.tools.info.JobSection;
import io.aeroshmem.tools.info.PlacementSection;
import io.aeroshmem.tools.info.PropertySection;
import io.aeroshmem.tools.info.ThreadSection;
import io.aeroshmem.tools.launch.HostList;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.JobViews;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem info} command: prints versions, the resources and GPUs of this host, the values of all
 * properties, the algorithms of collectives, the threads of a job, and, for a planned or running job, its hosts and the
 * paths between its PEs.
 */
@Command(
    name = "info",
    description =
    {
        "Prints versions, this host, its GPUs and the values of all properties; with options only the sections " +
            "that they name."
    },
    mixinStandardHelpOptions = true)
final class InfoCommand implements Callable<Integer>
{
    enum Format
    {
        TEXT, JSON, MARKDOWN;

        /** Returns the name on the command line. */
        @Override
        public String toString()
        {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Maximum number of PEs of a matrix of paths. */
    private static final int MAX_PES = 4096;

    @Option(names = {"-a", "--all"}, description = "Prints all sections.")
    private boolean isAll;

    @Option(names = "--versions", description = "Prints versions and the build.")
    private boolean hasVersions;

    @Option(names = "--topology", description = "Prints processors, cores, NUMA nodes and the space for heaps.")
    private boolean hasTopology;

    @Option(names = "--devices", description = "Prints the GPUs.")
    private boolean hasDevices;

    @Option(names = "--properties",
        description = "Prints the properties: value, source, default, and whether all PEs need the same.")
    private boolean hasProperties;

    @Option(names = "--algorithms", description = "Prints the algorithms of the collectives.")
    private boolean hasAlgorithms;

    @Option(names = "--threads", description = "Prints the threads of a job beside those of the program.")
    private boolean hasThreads;

    @Option(names = "-n", paramLabel = "N", description = "Prints the paths between the PEs of a job of N.")
    private Integer nPes;

    @Option(names = "--hosts", split = ",", paramLabel = "HOST[:SLOTS]",
        description = "Prints the hosts of PEs and the paths between them, as 'run' would choose them.")
    private List<String> hosts = new ArrayList<>();

    @Option(names = "--job", paramLabel = "ID",
        description = "Prints the PEs, paths and busiest threads of the running job whose id begins with this.")
    private String job;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "text",
        description = "text, json, or markdown: the reference page docs/configuration.md (with --properties) or" +
            " docs/algorithms.md (with --algorithms; default: text).")
    private Format format;

    @Spec
    private CommandSpec spec;

    private InfoCommand()
    {
    }

    @Override
    public Integer call() throws IOException
    {
        final PrintWriter output = spec.commandLine().getOut();
        if (Format.MARKDOWN == format)
        {
            if (hasProperties == hasAlgorithms || hasOtherSections())
            {
                throw CommandException.usage(
                    "--format markdown requires --properties or --algorithms, and nothing else");
            }

            output.print(hasAlgorithms ? AlgorithmDocs.markdown() : ConfigurationDocs.markdown());
        }
        else
        {
            // before anything is printed
            print(output, sections());
        }

        output.flush();
        if (isDefault() || isAll || hasProperties && Format.TEXT == format)
        {
            // reads all properties and throws if a value is invalid
            new Shmem.Context();
        }

        return ExitCode.OK;
    }

    private void print(final PrintWriter output, final Map<String, InfoSection> sections)
    {
        if (Format.JSON == format)
        {
            final Map<String, Object> facts = new LinkedHashMap<>();
            sections.forEach((name, section) -> facts.put(name, section.facts()));
            output.println(Json.of(facts));
            return;
        }

        final InfoText text = new InfoText(output);
        sections.values().forEach((section) -> section.print(text));
    }

    /** Returns the sections by their names in JSON. */
    private Map<String, InfoSection> sections() throws IOException
    {
        final boolean isDefault = isDefault() || isAll;
        final Map<String, InfoSection> sections = new LinkedHashMap<>();
        if (isDefault || hasVersions)
        {
            sections.put("build", new BuildSection());
        }

        if (isDefault || hasTopology)
        {
            sections.put("host", new HostSection());
        }

        if (isDefault || hasDevices)
        {
            sections.put("devices", new DeviceSection(DeviceProvider.find()));
        }

        if (isDefault || hasProperties)
        {
            sections.put("properties", new PropertySection());
        }

        if (isAll || hasThreads)
        {
            sections.put("threads", new ThreadSection());
        }

        if (isAll || hasAlgorithms)
        {
            sections.put("algorithms", new AlgorithmSection());
        }

        if (null != nPes || !hosts.isEmpty())
        {
            sections.put("placement", new PlacementSection(placement()));
        }

        if (null != job)
        {
            sections.put("job", new JobSection(job()));
        }

        return sections;
    }

    private boolean isDefault()
    {
        return !(hasProperties || hasAlgorithms || hasOtherSections());
    }

    private boolean hasOtherSections()
    {
        return isAll || hasVersions || hasTopology || hasDevices || hasThreads ||
            null != nPes || !hosts.isEmpty() || null != job;
    }

    private List<HostList.Node> placement()
    {
        if (hosts.isEmpty())
        {
            if (nPes < 1 || nPes > MAX_PES)
            {
                throw CommandException.usage("-n must be 1 to " + MAX_PES + ": -n=" + nPes);
            }

            return List.of(new HostList.Node(HostName.local(), 0, nPes));
        }

        final HostList list = HostList.parse(hosts);
        final int count = null == nPes ? list.slots() : nPes;
        if (count > MAX_PES)
        {
            throw CommandException.usage("number of PEs must be 1 to " + MAX_PES + ": " + count);
        }

        return list.place(count);
    }

    private JobView job()
    {
        final JobViews jobs = new JobViews(CleanCommand.root(), job);
        jobs.update();
        if (1 != jobs.all().size())
        {
            throw CommandException.failure(
                (jobs.isEmpty() ? "no running job" : jobs.all().size() + " running jobs") +
                (job.isEmpty() ? "" : " whose id begins with " + job) + " in " + jobs.root() +
                (jobs.isEmpty() ? "" : "; --job must name one"));
        }

        return jobs.all().iterator().next();
    }
}
