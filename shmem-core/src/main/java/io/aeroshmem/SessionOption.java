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
     * Many operations, whose latency does not matter: {@code SHMEM_CTX_SESSION_BATCH}. If messages reach any PE of the
     * job, single-element puts, atomics without a result and nonblocking gets and fetches of words gather, on any PE,
     * as far as the thread that has begun the session issues them; but nothing gathers while a device heap is attached.
     * They are sent when 4 KiB for a PE are full, before other operations on that PE, by a fence or a quiet, when a
     * thread of this PE waits, and by the progress agent. A load from this PE's own memory may miss what this thread
     * has put there, until it calls quiet.
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
