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
 * A use of symmetric memory that must end before the memory is freed. An example is the declaration of memory by an
 * open team ({@link DeclaredMemory}). In each free and realloc, {@link CollectiveHeap} checks that the use has ended.
 */
@FunctionalInterface
public interface MemoryUse
{
    /**
     * Checks that an allocation may be freed.
     *
     * @throws IllegalStateException if it is in use.
     */
    void checkFree(Allocation allocation);
}
