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
package io.aeroshmem.transport.job;

/**
 * Counters that each PE has in the control file of its job. The ordinal of a constant is the id of the counter among
 * the counters of the PE.
 * <p>
 * The counters cover messages, errors, collective calls, the heap and the background agent. A mapped load or store is
 * too cheap to be counted: the one-sided operations that a PE issues are counted where the program asks for it. PEs
 * that share a JVM have separate values, but share some services: the duty cycles of the
 * background agent are counted for the lowest PE, and errors of shared services for the PE that joined first. The
 * thread of {@link Liveness} writes the counters that are described as sampled, at regular intervals.
 */
public enum PeCounter
{
    /** Frames that Aeron took, acknowledgements alone included. */
    FRAMES_SENT(20_000, "frames sent"),

    /** Frames of peers that were performed. */
    FRAMES_RECEIVED(20_001, "frames received"),

    /** Records in the frames sent. */
    RECORDS_SENT(20_002, "records sent"),

    /** Records in the frames received. */
    RECORDS_RECEIVED(20_003, "records received"),

    /** Bytes of the frames sent, frame headers included. */
    BYTES_SENT(20_004, "bytes sent"),

    /** Bytes of the frames received, frame headers included. */
    BYTES_RECEIVED(20_005, "bytes received"),

    /** Offers that Aeron rejected because of back pressure. */
    BACK_PRESSURE(20_006, "back pressure"),

    /** Submissions that found their ring full. */
    RING_FULL(20_007, "ring full"),

    /** Requests that waited for a reply slot, and fetches that waited for room in a run of fetches. */
    REPLY_SLOT_WAITS(20_008, "reply slot waits"),

    /** Frames of peers that violated the protocol. */
    MALFORMED_FRAMES(20_009, "malformed frames"),

    /** Frames that were rejected because they are not from a peer of this job, or from one at fault. */
    REJECTED_FRAMES(20_010, "rejected frames"),

    /** Exceptions passed to the error handler, other than those of a rendezvous server, which precedes the job. */
    ERRORS(20_011, "errors"),

    /** Bytes of the symmetric heap that are allocated; sampled. */
    HEAP_USED(20_012, "heap bytes in use"),

    /** Blocks and elements that messages of peers have put; sampled, as all that follow. */
    PUTS(20_013, "puts performed"),

    /** Blocks that messages of peers have read. */
    GETS(20_014, "gets performed"),

    /** Atomic operations that messages of peers have asked for. */
    ATOMICS(20_015, "atomics performed"),

    /** Signals by messages of peers. */
    SIGNALS(20_016, "signals performed"),

    /** Records sent or submitted that peers have not acknowledged. */
    RECORDS_OUTSTANDING(20_017, "records outstanding"),

    /**
     * Longest time in nanoseconds between two duty cycles of the agent, which the PEs of a process share: its lowest PE
     * has it.
     */
    AGENT_MAX_CYCLE(20_018, "agent max cycle ns"),

    /** Duty cycles of the agent that took longer than {@link #LONG_CYCLE_NS}. */
    AGENT_LONG_CYCLES(20_019, "agent cycles above 100 ms"),

    /** Bytes of the symmetric heap. */
    HEAP_LENGTH(20_020, "heap bytes"),

    /**
     * Collective calls of this PE on teams: blocking ones, allocations and releases of symmetric memory included, and
     * requests posted.
     */
    COLLECTIVES(20_021, "collectives"),

    /** Number of this generation of a recoverable job; written when the task begins. */
    GENERATION(20_022, "generation"),

    /** Milliseconds from the failure of the generation before until the task of this one began; 0 in generation 0. */
    RECOVERY_TIME(20_023, "recovery ms"),

    /** Bytes of the symmetric heap that are retained. */
    RETAINED_BYTES(20_024, "retained bytes"),

    /** Puts that this PE has issued, over any transport; 0, as all that follow, unless operations are recorded. */
    PUTS_ISSUED(20_025, "puts issued"),

    /** Gets that this PE has issued. */
    GETS_ISSUED(20_026, "gets issued"),

    /** Atomic operations that this PE has issued. */
    ATOMICS_ISSUED(20_027, "atomics issued"),

    /** Signals that this PE has issued, those of puts with a signal included. */
    SIGNALS_ISSUED(20_028, "signals issued"),

    /** Bytes of the puts issued. */
    BYTES_PUT(20_029, "bytes put"),

    /** Bytes of the gets issued. */
    BYTES_GOT(20_030, "bytes got");

    /** Limit of a duty cycle in nanoseconds, see {@link #AGENT_LONG_CYCLES}. */
    public static final long LONG_CYCLE_NS = 100_000_000;

    private final int typeId;
    private final String text;

    PeCounter(final int typeId, final String text)
    {
        this.typeId = typeId;
        this.text = text;
    }

    /**
     * Returns the type id, by which viewers recognise the counter: 20 000 to 20 099, never used again for another one.
     */
    public int typeId()
    {
        return typeId;
    }

    /** Returns the label of a PE's counter, such as "aeroshmem frames sent: pe=3". */
    public String label(final int pe)
    {
        return "aeroshmem " + text + ": pe=" + pe;
    }

    /** Returns whether the value goes up and down; all others only grow. */
    public boolean isGauge()
    {
        return HEAP_USED == this || HEAP_LENGTH == this || RECORDS_OUTSTANDING == this || AGENT_MAX_CYCLE == this ||
            GENERATION == this || RECOVERY_TIME == this || RETAINED_BYTES == this;
    }

    /** Returns the name without the PE, such as "frames sent". */
    @Override
    public String toString()
    {
        return text;
    }
}
