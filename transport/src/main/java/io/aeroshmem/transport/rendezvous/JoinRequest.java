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

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * The request of a process to join its job at the rendezvous.
 * @param pes               the PEs that this process runs or, as a launcher, starts; at least one.
 * @param nPes              number of PEs of the job according to this process.
 * @param isLauncher        whether this process is a launcher, which runs no PE. If a node has launchers, one of them
 *                          leads the node, see {@link NodeAssignment}.
 * @param host              name of the host, for messages.
 * @param nodeKey           key of the node, equal for exactly the processes of one node, see
 *                          {@link io.aeroshmem.transport.job.Node}.
 * @param pid               pid of this process.
 * @param startTime         start time of this process in milliseconds since the epoch; 0 if unknown.
 * @param log               location of the log of this process, for messages.
 * @param joinTimeoutNs     how long to wait for the other processes, in nanoseconds; positive.
 * @param livenessTimeoutNs the liveness timeout in nanoseconds; positive. The rendezvous considers a node dead if it
 *                          receives nothing from the node's leader for four fifths of this time.
 * @param previous          the last generation of the job that this process knows of.
 *
 */
public record JoinRequest(
    int[] pes,
    int nPes,
    boolean isLauncher,
    String host,
    String nodeKey,
    long pid,
    long startTime,
    String log,
    long joinTimeoutNs,
    long livenessTimeoutNs,
    PreviousGeneration previous)
{
    /** Maximum number of PEs of a job. */
    public static final int MAX_PES = 1 << 16;

    /*
     * The server, not this class, validates the number of PEs and the ranks, so that an error is reported to all
     * processes of the job.
     */
    /** Copies the ranks, and validates what can only be a mistake of this process. */
    public JoinRequest
    {
        pes = pes.clone();
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(nodeKey, "nodeKey");
        Objects.requireNonNull(log, "log");
        Objects.requireNonNull(previous, "previous");
        if (nodeKey.getBytes(StandardCharsets.UTF_8).length > RendezvousMessages.MAX_NODE_KEY)
        {
            throw new IllegalArgumentException("node key must be <= " + RendezvousMessages.MAX_NODE_KEY +
                " bytes: " + nodeKey + " (aeroshmem.node.name)");
        }

        if (0 == pes.length || pid <= 0 || joinTimeoutNs <= 0 || livenessTimeoutNs <= 0)
        {
            throw new IllegalArgumentException("number of PEs, pid and timeouts must be > 0: pes=" + pes.length +
                " pid=" + pid + " joinTimeoutNs=" + joinTimeoutNs + " livenessTimeoutNs=" + livenessTimeoutNs +
                " (aeroshmem.join.timeout, aeroshmem.liveness.timeout)");
        }
    }

    /** Returns a copy of the world PEs that this process runs or starts. */
    @Override
    public int[] pes()
    {
        return pes.clone();
    }

    /** Returns the lowest rank, the PE that represents this process. */
    public int firstPe()
    {
        return Arrays.stream(pes).min().getAsInt();
    }

    /**
     * Returns this request, whose PEs have their numbers in generation 0, with those in a generation of a job that
     * shrinks; -1 for a PE that is not one of its members. Without members it is the same.
     */
    JoinRequest in(final int... members)
    {
        return 0 == members.length ? this : new JoinRequest(
            Arrays.stream(pes).map((pe) -> Math.max(-1, Arrays.binarySearch(members, pe))).toArray(),
            members.length,
            isLauncher,
            host,
            nodeKey,
            pid,
            startTime,
            log,
            joinTimeoutNs,
            livenessTimeoutNs,
            previous);
    }

    /** Returns the PE that a failure of this process concerns: the lowest, or -1 for a launcher. */
    int failedPe()
    {
        return isLauncher ? NodeAssignment.NO_PE : firstPe();
    }

    @Override
    public String toString()
    {
        return processName() + " of " + nPes + ", node " + nodeKey;
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof JoinRequest && equals((JoinRequest)other);
    }

    @Override
    public int hashCode()
    {
        return Objects.hash(Arrays.hashCode(pes), pid, startTime, nodeKey);
    }

    /**
     * Returns the name of the process in messages: "PE 2 (pid 4711, host a)", "the launcher of PEs 0-3 (pid 4711, host
     * a)".
     */
    String processName()
    {
        final String process = " (pid " + pid + ", host " + host + ')';

        return isLauncher ? "the launcher of " + PeRanges.text(pes) + process : PeRanges.text(pes) + process;
    }

    private boolean equals(final JoinRequest other)
    {
        return Arrays.equals(pes, other.pes) && nPes == other.nPes && isLauncher == other.isLauncher &&
            host.equals(other.host) && nodeKey.equals(other.nodeKey) && pid == other.pid &&
            startTime == other.startTime && log.equals(other.log) && joinTimeoutNs == other.joinTimeoutNs &&
            livenessTimeoutNs == other.livenessTimeoutNs && previous.equals(other.previous);
    }
}
