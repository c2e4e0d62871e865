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

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * What a process tells when it comes to the rendezvous of its job.
 * <p>
 * The number of PEs and the ranks are not checked here against each other but by the server, so that a mistake is told
 * to all processes of the job, and not only to the one that made it.
 *
 * @param pes               the world PEs that this process runs, or starts, where it is a launcher; at least one.
 * @param nPes              PEs of the job, as this process knows it.
 * @param isLauncher        whether this is a launcher: the leader of its node, then, though it is no PE.
 * @param host              name of the host, for messages.
 * @param nodeKey           equal for processes that can map the same files, and only for those.
 * @param pid               of this process.
 * @param startTime         when this process started, milliseconds since the epoch; 0 where unknown.
 * @param log               where this process logs, for messages.
 * @param joinTimeoutNs     how long to wait for the other processes, in nanoseconds; positive.
 * @param livenessTimeoutNs how long a node may be silent before it counts as dead, in nanoseconds; positive. The
 *                          rendezvous acts on four fifths of it.
 */
public record Hello(
    int[] pes,
    int nPes,
    boolean isLauncher,
    String host,
    String nodeKey,
    long pid,
    long startTime,
    String log,
    long joinTimeoutNs,
    long livenessTimeoutNs)
{
    /**
     * The most PEs of a job.
     */
    public static final int MAX_PES = 1 << 16;

    /**
     * Copies the ranks, and checks what can only be this process's own mistake.
     *
     * @param pes               see the record.
     * @param nPes              see the record.
     * @param isLauncher        see the record.
     * @param host              see the record.
     * @param nodeKey           see the record.
     * @param pid               see the record.
     * @param startTime         see the record.
     * @param log               see the record.
     * @param joinTimeoutNs     see the record.
     * @param livenessTimeoutNs see the record.
     */
    public Hello
    {
        pes = pes.clone();
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(nodeKey, "nodeKey");
        Objects.requireNonNull(log, "log");
        if (nodeKey.getBytes(StandardCharsets.UTF_8).length > RendezvousMessages.MAX_NODE_KEY)
        {
            throw new IllegalArgumentException("the name of a node has more than " + RendezvousMessages.MAX_NODE_KEY +
                " bytes (property aeroshmem.node.name): " + nodeKey);
        }

        if (0 == pes.length || pid <= 0 || joinTimeoutNs <= 0 || livenessTimeoutNs <= 0)
        {
            throw new IllegalArgumentException("a hello of " + pes.length + " PEs by pid " + pid +
                " with a join timeout of " + joinTimeoutNs + " ns and a liveness timeout of " + livenessTimeoutNs +
                " ns: all must be positive (properties aeroshmem.join.timeout, aeroshmem.liveness.timeout)");
        }
    }

    /**
     * The world PEs that this process runs or starts.
     *
     * @return a copy.
     */
    @Override
    public int[] pes()
    {
        return pes.clone();
    }

    /**
     * The PE that speaks for this process.
     *
     * @return the lowest rank.
     */
    public int firstPe()
    {
        return Arrays.stream(pes).min().getAsInt();
    }

    @Override
    public String toString()
    {
        return who() + " of " + nPes + ", node " + nodeKey;
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof Hello && equals((Hello)other);
    }

    @Override
    public int hashCode()
    {
        return Objects.hash(Arrays.hashCode(pes), pid, startTime, nodeKey);
    }

    /**
     * Names the process in messages: "PE 2 (pid 4711, host a)", "the launcher of PEs 0-3 (pid 4711, host a)".
     */
    String who()
    {
        final String process = " (pid " + pid + ", host " + host + ')';

        return isLauncher ? "the launcher of " + PeList.text(pes) + process : PeList.text(pes) + process;
    }

    private boolean equals(final Hello other)
    {
        return Arrays.equals(pes, other.pes) && nPes == other.nPes && isLauncher == other.isLauncher &&
            host.equals(other.host) && nodeKey.equals(other.nodeKey) && pid == other.pid &&
            startTime == other.startTime && log.equals(other.log) && joinTimeoutNs == other.joinTimeoutNs &&
            livenessTimeoutNs == other.livenessTimeoutNs;
    }
}
