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

import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Log buffers grow with the number of PEs on a host, not with its square.
 */
@Tag("ci")
class LogBufferTest
{
    private static final int PES = 8;

    /** Log files per PE: one for the PE's inbox, and one for anything else. */
    private static final int FILES_PER_PE = 2;

    /** Over UDP the receiving side of the driver keeps an image of each publication. */
    private static final int SIDES_OF_UDP = 2;

    @ParameterizedTest
    @CsvSource({"IPC, THREADS", "UDP, THREADS", "IPC, PROCESSES"})
    void shouldGrowWithTheNumberOfPes(final TransportKind transport, final JobForm form)
    {
        Job.of(PES).transport(transport).form(form).heapSize(1 << 20).property("aeroshmem.term.length", "64k")
            .property("aeroshmem.shm.dir", TestMemory.root().toString()).run(new Routines());
    }

    /**
     * The routines of the jobs.
     */
    static final class Routines extends RoutineSet
    {
        Routines()
        {
            add("everyone to everyone", LogBufferTest::talkAndCount);
        }
    }

    private static void talkAndCount(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(1, 8);
        for (int target = 0; target < PES; target++)
        {
            pe.ctx().atomicIncLong(words, 0, target);
        }

        pe.shmem().barrierAll();
        assertEquals(PES, words.getLong(0));
        if (0 == pe.me())
        {
            final Path root = Path.of(System.getProperty("aeroshmem.shm.dir"));
            final List<Path> logs = TestMemory.find(root, 10).stream()
                .filter((path) -> root.relativize(path).toString().startsWith("aeroshmem-"))
                .filter((path) -> path.toString().endsWith(".logbuffer")).collect(Collectors.toList());
            final int sides = TransportKind.UDP == pe.transport() ? SIDES_OF_UDP : 1;
            assertTrue(logs.size() >= PES, "these are the logs of all PEs: " + logs);
            assertTrue(logs.size() <= sides * FILES_PER_PE * PES, logs.size() + " logs: " + logs);
        }

        pe.shmem().barrierAll();
        pe.shmem().free(words);
    }
}
