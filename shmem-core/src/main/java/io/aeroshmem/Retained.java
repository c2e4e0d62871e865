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
package io.aeroshmem;

/** An allocation of {@link Shmem#retain}, as {@link Shmem#retained()} describes it. */
public interface Retained
{
    /** {@return the name by which the program retains it} */
    String name();

    /** {@return its length in bytes} */
    long bytes();

    /** {@return the version of the layout of its contents, which the program defines} */
    int layoutVersion();

    /**
     * Returns what the memory of a PE was when this generation of the job began: zeroed if the allocation was made in
     * this generation, restored if it was restored in this generation.
     *
     * @param pe number of the PE.
     * @return its state.
     * @throws IndexOutOfBoundsException if there is no such PE.
     */
    MemoryState state(int pe);
}
