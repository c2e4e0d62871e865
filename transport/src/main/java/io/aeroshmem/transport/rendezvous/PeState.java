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
package io.aeroshmem.transport.rendezvous;

/**
 * The state of a PE. The leader of the PE's node sends it to the rendezvous server, and the server relays it to the
 * leaders of the other nodes, which write it to their control files, see {@code ControlFile.mirror}.
 *
 * @param pe        number of the PE.
 * @param phase     its {@link io.aeroshmem.transport.job.PePhase}.
 * @param pid       pid of its process.
 * @param startTime start time of its process in milliseconds since the epoch; 0 if unknown.
 * @param isEnding  whether the JVM of the PE began to end while the PE was open.
 * @param host      name of its host, for messages.
 * @param log       location of its log, for messages; may be empty.
 * @param record    its join record; empty if the record has not changed.
 */
record PeState(int pe, int phase, long pid, long startTime, boolean isEnding, String host, String log, byte[] record)
{
}
