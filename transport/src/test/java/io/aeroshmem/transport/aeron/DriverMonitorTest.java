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
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.IoUtil;
import org.agrona.concurrent.CachedEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class DriverMonitorTest
{
    private static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    @TempDir
    private Path root;
    private final CachedEpochClock clock = new CachedEpochClock();

    @Test
    void shouldReportTheShutdownOfADriver()
    {
        final String directory = root.resolve("driver").toString();
        final MediaDriver driver =
            MediaDriver.launch(EmbeddedDriver.context(LIVENESS_NS).aeronDirectoryName(directory));
        try (DriverMonitor monitor = new DriverMonitor(directory, 3, 0, clock))
        {
            assertNull(monitor.checkBeforeUse());
            assertNull(monitor.check(100 * SECOND_NS), "silence is not limited");
            driver.close();
            final JobFailure failure = monitor.check(0);
            assertEquals(JobFailure.Kind.DRIVER_DIED, failure.kind());
            assertTrue(failure.message().contains("media driver in " + directory), failure.message());
            assertTrue(failure.message().contains("pid " + ProcessHandle.current().pid()), failure.message());
            assertTrue(failure.message().contains("shut down"), failure.message());
            assertTrue(failure.message().contains("PE 3"), failure.message());
        }
    }

    @Test
    void shouldReportSilenceBeyondALimitAndNothingWhenClosed()
    {
        final String directory = root.resolve("driver").toString();
        final MediaDriver.Context context = EmbeddedDriver.context(LIVENESS_NS).aeronDirectoryName(directory);
        try (MediaDriver driver = MediaDriver.launch(context))
        {
            final DriverMonitor monitor = new DriverMonitor(driver.aeronDirectoryName(), 0, SECOND_NS, clock);
            assertNull(monitor.check(SECOND_NS / 2));
            JobFailure failure = null;
            while (null == failure)
            {
                // a simulated second of silence
                failure = monitor.check(SECOND_NS);
            }

            assertTrue(failure.message().contains("does not respond"), failure.message());
            monitor.close();
            monitor.close();
            assertNull(monitor.check(100 * SECOND_NS));
        }
    }

    /**
     * A driver of another host, or one that was killed, leaves a file that no process here uses.
     */
    @Test
    void shouldRejectADriverThatWasDeadBeforeAndTolerateOneThatIsAliveElsewhere() throws Exception
    {
        final Path killed = Files.createDirectory(root.resolve("killed"));
        final ManyToOneRingBuffer toDriver = writeFile(killed);
        final long hourMs = TimeUnit.HOURS.toMillis(1);
        toDriver.consumerHeartbeatTime(clock.time());
        clock.advance(hourMs);
        try (DriverMonitor monitor = new DriverMonitor(killed.toString(), 0, 0, clock))
        {
            assertNotNull(monitor.checkBeforeUse());
        }

        toDriver.consumerHeartbeatTime(clock.time());
        try (DriverMonitor monitor = new DriverMonitor(killed.toString(), 0, 0, clock))
        {
            assertNull(monitor.checkBeforeUse());
            assertNull(monitor.check(2 * SECOND_NS));
            assertNotNull(monitor.check(2 * SECOND_NS), "there was never a heartbeat");
        }

        try (DriverMonitor monitor = new DriverMonitor(killed.toString(), 0, 0, clock))
        {
            assertNull(monitor.check(2 * SECOND_NS));
            clock.advance(1);
            toDriver.consumerHeartbeatTime(clock.time());
            assertNull(monitor.check(2 * SECOND_NS));
            assertNull(monitor.check(100 * SECOND_NS), "it is alive, invisible to this process");
        }
    }

    private static ManyToOneRingBuffer writeFile(final Path directory) throws Exception
    {
        final int ring = (1 << 16) + 768;
        final ByteBuffer content = IoUtil.mapNewFile(
            directory.resolve(CncFileDescriptor.CNC_FILE).toFile(),
            CncFileDescriptor.META_DATA_LENGTH + ring);
        final UnsafeBuffer metaData = CncFileDescriptor.createMetaDataBuffer(content);
        CncFileDescriptor.fillMetaData(metaData, ring, 0, 0, 0, LIVENESS_NS, 0, 0, Long.MAX_VALUE, 4096);
        CncFileDescriptor.signalCncReady(metaData);
        return new ManyToOneRingBuffer(CncFileDescriptor.createToDriverBuffer(content, metaData));
    }
}
