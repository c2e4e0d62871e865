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
 * Data movement between processing elements (PEs), without knowledge of teams, collectives or element types.
 * <p>
 * A peer is reached in one of three ways: its heap segment is mapped here, or messages travel to it over Aeron IPC or
 * Aeron UDP. The path is chosen per peer; the layers above this package do not see the difference.
 */
package io.aeroshmem.transport;
