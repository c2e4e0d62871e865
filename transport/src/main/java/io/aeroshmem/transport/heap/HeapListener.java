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
package io.aeroshmem.transport.heap;

/**
 * Listener for the user heaps that are mapped into a process: the heaps of its own PEs and of peers. A heap is mapped
 * once for all PEs of the process, and released when the last of these PEs leaves. After its release, it stays mapped
 * while the program keeps a view of it. A listener may, for example, register the heaps with a device.
 * <p>
 * The system area is not included, because parts of it are address space without memory, which must not be touched.
 * <p>
 * The threads by which PEs join and leave the job call the listener, one at a time. They pass the raw address and the
 * length in bytes.
 */
public interface HeapListener
{
    /** Listener that does nothing. */
    HeapListener NONE = new HeapListener()
    {
        @Override
        public void onMapped(final int pe, final long address, final long length)
        {
        }

        @Override
        public void onUnmapping(final int pe, final long address, final long length)
        {
        }
    };

    /** Reports a heap that has been mapped, before any operation uses it. An exception ends the job. */
    void onMapped(int pe, long address, long length);

    /**
     * Reports a heap that is about to be released, after the last operation on it: once for each call of
     * {@link #onMapped}, even one that threw, unless the JVM ends first.
     */
    void onUnmapping(int pe, long address, long length);
}
