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
 * How the processes of a job find each other when they share no file system: one server, a TCP connection from each
 * process, and afterwards from one process per node.
 * <p>
 * {@link io.aeroshmem.transport.rendezvous.RendezvousId} says where and with what secret,
 * {@code RendezvousServer} listens,
 * {@code RendezvousClient} is one process's side. {@code ServerJob} is the state
 * machine of the server, without sockets; {@code NodeBridge} keeps the control files of the nodes alike;
 * {@code RendezvousMessages} is the only place that reads and writes bytes.
 */
package io.aeroshmem.transport.rendezvous;
