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
 * Retained memory: named blocks of a PE's heap that outlive a generation of a recoverable job.
 * <p>
 * {@link io.aeroshmem.transport.retained.RetainedTable} is the table of the blocks in the file of the heap;
 * {@link io.aeroshmem.transport.retained.RetainedMerge} decides from the tables of all PEs which of them exist, and
 * with which contents. {@link io.aeroshmem.transport.retained.SnapshotPart} is the file of the blocks in a snapshot.
 */
package io.aeroshmem.transport.retained;
