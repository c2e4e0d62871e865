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
package io.aeroshmem.team;

/**
 * A part of a PE's system region: reserved address space, which is backed by memory on demand. {@link TeamSlots} takes
 * the areas of teams and the record tables ({@link TeamRecordSlots}) from it.
 */
interface Arena
{
    /** Returns the offset of the arena in the system region. */
    long offset();

    /** Returns the length of the arena in bytes. */
    long length();

    /**
     * Backs a range of the system region with zeroed memory.
     *
     * @throws io.aeroshmem.transport.TransportException if there is not enough memory.
     */
    void reserve(long offset, long length);
}
