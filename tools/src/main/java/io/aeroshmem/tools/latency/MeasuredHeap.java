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

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.device.AttachedDevice;
import io.aeroshmem.device.DeviceProvider;
import io.aeroshmem.device.DeviceStream;
import org.agrona.CloseHelper;

import java.util.ArrayList;
import java.util.List;

/**
 * Allocates the measured buffers in the heap of the chosen {@link HeapKind kind}. Every kind except
 * {@link HeapKind#HOST} requires a device.
 */
final class MeasuredHeap
{
    private final Shmem shmem;
    private final HeapKind kind;
    private final AttachedDevice device;
    /** Stream on which operations are enqueued, or null. */
    private final DeviceStream stream;
    private final List<SymmetricBuffer> buffers = new ArrayList<>();

    /** Attaches a device if the kind requires one; called by every PE. */
    MeasuredHeap(final Shmem shmem, final HeapKind kind, final boolean isOnStream)
    {
        this.shmem = shmem;
        this.kind = kind;
        device = HeapKind.HOST == kind ? null : DeviceProvider.find().attach(shmem);
        stream = isOnStream ? device.newStream() : null;
    }

    /** Returns the loop that measures an operation. */
    MeasuringLoop loop(final LatencyOperation operation)
    {
        return null == stream ? operation.loop() : MeasuringLoop.of(new StreamCall(operation, stream));
    }

    /** Allocates zeroed memory; called by every PE. */
    SymmetricBuffer calloc(final long bytes)
    {
        final SymmetricBuffer buffer =
            HeapKind.DEVICE == kind ? device.calloc(1, bytes) : shmem.calloc(1, bytes);
        buffers.add(buffer);
        return buffer;
    }

    /**
     * Returns the kind, the name of the device, how this PE reaches the device memory of the next one, and whether
     * operations are enqueued on a stream.
     */
    String description()
    {
        return kind.lowerCaseName() + (null == device ? "" : ", " + device.name()) +
            (HeapKind.DEVICE == kind ? ", reached " + device.reach((shmem.myPe() + 1) % shmem.nPes()) : "") +
            (null == stream ? "" : ", on a stream");
    }

    /**
     * Frees the buffers and detaches the device; called by every PE. Not called after an exception, when this PE would
     * wait here for others that wait for it: the close of the PE then does the same.
     */
    void release()
    {
        buffers.forEach(shmem::free);
        CloseHelper.close(device);
    }
}
