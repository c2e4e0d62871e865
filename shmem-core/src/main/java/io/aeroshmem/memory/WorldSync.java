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
 * How a call on the heap waits for all PEs of the job, as a call on their team.
 */
public interface WorldSync
{
    /**
     * Begin to exchange something with all PEs: from here on this is a call that all of them make.
     */
    void begin();

    /**
     * Complete what this PE has issued, to whichever peer.
     */
    void complete();

    /**
     * Complete what this PE has issued, and then wait for all PEs.
     */
    void barrier();

    /**
     * Wait until a word of this PE's memory, which another PE writes, has reached a value.
     *
     * @param address of the word.
     * @param value   to reach.
     * @param writer  PE that writes it.
     */
    void await(long address, long value, int writer);
}
