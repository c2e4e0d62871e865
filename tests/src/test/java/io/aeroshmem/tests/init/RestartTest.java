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
package io.aeroshmem.tests.init;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.InitStatus;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.UniqueId;
import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A process that has left a job can set up a PE of another one, with another number of PEs.
 */
class RestartTest
{
    private static final String INTERFACE = "aeroshmem.rendezvous.interface";

    /** Number of PEs of each job of this test, in order; negative for a job that fails. */
    private static final int[] JOBS = {2, 3, 1, -3, 2, 3};

    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
        System.setProperty(INTERFACE, "127.0.0.1");
    }

    @AfterEach
    void restore()
    {
        System.clearProperty(INTERFACE);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldRunJobsOfOtherSizesInOneJvm(final TransportKind transport) throws Exception
    {
        for (final int job : JOBS)
        {
            final Shmem.Context template = new Shmem.Context().heapSize(1 << 20).transport(transport);
            if (job > 0)
            {
                Shmem.runLocal(job, template, (shmem) -> work(shmem, job));
            }
            else
            {
                assertThrows(PeFailureException.class, () -> Shmem.runLocal(-job, template, RestartTest::failIn));
            }

            assertTrue(TestMemory.jobs().isEmpty());
        }
    }

    @Test
    @Tag("ci")
    void shouldRunJobsOfOtherSizesInTheSameProcesses(@TempDir final Path folder) throws IOException
    {
        final List<Process> processes = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++)
        {
            final List<String> command = ChildJvm.briefCommand();
            command.add("-Daeroshmem.shm.dir=" + TestMemory.root());
            command.add("-D" + INTERFACE + "=127.0.0.1");
            command.add("-Daeroshmem.heap.size=1m");
            command.add(Member.class.getName());
            command.add(folder.toString());
            command.add(Integer.toString(rank));
            processes.add(new ProcessBuilder(command).redirectErrorStream(true).start());
        }

        for (final Process process : processes)
        {
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.onExit().join().exitValue(), output);
        }

        assertTrue(TestMemory.jobs().isEmpty());
    }

    /**
     * A process that takes part in all jobs that are large enough to need it.
     */
    static final class Member
    {
        private Member()
        {
        }

        public static void main(final String[] args) throws IOException
        {
            final Path folder = Path.of(args[0]);
            final int rank = Integer.parseInt(args[1]);
            for (int i = 0; i < JOBS.length; i++)
            {
                final int nPes = Math.abs(JOBS[i]);
                if (rank < nPes)
                {
                    final Shmem.Context config = new Shmem.Context()
                        .transport(0 == i % 2 ? TransportKind.AUTO : TransportKind.UDP)
                        .bootstrap(Bootstrap.uniqueId(rank, nPes, id(folder.resolve("id-" + i), rank)));
                    takePart(config, JOBS[i]);
                }
            }
        }

        private static void takePart(final Shmem.Context config, final int job)
        {
            final Shmem shmem = Shmem.init(config);
            if (job > 0)
            {
                work(shmem, job);
            }
            else
            {
                assertThrows(PeFailureException.class, () -> failIn(shmem));
            }

            shmem.close();
            assertEquals(InitStatus.BOOTSTRAPPED, shmem.initStatus());
        }

        private static UniqueId id(final Path file, final int rank) throws IOException
        {
            if (0 == rank)
            {
                final UniqueId id = UniqueId.create();
                final Path part = file.resolveSibling(file.getFileName() + ".part");
                Files.write(part, id.toBytes());
                Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
                return id;
            }

            Pe.await(() -> Files.exists(file), "the id of the job");
            return UniqueId.fromBytes(Files.readAllBytes(file));
        }
    }

    private static void work(final Shmem shmem, final int nPes)
    {
        assertEquals(nPes, shmem.nPes());
        assertEquals(InitStatus.INITIALIZED, shmem.initStatus());
        final SymmetricBuffer word = shmem.calloc(1, 8);
        for (int pe = 0; pe < nPes; pe++)
        {
            shmem.defaultContext().atomicAddLong(word, 0, 1 + shmem.myPe(), pe);
        }

        shmem.barrierAll();
        assertEquals(nPes * (nPes + 1) / 2, word.getLong(0));
        assertEquals(nPes, shmem.world().reduceLong(ReduceOp.SUM, 1));
    }

    /**
     * Fails the job on the last PE.
     */
    private static void failIn(final Shmem shmem)
    {
        shmem.barrierAll();
        if (shmem.nPes() - 1 == shmem.myPe())
        {
            shmem.fail(new ArithmeticException("no more"));
        }
        while (true)
        {
            shmem.barrierAll();
        }
    }
}
