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

/**
 * The queue of the operations that a {@link StreamProxy} performs, in the order of the proxy's stream. This class also
 * keeps a list of free operation objects, and allocates an object only if none is free. So the number of objects is the
 * greatest number of operations that were ever in use at the same time.
 * <p>
 * <b>Ordering.</b> A thread accesses the queue and the list only while it holds the lock of this object. It holds the
 * lock for a few loads and stores only, and never during a CUDA call. A CUDA call may wait until the proxy has
 * performed operations. To take these operations from the queue, the proxy needs the lock. So a thread that held the
 * lock during such a call could wait without end.
 */
final class ProxyOperations
{
    private ProxyOperation first;
    private ProxyOperation last;
    private ProxyOperation free;

    /** Returns a free or new operation, which is in no list. */
    synchronized ProxyOperation take()
    {
        final ProxyOperation operation = free;
        if (null == operation)
        {
            return new ProxyOperation();
        }

        free = operation.next;
        operation.next = null;
        return operation;
    }

    synchronized void add(final ProxyOperation operation)
    {
        if (null == first)
        {
            first = operation;
        }
        else
        {
            last.next = operation;
        }

        last = operation;
    }

    /** Returns the first operation without removing it, or null if there is none. */
    synchronized ProxyOperation first()
    {
        return first;
    }

    /** Removes the first operation and adds it to the free ones. */
    synchronized void removeFirst()
    {
        final ProxyOperation operation = first;
        first = operation.next;
        operation.clear();
        operation.next = free;
        free = operation;
    }
}
