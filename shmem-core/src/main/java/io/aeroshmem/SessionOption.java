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

/** A hint about the operations of a session: see {@link CommunicationContext#sessionStart}. */
public enum SessionOption
{
    /**
     * Many operations, whose latency does not matter: {@code SHMEM_CTX_SESSION_BATCH}. The library gathers these
     * operations of the thread that has begun the session, and sends several at once:
     * <ul>
     * <li>puts of one element;</li>
     * <li>atomics without a result;</li>
     * <li>nonblocking gets and fetches of words, except compare-and-swap.</li>
     * </ul>
     * They gather for every PE, this one and those whose memory is mapped included. Nothing gathers if this PE reaches
     * no PE by messages, or while a device heap is attached.
     * <p>
     * What has gathered for a PE is sent when it fills 4 KiB, before another operation on that PE, by a fence or a
     * quiet, when a thread of this PE waits, and by the progress agent. Until this thread calls quiet, a load from this
     * PE's own memory may miss what the thread has put there.
     */
    BATCH,

    /**
     * Atomic operations that are all the same one, as {@code SHMEM_SESSION_SAME_AMO} of the proposal for OpenSHMEM 1.6.
     * With {@link #BATCH}, the library may then update words of this PE's memory without locked instructions.
     * Operations of the library remain atomic, even if they differ; the atomic methods of a view of this PE's own
     * memory are not atomic against them during the session.
     */
    SAME_AMO
}
