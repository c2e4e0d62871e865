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

import io.aeroshmem.transport.job.PreviousGeneration;

/**
 * The assignment of a process to its node, sent by the server when all processes have joined.
 *
 * @param token        token of the job, not 0.
 * @param isLeader     whether the process leads its node: it creates the job's directory there, and replicates the
 *                     control file.
 * @param leaderPe     the lowest PE of the leader's process, or {@link #NO_PE} if the leader is a launcher.
 * @param isSingleNode whether all PEs are on this node.
 * @param serverPe     the lowest PE of the process that runs the server, or {@link #NO_PE} if that process runs no PE.
 * @param nodePes      PEs of the node, ascending.
 * @param previous     the generation of the job before this one.
 * @param members      the PEs of this generation of a job that shrinks, by their numbers in generation 0, ascending: a
 *                     process has joined with these. Empty if the job has all its PEs.
 */
record NodeAssignment(
    long token,
    boolean isLeader,
    int leaderPe,
    boolean isSingleNode,
    int serverPe,
    int[] nodePes,
    PreviousGeneration previous,
    int[] members)
{
    static final int NO_PE = -1;
}
