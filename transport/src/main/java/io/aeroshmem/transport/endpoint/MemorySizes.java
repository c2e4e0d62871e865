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
package io.aeroshmem.transport.endpoint;

/**
 * Sizes of the memory of each PE, equal on all PEs.
 *
 * @param heap        in bytes.
 * @param arenaOffset offset of the arena, the last part of the system area, in bytes: a multiple of the page size.
 * @param system      length of the system area in bytes: a multiple of the page size.
 */
record MemorySizes(long heap, long arenaOffset, long system)
{
}
