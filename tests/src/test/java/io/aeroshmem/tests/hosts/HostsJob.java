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
package io.aeroshmem.tests.hosts;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.JobState;
import io.aeroshmem.tests.fixture.PeMain;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.tools.AeroShmemCommand;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A job of four PEs as processes: PEs 0 and 1 on the first host, 2 and 3 on the second. They join by their
 * environment, as under any scheduler.
 */
final class HostsJob implements AutoCloseable
{
    static final int PES = 4;
    static final int PES_PER_HOST = 2;

    private static final PrintStream OUT = System.out;
    private static final String SEED_PROPERTY = "aeroshmem.test.seed";
    private static final int PORT = 7447;
    private static final String DRIVER_DIRECTORY = "/dev/shm/driver";

    private final TwoHosts hosts;
    private final Class<? extends RoutineSet> set;
    private final long seed = Long.getLong(SEED_PROPERTY, System.nanoTime() & 0xFFFF_FFFFFFFFL);
    private final String secret = Long.toHexString(seed) + "-of-this-job";
    private final Map<String, String> properties = new TreeMap<>();
    private final List<HostProcess> drivers = new ArrayList<>();
    private final HostProcess[] pes = new HostProcess[PES];
    private final Path folder;
    private TransportKind transport = TransportKind.AUTO;
    private String rendezvous;
    private boolean isHealthy;

    HostsJob(final TwoHosts hosts, final Class<? extends RoutineSet> set)
    {
        this.hosts = hosts;
        this.set = set;
        rendezvous = hosts.address(0) + ":" + PORT;
        property("aeroshmem.heap.size", "16m");
        property("aeroshmem.test.hosts", Integer.toString(PES / PES_PER_HOST));
        TestMemory.root();
        try
        {
            folder = Files.createTempDirectory("aeroshmem-test-output-");
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    HostsJob transport(final TransportKind kind)
    {
        transport = kind;
        return this;
    }

    HostsJob property(final String name, final String value)
    {
        properties.put(name, value);
        return this;
    }

    HostsJob properties(final Map<String, String> more)
    {
        properties.putAll(more);
        return this;
    }

    /**
     * Sets the address of the rendezvous, by default the first host's.
     */
    HostsJob rendezvous(final String address)
    {
        rendezvous = address + ":" + PORT;
        return this;
    }

    /**
     * Runs a driver of its own on each host, which the PEs there use.
     *
     * @param options of its JVM.
     */
    HostsJob drivers(final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add(AeroShmemCommand.class.getName());
        arguments.add("driver");
        for (int host = 0; host < PES / PES_PER_HOST; host++)
        {
            drivers.add(HostProcess.start(hosts.host(host), "driver-" + host, folder, arguments,
                Map.of("AEROSHMEM_AERON_DIR", DRIVER_DIRECTORY)));
        }

        drivers.forEach((driver) -> driver.awaitLine("aeroshmem driver: running"));
        return this;
    }

    HostsJob start()
    {
        for (int pe = 0; pe < PES; pe++)
        {
            start(pe);
        }

        return this;
    }

    HostProcess start(final int pe)
    {
        pes[pe] = start("pe-" + pe, pe, secret);
        return pes[pe];
    }

    /**
     * Starts a process that tries to join as that PE.
     */
    HostProcess start(final String name, final int pe, final String itsSecret)
    {
        final List<String> arguments = new ArrayList<>();
        arguments.add("-Daeroshmem.transport=" + transport.name().toLowerCase(Locale.ROOT));
        properties.forEach((property, value) -> arguments.add("-D" + property + "=" + value));
        arguments.addAll(List.of(PeMain.class.getName(), set.getName(), Long.toString(seed), transport.name()));
        final Map<String, String> environment = new HashMap<>(Map.of(
            "AEROSHMEM_PE", Integer.toString(pe),
            "AEROSHMEM_NPES", Integer.toString(PES),
            "AEROSHMEM_RENDEZVOUS", rendezvous,
            "AEROSHMEM_RENDEZVOUS_SECRET", itsSecret));
        if (!drivers.isEmpty())
        {
            environment.put("AEROSHMEM_AERON_DIR", DRIVER_DIRECTORY);
        }

        return HostProcess.start(hosts.host(pe / PES_PER_HOST), name, folder, arguments, environment);
    }

    HostProcess pe(final int pe)
    {
        return pes[pe];
    }

    String secret()
    {
        return secret;
    }

    Path folder()
    {
        return folder;
    }

    /**
     * Waits until all PEs have ended with status 0.
     */
    void awaitEnd(final Duration limit)
    {
        awaitEnd(limit, 0, 0, 0, 0);
    }

    /**
     * Waits until all PEs have ended, each with its status.
     */
    void awaitEnd(final Duration limit, final int... statuses)
    {
        final long start = System.nanoTime();
        for (int pe = 0; pe < PES; pe++)
        {
            if (!pes[pe].awaitEnd(start + limit.toNanos()))
            {
                throw failure(pes[pe] + " has not ended after " + limit);
            }
        }

        for (int pe = 0; pe < PES; pe++)
        {
            if (statuses[pe] != pes[pe].exitValue())
            {
                throw failure(pes[pe] + " exited with " + pes[pe].exitValue() + ", not " + statuses[pe]);
            }
        }

        isHealthy = true;
        print("ended within " + (System.nanoTime() - start) / 1_000_000 + " ms");
    }

    void print(final String text)
    {
        OUT.println(text + ": " + this);
    }

    AssertionError failure(final String what)
    {
        final StringBuilder text = new StringBuilder(what).append(": ").append(this).append('\n');
        for (int host = 0; host < PES / PES_PER_HOST; host++)
        {
            text.append("-------- ").append(hosts.host(host)).append('\n').append(JobState.of(jobs(host)));
        }

        final List<HostProcess> all = new ArrayList<>(List.of(pes));
        all.addAll(drivers);
        for (final HostProcess process : all)
        {
            if (process.isAlive() && !drivers.contains(process))
            {
                process.send(PeMain.DUMP);
                process.awaitLine(PeMain.DUMPED);
            }

            text.append("======== ").append(process).append(": ")
                .append(process.isAlive() ? "alive" : "exited with " + process.exitValue())
                .append('\n').append(process.output()).append('\n');
        }

        return new AssertionError(text.toString());
    }

    /**
     * The folders of jobs on a host.
     */
    List<Path> jobs(final int host)
    {
        return hosts.host(host).memory().stream()
            .filter(Files::isDirectory)
            .filter((path) -> path.getName(path.getNameCount() - 2).toString().startsWith("aeroshmem-"))
            .collect(Collectors.toList());
    }

    /**
     * Ends all processes. Files that a successful job has left on a host are an error.
     */
    @Override
    public void close()
    {
        for (final HostProcess process : pes)
        {
            if (null != process)
            {
                process.kill();
            }
        }

        for (final HostProcess driver : drivers)
        {
            driver.terminate();
            driver.awaitEnd(System.nanoTime() + Duration.ofSeconds(10).toNanos());
            driver.kill();
        }

        try
        {
            if (isHealthy)
            {
                checkNothingLeft();
            }
        }
        finally
        {
            for (int host = 0; host < PES / PES_PER_HOST; host++)
            {
                hosts.host(host).clean();
            }

            TestMemory.delete(folder);
        }
    }

    private void checkNothingLeft()
    {
        for (int host = 0; host < PES / PES_PER_HOST; host++)
        {
            if (!hosts.host(host).memory().isEmpty())
            {
                throw failure("left on " + hosts.host(host) + ": " + hosts.host(host).memory());
            }
        }
    }

    @Override
    public String toString()
    {
        return set.getSimpleName() + " on two hosts, over " + transport + (drivers.isEmpty() ? "" : ", with drivers") +
            ", " + properties + ", -D" + SEED_PROPERTY + "=" + seed;
    }
}
