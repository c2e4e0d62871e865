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
 * Address space of a PE in which memory is there on demand.
 */
interface Arena
{
    /**
     * Where it begins.
     *
     * @return offset in the system region.
     */
    long offset();

    /**
     * How long it is.
     *
     * @return in bytes.
     */
    long length();

    /**
     * Have a piece of it supplied with memory, and zeroed.
     *
     * @param offset in the system region.
     * @param length in bytes.
     * @throws io.aeroshmem.transport.TransportException if there is not that much memory.
     */
    void reserve(long offset, long length);
}
