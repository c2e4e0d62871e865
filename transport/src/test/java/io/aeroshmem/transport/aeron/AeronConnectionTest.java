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

import io.aeron.Aeron;
import io.aeron.CncFileDescriptor;
import io.aeron.command.ControlProtocolEvents;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.VirtualPause;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.IoUtil;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("waits")
@Timeout(60)
class AeronConnectionTest
{
    private static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(1);
    private static final String CHANNEL = "aeron:ipc?term-length=64k";
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
            final VirtualPause pause = new VirtualPause();
            try (AeronConnection connection = connect(driver.aeronDirectoryName(), job, pause))
            {
                final TransportException pending = assertThrows(TransportException.class,
                    () -> connection.source(CHANNEL, STREAM_ID, (image, name) -> {}, (round) -> park(pause, round)));
                assertTrue(pending.getMessage().contains(CHANNEL), pending.getMessage());

                assertThrows(TransportException.class,
                    () -> connection.sink(CHANNEL, STREAM_ID, (round) -> park(pause, round)));
                assertThrows(TransportException.class,
                    () -> connection.source(CHANNEL, STREAM_ID, (image, name) -> {}, (round) -> park(pause, round)));
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
            AeronConnection connection = connect(driver.aeronDirectoryName(), job, Pause.SYSTEM))
        {
            final TransportException publication = assertThrows(TransportException.class,
                () -> connection.sink(rejected, STREAM_ID, AeronConnectionTest::idle));
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
                () -> connect(root.toString(), job, Pause.SYSTEM));
            assertTrue(empty.getMessage().contains("no media driver runs in " + root), empty.getMessage());
        }
    }

    /**
     * The ring of a driver is read in order. Whoever is killed between the claim of a request and its end leaves a gap
     * there, which the driver skips after the time in which it expires a client.
     */
    @Test
    @Tag("ci")
    void shouldOpenStreamsAfterAProcessHasDiedWhileItWroteARequest()
    {
        try (MediaDriver driver = MediaDriver.launch(
                EmbeddedDriver.context(LIVENESS_NS).aeronDirectoryName(root.resolve("driver").toString()));
            Aeron aeron = Aeron.connect(new Aeron.Context()
                .aeronDirectoryName(driver.aeronDirectoryName())
                .errorHandler((ex) -> {})
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(LIVENESS_NS)));
            AeronConnection connection =
                AeronConnection.over(aeron, false, null, LIVENESS_NS, 0, Pause.SYSTEM))
        {
            claimRequest(driver.context().cncFile());
            assertNotNull(connection.sink(CHANNEL, STREAM_ID, AeronConnectionTest::idle));
        }
    }

    private static void claimRequest(final File file)
    {
        final MappedByteBuffer cnc = IoUtil.mapExistingFile(file, CncFileDescriptor.CNC_FILE);
        try
        {
            final ManyToOneRingBuffer requests = new ManyToOneRingBuffer(
                CncFileDescriptor.createToDriverBuffer(cnc, CncFileDescriptor.createMetaDataBuffer(cnc)));
            assertTrue(requests.tryClaim(ControlProtocolEvents.ADD_PUBLICATION, 64) > 0);
        }
        finally
        {
            IoUtil.unmap(cnc);
        }
    }

    private static AeronConnection connect(final String directory, final JobDirectory job, final Pause pause)
    {
        return AeronConnection.connect(directory, LIVENESS_NS, "client", job.control(), 0, (ex) -> {}, pause);
    }

    private static int park(final Pause pause, final int round)
    {
        pause.park(null, TimeUnit.MILLISECONDS.toNanos(10));
        return round + 1;
    }

    private static int idle(final int round)
    {
        Thread.yield();
        return round + 1;
    }
}
