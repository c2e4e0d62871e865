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

import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.device.DeviceAttachment;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.CloseHelper;
import org.agrona.UnsafeApi;

import java.util.concurrent.locks.LockSupport;

/**
 * Deferred release of the device memory of a PE that closes its {@link Gpu}. Other PEs may reach this memory by address
 * until they have closed their GPUs too.
 */
final class DeviceRelease
{
    private static final long INTERVAL_NS = 200_000;

    /*
     * Closing a GPU does not wait for the other PEs. If it did, a PE whose program ends by an exception might wait for
     * PEs that are blocked in other calls. So a background thread releases the memory in two steps. Before each step,
     * every PE makes an announcement:
     * - A PE that closes its GPU announces that it uses no device heap any more. When all PEs have announced this, the
     *   thread ends the mappings of other PEs' heaps.
     * - The thread then announces that its PE maps no device heap any more. When all PEs have announced this, the
     *   thread frees the heap of its own PE.
     * Once the job has failed or this PE is being closed, the thread no longer waits for announcements. An error in the
     * first step does not prevent the second announcement, for which other PEs wait.
     *
     * Ordering. Every PE keeps an array of words, one for each PE of the job. Only PE i stores to word i of these
     * arrays, by signals. When PE i closes its GPU for the n-th time, its first announcement stores 2n - 1 to word i on
     * all PEs, and its second announcement stores 2n. So words only grow. A PE completes its operations on device heaps
     * before its first announcement. Signals are stored with release, and the thread loads them with acquire.
     */
    private final DeviceAttachment attachment;
    private final Endpoint endpoint;
    private final SymmetricBuffer words;
    private final long offset;
    private final long number;

    /**
     * @param words one for each PE.
     */
    DeviceRelease(final DeviceAttachment attachment, final SymmetricBuffer words)
    {
        this.attachment = attachment;
        this.words = words;
        endpoint = attachment.endpoint();
        offset = attachment.offset(words);
        number = words.getLong((long)endpoint.pe() * Long.BYTES) + 1;
    }

    /** Announces that this PE uses no device heap any more. */
    void announce()
    {
        announce(number);
    }

    private void announce(final long value)
    {
        for (int pe = 0; pe < endpoint.nPes(); pe++)
        {
            endpoint.transport(pe).signal(
                pe, Region.USER, offset + (long)endpoint.pe() * Long.BYTES, value, SignalOperation.SET);
        }

        endpoint.flush();
    }

    /** Starts the release: ends mappings when no PE uses a heap, and releases the rest when no PE maps one. */
    void start(final Runnable disconnect, final Runnable release)
    {
        attachment.defer(() ->
        {
            await(number);
            CloseHelper.closeAll(attachment.errorHandler(), disconnect::run, this::announceDisconnected);
            await(number + 1);
            release.run();
        });
    }

    private void announceDisconnected()
    {
        if (!isUrgent())
        {
            announce(number + 1);
        }
    }

    private void await(final long value)
    {
        for (int pe = 0; pe < endpoint.nPes(); pe++)
        {
            final long address = endpoint.localAddress(Region.USER) + offset + (long)pe * Long.BYTES;
            while (UnsafeApi.getLongAcquire(null, address) < value && !isUrgent())
            {
                endpoint.progress();
                LockSupport.parkNanos(this, INTERVAL_NS);
            }
        }
    }

    private boolean isUrgent()
    {
        return endpoint.isFailed() || attachment.isClosing();
    }
}
