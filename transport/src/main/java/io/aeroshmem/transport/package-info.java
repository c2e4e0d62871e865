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
 * A peer's heap segment is mapped into this process, or messages travel to the peer over Aeron IPC or Aeron UDP.
 * {@code endpoint.TransportSelector} chooses the path to each peer; callers see only
 * {@link io.aeroshmem.transport.Transport}. The packages are:
 * <ul>
 * <li>{@code mapped}: loads and stores on mapped segments;</li>
 * <li>{@code aeron}: messages;</li>
 * <li>{@code device}: operations on the memory of devices;</li>
 * <li>{@code endpoint}: the joining of a PE to its job;</li>
 * <li>{@code job}: the directory of the job;</li>
 * <li>{@code heap}: the memory files in that directory;</li>
 * <li>{@code retained}: the named blocks of memory that outlive a generation of the job;</li>
 * <li>{@code rendezvous}: the bootstrap of a job over TCP, and the exchange of PE states between its nodes;</li>
 * <li>{@code progress}: the waits of blocked callers;</li>
 * <li>{@code flight}: the events of JDK Flight Recorder.</li>
 * </ul>
 */
package io.aeroshmem.transport;
