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
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.transport.device.DeviceMemory;
import io.aeroshmem.transport.device.DeviceRequests;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.ErrorHandler;

/**
 * The access of a {@link DeviceModule} to the PE that it is attached to. {@link io.aeroshmem.Shmem#attach} returns it.
 */
public interface DeviceAttachment
{
    /** Returns the connection of the PE to its job. */
    Endpoint endpoint();

    /** Returns the identity of the PE, which owns its buffers. */
    PeIdentity owner();

    /**
     * Returns a new thread for calls of the library that the program has made by its own threads: it is exempt from the
     * check of the thread level. To be started once, and released when it has ended.
     */
    Thread newThread(Runnable task);

    /** Releases a thread of {@link #newThread}. */
    void release(Thread thread);

    /** Returns the handler of errors on threads of the library. */
    ErrorHandler errorHandler();

    /**
     * Opens the device heaps, on all PEs before any of them uses one. From then on buffers of these heaps are valid in
     * every call of the library. No collective of any team is under way on any PE.
     *
     * @param memory     the device's.
     * @param addresses  of the device heaps in this process, by PE; 0 where only the owner reaches them.
     * @param heapLength of a device heap in bytes, equal on all PEs.
     * @param length     of the heap and the memory behind it that operations reach too, equal on all PEs.
     * @param requests   to and from the PEs of this node; null if none needs any.
     */
    void open(DeviceMemory memory, long[] addresses, long heapLength, long length, DeviceRequests requests);

    /**
     * Has blocked calls, {@link io.aeroshmem.Shmem#progress()} and the background agent poll a service of the module
     * too, until {@link #endService()}. Called after {@link #open}.
     */
    void serve(Progress service);

    /** Allocates in the device heap as {@link io.aeroshmem.Shmem#malloc} does in that of the host. */
    SymmetricBuffer malloc(long bytes);

    /** Allocates in the device heap as {@link io.aeroshmem.Shmem#calloc} does in that of the host. */
    SymmetricBuffer calloc(long count, long elementBytes);

    /** Allocates in the device heap as {@link io.aeroshmem.Shmem#align} does in that of the host. */
    SymmetricBuffer align(long alignment, long bytes);

    /**
     * Returns the offset of a buffer in its heap.
     *
     * @throws IllegalArgumentException if it is null or not of this PE.
     * @throws IllegalStateException    if it was freed.
     */
    long offset(SymmetricBuffer buffer);

    /**
     * Returns host memory that the PE keeps until it is closed. Collective for the first attachment that calls it,
     * which allocates it, zeroed; later ones find it as they left it.
     *
     * @param bytes equal on all PEs and in all calls.
     */
    SymmetricBuffer retained(RetainedMemory which, long bytes);

    /**
     * Leaves a task to a thread, for which the next attachment, {@link #awaitDeferred}, and the close of the PE wait.
     *
     * @param task which ends when the job fails, and soon after the PE is closed.
     */
    void defer(Runnable task);

    /** Waits for the task of {@link #defer}, as other blocking calls wait: it throws if the job fails, for example. */
    void awaitDeferred();

    /** Returns whether the PE is being closed: no PE performs any operation any more. */
    boolean isClosing();

    /**
     * Ends the device heap and all buffers in it. Local: this PE still performs the operations of others, until
     * {@link #endService()}.
     */
    void closeHeap();

    /** Ends the operations of others on the device heap, and the services. */
    void endService();

    /** Detaches the module: the PE is as it was before. Local. */
    void detach();
}
