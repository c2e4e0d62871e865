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

import org.agrona.UnsafeApi;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import static io.aeroshmem.gpu.RingDescriptor.*;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What threads of a kernel do to the ring of requests, by threads of a test. */
final class RingProducer
{
    static final long HOST = 1L << REGION_SHIFT;
    private static final long TIMEOUT_NS = 60_000_000_000L;

    private final AtomicLong claimed = new AtomicLong();
    private final DeviceState state;

    RingProducer(final DeviceState state)
    {
        this.state = state;
    }

    /** Returns the number below which slots of tickets are free again. */
    long consumed()
    {
        return UnsafeApi.getLongAcquire(null, state.consumed());
    }

    boolean hasRoom()
    {
        return claimed.get() < consumed() + state.ringCapacity();
    }

    /** Makes a request, after a wait for a free slot; returns its ticket. */
    long submit(
        final int operation,
        final int pe,
        final long target,
        final long source,
        final long length,
        final int width,
        final int flags)
    {
        final long ticket = claimed.getAndIncrement();
        await(() -> ticket < consumed() + state.ringCapacity());
        final long entry = state.entries() + (ticket & state.ringCapacity() - 1) * ENTRY_LENGTH;
        UnsafeApi.putInt(entry + OPERATION_OFFSET, operation);
        UnsafeApi.putInt(entry + PE_OFFSET, pe);
        UnsafeApi.putLong(entry + TARGET_OFFSET, target);
        UnsafeApi.putLong(entry + SOURCE_OFFSET, source);
        UnsafeApi.putLong(entry + LENGTH_OFFSET, length);
        UnsafeApi.putInt(entry + WIDTH_OFFSET, width);
        UnsafeApi.putInt(entry + FLAGS_OFFSET, flags);
        UnsafeApi.putLongRelease(null, entry + SEQUENCE_OFFSET, ticket + 1);
        return ticket;
    }

    /** Returns whether a request that awaits its result has one. */
    boolean isAnswered(final long ticket)
    {
        return ticket + 1 == UnsafeApi.getLongAcquire(null, result(ticket) + STATE_OFFSET) >>> 1;
    }

    /** Waits for the result of a request, and returns whether the request failed. */
    boolean awaitFailed(final long ticket)
    {
        await(() -> isAnswered(ticket));
        return 0 != (UnsafeApi.getLong(result(ticket) + STATE_OFFSET) & 1);
    }

    /** Returns the value of an answered request. */
    long value(final long ticket)
    {
        return UnsafeApi.getLong(result(ticket) + VALUE_OFFSET);
    }

    void acknowledge(final long ticket)
    {
        UnsafeApi.putLongRelease(null, result(ticket) + ACKNOWLEDGED_OFFSET, ticket + 1);
    }

    private long result(final long ticket)
    {
        return state.results() + (ticket & state.ringCapacity() - 1) * RESULT_LENGTH;
    }

    private static void await(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "the ring makes no progress");
            Thread.onSpinWait();
        }
    }
}
