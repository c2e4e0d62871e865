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

import io.aeroshmem.transport.MemorySpace;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.aeron.MessageTransport;
import io.aeroshmem.transport.aeron.ProgressEngine;
import io.aeroshmem.transport.aeron.RegionMemory;
import io.aeroshmem.transport.heap.Segment;
import io.aeroshmem.transport.progress.BlockingWait;

/**
 * The result of {@link JoinProtocol}: a PE that is connected to all others.
 *
 * @param pe           number of the PE.
 * @param process      that the PE lives in.
 * @param phaseBarrier of the job.
 * @param arenaOffset  offset of the arena in the system area, in bytes.
 * @param spaces       memory of all PEs by region.
 * @param segments     by PE; null where a PE is not mapped.
 * @param transports   by PE.
 * @param records      by PE.
 * @param memory       this PE's regions, as messages address them; null without messages.
 * @param engine       drives the messages of the PE; null without messages.
 * @param messages     transport to PEs that are not mapped; null without messages.
 * @param blockingWait of blocked callers.
 */
record JoinedPe(
    int pe,
    JobProcess process,
    PhaseBarrier phaseBarrier,
    long arenaOffset,
    MemorySpace[] spaces,
    Segment[] segments,
    Transport[] transports,
    JoinRecord[] records,
    RegionMemory memory,
    ProgressEngine engine,
    MessageTransport messages,
    BlockingWait blockingWait)
{
}
