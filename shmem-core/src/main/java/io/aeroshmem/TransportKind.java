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

/** The path by which operations reach a peer. The property {@code aeroshmem.transport} selects it. */
public enum TransportKind
{
    /** Selected per peer: {@link #MAPPED} where the peer's heap can be mapped, else {@link #UDP}. */
    AUTO,

    /** Loads and stores to the peer's heap; all PEs must be on one host. */
    MAPPED,

    /** Aeron IPC messages to every peer; all PEs must be on one host. */
    IPC,

    /** Aeron UDP messages to every peer. */
    UDP
}
