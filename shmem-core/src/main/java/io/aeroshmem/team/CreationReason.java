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
package io.aeroshmem.team;

import io.aeroshmem.ContextOption;
import io.aeroshmem.Ordering;
import io.aeroshmem.Synchronization;

/**
 * The reasons for which no team is created. A reason is encoded as {@value #WORDS} 64-bit words: a code and its
 * details. Every participant derives the same message from these words.
 */
final class CreationReason
{
    static final int WORDS = 9;

    /** Details: PE, its limit in nanoseconds, PE that it waited for. */
    static final int TIME_LIMIT = 1;
    /** Details: PE. */
    static final int ABANDONED = 2;
    /** Details: PE. */
    static final int BEGAN_ANOTHER = 3;
    /** Details: PE. */
    static final int PE_CLOSED = 4;
    /** Details: PE. */
    static final int PARENT_CLOSED = 5;
    /** Details: coordinator, PE. */
    static final int DIFFERENT_RECORDS = 6;
    /** Details: two PEs, each with its number. */
    static final int DIFFERENT_CONTEXT_COUNTS = 7;
    /** Details: two PEs, each with its options; number of contexts. */
    static final int DIFFERENT_CONTEXT_OPTIONS = 8;
    /** Details: two PEs, each with its configuration. */
    static final int DIFFERENT_CONFIGS = 9;
    /** Details: two PEs, each with number of buffers, address and length of the first. */
    static final int DIFFERENT_MEMORY = 10;
    /** Details: two PEs, each with its size. */
    static final int DIFFERENT_MAPS = 11;
    /** Details: two PEs, each with whether it has given an id, and the id. */
    static final int DIFFERENT_IDS = 12;
    /** Details: PE with an endpoint, PE without. */
    static final int SOME_ENDPOINTS = 13;
    /** Details: two PEs, endpoint. */
    static final int SAME_ENDPOINT = 14;
    /** Details: PE, endpoint, size. */
    static final int NOT_CONTIGUOUS = 15;
    /** Details: PE that says so, PE that does not. */
    static final int DIFFERENT_RANGES = 16;
    /** Details: PE, status, its detail. */
    static final int BAD_STATUS = 17;
    /** Details: rank in the exchange, number of ranks, PE that the exchange has there, place that this PE gave. */
    static final int BAD_EXCHANGE = 18;
    /** Details: PE. */
    static final int EXCHANGE_FAILED = 19;
    /** Details: PE. */
    static final int OUTSIDE_MAP = 20;
    /** Details: coordinator. */
    static final int NO_DECISION = 21;
    /** Details: PE that received it, rank in its exchange. */
    static final int ALTERED_RECORD = 22;
    /** Details: PE that received it, rank in its exchange, PE that sent it. */
    static final int OUTDATED_RECORD = 23;
    /** Details: PE. */
    static final int WITHDRAWN = 24;
    /** Details: PE. */
    static final int CALLED_TWICE = 25;
    /** Details: two PEs, each with its number of members. */
    static final int DIFFERENT_SIZES = 26;
    /** Details: PE, number of members, greatest one. */
    static final int BAD_SIZE = 27;
    /** Details: PE, rank, number of members. */
    static final int BAD_RANK = 28;
    /** Details: two PEs, rank. */
    static final int SAME_RANK = 29;
    /** Details: two PEs, each with its configuration; axis of the teams, or 0. */
    static final int DIFFERENT_TEAM_CONFIGS = 30;
    /** Details: PE. */
    static final int UNIQUE_ID_IN_SPLIT = 31;

    private static final Ordering[] ORDERINGS = Ordering.values();
    private static final Synchronization[] SYNCHRONIZATIONS = Synchronization.values();
    private static final ContextOption[] OPTIONS = ContextOption.values();

    private CreationReason()
    {
    }

    static long[] of(final int code, final long... details)
    {
        final long[] reason = new long[WORDS];
        reason[0] = code;
        System.arraycopy(details, 0, reason, 1, details.length);
        return reason;
    }

    /** Returns a reason as part of a sentence. */
    static String describe(final long[] reason)
    {
        final String pe = "PE " + reason[1];
        switch ((int)reason[0])
        {
            case TIME_LIMIT:
                return pe + " waited until its limit of " + reason[2] + " ns (TeamParams.timeoutNs)" +
                    (reason[3] < 0 ? "" : ", for PE " + reason[3]);

            case ABANDONED:
                return pe + " closed its TeamCreation before the team was made";

            case BEGAN_ANOTHER:
                return pe + " withdrew from this creation and began another";

            case PE_CLOSED:
                return pe + " called Shmem.close";

            case PARENT_CLOSED:
                return pe + " closed the parent team";

            case DIFFERENT_RECORDS:
                return "PE " + reason[1] + " and PE " + reason[2] + " take part in different creations";

            case BAD_STATUS:
                return pe + " " + describeStatus((int)reason[2], reason[3]);

            case BAD_EXCHANGE:
                return "the out-of-band exchange must have a different PE of the job at each rank: rank " + reason[1] +
                    " of " + reason[2] + " has PE " + reason[3] + ", which gave rank " +
                    CreationRecord.rank(reason[4]) + " of " + CreationRecord.ranks(reason[4]);

            case ALTERED_RECORD:
                return "the out-of-band exchange must deliver all bytes that each rank has sent: " + pe +
                    " received a record of rank " + reason[2] + " that is incomplete or altered";

            case OUTDATED_RECORD:
                return "the out-of-band exchange must deliver what each rank has sent in it: " + pe + " received at" +
                    " rank " + reason[2] + " a record that PE " + reason[3] + " sent for an earlier creation";

            case EXCHANGE_FAILED:
                return "the out-of-band exchange of " + pe + " failed";

            case OUTSIDE_MAP:
                return "the out-of-band exchange must have the PEs of the endpoint map: " + pe + " is not in the map";

            case WITHDRAWN:
                return pe + " stopped waiting for others, by its operation timeout or an interrupt";

            case CALLED_TWICE:
                return "teamInit must be called once with an id: " + pe + " called it twice";

            case UNIQUE_ID_IN_SPLIT:
                return pe + " specified a configuration with a unique id, which only teamInit accepts" +
                    " (TeamConfig.mask)";

            case NO_DECISION:
                return pe + ", the coordinator, did not decide within the time limit and a slack of " +
                    CreationExchange.SLACK_NS + " ns";

            default:
                return describeDifference(reason);
        }
    }

    private static String describeDifference(final long[] reason)
    {
        final String pe = "PE " + reason[1];
        switch ((int)reason[0])
        {
            case DIFFERENT_CONTEXT_COUNTS:
                return "the number of contexts must be the same on all: " + pe + " gave " + reason[2] + ", PE " +
                    reason[3] + " gave " + reason[4];

            case DIFFERENT_CONTEXT_OPTIONS:
                return "the options of contexts must be the same on all: " + pe + " gave " +
                    describeContexts(reason[2], reason[5]) + ", PE " + reason[3] + " gave " +
                    describeContexts(reason[4], reason[5]);

            case DIFFERENT_CONFIGS:
                return "ordering and synchronization must be the same on all: " + pe + " gave " +
                    describeConfig(reason[2]) + ", PE " + reason[3] + " gave " + describeConfig(reason[4]);

            case DIFFERENT_MEMORY:
                return "memory must be the same on all: " + pe + " gave " +
                    describeMemory(reason[2], reason[3], reason[4]) + ", PE " + reason[5] + " gave " +
                    describeMemory(reason[6], reason[7], reason[8]);

            case DIFFERENT_MAPS:
                return "endpointMap must be the same on all: " + pe + " gave " + describeMap(reason[2]) + ", PE " +
                    reason[3] + " gave " + (reason[2] == reason[4] ? "a different one" : describeMap(reason[4]));

            case DIFFERENT_IDS:
                return "id must be the same on all or given by none: " + pe + " gave " +
                    describeId(reason[2], reason[3]) + ", PE " + reason[4] + " gave " +
                    describeId(reason[5], reason[6]);

            case DIFFERENT_RANGES:
                return "contiguousEndpoints must be the same on all: " + pe + " gave true, PE " + reason[2] + " false";

            case SOME_ENDPOINTS:
                return "endpoint must be given by all or by none: " + pe + " gave one, PE " + reason[2] + " gave none";

            case SAME_ENDPOINT:
                return "endpoint must be different on all: " + pe + " and PE " + reason[2] + " gave " +
                    Long.toUnsignedString(reason[3]);

            case NOT_CONTIGUOUS:
                return "contiguous endpoints must be 0 to " + (reason[3] - 1) + ": " + pe + " gave " +
                    Long.toUnsignedString(reason[2]);

            default:
                return describePlace(reason);
        }
    }

    private static String describePlace(final long[] reason)
    {
        final String pe = "PE " + reason[1];
        switch ((int)reason[0])
        {
            case DIFFERENT_SIZES:
                return "npes must be the same on all PEs of the team: " + pe + " specified npes=" + reason[2] +
                    ", PE " + reason[3] + " npes=" + reason[4];

            case BAD_SIZE:
                return "npes must be 1 to " + reason[3] + ": " + pe + " specified npes=" + reason[2];

            case BAD_RANK:
                return "peIndexInTeam must be 0 to " + (reason[3] - 1) + ", less than npes: " + pe +
                    " specified peIndexInTeam=" + reason[2];

            case SAME_RANK:
                return "peIndexInTeam must differ between the PEs of the team: " + pe + " and PE " + reason[2] +
                    " specified peIndexInTeam=" + reason[3];

            case DIFFERENT_TEAM_CONFIGS:
                return "the configuration must be the same on all PEs of the team" +
                    (0 == reason[5] ? "" : 1 == reason[5] ? " along the x axis" : " along the y axis") + ": " + pe +
                    " specified (numContexts " + (int)reason[2] + "), PE " + reason[3] + " (numContexts " +
                    (int)reason[4] + ")";

            default:
                return "unknown reason " + reason[0];
        }
    }

    private static String describeStatus(final int status, final long detail)
    {
        switch (status)
        {
            case CreationRecord.TOO_MANY:
                return "cannot have more than " + detail + " teams open at once, besides the predefined ones" +
                    " (aeroshmem.teams.max)";

            case CreationRecord.NO_ROOM:
                return "cannot have more teams: their areas take " + detail + " bytes of 1 GiB of address space;" +
                    " close teams";

            case CreationRecord.ID_IN_USE:
                return "has an open team of id " + Long.toUnsignedString(detail) +
                    "; id must be that of no open team";

            default:
                return "cannot have more teams: their areas take " + detail + " bytes, which the file system of" +
                    " aeroshmem.shm.dir does not have; close teams, make room there, or set a smaller" +
                    " aeroshmem.heap.size";
        }
    }

    private static String describeContexts(final long options, final long count)
    {
        final StringBuilder text = new StringBuilder();
        final long shown = Math.min(count, CreationRecord.SHOWN_CONTEXTS);
        for (int i = 0; i < shown; i++)
        {
            text.append(0 == i ? "(" : ", (");
            final long bits = options >>> i * CreationRecord.OPTION_BITS;
            String separator = "";
            for (final ContextOption option : OPTIONS)
            {
                if (0 != (bits & 1L << option.ordinal()))
                {
                    text.append(separator).append(option);
                    separator = " ";
                }
            }
            text.append(')');
        }

        return text.append(shown < count ? " and others" : "").toString();
    }

    private static String describeConfig(final long config)
    {
        return ORDERINGS[CreationRecord.ordering(config)] + " and " +
            SYNCHRONIZATIONS[CreationRecord.synchronization(config)];
    }

    private static String describeMemory(final long count, final long address, final long length)
    {
        return 0 == count ? "none" : (1 == count ? "one buffer" : count + " buffers, the first") + " of " + length +
            " bytes at " + address;
    }

    private static String describeMap(final long size)
    {
        return 0 == size ? "none" : "one of " + size + " PEs";
    }

    private static String describeId(final long hasId, final long id)
    {
        return 0 == hasId ? "none" : Long.toUnsignedString(id);
    }
}
