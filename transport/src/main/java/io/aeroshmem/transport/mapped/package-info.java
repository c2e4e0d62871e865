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
 * Loads, stores and CPU atomics on memory that is mapped into this process: the path to peers on the same node and to
 * this PE itself. {@link io.aeroshmem.transport.mapped.MappedTransport} resolves addresses;
 * {@link io.aeroshmem.transport.mapped.MemoryOps} has the operations. The progress engine also uses these operations,
 * to perform requests that arrive as messages.
 */
package io.aeroshmem.transport.mapped;
