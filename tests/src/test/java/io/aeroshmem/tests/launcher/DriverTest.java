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
package io.aeroshmem.tests.launcher;

import io.aeron.CncFileDescriptor;
import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import io.aeroshmem.samples.HelloPe;
import io.aeroshmem.tests.fixture.JobRoot;
import org.agrona.IoUtil;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The command {@code aeroshmem driver}, and jobs that use its driver.
 */
@Tag("ci")
@Tag("waits")
class DriverTest
{
    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @Test
    void shouldServeJobsUntilItReceivesASignal() throws Exception
    {
        final Path directory = root.path().resolve("driver");
        final Path properties = root.path().resolve("driver.properties");
        Files.writeString(properties, "aeroshmem.aeron.dir=" + directory + "\naeron.dir.delete.on.start=true\n" +
            "aeron.threading.mode=SHARED_NETWORK\n" +
            "aeron.conductor.idle.strategy=org.agrona.concurrent.SleepingMillisIdleStrategy\n");
        try (CommandProcess driver = CommandProcess.start(root.path(), "driver", properties.toString()))
        {
            driver.awaitLine("aeroshmem driver: running");

            final CommandProcess check = CommandProcess.run(root.path(), "driver", "--check", properties.toString());
            assertEquals(0, check.exitCode(), check::toString);
            assertTrue(check.output().get(0).endsWith("is active in " + directory + ", pid " + driver.toHandle().pid()),
                check::toString);

            final CommandProcess second = CommandProcess.run(root.path(), "driver", properties.toString());
            assertEquals(1, second.exitCode(), second::toString);
            assertEquals(1, second.error().size(), second::toString);
            assertTrue(second.error().get(0).contains("a media driver is active in " + directory), second::toString);

            final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", "--transport", "udp",
                "-J-Daeroshmem.aeron.dir=" + directory, HelloPe.class.getName());
            assertEquals(0, run.exitCode(), run::toString);
            assertTrue(run.output().contains("sum of all PE numbers: 1"), run::toString);

            driver.signal("TERM");
            assertEquals(143, driver.awaitExit(), driver::toString);
            assertFalse(Files.exists(directory));

            final CommandProcess checkAfterwards =
                CommandProcess.run(root.path(), "driver", "--check", properties.toString());
            assertEquals(1, checkAfterwards.exitCode(), checkAfterwards::toString);
            assertEquals(1, checkAfterwards.error().size(), checkAfterwards::toString);
        }

        Files.delete(properties);
        root.assertEmpty();
    }

    /**
     * A driver that is stopped for longer than Aeron's driver timeout counts as dead.
     */
    @Test
    void shouldNotTakeTheDirectoryOfADriverThatIsStopped() throws Exception
    {
        final Path directory = root.path().resolve("driver");
        try (CommandProcess driver = startDriver(directory, ""))
        {
            driver.awaitLine("aeroshmem driver: running");
            driver.signal("STOP");
            setHeartbeatBack(directory, TimeUnit.MINUTES.toMillis(1));

            try (CommandProcess second = startDriver(directory, ""))
            {
                assertEquals(1, second.awaitExit(), second::toString);
                assertEquals(1, second.error().size(), second::toString);
                assertTrue(second.error().get(0).contains("pid " + driver.toHandle().pid()), second::toString);
            }

            driver.signal("CONT");
            final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", "--transport", "ipc",
                "-J-Daeroshmem.aeron.dir=" + directory, HelloPe.class.getName());
            assertEquals(0, run.exitCode(), run::toString);
            driver.signal("TERM");
            assertEquals(143, driver.awaitExit(), driver::toString);
        }

        root.assertEmpty();
    }

    /**
     * Aeron considers a driver active for ten seconds after its last heartbeat, of which the next one waits for two.
     */
    @Test
    void shouldReplaceADriverThatWasKilled() throws Exception
    {
        final Path directory = root.path().resolve("driver");
        try (CommandProcess driver = startDriver(directory, ""))
        {
            driver.awaitLine("aeroshmem driver: running");
            driver.signal("KILL");
            assertEquals(137, driver.awaitExit(), driver::toString);
            setHeartbeatBack(directory, TimeUnit.SECONDS.toMillis(8));
        }

        final Path properties = root.path().resolve("driver.properties");
        Files.writeString(properties, "aeroshmem.aeron.dir=" + directory + "\n");
        final CommandProcess check = CommandProcess.run(root.path(), "driver", "--check", properties.toString());
        assertEquals(1, check.exitCode(), check::toString);
        assertEquals(1, check.error().size(), check::toString);

        try (CommandProcess next = CommandProcess.start(root.path(), "driver", properties.toString()))
        {
            next.awaitLine("aeroshmem driver: running");
            final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", "--transport", "ipc",
                "-J-Daeroshmem.aeron.dir=" + directory, HelloPe.class.getName());
            assertEquals(0, run.exitCode(), run::toString);
            next.signal("TERM");
            assertEquals(143, next.awaitExit(), next::toString);
            assertFalse(Files.exists(directory));
        }

        Files.delete(properties);
        root.assertEmpty();
    }

    /**
     * Another user could open the files of such a driver.
     */
    @Test
    void shouldRejectADirectoryThatIsNotPrivate() throws Exception
    {
        final Path directory = Files.createDirectory(root.path().resolve("driver"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        final String message = directory + " must have mode 0700";
        try (CommandProcess driver = startDriver(directory, ""))
        {
            assertEquals(1, driver.awaitExit(), driver::toString);
            assertEquals(1, driver.error().size(), driver::toString);
            assertTrue(driver.error().get(0).contains(message), driver::toString);
        }

        final CommandProcess run = CommandProcess.run(root.path(), "run", "-n", "2", "--transport", "ipc",
            "-J-Daeroshmem.aeron.dir=" + directory, HelloPe.class.getName());
        assertEquals(2, run.exitCode(), run::toString);
        assertEquals(1, run.error().size(), run::toString);
        assertTrue(run.error().get(0).contains(message), run::toString);

        final Shmem.Context template = new Shmem.Context().transport(TransportKind.IPC).heapSize(1 << 20)
            .aeronDirectoryName(directory.toString());
        final Exception pe = assertThrows(Exception.class, () -> Shmem.runLocal(2, template, (shmem) -> {}));
        assertTrue(pe.getMessage().contains(message), pe::toString);
        Files.delete(directory);
    }

    /**
     * Sets the driver's heartbeat back by a time.
     */
    private static void setHeartbeatBack(final Path directory, final long ms)
    {
        final MappedByteBuffer cnc = IoUtil.mapExistingFile(
            directory.resolve(CncFileDescriptor.CNC_FILE).toFile(), CncFileDescriptor.CNC_FILE);
        try
        {
            new ManyToOneRingBuffer(CncFileDescriptor.createToDriverBuffer(
                cnc, CncFileDescriptor.createMetaDataBuffer(cnc)))
                .consumerHeartbeatTime(System.currentTimeMillis() - ms);
        }
        finally
        {
            IoUtil.unmap(cnc);
        }
    }

    @Test
    void shouldEndWhenItsDirectoryIsTaken() throws Exception
    {
        final Path directory = root.path().resolve("driver");
        final Path moved = root.path().resolve("moved");
        try (CommandProcess driver = startDriver(directory, ""))
        {
            driver.awaitLine("aeroshmem driver: running");
            Files.move(directory, moved);
            final Path other = Files.createFile(Files.createDirectory(directory).resolve(CncFileDescriptor.CNC_FILE));

            assertEquals(1, driver.awaitExit(), driver::toString);
            assertEquals(1, driver.error().size(), driver::toString);
            assertTrue(driver.error().get(0).contains(directory + " was removed or taken"), driver::toString);
            assertTrue(Files.exists(other), "the files of another driver were removed");
        }
    }

    @Test
    void shouldEndWhenAThreadOfItEnds() throws Exception
    {
        final Path directory = root.path().resolve("driver");
        try (CommandProcess driver =
            startDriver(directory, "aeron.shared.idle.strategy=" + FatalIdleStrategy.class.getName() + "\n"))
        {
            assertEquals(1, driver.awaitExit(), driver::toString);
            assertTrue(driver.error().stream().anyMatch((line) -> line.contains("has ended")), driver::toString);
        }
    }

    private CommandProcess startDriver(final Path directory, final String more) throws Exception
    {
        final Path properties = Files.createTempFile("aeroshmem-test-driver-", ".properties");
        properties.toFile().deleteOnExit();
        Files.writeString(properties, "aeroshmem.aeron.dir=" + directory + "\n" + more);
        return CommandProcess.start(root.path(), "driver", properties.toString());
    }

    @Test
    void shouldRejectTimeoutsOutOfRange() throws Exception
    {
        final Path properties = root.path().resolve("driver.properties");
        Files.writeString(
            properties, "aeron.client.liveness.timeout=2s\naeron.dir=" + root.path().resolve("driver") + "\n");

        final CommandProcess driver = CommandProcess.run(root.path(), "driver", properties.toString());

        assertEquals(2, driver.exitCode(), driver::toString);
        assertEquals(1, driver.error().size(), driver::toString);
        assertTrue(driver.error().get(0).contains("aeron.client.liveness.timeout=2s"), driver::toString);
        Files.delete(properties);
        root.assertEmpty();
    }
}
