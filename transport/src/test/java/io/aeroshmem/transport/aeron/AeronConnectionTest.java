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
package io.aeroshmem.transport.aeron;

import io.aeron.CncFileDescriptor;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.concurrent.AgentInvoker;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("waits")
@Timeout(60)
class AeronConnectionTest
{
    private static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(1);
    private static final String CHANNEL = "aeron:ipc";
    private static final int STREAM_ID = 7;

    @TempDir
    private Path root;

    /**
     * As when the process that embeds the driver is stopped: requests expire, and the check of its silence fails the
     * job.
     */
    @Test
    @Tag("ci")
    void shouldThrowTransportExceptionsWhenTheDriverFallsSilent()
    {
        try (JobDirectory job = JobDirectory.create(root, 1);
            MediaDriver driver = MediaDriver.launch(EmbeddedDriver.context(LIVENESS_NS)
                .threadingMode(ThreadingMode.INVOKER)
                .aeronDirectoryName(job.aeronDirectory().toString())))
        {
            final AgentInvoker invoker = driver.sharedAgentInvoker();
            invoker.start();
            invoker.invoke();
            try (AeronConnection connection =
                AeronConnection.connect(
                    driver.aeronDirectoryName(), LIVENESS_NS, "client", job.control(), 0, (ex) -> {}))
            {
                final TransportException pending = assertThrows(TransportException.class,
                    () -> connection.source(CHANNEL, STREAM_ID, (image, name) -> {}, (round) -> idle(round)));
                assertTrue(pending.getMessage().contains(CHANNEL), pending.getMessage());

                assertThrows(TransportException.class,
                    () -> connection.sink(CHANNEL, STREAM_ID, (round) -> idle(round)));
                assertThrows(TransportException.class,
                    () -> connection.source(CHANNEL, STREAM_ID, (image, name) -> {}, (round) -> idle(round)));
                assertNull(connection.driverSilence().check(LIVENESS_NS));
                assertNull(connection.driverSilence().check(LIVENESS_NS));
                assertNull(job.control().failure());
                final JobFailure silence = connection.driverSilence().check(2 * LIVENESS_NS);
                assertEquals(JobFailure.Kind.DRIVER_DIED, silence.kind());
            }
        }
    }

    @Test
    void shouldThrowTransportExceptionsWhenTheDriverRejectsAStream()
    {
        final String rejected = "aeron:udp?endpoint=127.0.0.1:0|interface=203.0.113.1";
        try (JobDirectory job = JobDirectory.create(root, 1);
            MediaDriver driver = MediaDriver.launch(EmbeddedDriver.context(LIVENESS_NS)
                .errorHandler((ex) -> {})
                .aeronDirectoryName(job.aeronDirectory().toString()));
            AeronConnection connection =
                AeronConnection.connect(
                    driver.aeronDirectoryName(), LIVENESS_NS, "client", job.control(), 0, (ex) -> {}))
        {
            final TransportException publication = assertThrows(TransportException.class,
                () -> connection.sink(rejected, STREAM_ID, (round) -> idle(round)));
            assertTrue(publication.getMessage().contains(rejected), publication.getMessage());
        }
    }

    @Test
    void shouldThrowATransportExceptionWhenTheFileOfTheDriverIsEmpty() throws Exception
    {
        Files.createFile(root.resolve(CncFileDescriptor.CNC_FILE));
        try (JobDirectory job = JobDirectory.create(root, 1))
        {
            final TransportException empty = assertThrows(TransportException.class,
                () -> AeronConnection.connect(
                    root.toString(), LIVENESS_NS, "client", job.control(), 0, (ex) -> {}));
            assertTrue(empty.getMessage().contains("no media driver runs in " + root), empty.getMessage());
        }
    }

    private static int idle(final int round)
    {
        Thread.yield();
        return round + 1;
    }
}
