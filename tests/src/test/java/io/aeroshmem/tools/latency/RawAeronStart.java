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
package io.aeroshmem.tools.latency;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeroshmem.tools.format.Table;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Aeron without this library from the start, beside {@code aeroshmem latency --from-start}: the rate of messages of 8
 * bytes between two threads, from the moment at which the streams are connected. A piece of messages ends when all
 * have arrived. Arguments: ipc or udp, and the seconds to measure.
 */
public final class RawAeronStart
{
    private static final double PIECE_NS = 2e6;
    private static final int GROWTH = 4;
    private static final int MAX_MESSAGES = 1 << 16;
    private static final int FRAGMENTS = 256;
    private static final int STREAM = 1;

    private RawAeronStart()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        final boolean isIpc = "ipc".equals(args[0]);
        final long durationNs = TimeUnit.SECONDS.toNanos(Integer.parseInt(args[1]));
        final String channel = isIpc ? "aeron:ipc?term-length=1m" : "aeron:udp?endpoint=127.0.0.1:20121";
        final Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "raw-aeron-");
        final long beginNs = System.nanoTime();
        final MediaDriver.Context context = new MediaDriver.Context()
            .aeronDirectoryName(directory.toString())
            .threadingMode(ThreadingMode.SHARED)
            .sharedIdleStrategy(new BackoffIdleStrategy())
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true);
        try (MediaDriver driver = MediaDriver.launch(context);
            Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName()));
            Subscription subscription = aeron.addSubscription(channel, STREAM);
            Publication publication = aeron.addPublication(channel, STREAM))
        {
            while (!publication.isConnected() || !subscription.isConnected())
            {
                Thread.onSpinWait();
            }

            measure(publication, subscription, isIpc, durationNs, System.nanoTime() - beginNs);
        }
    }

    private static void measure(
        final Publication publication,
        final Subscription subscription,
        final boolean isIpc,
        final long durationNs,
        final long initNs) throws InterruptedException
    {
        final AtomicLong received = new AtomicLong();
        final Thread receiver = new Thread(() -> receive(subscription, received, newIdleStrategy(isIpc)));
        receiver.start();
        final StartCurve curve = new StartCurve(durationNs);
        final IdleStrategy idle = newIdleStrategy(isIpc);
        final BufferClaim claim = new BufferClaim();
        final long startNs = System.nanoTime();
        long sent = 0;
        long firstNs = 0;
        int count = 1;
        for (long endNs = 0; endNs < durationNs;)
        {
            final long pieceNs = System.nanoTime();
            send(publication, claim, count, idle);
            sent += count;
            while (received.get() < sent)
            {
                idle.idle();
            }

            final long ns = System.nanoTime() - pieceNs;
            endNs = System.nanoTime() - startNs;
            curve.add(endNs, count, ns);
            firstNs = 0 == firstNs ? ns : firstNs;
            count = (int)Math.max(1, Math.min(MAX_MESSAGES, Math.min(PIECE_NS * count / ns, (double)GROWTH * count)));
        }

        receiver.interrupt();
        receiver.join();
        final Map<String, Object> row = new StartWriter.Row(
            "raw_message_rate", isIpc ? "ipc" : "udp", 2, Long.BYTES, initNs, firstNs, curve).columns();
        System.out.println(Table.csv(row.keySet()));
        System.out.println(Table.csv(row.values()));
        System.out.println(curve.points());
    }

    private static void send(
        final Publication publication, final BufferClaim claim, final int count, final IdleStrategy idle)
    {
        for (int i = 0; i < count; i++)
        {
            while (publication.tryClaim(Long.BYTES, claim) < 0)
            {
                idle.idle();
            }

            claim.buffer().putLong(claim.offset(), i);
            claim.commit();
        }
    }

    private static void receive(final Subscription subscription, final AtomicLong received, final IdleStrategy idle)
    {
        final FragmentHandler handler = (buffer, offset, length, header) ->
            received.setRelease(received.getPlain() + 1);
        while (!Thread.currentThread().isInterrupted())
        {
            idle.idle(subscription.poll(handler, FRAGMENTS));
        }
    }

    /** Over UDP the driver needs a processor, too. */
    private static IdleStrategy newIdleStrategy(final boolean isIpc)
    {
        return isIpc ? new BusySpinIdleStrategy() : new YieldingIdleStrategy();
    }
}
