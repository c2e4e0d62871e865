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
 * A peer is reached in one of three ways: its heap segment is mapped here (package {@code mapped}), or messages travel
 * to it over Aeron IPC or Aeron UDP ({@code aeron}). {@code endpoint.TransportSelector} chooses the path of each peer;
 * callers see only {@link io.aeroshmem.transport.Transport}. Package {@code endpoint} joins a PE to its job,
 * {@code job} has the directory of the job, {@code heap} the memory files in it, {@code rendezvous} the exchange
 * between hosts, {@code progress} the waits of blocked callers, {@code device} the operations on memory of devices, and
 * {@code flight} the events of JDK Flight Recorder.
 */
package io.aeroshmem.transport;
