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
package io.aeroshmem.memory;

import org.agrona.concurrent.AtomicBuffer;

import java.nio.ByteBuffer;

/**
 * This PE's own part of a region of symmetric memory. Offsets are in bytes from the start of the region, and the caller
 * has checked them.
 */
public interface LocalMemory
{
    /** Returns the address of offset 0 for loads and stores; 0 if they do not reach the memory. */
    long address();

    /** Returns the address of offset 0 by which operations of the library name the memory; never 0. */
    long operandAddress();

    /** Copies bytes of the memory, from one offset to another. */
    void copy(long fromOffset, long toOffset, long length);

    /** Sets bytes of the memory to zero. */
    void zero(long offset, long length);

    /** Returns a view that keeps the memory mapped for as long as the view is reachable. Not where address() is 0. */
    AtomicBuffer view(long offset, int length);

    /** Returns a view in native byte order that keeps the memory mapped for as long as the view is reachable. */
    ByteBuffer byteBuffer(long offset, int length);
}
