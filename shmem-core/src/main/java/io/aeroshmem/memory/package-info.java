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

/**
 * The symmetric heap. Every PE runs the same deterministic allocator over the same sequence of collective calls, so an
 * allocation has the same offset on all PEs. The state of the allocator is ordinary Java objects, outside the heap that
 * it describes.
 * <ul>
 *     <li>{@link io.aeroshmem.memory.HeapAllocator} works on offsets only.</li>
 *     <li>{@link io.aeroshmem.memory.SymmetricHeap} adds the lifetimes of allocations.</li>
 *     <li>{@link io.aeroshmem.memory.CollectiveHeap} makes the calls collective.</li>
 *     <li>{@link io.aeroshmem.memory.RetainedAllocations} have names, and outlive a generation of the job;
 *     {@link io.aeroshmem.memory.Snapshots} writes them to files.</li>
 *     <li>{@link io.aeroshmem.memory.HeapRange} is the base class of the buffers of the API.</li>
 *     <li>{@link io.aeroshmem.memory.HeapAccess} is the checked translation from a buffer to an address, for the
 *     packages that move data.</li>
 * </ul>
 */
package io.aeroshmem.memory;
