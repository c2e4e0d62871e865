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

/**
 * Destination of the entries of a {@link BatchRing}: frames ({@link PeerLink}) or mapped memory
 * ({@link MappedBatchTarget}).
 */
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
     * Takes the entries that a ring holds at the call, and sends frames where room for them is needed. Under the
     * engine's lock.
     *
     * @return the number of frames that were sent, or -1 if some of the entries stay in the ring.
     */
    int submit(BatchRing ring);

    /** Adds a ring, which each duty cycle drains from then on. Any thread, as for the next two methods. */
    void add(BatchRing ring);

    /** Removes a ring. */
    void remove(BatchRing ring);

    /** Returns true if all operations submitted earlier by another path have been taken. */
    boolean isPathEmpty();
}
