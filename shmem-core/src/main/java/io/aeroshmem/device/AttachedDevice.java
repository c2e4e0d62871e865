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
package io.aeroshmem.device;

import io.aeroshmem.SymmetricBuffer;

/**
 * The device that {@link DeviceProvider#attach} has attached to a PE, with a symmetric heap in the memory of the
 * device.
 */
public interface AttachedDevice extends AutoCloseable
{
    /** Returns the name of the device. */
    String name();

    /**
     * Allocates zeroed memory in the device heap, as {@link io.aeroshmem.Shmem#calloc} does in that of the host.
     * Collective.
     *
     * @param count        of elements, equal on all PEs.
     * @param elementBytes of an element, equal on all PEs.
     * @return the buffer, null for 0 bytes.
     */
    SymmetricBuffer calloc(long count, long elementBytes);

    /** Returns how this PE reaches the device memory of a PE, and why so: a phrase such as {@code by address (…)}. */
    String reach(int pe);

    /** Returns a new stream of the device, which ends with it. */
    DeviceStream newStream();

    /** Detaches the device. Called by all PEs; buffers of the device heap are invalid afterwards. */
    @Override
    void close();
}
