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
package io.aeroshmem.tests;

import io.aeron.Aeron;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.TestMemory;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.fail;

/**
 * The counters of a media driver, which AeronStat shows, name the PEs that are its clients.
 */
@Tag("ci")
class ClientNameTest
{
    private static final int PES = 3;

    @ParameterizedTest
    @CsvSource({"IPC, THREADS", "IPC, PROCESSES", "UDP, PROCESSES"})
    void shouldShowThePesInTheCountersOfTheDriver(final TransportKind transport, final JobForm form)
    {
        Job.of(PES).transport(transport).form(form).property("aeroshmem.shm.dir", TestMemory.root().toString())
            .run(JobForm.THREADS == form ? new Threads() : new Processes());
    }

    /**
     * PEs that share a client.
     */
    static final class Threads extends RoutineSet
    {
        Threads()
        {
            add("one client", (pe) -> check(pe, "-pe-0-to-2"));
        }
    }

    /**
     * PEs that have a client each.
     */
    static final class Processes extends RoutineSet
    {
        Processes()
        {
            add("a client each", (pe) -> check(pe, "-pe-0", "-pe-1", "-pe-2"));
        }
    }

    private static void check(final Pe pe, final String... names)
    {
        pe.shmem().barrierAll();
        if (0 == pe.me())
        {
            final Path cnc = TestMemory.find(Path.of(System.getProperty("aeroshmem.shm.dir")), 10).stream()
                .filter((path) -> path.endsWith("cnc.dat")).findFirst().orElseThrow();
            final Path driver = cnc.getParent();
            final String job = driver.getParent().getFileName().toString();
            try (Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.toString())))
            {
                for (final String name : names)
                {
                    await(aeron.countersReader(), "name=aeroshmem-" + job + name + " ");
                }
            }
        }

        pe.shmem().barrierAll();
    }

    /**
     * A client adds its name to its counter with its first heartbeat.
     */
    private static void await(final CountersReader counters, final String text)
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        final List<String> labels = new ArrayList<>();
        do
        {
            labels.clear();
            counters.forEach((id, label) -> labels.add(label));
            if (labels.stream().anyMatch((label) -> (label + " ").contains(text)))
            {
                return;
            }

            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        while (System.nanoTime() - deadlineNs < 0);
        fail(text + "in " + labels);
    }
}
