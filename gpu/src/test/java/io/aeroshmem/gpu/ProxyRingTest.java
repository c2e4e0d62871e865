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
package io.aeroshmem.gpu;

import io.aeroshmem.InitStatus;
import io.aeroshmem.ProgressMode;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.device.DeviceAttachment;
import io.aeroshmem.device.DeviceModule;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Region;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static io.aeroshmem.gpu.RingDescriptor.*;
import static io.aeroshmem.gpu.RingProducer.HOST;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The consumer of requests of kernels, with threads of the test as producers. */
@Tag("kernels")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProxyRingTest
{
    private static final int CAPACITY = 64;
    private static final int WORDS = 32;

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    private interface Task
    {
        void run(Fixture fixture) throws Exception;
    }

    /** A ring of PE 0, whose peer is PE 1; PE 1 waits until the task has ended. */
    private static final class Fixture implements DeviceModule
    {
        final Shmem shmem;
        final SymmetricBuffer words;
        final long offset;
        final DeviceAttachment attachment;
        final StreamErrors errors = new StreamErrors();
        final AtomicInteger exitStatus = new AtomicInteger();
        DeviceState state;
        ProxyRing ring;
        RingProducer producer;

        Fixture(final Shmem shmem)
        {
            this.shmem = shmem;
            words = shmem.calloc(WORDS, Long.BYTES);
            attachment = shmem.attach(this);
            offset = attachment.offset(words);
        }

        void open(final CudaDevice device)
        {
            state = new DeviceState(device, shmem.nPes(), CAPACITY);
            ring = new ProxyRing(
                attachment.endpoint(),
                0,
                0,
                state,
                new DeviceErrors(errors, state, shmem.myPe()),
                (throwable) -> {},
                exitStatus::set);
            producer = new RingProducer(state);
        }

        long target(final int word)
        {
            return HOST | offset + word * (long)Long.BYTES;
        }

        long remote(final int word)
        {
            return shmem.defaultContext().getLong(words, word * (long)Long.BYTES, 1);
        }

        /** Makes a request, and polls until it is answered. */
        long request(final int operation, final long target, final long source, final long length, final int width)
        {
            final long ticket = producer.submit(operation, 1, target, source, length, width, AWAITED);
            while (!producer.isAnswered(ticket))
            {
                ring.poll();
            }

            assertFalse(producer.awaitFailed(ticket), () -> String.valueOf(errors.last()));
            final long value = producer.value(ticket);
            producer.acknowledge(ticket);
            return value;
        }

        @Override
        public InitStatus initStatus()
        {
            return InitStatus.BOOTSTRAPPED;
        }

        @Override
        public void complete()
        {
        }

        @Override
        public void onClose()
        {
        }
    }

    private static void run(final TransportKind transport, final ProgressMode mode, final Task task) throws Exception
    {
        final Shmem.Context template = new Shmem.Context()
            .heapSize(1 << 20)
            .transport(transport)
            .progressMode(mode)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(60));
        Shmem.runLocal(2, template, (shmem) ->
        {
            final Fixture fixture = new Fixture(shmem);
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                try (CudaDevice device = CudaDevice.ofOrdinal(JCudaBinding.load(), 0, null))
                {
                    fixture.open(device);
                    task.run(fixture);
                    fixture.ring.abort();
                    fixture.state.close();
                }
            }

            shmem.barrierAll();
            fixture.attachment.endService();
            fixture.attachment.detach();
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldPerformEachOperation(final TransportKind transport) throws Exception
    {
        run(transport, ProgressMode.AGENT, (fixture) ->
        {
            fixture.words.putLong(0, 0x1122334455667788L);
            fixture.words.putLong(8, -2);
            fixture.request(PUT, fixture.target(2), fixture.target(0), 16, 0);
            fixture.request(PUT_VALUE, fixture.target(4), -1, 0, 1);
            fixture.request(PUT_VALUE, fixture.target(5), -1, 0, 2);
            fixture.request(PUT_VALUE, fixture.target(6), -1, 0, 4);
            fixture.request(PUT_VALUE, fixture.target(7), -1, 0, 8);
            fixture.request(SIGNAL_SET, fixture.target(8), 5, 0, 0);
            fixture.request(SIGNAL_ADD, fixture.target(8), 6, 0, 0);
            fixture.request(QUIET, 0, 0, 0, 0);
            assertEquals(0x1122334455667788L, fixture.remote(2));
            assertEquals(-2, fixture.remote(3));
            assertEquals(0xffL, fixture.remote(4));
            assertEquals(0xffffL, fixture.remote(5));
            assertEquals(0xffffffffL, fixture.remote(6));
            assertEquals(-1, fixture.remote(7));
            assertEquals(11, fixture.remote(8));

            assertEquals(0x88, fixture.request(GET_VALUE, fixture.target(2), 0, 0, 1));
            assertEquals(0x7788, fixture.request(GET_VALUE, fixture.target(2), 0, 0, 2));
            assertEquals(0x55667788, fixture.request(GET_VALUE, fixture.target(2), 0, 0, 4));
            assertEquals(0x1122334455667788L, fixture.request(GET_VALUE, fixture.target(2), 0, 0, 8));
            fixture.request(GET, fixture.target(7), fixture.target(9), 16, 0);
            assertEquals(-1, fixture.words.getLong(72));
            assertEquals(11, fixture.words.getLong(80));
            fixture.request(GLOBAL_EXIT, 0, 7, 0, 0);
            assertEquals(7, fixture.exitStatus.get());
            assertNull(fixture.errors.last());
        });
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldPerformAtomicOperations(final TransportKind transport) throws Exception
    {
        run(transport, ProgressMode.AGENT, (fixture) ->
        {
            for (final int width : new int[]{4, 8})
            {
                final long word = fixture.target(width);
                fixture.request(POSTED + AtomicOp.SET, word, 12, 0, width);
                fixture.request(POSTED + AtomicOp.ADD, word, -2, 0, width);
                fixture.request(POSTED + AtomicOp.XOR, word, 3, 0, width);
                fixture.request(POSTED + AtomicOp.OR, word, 4, 0, width);
                fixture.request(POSTED + AtomicOp.AND, word, 13, 0, width);
                assertEquals(13, fixture.request(FETCHING + AtomicOp.FETCH, word, 0, 0, width));
                assertEquals(13, fixture.request(FETCHING + AtomicOp.SWAP, word, 20, 0, width));
                assertEquals(20, fixture.request(FETCHING + AtomicOp.COMPARE_SWAP, word, 1, 21, width));
                assertEquals(20, fixture.request(FETCHING + AtomicOp.COMPARE_SWAP, word, 40, 20, width));
                assertEquals(40, fixture.request(FETCHING + AtomicOp.ADD, word, 2, 0, width));
                assertEquals(42, fixture.request(FETCHING + AtomicOp.AND, word, 10, 0, width));
                assertEquals(10, fixture.request(FETCHING + AtomicOp.OR, word, 5, 0, width));
                assertEquals(15, fixture.request(FETCHING + AtomicOp.XOR, word, 5, 0, width));
                assertEquals(10, fixture.request(FETCHING + AtomicOp.MIN, word, -3, 0, width));
                fixture.request(POSTED + AtomicOp.MAX, word, 9, 0, width);
                assertEquals(9, fixture.request(FETCHING + AtomicOp.MAX, word, 10, 0, width));
                fixture.request(QUIET, 0, 0, 0, 0);
                assertEquals(10, fixture.remote(width));
            }

            assertNull(fixture.errors.last());
        });
    }

    @Test
    void shouldRejectMalformedRequests() throws Exception
    {
        run(TransportKind.MAPPED, ProgressMode.AGENT, (fixture) ->
        {
            final long heap = fixture.attachment.endpoint().regionLength(Region.USER);
            final long word = fixture.target(0);
            final long[][] requests = {
                {0, 1, word, 0, 0, 8, AWAITED},
                {5, 1, word, 0, 0, 8, AWAITED},
                {-1, 1, word, 0, 0, 8, AWAITED},
                {Integer.MIN_VALUE, 1, word, 0, 0, 8, AWAITED},
                {FETCHING + AtomicOp.SET, 1, word, 0, 0, 8, AWAITED},
                {FETCHING + AtomicOp.MAX_FLOATING + 1, 1, word, 0, 0, 8, AWAITED},
                {POSTED + AtomicOp.FETCH, 1, word, 0, 0, 8, AWAITED},
                {POSTED + AtomicOp.SWAP, 1, word, 0, 0, 8, AWAITED},
                {POSTED + AtomicOp.COMPARE_SWAP, 1, word, 0, 0, 8, AWAITED},
                {POSTED + AtomicOp.MAX_FLOATING + 1, 1, word, 0, 0, 8, AWAITED},
                {QUIET + 1, 1, word, 0, 0, 8, AWAITED},
                {PUT_VALUE, -1, word, 1, 0, 8, AWAITED},
                {PUT_VALUE, 2, word, 1, 0, 8, AWAITED},
                {PUT_VALUE, Integer.MAX_VALUE, word, 1, 0, 8, AWAITED},
                {PUT_VALUE, 1, word, 1, 0, 0, AWAITED},
                {PUT_VALUE, 1, word, 1, 0, 3, AWAITED},
                {PUT_VALUE, 1, word, 1, 0, 16, AWAITED},
                {PUT_VALUE, 1, word, 1, 0, -8, AWAITED},
                {PUT_VALUE, 1, word, 1, 0, Integer.MIN_VALUE, AWAITED},
                {PUT_VALUE, 1, HOST | heap - 7, 1, 0, 8, AWAITED},
                {PUT_VALUE, 1, HOST | heap, 1, 0, 1, AWAITED},
                {PUT_VALUE, 1, -1, 1, 0, 8, AWAITED},
                {PUT_VALUE, 1, 0, 1, 0, 8, AWAITED},
                {PUT_VALUE, 1, word, 1, 0, 8, AWAITED | 4},
                {PUT_VALUE, 1, word, 1, 0, 8, AWAITED | Integer.MIN_VALUE},
                {GET_VALUE, 2, word, 1, 0, 8, AWAITED},
                {SIGNAL_SET, 1, word + 4, 1, 0, 0, AWAITED},
                {SIGNAL_ADD, 1, HOST | heap, 1, 0, 0, AWAITED},
                {POSTED + AtomicOp.ADD, 1, word + 4, 1, 0, 8, AWAITED},
                {POSTED + AtomicOp.ADD, 1, word + 2, 1, 0, 4, AWAITED},
                {POSTED + AtomicOp.ADD, 1, word, 1, 0, 2, AWAITED},
                {POSTED + AtomicOp.ADD, 1, word, 1, 0, 16, AWAITED},
                {FETCHING + AtomicOp.ADD, -2, word, 1, 0, 8, AWAITED},
                {PUT, 1, word, word, -1, 0, AWAITED},
                {PUT, 1, word, word, Long.MIN_VALUE, 0, AWAITED},
                {PUT, 1, word, word, Long.MAX_VALUE, 0, AWAITED},
                {PUT, 1, word, word, heap + 1, 0, AWAITED},
                {PUT, 1, HOST, HOST | 8, heap, 0, AWAITED},
                {PUT, 1, HOST | 8, HOST, heap, 0, AWAITED},
                {PUT, 1, word, 0, 8, 0, AWAITED},
                {GET, 1, word, Long.MAX_VALUE, 8, 0, AWAITED},
                {GET, 1, Long.MAX_VALUE, word, 8, 0, AWAITED},
                {GET, 7, word, word, 0, 0, AWAITED},
            };
            for (final long[] request : requests)
            {
                final long ticket = fixture.producer.submit((int)request[0], (int)request[1], request[2], request[3],
                    request[4], (int)request[5], (int)request[6]);
                assertEquals(1, fixture.ring.poll());
                assertTrue(fixture.producer.awaitFailed(ticket), () -> List.of(request[0], request[1]).toString());
                fixture.producer.acknowledge(ticket);
            }

            final GpuException error = fixture.errors.last();
            assertNotNull(error);
            assertTrue(error.getMessage().contains("the pe of the request is malformed: operation=2, pe=7"),
                error.getMessage());
            for (int i = 0; i < WORDS; i++)
            {
                assertEquals(0, fixture.remote(i));
                assertEquals(0, fixture.words.getLong(i * 8L));
            }

            fixture.request(PUT_VALUE, word, 3, 0, 8);
            assertEquals(3, fixture.remote(0));
        });
    }

    @Test
    void shouldSurviveGarbage() throws Exception
    {
        run(TransportKind.MAPPED, ProgressMode.AGENT, (fixture) ->
        {
            final Random random = new Random(14);
            final long word = fixture.target(1);
            final long[] interesting = {0, 1, -1, 8, word, Long.MAX_VALUE, Long.MIN_VALUE};
            for (int i = 0; i < 20_000; i++)
            {
                final int operation = random.nextInt(70);
                if (operation != GLOBAL_EXIT)
                {
                    // of the memory that exists, only the words of the test are named
                    fixture.producer.submit(
                        operation,
                        random.nextInt(-2, 4),
                        pick(random, interesting),
                        pick(random, interesting),
                        pick(random, interesting) & ~0xf0,
                        random.nextInt(-1, 18),
                        random.nextInt(8) & ~AWAITED);
                }

                if (!fixture.producer.hasRoom())
                {
                    fixture.ring.poll();
                }
            }
            while (fixture.ring.poll() > 0)
            {
                assertNotNull(fixture.errors.last());
            }

            fixture.request(PUT_VALUE, fixture.target(20), 77, 0, 8);
            assertEquals(77, fixture.remote(20));
        });
    }

    private static long pick(final Random random, final long[] values)
    {
        return values[random.nextInt(values.length)];
    }

    @Test
    void shouldKeepTheSlotOfAResultUntilItIsAcknowledged() throws Exception
    {
        run(TransportKind.MAPPED, ProgressMode.AGENT, (fixture) ->
        {
            final RingProducer producer = fixture.producer;
            for (int round = 0; round < 3 * CAPACITY; round++)
            {
                final long first = producer.consumed();
                final long slow = producer.submit(FETCHING + AtomicOp.ADD, 1, fixture.target(0), 1, 0, 8, AWAITED);
                while (producer.hasRoom())
                {
                    producer.submit(POSTED + AtomicOp.ADD, 1, fixture.target(1), 1, 0, 8, 0);
                }
                while (fixture.ring.poll() > 0)
                {
                    assertEquals(first, producer.consumed());
                }

                assertEquals(CAPACITY - 1, fixture.remote(1));
                assertFalse(producer.awaitFailed(slow));
                assertEquals(round, producer.value(slow));
                assertFalse(producer.hasRoom());
                producer.acknowledge(slow);
                assertEquals(0, fixture.ring.poll());
                assertEquals(first + CAPACITY, producer.consumed());
                fixture.request(POSTED + AtomicOp.SET, fixture.target(1), 0, 0, 8);
                fixture.ring.poll();
            }
        });
    }

    @Test
    @Tag("ci")
    void shouldPerformRequestsInOrderExactlyOnce() throws Exception
    {
        run(TransportKind.IPC, ProgressMode.AGENT, (fixture) ->
        {
            fixture.attachment.serve(fixture.ring);
            final int threads = 8;
            final int count = 1000;
            final List<Thread> producers = new ArrayList<>();
            final AtomicInteger disorders = new AtomicInteger();
            for (int i = 0; i < threads; i++)
            {
                final int number = i;
                final Thread thread = new Thread(() -> produce(fixture, number, count, disorders));
                producers.add(thread);
                thread.start();
            }

            for (final Thread thread : producers)
            {
                thread.join();
            }

            final long last = fixture.producer.submit(QUIET, 0, 0, 0, 0, 0, AWAITED);
            assertFalse(fixture.producer.awaitFailed(last));
            fixture.producer.acknowledge(last);
            assertEquals((long)threads * count, fixture.remote(0));
            for (int i = 0; i < threads; i++)
            {
                assertEquals(count, fixture.remote(1 + i));
            }

            assertEquals(0, disorders.get());
            assertNull(fixture.errors.last());
        });
    }

    /** A value, then an addition that is fenced; a fetch of the value after the addition sees it. */
    private static void produce(
        final Fixture fixture, final int number, final int count, final AtomicInteger disorders)
    {
        final RingProducer producer = fixture.producer;
        for (int i = 1; i <= count; i++)
        {
            producer.submit(PUT_VALUE, 1, fixture.target(1 + number), i, 0, 8, 0);
            producer.submit(POSTED + AtomicOp.ADD, 1, fixture.target(0), 1, 0, 8, FENCED);
            if (0 == i % 50)
            {
                final long ticket = producer.submit(GET_VALUE, 1, fixture.target(1 + number), 0, 0, 8, AWAITED);
                if (producer.awaitFailed(ticket) || i != producer.value(ticket))
                {
                    disorders.incrementAndGet();
                }

                producer.acknowledge(ticket);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ProgressMode.class)
    void shouldBeServedByTheAgentOrByTheProgram(final ProgressMode mode) throws Exception
    {
        run(TransportKind.MAPPED, mode, (fixture) ->
        {
            fixture.attachment.serve(fixture.ring);
            final long ticket = fixture.producer.submit(PUT_VALUE, 1, fixture.target(0), 1, 0, 8, AWAITED);
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!fixture.producer.isAnswered(ticket))
            {
                assertTrue(System.nanoTime() - deadlineNs < 0);
                if (ProgressMode.INVOKER == mode)
                {
                    fixture.shmem.progress();
                }
            }

            assertEquals(1, fixture.remote(0));
        });
    }

    @Test
    void shouldKeepTheInterruptOfTheThreadThatPolls() throws Exception
    {
        run(TransportKind.IPC, ProgressMode.AGENT, (fixture) ->
        {
            final long ticket = fixture.producer.submit(GET_VALUE, 1, fixture.target(0), 0, 0, 8, AWAITED);
            Thread.currentThread().interrupt();
            fixture.ring.poll();
            assertTrue(Thread.interrupted());
            assertFalse(fixture.producer.awaitFailed(ticket));
        });
    }
}
