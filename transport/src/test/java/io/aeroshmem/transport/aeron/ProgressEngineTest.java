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
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeroshmem.codecs.GetReplyRecordDecoder;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.progress.BlockingWait;
import io.aeroshmem.transport.progress.PlainExceptions;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.CloseHelper;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_RECORD_COUNT;
import static io.aeroshmem.transport.aeron.RecordDescriptor.PUT_DATA;
import static io.aeroshmem.transport.aeron.RecordDescriptor.align;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The engine under back pressure, with a slow submitter, with a closed client, and while the PE leaves. */
@Tag("waits")
@Timeout(60)
class ProgressEngineTest
{
    private static final int HEAP = 64 * 1024;
    private static final int BLOCK = 512;
    private static final int EPOCH = 3;
    private static final int STREAM = 1;
    private static final int FRAMES_PER_CYCLE = 4;
    private static final int MAX_FRAMES = 5_000;

    @TempDir
    private Path root;

    private final UnsafeBuffer memory = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * HEAP));
    private final byte[] block = new byte[BLOCK];
    private JobDirectory directory;
    private MediaDriver driver;
    private Aeron aeron;
    private Subscription peer;
    private ProgressEngine engine;
    private PeerLink link;
    private final List<Throwable> rejected = new CopyOnWriteArrayList<>();

    @BeforeEach
    void before()
    {
        directory = JobDirectory.create(root, 2);
        driver = MediaDriver.launch(EmbeddedDriver.context(TimeUnit.SECONDS.toNanos(10))
            .aeronDirectoryName(root.resolve("aeron").toString()));
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName()));
        peer = aeron.addSubscription("aeron:ipc", STREAM);

        final long address = memory.addressOffset();
        final int[] epochs = {EPOCH, EPOCH};
        engine = new ProgressEngine(
            0,
            directory.control(),
            new RegionMemory(address, HEAP, address + HEAP, HEAP),
            epochs,
            directory.token(),
            rejected::add);
        link = new PeerLink(1, new Outbox(
            new PublicationSink(aeron.addPublication("aeron:ipc?term-length=64k|mtu=8k", STREAM)),
            engine.messageCounters(),
            directory.token(),
            0,
            EPOCH,
            Outbox.ringCapacity(2)));
        engine.addLink(link);
        while (!engine.isConnected() || 0 == peer.imageCount())
        {
            Thread.onSpinWait();
        }
    }

    @AfterEach
    void after()
    {
        CloseHelper.closeAll(aeron, driver);
        directory.delete();
        directory.close();
    }

    @Test
    void shouldAnswerAGetBesideAFloodOfSubmissionsThatMeetsBackPressure()
    {
        for (int i = 0; i < 100; i++)
        {
            fillRing();
            engine.poll();
        }

        link.replies.addGet(0, 0, null, memory.addressOffset(), HEAP);

        final int[] chunks = {0};
        final long[] records = {0};
        final long[] bytes = {0};
        int frames = 0;
        while (frames < MAX_FRAMES && chunks[0] < 3)
        {
            fillRing();
            engine.poll();
            frames += peer.poll((buffer, offset, length, header) ->
            {
                records[0] += Short.toUnsignedInt(buffer.getShort(offset + FRAME_RECORD_COUNT));
                bytes[0] += length;
                if (GetReplyRecordDecoder.TEMPLATE_ID == buffer.getShort(offset + FRAME_LENGTH + 2))
                {
                    chunks[0]++;
                }
            }, FRAMES_PER_CYCLE);
        }

        assertEquals(3, chunks[0], "chunks of the answer among " + frames + " frames");

        while (frames < count(PeCounter.FRAMES_SENT))
        {
            frames += peer.poll((buffer, offset, length, header) ->
            {
                records[0] += Short.toUnsignedInt(buffer.getShort(offset + FRAME_RECORD_COUNT));
                bytes[0] += length;
            }, FRAMES_PER_CYCLE);
        }

        assertEquals(frames, count(PeCounter.FRAMES_SENT));
        assertEquals(records[0], count(PeCounter.RECORDS_SENT));
        assertEquals(bytes[0], count(PeCounter.BYTES_SENT));
        assertTrue(count(PeCounter.BACK_PRESSURE) > 0);
    }

    /** A caller that fills frames for one peer keeps the agent away from all of them. */
    @Test
    void shouldSendWhatIsGatheredForAPeerWhileACallerFillsFramesForOthers()
    {
        final ProgressAgent agent = new ProgressAgent();
        agent.add(engine);
        engine.pollAsSender();
        agent.doWork();
        assertEquals(0, count(PeCounter.FRAMES_SENT));

        assertTrue(link.outbox.appendUpdate(RecordDescriptor.elementKind(Region.USER, Long.BYTES), 0, 1, true));
        pollAsSender(agent);
        assertEquals(1, count(PeCounter.FRAMES_SENT), "of the open frame");

        final int index = link.outbox.tryClaimRing(align(PUT_DATA + BLOCK));
        RecordWriter.put(link.outbox.ringBuffer(), index, Region.USER, 0, block, addressOf(block), BLOCK);
        link.outbox.commitRing(index);
        pollAsSender(agent);
        assertEquals(2, count(PeCounter.FRAMES_SENT), "of the ring");
    }

    private void pollAsSender(final ProgressAgent agent)
    {
        for (int i = 0; i < 1000; i++)
        {
            engine.pollAsSender();
            agent.doWork();
        }
    }

    private long count(final PeCounter counter)
    {
        return directory.control().counter(0, counter).get();
    }

    @Test
    void shouldNotHoldTheLockForASubmitterThatIsSlow()
    {
        final int index = link.outbox.tryClaimRing(align(PUT_DATA + BLOCK));
        final long position = link.outbox.ringProducerPosition();

        assertTimeoutPreemptively(
            Duration.ofSeconds(5), () -> assertFalse(link.drainTo(position)));

        link.outbox.abortRing(index);
        assertTrue(link.drainTo(position));
    }

    @Test
    void shouldFreeTheSlotOfARequestWhenAnErrorEndsTheWaitForRoom()
    {
        final OutOfMemoryError error = new OutOfMemoryError("in a wait");
        final Progress progress = () ->
        {
            throw error;
        };
        final RecordClaims claims = new RecordClaims(engine, new BlockingWait(
            directory.control(), 0, progress, Progress.NONE, new PlainExceptions(), 0, NoOpIdleStrategy::new,
            Pause.SYSTEM));
        final Pending pending = new Pending();
        pending.begin();
        final int slot = link.requests.tryAcquire();
        link.requests.fetchNbi(slot, true, 0, pending);
        assertTrue(engine.tryLock());
        fillRing();

        assertSame(error, assertThrows(
            OutOfMemoryError.class, () -> claims.claim(link, align(PUT_DATA + BLOCK), slot, pending, "fetch")));
        assertEquals(0, link.requests.inUse());
        assertTrue(pending.isIdle());
    }

    @Test
    void shouldCountWhatASessionHasGatheredAsTraffic()
    {
        final BatchRing ring = new BatchRing(link);
        link.add(ring);
        final long kind = RecordDescriptor.elementKind(Region.USER, Long.BYTES);
        ring.begin(kind, false, null, null);
        assertTrue(ring.offerUpdate(kind, 0, 1));

        final Traffic traffic = Traffic.of(engine);
        assertFalse(traffic.hasArrived(), "in the ring");
        engine.poll();
        assertTrue(ring.isEmpty());
        assertFalse(traffic.hasArrived(), "sent");
        link.outbox.onAcknowledged(link.outbox.assigned());
        assertTrue(traffic.hasArrived());
    }

    /** Any process can open a stream to an inbox; its end is relevant only if a peer has sent on it. */
    @Test
    @Tag("ci")
    void shouldSuspectNothingWhenTheStreamOfAnUnauthenticatedSenderEnds()
    {
        final List<JobFailure> suspicions = new CopyOnWriteArrayList<>();
        engine.suspicions((failure, graceNs) -> suspicions.add(failure));
        final MessageLinks links = new MessageLinks(
            engine,
            AeronConnection.over(aeron, false, null, TimeUnit.SECONDS.toNanos(1), 0, Pause.SYSTEM),
            new Channels(directory.token(), 2, 64 * 1024, 8192, 0, "127.0.0.1", null),
            directory.token(),
            0,
            (round) -> 0);
        links.openIpcInbox();
        final int streamId =
            new Channels(directory.token(), 2, 64 * 1024, 8192, 0, "127.0.0.1", null).streamId(engine.pe());
        final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(FRAME_LENGTH));

        RecordDescriptor.frame(frame, directory.token() + 1, 1, EPOCH);
        sendAndEnd(streamId, frame, () -> 1 == count(PeCounter.REJECTED_FRAMES));
        RecordDescriptor.frame(frame, directory.token(), 1, EPOCH);
        sendAndEnd(streamId, frame, () -> null != link.image);

        while (suspicions.isEmpty())
        {
            engine.poll();
        }

        assertEquals(1, suspicions.size(), suspicions::toString);
        assertTrue(suspicions.get(0).message().contains("lost the stream"), suspicions::toString);
        assertEquals(-1, suspicions.get(0).status());
    }

    private void sendAndEnd(final int streamId, final UnsafeBuffer frame, final BooleanSupplier isReceived)
    {
        try (ExclusivePublication publication = aeron.addExclusivePublication("aeron:ipc?term-length=64k", streamId))
        {
            while (publication.offer(frame, 0, FRAME_LENGTH) < 0)
            {
                Thread.onSpinWait();
            }
            while (!isReceived.getAsBoolean())
            {
                engine.poll();
            }
        }
    }

    @Test
    void shouldFailTheJobWhenItsClientIsClosed()
    {
        engine.addSource(new SubscriptionSource(peer));
        engine.poll();
        assertFalse(directory.control().isFailed());

        aeron.close();
        engine.poll();
        final JobFailure failure = directory.control().failure();
        assertEquals(JobFailure.Kind.DRIVER_DIED, failure.kind());
        assertEquals(-1, failure.status());
    }

    @Test
    void shouldTolerateAClosedClientWhenThePeLeaves()
    {
        engine.addSource(new SubscriptionSource(peer));
        engine.leaving();
        aeron.close();
        engine.poll();
        assertFalse(directory.control().isFailed());
    }

    @Test
    void shouldNotLetALateCallerWaitForTheLockOfARetiredEngine()
    {
        engine.retire();
        assertFalse(assertTimeoutPreemptively(Duration.ofSeconds(5), engine::lock));
        assertEquals(0, engine.poll());
        assertEquals(0, engine.pollAsAgent());
    }

    @ParameterizedTest
    @ValueSource(strings = {"::1", "127.0.0.2", "127.0.0.0/8"})
    @Tag("ci")
    void shouldConnectOverUdpOnOtherAddresses(final String udpInterface) throws IOException
    {
        final InetAddress loopback = InetAddress.getByName("::1");
        assumeTrue(udpInterface.contains(".") || null != NetworkInterface.getByInetAddress(loopback));
        final Channels channels = new Channels(directory.token(), 2, 64 * 1024, 8192, 0, udpInterface, null);
        try (Subscription inbox = aeron.addSubscription(channels.udpInbox(), 2))
        {
            while (null == inbox.resolvedEndpoint())
            {
                Thread.onSpinWait();
            }

            try (Publication sender = aeron.addPublication(channels.udp(inbox.resolvedEndpoint(), 1), 2))
            {
                while (!sender.isConnected() || 0 == inbox.imageCount())
                {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Test
    void shouldRejectAClientWhoseDriverToleratesLessThanTheJob()
    {
        final TransportException ex = assertThrows(TransportException.class, () ->
            AeronConnection.over(aeron, false, null, TimeUnit.SECONDS.toNanos(20), 0, Pause.SYSTEM));
        assertTrue(ex.getMessage().contains("aeroshmem.liveness.timeout"), ex.getMessage());
        assertFalse(AeronConnection.over(aeron, false, null, TimeUnit.SECONDS.toNanos(10), 0, Pause.SYSTEM)
            .aeron().isClosed());
    }

    @Test
    @Tag("ci")
    void shouldStartADriverForEveryTimeoutThatTheJobMayHave()
    {
        try (Driven shortest = new Driven(1000); Driven longer = new Driven(2000))
        {
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
            while (System.nanoTime() - deadlineNs < 0 && !shortest.isClosed() && !longer.isClosed())
            {
                LockSupport.parkNanos(1_000_000);
            }

            assertFalse(shortest.isClosed());
            assertFalse(longer.isClosed());
            assertFalse(directory.control().isFailed(), () -> directory.control().failure().message());
        }
    }

    /** A driver for a liveness timeout, and its client. */
    private final class Driven implements AutoCloseable
    {
        private final MediaDriver own;
        private final AeronConnection connection;

        Driven(final long livenessTimeoutMs)
        {
            final long timeoutNs = TimeUnit.MILLISECONDS.toNanos(livenessTimeoutMs);
            own = MediaDriver.launch(EmbeddedDriver.context(timeoutNs)
                .aeronDirectoryName(root.resolve("own-" + livenessTimeoutMs).toString()));
            connection = AeronConnection.connect(
                own.aeronDirectoryName(),
                timeoutNs,
                "aeroshmem-test-pe-0",
                directory.control(),
                0,
                (ex) -> fail(ex),
                Pause.SYSTEM);
        }

        boolean isClosed()
        {
            return connection.aeron().isClosed();
        }

        @Override
        public void close()
        {
            CloseHelper.closeAll(connection, own);
        }
    }

    @Test
    void shouldLetTheAgentStandBackForAShareOfTheTimeInWhichCallersDrive()
    {
        final AtomicBoolean isRequestPosted = new AtomicBoolean();
        final ProgressAgent agent = new ProgressAgent();
        agent.add(engine);
        agent.add(new Progress()
        {
            @Override
            public int poll()
            {
                return 0;
            }

            @Override
            public boolean isIdle()
            {
                return !isRequestPosted.get();
            }
        });
        agent.onStart();
        agent.doWork();
        assertEquals(0, agent.standBackNs(), "no caller has driven");

        driveBeside(agent, 1_000_000);
        assertTrue(agent.standBackNs() >= 250_000, agent.standBackNs() + " ns");
        driveBeside(agent, 20_000_000);
        assertEquals(1_000_000, agent.standBackNs());

        isRequestPosted.set(true);
        engine.poll();
        agent.doWork();
        assertEquals(0, agent.standBackNs(), "a request is in flight");

        isRequestPosted.set(false);
        driveBeside(agent, 20_000_000);
        agent.doWork();
        assertEquals(0, agent.standBackNs(), "callers have stopped");
    }

    @Test
    void shouldLetTheAgentStandBackFromRequestsWhereProcessorsAreShared()
    {
        final AtomicInteger work = new AtomicInteger();
        final ProgressAgent agent = new ProgressAgent();
        agent.add(new Progress()
        {
            @Override
            public int poll()
            {
                return work.getAndSet(0);
            }

            @Override
            public boolean isIdle()
            {
                return false;
            }
        });
        agent.onStart();
        LockSupport.parkNanos(2_000_000);
        agent.doWork();
        assertEquals(0, agent.standBackNs(), "the agent has a processor");

        agent.processorShared(true);
        agent.doWork();
        assertEquals(1_000_000, agent.standBackNs());

        work.set(1);
        assertEquals(1, agent.doWork());
        assertEquals(0, agent.standBackNs(), "a request has progressed");
    }

    private void driveBeside(final ProgressAgent agent, final long durationNs)
    {
        final long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < durationNs)
        {
            engine.poll();
            agent.doWork();
        }

        engine.poll();
        agent.doWork();
    }

    private void fillRing()
    {
        final int length = align(PUT_DATA + BLOCK);
        int index = link.outbox.tryClaimRing(length);
        while (index > 0)
        {
            RecordWriter.put(link.outbox.ringBuffer(), index, Region.USER, 0, block, addressOf(block), BLOCK);
            link.outbox.commitRing(index);
            index = link.outbox.tryClaimRing(length);
        }
    }

    private static long addressOf(final byte[] bytes)
    {
        return new UnsafeBuffer(bytes).addressOffset();
    }
}
