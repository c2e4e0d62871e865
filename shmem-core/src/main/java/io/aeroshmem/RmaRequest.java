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
package io.aeroshmem;

/**
 * The completion of one put or get: of {@link CommunicationContext#putRequest} or a {@code getRequest}. No counterpart
 * in C, where only {@code shmem_quiet} completes nonblocking operations, all of a context.
 * <p>
 * <b>Buffers.</b> Until the request is complete, the source must not be written, and the destination must be neither
 * read nor written. {@link CommunicationContext#quiet()} of the context completes the operation too.
 * <p>
 * <b>Threads.</b> Any thread may use a request, one at a time.
 * <p>
 * <b>Lifetime.</b> {@link #close()} gives the object back to its context, which returns it for a later operation: from
 * then on the program must not use it. A context keeps up to 256 objects; while no more are open, operations allocate
 * nothing. An object that is never closed is garbage, and its operation completes nevertheless.
 */
public interface RmaRequest extends AutoCloseable
{
    /**
     * Drives progress, and tests for completion. Never blocks.
     *
     * @return true if the operation is complete: the data of a put is at its PE, visible to all PEs; that of a get has
     *         arrived. Then also a full fence of the calling thread.
     * @throws IllegalStateException if the request, its context or the job is closed.
     * @throws ShmemException        if the job has failed.
     */
    boolean test();

    /**
     * Waits until the operation is complete, as {@link #test()} defines it.
     *
     * @throws IllegalStateException     if the request, its context or the job is closed.
     * @throws ShmemTimeoutException     if that takes longer than {@link Shmem.Context#operationTimeoutNs()}; the
     *                                   request stays open.
     * @throws ShmemInterruptedException if the thread is interrupted; the request stays open.
     * @throws ShmemException            if the job has failed.
     */
    void await();

    /**
     * Gives the request back. Neither drives progress nor blocks. A second call does nothing, but see Lifetime.
     *
     * @throws IllegalStateException if the operation is not complete; the request stays open. Not thrown after the job
     *                               has failed, or the context was closed.
     */
    @Override
    void close();
}
