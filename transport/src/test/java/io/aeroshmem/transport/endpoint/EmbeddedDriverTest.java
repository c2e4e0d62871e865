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
package io.aeroshmem.transport.endpoint;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.driver.Configuration;
import io.aeron.driver.DefaultAllowTerminationValidator;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.exceptions.RegistrationException;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.job.Await;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.DriverState;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.SmallFileSystem;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
@Timeout(60)
class EmbeddedDriverTest
{
    @TempDir
    private Path root;

    @AfterEach
    void after()
    {
        System.clearProperty(Configuration.TERMINATION_VALIDATOR_PROP_NAME);
    }

    /** A file that is mapped where memory is short would end the JVM, or throw an InternalError. */
    @Test
    void shouldReportThatItsFilesDoNotFit() throws Exception
    {
        try (SmallFileSystem small = SmallFileSystem.mount(root, 8 << 20);
            JobDirectory job = JobDirectory.create(small.path(), 1))
        {
            join(job.control());
            final TransportException ex = assertThrows(TransportException.class,
                () -> EmbeddedDriver.start(job, TimeUnit.SECONDS.toNanos(10), (error) -> {}));
            assertTrue(ex.getMessage().contains("a media driver needs 12.1 MiB: "), ex.getMessage());
            assertTrue(ex.getMessage().contains(" of 8.0 MiB free"), ex.getMessage());
            assertFalse(Files.exists(job.aeronDirectory()));
            assertEquals(DriverState.FAILED, job.control().driverState());
        }
    }

    @Test
    void shouldStartWhereAContainerHasLittleMemory() throws Exception
    {
        try (SmallFileSystem small = SmallFileSystem.mount(root, 14 << 20);
            JobDirectory job = JobDirectory.create(small.path(), 1))
        {
            join(job.control());
            EmbeddedDriver.start(job, TimeUnit.SECONDS.toNanos(10), (error) -> {}).close();
        }
    }

    /** Otherwise the receiver of a stream would wait for it until its join timeout. */
    @Test
    void shouldFailTheJobWithoutMemoryForAStream() throws Exception
    {
        try (SmallFileSystem small = SmallFileSystem.mount(root, 14 << 20);
            JobDirectory job = JobDirectory.create(small.path(), 1))
        {
            join(job.control());
            try (EmbeddedDriver driver = EmbeddedDriver.start(job, TimeUnit.SECONDS.toNanos(10), (error) -> {});
                Aeron aeron = Aeron.connect(
                    new Aeron.Context().aeronDirectoryName(job.aeronDirectory().toString())))
            {
                assertThrows(
                    RegistrationException.class,
                    () -> aeron.addPublication("aeron:ipc?term-length=1m|sparse=false", 1),
                    driver::toString);
                Await.until(job.control()::isFailed, () -> "no failure: " + job.control());
                final String message = job.control().failure().message();
                assertTrue(message.startsWith("the media driver of the job has too little memory: "), message);
            }
        }
    }

    /** What Aeron has made of it when a page is missing would take memory until the driver ends. */
    @Test
    void shouldLeaveNoPartOfALogThatDoesNotFit() throws Exception
    {
        try (SmallFileSystem small = SmallFileSystem.mount(root, 14 << 20))
        {
            final Path directory = small.path().resolve("driver");
            final MediaDriver.Context context = EmbeddedDriver.counters(new MediaDriver.Context(), 1)
                .aeronDirectoryName(directory.toString())
                .threadingMode(ThreadingMode.SHARED)
                .termBufferSparseFile(false)
                .performStorageChecks(false)
                .errorHandler((error) -> {});
            try (MediaDriver driver = EmbeddedDriver.launch(context);
                Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(directory.toString())))
            {
                assertThrows(
                    RegistrationException.class,
                    () -> aeron.addPublication("aeron:ipc?term-length=1m|sparse=false", 1),
                    driver::toString);
                try (Stream<Path> logs = Files.list(directory.resolve("publications")))
                {
                    assertEquals(List.of(), logs.toList());
                }
            }
        }
    }

    private static void join(final ControlFile control)
    {
        new JoinRecord(0, 0, TransportMode.AUTO, 4096, 4096, "host", "node", "", "", "", 0).publish(control);
        control.phase(0, PePhase.RECORDED);
    }

    @Test
    void shouldFailTheJobWithoutBlamingAPeWhenItIsTerminated() throws Exception
    {
        System.setProperty(
            Configuration.TERMINATION_VALIDATOR_PROP_NAME, DefaultAllowTerminationValidator.class.getName());
        try (JobDirectory job = JobDirectory.create(root, 1))
        {
            final ControlFile control = job.control();
            join(control);
            try (EmbeddedDriver driver = EmbeddedDriver.start(job, TimeUnit.SECONDS.toNanos(10), (ex) -> {}))
            {
                assertTrue(CommonContext.requestDriverTermination(
                    job.aeronDirectory().toFile(), new UnsafeBuffer(new byte[0]), 0, 0));
                Await.until(control::isFailed, () -> "no failure of " + driver + ": " + control);
                assertEquals(
                    new JobFailure(
                        JobFailure.Kind.DRIVER_DIED, -1, -1, "the media driver of the job was terminated"),
                    control.failure());
            }
        }
    }
}
