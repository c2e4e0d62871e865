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
import io.aeroshmem.transport.progress.BlockingWait;

/**
 * The result of {@link JoinProtocol}: a PE that is connected to all others.
 *
 * @param pe           number of the PE.
 * @param process      process in which the PE runs.
 * @param phaseBarrier barrier by which the PE will leave the job.
 * @param arenaOffset  offset of the arena, which is the last part of the system area, in bytes.
 * @param spaces       memory of all PEs, by region.
 * @param segments     memory files, by PE; null for a PE that is not mapped.
 * @param transports   transports, by PE.
 * @param contextTransports those of communication contexts, by PE: the same unless there is a {@link TransportFilter}.
 * @param records      join records, by PE.
 * @param hosts        numbers of their hosts, by PE; see {@link JoinRecord#hosts}.
 * @param memory       this PE's regions, as messages address them; null if the PE exchanges no messages.
 * @param engine       progress engine of the PE's messages; null if the PE exchanges no messages.
 * @param messages     transport to PEs that are not mapped; null if the PE exchanges no messages.
 * @param blockingWait wait in which callers block.
 */
record JoinedPe(
    int pe,
    JobProcess process,
    PhaseBarrier phaseBarrier,
    long arenaOffset,
    MemorySpace[] spaces,
    PeSegments[] segments,
    Transport[] transports,
    Transport[] contextTransports,
    JoinRecord[] records,
    int[] hosts,
    RegionMemory memory,
    ProgressEngine engine,
    MessageTransport messages,
    BlockingWait blockingWait)
{
}
