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

/**
 * The synchronisation of a collective call on the heap, such as an allocation, with all PEs of the job. The collectives
 * of the world team implement it.
 */
public interface WorldSync
{
    /**
     * Begins an exchange with all PEs: from here on this is a collective call.
     *
     * @param callName name of the program's call.
     */
    void begin(String callName);

    /**
     * Completes what this PE has issued to any peer.
     *
     * @param callName name of the program's call.
     */
    void complete(String callName);

    /** Completes what this PE has issued, and then waits for all PEs. */
    void barrier();

    /** Records that an exchange which has begun ended with an exception: this PE is out of step with the others. */
    void abandon();

    /** Waits until a word of this PE's memory, which another PE writes, has reached a value. */
    void await(long address, long value, int writer);
}
