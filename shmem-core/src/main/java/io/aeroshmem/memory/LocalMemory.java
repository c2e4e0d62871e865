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
 * This PE's own part of a region of symmetric memory, as loads and stores reach it. Offsets are in bytes from the start
 * of the region, and have been checked.
 */
public interface LocalMemory
{
    /** Returns the address of offset 0 for loads and stores; 0 if they do not reach the memory. */
    long address();

    /** Returns a view that keeps the memory mapped for as long as the view is reachable. */
    AtomicBuffer view(long offset, int length);

    /** Returns a view in native byte order that keeps the memory mapped for as long as the view is reachable. */
    ByteBuffer byteBuffer(long offset, int length);
}
