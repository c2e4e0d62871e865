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
 * The TCP bootstrap of processes that need not share a file system. One server accepts a connection from each process
 * while the process joins; afterwards the leader of each node stays connected.
 * <ul>
 * <li>{@link io.aeroshmem.transport.rendezvous.RendezvousId} holds the address and the secret.</li>
 * <li>{@code RendezvousServer} and {@code RendezvousClient} are the two sides.</li>
 * <li>{@code RendezvousStateMachine} makes the decisions of the server, without sockets.</li>
 * <li>{@code ControlFileReplicator} replicates the control files of the nodes.</li>
 * <li>{@code RendezvousMessages} encodes and decodes the messages.</li>
 * </ul>
 */
package io.aeroshmem.transport.rendezvous;
