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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.Pending;

/** Where a {@link BatchRing} passes its entries to: frames, or memory that is mapped. */
interface BatchTarget
{
    /**
     * Takes entries of a ring. Under the engine's lock.
     *
     * @param kind        of all, see {@link RecordDescriptor}.
     * @param entries     address of the first.
     * @param entryLength from one to the next, in bytes.
     * @param dest        where fetched values are stored, as in {@link io.aeroshmem.transport.Transport#getNbi}.
     * @param pending     that counts fetches; null for updates.
     * @return the number of entries that were taken; 0 if there is no room.
     */
    int take(long kind, long entries, int entryLength, int count, Object dest, Pending pending);

    /**
     * Takes what a ring has at the call, and sends what has to leave for that. Under the engine's lock.
     *
     * @return the number of frames that were sent, or -1 if some of it stays in the ring.
     */
    int submit(BatchRing ring);

    /** Has each duty cycle drain a ring. Any thread, as the next two. */
    void add(BatchRing ring);

    /** Ends what {@link #add} began. */
    void remove(BatchRing ring);

    /** Returns true if nothing that was submitted before by another path is still to be taken. */
    boolean isPathEmpty();
}
