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
import io.aeroshmem.BootstrapException;
import io.aeroshmem.InitStatus;
import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.JobDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Attributes of PEs: their version, and the settings that must be equal on all PEs.
 */
class AttributesTest
{
    private static final int PES = 3;

    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
    }

    @Test
    void shouldRejectAttributesOfALaterVersion()
    {
        assertEquals(Shmem.Context.ATTRIBUTES_VERSION, new Shmem.Context().version());
        final int later = Shmem.Context.ATTRIBUTES_VERSION + 1;
        final Shmem.Context config = new Shmem.Context().heapSize(1 << 20).version(later);
        final String message = assertThrows(IllegalArgumentException.class, () -> Shmem.init(config)).getMessage();
        assertTrue(message.contains(": version=" + later), message);
        assertThrows(IllegalArgumentException.class, () -> new Shmem.Context().version(0).conclude());
        try (Shmem shmem = Shmem.init(
            new Shmem.Context().heapSize(1 << 20).version(Shmem.Context.ATTRIBUTES_VERSION)))
        {
            assertEquals(Shmem.Context.ATTRIBUTES_VERSION, shmem.context().version());
        }
    }

    @Test
    void shouldReportTheSameToAllPesWhenOneDiffers() throws Exception
    {
        refuse("aeroshmem.heap.size=2097152", (config, pe) -> config.heapSize(pe == 1 ? 2 << 20 : 1 << 20));
        refuse("aeroshmem.teams.max=7", (config, pe) -> config.maxTeams(pe == 1 ? 7 : 8));
        refuse("aeroshmem.check.collectives=true", (config, pe) -> config.checkCollectives(pe == 1));
        refuse("aeroshmem.init.delayed=true", (config, pe) -> config.delayedInit(pe == 1));
        refuse("aeroshmem.liveness.timeout=20000000000ns", (config, pe) ->
            config.livenessTimeoutNs(TimeUnit.SECONDS.toNanos(pe == 1 ? 20 : 10)));
        refuse("aeroshmem.algorithm.barrier=", (config, pe) -> config.algorithm("reduce", "auto")
            .algorithm("barrier", pe == 1 ? anotherBarrier() : "auto"));
    }

    @Test
    void shouldLetPesDifferInWhatIsTheirOwn() throws Exception
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(2);
        final Throwable[] thrown = new Throwable[2];
        final Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++)
        {
            final int pe = i;
            final Shmem.Context config = new Shmem.Context().bootstrap(bootstraps[pe]).heapSize(1 << 20)
                .transport(0 == pe ? TransportKind.AUTO : TransportKind.IPC)
                .heapSparse(0 == pe)
                .operationTimeoutNs(TimeUnit.SECONDS.toNanos(pe * 60L))
                .recordLatency(false);
            threads[i] = new Thread(() -> thrown[pe] = thrownBy(config));
            threads[i].start();
        }

        for (int pe = 0; pe < 2; pe++)
        {
            threads[pe].join();
            assertEquals(null, thrown[pe]);
        }
    }

    private static Throwable thrownBy(final Shmem.Context config)
    {
        try
        {
            Shmem.run(config, Shmem::barrierAll);
            return null;
        }
        catch (final Exception | Error ex)
        {
            return ex;
        }
    }

    private static String anotherBarrier()
    {
        final String message = assertThrows(
            IllegalArgumentException.class, () -> new Shmem.Context().algorithm("barrier", "none")).getMessage();
        final String names = message.substring(message.indexOf("auto, ") + "auto, ".length());
        return names.split("[, ]")[0];
    }

    private static void refuse(final String given, final ObjIntConsumer<Shmem.Context> setter) throws Exception
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(PES);
        final Throwable[] thrown = new Throwable[PES];
        final Thread[] threads = new Thread[PES];
        for (int i = 0; i < PES; i++)
        {
            final int pe = i;
            final Shmem.Context config = new Shmem.Context().heapSize(1 << 20).bootstrap(bootstraps[pe]);
            setter.accept(config, pe);
            threads[i] = new Thread(() -> thrown[pe] = thrownBy(config));
            threads[i].start();
        }

        for (final Thread thread : threads)
        {
            thread.join();
        }

        for (int pe = 0; pe < PES; pe++)
        {
            final String message = assertInstanceOf(BootstrapException.class, thrown[pe]).getMessage();
            assertEquals(thrown[0].getMessage(), message);
            assertTrue(message.startsWith(given.replace("=", " must be equal on all PEs: PE 1 has ")), message);
            assertTrue(message.contains(", PE 0 has "), message);
            assertEquals(null, thrown[pe].getCause().getCause(), "detected by itself");
        }

        assertTrue(TestMemory.jobs().isEmpty());
    }

    @Test
    void shouldReportTheSameToAllProcesses() throws IOException
    {
        final String heap = refuseProcesses("aeroshmem.heap.size", "1m", "2m");
        assertTrue(heap.contains("aeroshmem.heap.size must be equal on all PEs: PE 1 has 2097152, PE 0 has 1048576"),
            heap);
        final String terms = refuseProcesses("aeroshmem.term.length", "1m", "128k");
        assertTrue(terms.contains("aeroshmem.term.length must be equal on all PEs: PE 1 has 131072, PE 0 has 1048576"),
            terms);
    }

    private static String refuseProcesses(final String property, final String value, final String otherValue)
        throws IOException
    {
        final List<String> outputs = new ArrayList<>();
        try (JobDirectory directory = JobDirectory.create(TestMemory.root(), 2))
        {
            final List<Process> processes = new ArrayList<>();
            for (int pe = 0; pe < 2; pe++)
            {
                final List<String> command = ChildJvm.briefCommand();
                command.add("-Daeroshmem.shm.dir=" + TestMemory.root());
                command.add("-D" + property + "=" + (1 == pe ? otherValue : value));
                command.add(Refused.class.getName());
                final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
                builder.environment().put("AEROSHMEM_JOB_DIR", directory.path().toString());
                builder.environment().put("AEROSHMEM_PE", Integer.toString(pe));
                builder.environment().put("AEROSHMEM_NPES", "2");
                processes.add(builder.start());
            }

            for (final Process process : processes)
            {
                outputs.add(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
                process.onExit().join();
            }

            directory.delete();
        }

        assertEquals(outputs.get(0), outputs.get(1));
        return outputs.get(0);
    }

    /**
     * A PE that prints why it cannot be set up.
     */
    static final class Refused
    {
        private Refused()
        {
        }

        public static void main(final String[] args)
        {
            System.out.println(assertThrows(BootstrapException.class, Shmem::init).getMessage());
        }
    }

    @Test
    void shouldKnowAllStatusesInOrder()
    {
        assertEquals(
            List.of("NOT_INITIALIZED", "BOOTSTRAPPED", "INITIALIZED", "LIMITED_MPG", "FULL_MPG"),
            List.of(InitStatus.values()).stream().map(Enum::name).toList());
        for (int value = 0; value < InitStatus.values().length; value++)
        {
            assertEquals(value, InitStatus.values()[value].ordinal());
        }

        assertTrue(InitStatus.NOT_INITIALIZED.compareTo(InitStatus.BOOTSTRAPPED) < 0);
        assertTrue(InitStatus.BOOTSTRAPPED.compareTo(InitStatus.INITIALIZED) < 0);
        assertTrue(InitStatus.INITIALIZED.compareTo(InitStatus.LIMITED_MPG) < 0);
        assertTrue(InitStatus.LIMITED_MPG.compareTo(InitStatus.FULL_MPG) < 0);
    }
}
