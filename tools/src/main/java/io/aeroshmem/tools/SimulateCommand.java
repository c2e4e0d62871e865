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

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.scale.Figures;
import io.aeroshmem.tools.scale.LargeJob;
import io.aeroshmem.tools.scale.Link;
import io.aeroshmem.tools.scale.Operation;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@code aeroshmem simulate} command: performs collectives in simulated jobs of many PEs, and prints their costs.
 */
@Command(
    name = "simulate",
    description = "Counts the messages of collectives in simulated jobs of up to 4096 PEs.",
    mixinStandardHelpOptions = true,
    footer =
    {
        "",
        "A link is latency,overhead,gap,byte in nanoseconds, as in the LogGP model: such as 1500,300,200,0.08. " +
            "Output is CSV. Properties aeroshmem.algorithm.* hold, given by JAVA_TOOL_OPTIONS. 4096 PEs need a heap " +
            "of 4 GiB (-Xmx4g there) and 1 GiB of shared memory. See docs/scale.md."
    })
final class SimulateCommand implements Callable<Integer>
{
    /** Hosts, and PEs on each. */
    record Shape(int hosts, int pesOfHost)
    {
        private static final Pattern SYNTAX = Pattern.compile("(\\d{1,4})x(\\d{1,4})");

        int pes()
        {
            return hosts * pesOfHost;
        }
    }

    @Option(names = "--pes", split = ",", paramLabel = "N",
        description = "Numbers of PEs, each on a host of its own (default: 16,256).")
    private List<Integer> pes = new ArrayList<>();

    @Option(names = "--shape", split = ",", paramLabel = "HxP", converter = ShapeConverter.class,
        description = "Numbers of hosts and of PEs on each, such as 32x128; instead of --pes or besides.")
    private List<Shape> shapes = new ArrayList<>();

    @Option(names = "--op", split = ",", paramLabel = "OP",
        defaultValue = "barrier,sync,broadcast,reduce,collect,split,create",
        description = "Operations, of barrier, sync, broadcast, reduce, fcollect, collect, alltoall (up to " +
            Operation.MAX_ALLTOALL + " PEs), split and create (default: all but fcollect and alltoall).")
    private List<Operation> operations = new ArrayList<>();

    @Option(names = "--bytes", paramLabel = "N", defaultValue = "8",
        description = "Length of a block in bytes, a multiple of 8 (default: 8).")
    private long bytes;

    @Option(names = "--network", paramLabel = "LINK", converter = LinkConverter.class,
        description = "Link between hosts (default: 1500,300,200,0.08).")
    private Link network = Link.NETWORK;

    @Option(names = "--host-link", paramLabel = "LINK", converter = LinkConverter.class,
        description = "Link between PEs of a host (default: 100,20,20,0.05).")
    private Link host = Link.HOST;

    @Spec
    private CommandSpec spec;

    private SimulateCommand()
    {
    }

    @Override
    public Integer call()
    {
        final List<Shape> jobs = new ArrayList<>();
        pes.forEach((count) -> jobs.add(new Shape(count, 1)));
        jobs.addAll(shapes);
        if (jobs.isEmpty())
        {
            jobs.addAll(List.of(new Shape(16, 1), new Shape(256, 1)));
        }

        jobs.forEach(this::validate);

        final PrintWriter output = spec.commandLine().getOut();
        output.println(Figures.csvHeader());
        for (final Shape job : jobs)
        {
            run(job, output);
        }

        return ExitCode.OK;
    }

    private void validate(final Shape job)
    {
        if (job.hosts() < 1 || job.pesOfHost() < 1 || (long)job.hosts() * job.pesOfHost() > LargeJob.MAX_PES)
        {
            throw CommandException.usage("the number of PEs must be 1 to " + LargeJob.MAX_PES + ": " + job.hosts() +
                " hosts of " + job.pesOfHost());
        }

        final long maxBytes = LargeJob.maxBlockBytes(job.pes());
        if (bytes < Long.BYTES || 0 != bytes % Long.BYTES || bytes > maxBytes)
        {
            throw CommandException.usage("--bytes must be a multiple of 8, from 8 to " + maxBytes + " on " +
                job.pes() + " PEs: --bytes=" + bytes);
        }

        if (operations.contains(Operation.ALLTOALL) && job.pes() > Operation.MAX_ALLTOALL)
        {
            throw CommandException.usage("--op alltoall is for up to " + Operation.MAX_ALLTOALL + " PEs: " + job.pes());
        }
    }

    private void run(final Shape shape, final PrintWriter output)
    {
        try (LargeJob job = new LargeJob(shape.hosts(), shape.pesOfHost(), bytes, network, host))
        {
            for (final Operation operation : operations)
            {
                output.println(job.run(operation).csv());
                output.flush();
            }
        }
    }

    static final class ShapeConverter implements ITypeConverter<Shape>
    {
        @Override
        public Shape convert(final String text)
        {
            final Matcher matcher = Shape.SYNTAX.matcher(text);
            if (!matcher.matches())
            {
                throw new TypeConversionException("'" + text + "' is not HOSTSxPES, such as 32x128");
            }

            return new Shape(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
        }
    }

    static final class LinkConverter implements ITypeConverter<Link>
    {
        @Override
        public Link convert(final String text)
        {
            try
            {
                return Link.parse(text);
            }
            catch (final IllegalArgumentException ex)
            {
                throw new TypeConversionException(ex.getMessage());
            }
        }
    }
}
