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
 * The TCP bootstrap of processes that share no file system: one server, and a connection from each process while it
 * joins, afterwards from one process per node.
 * <p>
 * {@link io.aeroshmem.transport.rendezvous.RendezvousId} holds the address and the secret; {@code RendezvousServer}
 * and {@code RendezvousClient} are the two sides. {@code RendezvousStateMachine} is the state machine of the server,
 * without sockets; {@code ControlFileReplicator} replicates the control files of the nodes; {@code RendezvousMessages}
 * encodes and decodes the messages.
 */
package io.aeroshmem.transport.rendezvous;
