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

import io.aeron.Aeron;
import io.aeroshmem.transport.TransportMode;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.IdleStrategy;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

/**
 * What a program sets of the connection of one PE to its job. Times are in nanoseconds, lengths in bytes. Immutable.
 *
 * @param shmDirectory             parent of the job's directory, unless a launcher has made this.
 * @param nodeName                 of this PE's node; null: that of its host. PEs on different nodes do not map each
 *                                 other.
 * @param heapSize                 of the user heap, equal on all PEs.
 * @param sparse                   whether the heap is created without reserving its memory.
 * @param transport                to peers.
 * @param delayed                  whether each PE calls {@link BootstrappedEndpoint#connect()} at a time of its own,
 *                                 instead of all at once.
 * @param agentMode                whether a background thread drives progress; otherwise the application does.
 * @param idleStrategySupplier     of the background thread; null: {@link
 *                                 io.aeroshmem.transport.aeron.AgentIdleStrategy}.
 * @param waitIdleStrategySupplier of blocked callers; null: chosen by the number of processors.
 * @param threadFactory            of the library's threads.
 * @param aeron                    client of the application; null: a client of the library.
 * @param ownsAeronClient          whether the given client is closed with the job.
 * @param aeronDirectoryName       of a running media driver; null: the job starts its own.
 * @param mediaDriverAgentInvoker  of a media driver that the application runs, or null.
 * @param udpInterface             address of the UDP inbox; null: the one that other nodes reach, loopback in a job of
 *                                 one node.
 * @param udpMtu                   largest datagram; 0: 63 KiB on the loopback interface, 1408 elsewhere.
 * @param udpMulticast             address and port of the multicast group of puts to many PEs; null: none.
 * @param ipcMtu                   largest frame over IPC.
 * @param termLength               of the streams.
 * @param rendezvousInterface      address, host name or subnet at which this PE opens a rendezvous; null: the first
 *                                 address that other hosts can reach.
 * @param joinTimeoutNs            limit of the wait for other PEs to join.
 * @param livenessTimeoutNs        silence after which a client of the driver counts as dead.
 * @param operationTimeoutNs       limit of blocking operations; 0: none.
 * @param isRecoverable            whether another generation of the job follows one that fails.
 * @param retainTimeoutNs          for which retained memory is kept without a process, if no launcher keeps it.
 * @param attributes               that must be equal on all PEs, besides the size of the heap: values without line
 *                                 breaks by name, in an order that is the same on all PEs of one version.
 */
public record EndpointSettings(
    Path shmDirectory,
    String nodeName,
    long heapSize,
    boolean sparse,
    TransportMode transport,
    boolean delayed,
    boolean agentMode,
    Supplier<IdleStrategy> idleStrategySupplier,
    Supplier<IdleStrategy> waitIdleStrategySupplier,
    ThreadFactory threadFactory,
    Aeron aeron,
    boolean ownsAeronClient,
    String aeronDirectoryName,
    AgentInvoker mediaDriverAgentInvoker,
    String udpInterface,
    int udpMtu,
    String udpMulticast,
    int ipcMtu,
    int termLength,
    String rendezvousInterface,
    long joinTimeoutNs,
    long livenessTimeoutNs,
    long operationTimeoutNs,
    boolean isRecoverable,
    long retainTimeoutNs,
    Map<String, String> attributes)
{
}
