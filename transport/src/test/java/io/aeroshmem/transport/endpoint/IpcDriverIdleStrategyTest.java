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

import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PeCounter;
import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static io.aeroshmem.transport.endpoint.IpcDriverIdleStrategy.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class IpcDriverIdleStrategyTest
{
    @TempDir
    private Path root;
    private JobDirectory directory;
    private ControlFile control;
    private IpcDriverIdleStrategy strategy;

    @BeforeEach
    void before()
    {
        directory = JobDirectory.create(root, 3);
        control = directory.control();
        strategy = new IpcDriverIdleStrategy(control);
    }

    @AfterEach
    void after()
    {
        directory.delete();
        directory.close();
    }

    @Test
    void shouldParkForLongerWhileNoOfferIsRefused()
    {
        long last = 0;
        for (int i = 0; i < 100; i++)
        {
            control.counter(1, PeCounter.RING_FULL).increment();
            control.counter(1, PeCounter.BYTES_SENT).getAndAdd(100);
            final long next = strategy.nextParkNs();
            assertTrue(next > last || MAX_PARK_NS == next, next + " ns after " + last);
            last = next;
        }

        assertEquals(MAX_PARK_NS, last);
    }

    @Test
    void shouldParkForShorterWhileSubscribersHaveTakenAllAndOffersAreRefused()
    {
        settle();
        control.counter(0, PeCounter.BYTES_SENT).getAndAdd(1 << 30);
        control.counter(1, PeCounter.BYTES_RECEIVED).getAndAdd((1 << 30) - DRAINED_BYTES + 1);
        for (int i = 1; i <= 10; i++)
        {
            control.counter(i % 3, PeCounter.BACK_PRESSURE).increment();
            assertEquals(Math.max(MIN_PARK_NS, MAX_PARK_NS >> i), strategy.nextParkNs());
        }

        assertTrue(strategy.nextParkNs() > MIN_PARK_NS);
    }

    @Test
    void shouldExpectAsMuchInFlightAsPesWait()
    {
        settle();
        control.counter(0, PeCounter.BYTES_SENT).getAndAdd(2 * DRAINED_BYTES - 1);
        control.counter(0, PeCounter.BACK_PRESSURE).increment();
        assertEquals(MAX_REFUSED_PARK_NS, strategy.nextParkNs());
        control.counter(0, PeCounter.BACK_PRESSURE).increment();
        control.counter(2, PeCounter.BACK_PRESSURE).increment();
        assertEquals(MAX_REFUSED_PARK_NS / 2, strategy.nextParkNs());
    }

    @Test
    void shouldParkForLongerWhileTheOtherOfTwoPesHasYetToTakeWhatWasSent()
    {
        try (JobDirectory ofTwo = JobDirectory.create(root, 2))
        {
            strategy = new IpcDriverIdleStrategy(ofTwo.control());
            settle();
            ofTwo.control().counter(0, PeCounter.BYTES_SENT).getAndAdd(DRAINED_BYTES);
            ofTwo.control().counter(0, PeCounter.BACK_PRESSURE).increment();
            assertEquals(MAX_PARK_NS, strategy.nextParkNs());
            ofTwo.delete();
        }
    }

    @Test
    void shouldReadWhatIsInFlightBeforeThePublisherSendsAgain() throws InterruptedException
    {
        final AtomicCounter sent = control.counter(0, PeCounter.BYTES_SENT);
        final AtomicCounter received = control.counter(1, PeCounter.BYTES_RECEIVED);
        final AtomicBoolean isOver = new AtomicBoolean();
        final Thread driver = Thread.currentThread();
        final Thread subscriber = new Thread(() ->
        {
            while (!isOver.get())
            {
                if (Thread.State.TIMED_WAITING == driver.getState())
                {
                    received.set(sent.get());
                }
            }
        });
        settle();
        subscriber.start();
        try
        {
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (strategy.parkNs() > 2 * MIN_PARK_NS)
            {
                sent.getAndAdd(16 * DRAINED_BYTES);
                control.counter(0, PeCounter.BACK_PRESSURE).increment();
                strategy.idle();
                assertTrue(System.nanoTime() < deadlineNs, strategy.parkNs() + " ns");
            }
        }
        finally
        {
            isOver.set(true);
            subscriber.join();
        }
    }

    private void settle()
    {
        for (int i = 0; i < 100; i++)
        {
            strategy.nextParkNs();
        }
    }
}
