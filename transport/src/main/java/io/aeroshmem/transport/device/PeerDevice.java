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
package io.aeroshmem.transport.device;

/**
 * The device heap of one PE, as this PE reaches it. Offsets are in bytes from the start of the heap. A call is complete
 * on return; any thread may call.
 */
interface PeerDevice
{
    /** Copies from memory of this process, host or device. */
    void put(long offset, long source, long length);

    /** Copies to memory of this process, host or device. */
    void get(long offset, long dest, long length);

    void putElement(long offset, int width, long value);

    long getElement(long offset, int width);

    void signal(long offset, long value, int signalOperation);

    long fetchAtomic(long offset, int width, int op, long value, long cond);
}
