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

import java.util.function.Function;

/**
 * The reasons for which no team is created. A reason is encoded as {@value #WORDS} 64-bit words: a code and the details
 * that each constant lists. Every participant derives the same message from these words.
 */
enum CreationReason
{
    /** PE, its limit in nanoseconds, PE that it waited for. */
    TIME_LIMIT((words) -> pe(words) + " waited until its limit of " + words[2] + " ns (TeamParams.timeoutNs)" +
        (words[3] < 0 ? "" : ", for PE " + words[3])),

    /** PE. */
    ABANDONED((words) -> pe(words) + " closed its TeamCreation before the team was made"),

    /** PE. */
    BEGAN_ANOTHER((words) -> pe(words) + " withdrew from this creation and began another"),

    /** PE. */
    PE_CLOSED((words) -> pe(words) + " called Shmem.close"),

    /** PE. */
    PARENT_CLOSED((words) -> pe(words) + " closed the parent team"),

    /** Coordinator, PE. */
    DIFFERENT_RECORDS((words) -> pe(words) + " and PE " + words[2] + " take part in different creations"),

    /** PE, status, its detail. */
    BAD_STATUS((words) -> pe(words) + " " + describeStatus((int)words[2], words[3])),

    /** Rank in the exchange, number of ranks, PE that the exchange has there, place that this PE gave. */
    BAD_EXCHANGE((words) -> "the out-of-band exchange must have a different PE of the job at each rank: rank " +
        words[1] + " of " + words[2] + " has PE " + words[3] + ", which gave rank " + CreationRecord.rank(words[4]) +
        " of " + CreationRecord.ranks(words[4])),

    /** PE that received it, rank in its exchange. */
    ALTERED_RECORD((words) -> "the out-of-band exchange must deliver all bytes that each rank has sent: " + pe(words) +
        " received a record of rank " + words[2] + " that is incomplete or altered"),

    /** PE that received it, rank in its exchange, PE that sent it. */
    OUTDATED_RECORD((words) -> "the out-of-band exchange must deliver what each rank has sent in it: " + pe(words) +
        " received at rank " + words[2] + " a record that PE " + words[3] + " sent for an earlier creation"),

    /** PE. */
    EXCHANGE_FAILED((words) -> "the out-of-band exchange of " + pe(words) + " failed"),

    /** PE. */
    OUTSIDE_MAP((words) -> "the out-of-band exchange must have the PEs of the endpoint map: " + pe(words) +
        " is not in the map"),

    /** Coordinator. */
    NO_DECISION((words) -> pe(words) + ", the coordinator, did not decide within the time limit and a slack of " +
        CreationExchange.SLACK_NS + " ns"),

    /** PE. */
    WITHDRAWN((words) -> pe(words) + " stopped waiting for others, by its operation timeout or an interrupt"),

    /** PE. */
    CALLED_TWICE((words) -> "teamInit must be called once with an id: " + pe(words) + " called it twice"),

    /** PE. */
    UNIQUE_ID_IN_SPLIT((words) -> pe(words) + " specified a configuration with a unique id, which only teamInit" +
        " accepts (TeamConfig.mask)"),

    /** Two PEs, each with its number. */
    DIFFERENT_CONTEXT_COUNTS((words) -> "the number of contexts must be the same on all: " + pe(words) + " gave " +
        words[2] + ", PE " + words[3] + " gave " + words[4]),

    /** Two PEs, each with its options and number of contexts. */
    DIFFERENT_CONTEXT_OPTIONS((words) -> "the options of contexts must be the same on all: " + pe(words) + " gave " +
        describeContexts(words[2], words[3]) + ", PE " + words[4] + " gave " + describeContexts(words[5], words[6])),

    /** Two PEs, each with its configuration. */
    DIFFERENT_CONFIGS((words) -> "ordering and synchronization must be the same on all: " + pe(words) + " gave " +
        describeConfig(words[2]) + ", PE " + words[3] + " gave " + describeConfig(words[4])),

    /** Two PEs, each with number of buffers, address and length of the first. */
    DIFFERENT_MEMORY((words) -> "memory must be the same on all: " + pe(words) + " gave " +
        describeMemory(words[2], words[3], words[4]) + ", PE " + words[5] + " gave " +
        describeMemory(words[6], words[7], words[8])),

    /** Two PEs, each with its size. */
    DIFFERENT_MAPS((words) -> "endpointMap must be the same on all: " + pe(words) + " gave " + describeMap(words[2]) +
        ", PE " + words[3] + " gave " + (words[2] == words[4] ? "a different one" : describeMap(words[4]))),

    /** Two PEs, each with its flags and id. */
    DIFFERENT_IDS((words) -> "id must be the same on all or given by none: " + pe(words) + " gave " +
        describeId(words[2], words[3]) + ", PE " + words[4] + " gave " + describeId(words[5], words[6])),

    /** PE that says so, PE that does not. */
    DIFFERENT_RANGES((words) -> "contiguousEndpoints must be the same on all: " + pe(words) + " gave true, PE " +
        words[2] + " false"),

    /** PE with an endpoint, PE without. */
    SOME_ENDPOINTS((words) -> "endpoint must be given by all or by none: " + pe(words) + " gave one, PE " + words[2] +
        " gave none"),

    /** Two PEs, endpoint. */
    SAME_ENDPOINT((words) -> "endpoint must be different on all: " + pe(words) + " and PE " + words[2] + " gave " +
        Long.toUnsignedString(words[3])),

    /** PE, endpoint, size. */
    NOT_CONTIGUOUS((words) -> "contiguous endpoints must be 0 to " + (words[3] - 1) + ": " + pe(words) + " gave " +
        Long.toUnsignedString(words[2])),

    /** Two PEs, each with its number of members. */
    DIFFERENT_SIZES((words) -> "npes must be the same on all PEs of the team: " + pe(words) + " specified npes=" +
        words[2] + ", PE " + words[3] + " npes=" + words[4]),

    /** PE, number of members, greatest one. */
    BAD_SIZE((words) -> "npes must be 1 to " + words[3] + ": " + pe(words) + " specified npes=" + words[2]),

    /** PE, rank, number of members. */
    BAD_RANK((words) -> "peIndexInTeam must be 0 to " + (words[3] - 1) + ", less than npes: " + pe(words) +
        " specified peIndexInTeam=" + words[2]),

    /** Two PEs, rank. */
    SAME_RANK((words) -> "peIndexInTeam must differ between the PEs of the team: " + pe(words) + " and PE " + words[2] +
        " specified peIndexInTeam=" + words[3]),

    /** Two PEs, each with its configuration; axis of the teams, or 0. */
    DIFFERENT_TEAM_CONFIGS((words) -> "the configuration must be the same on all PEs of the team" +
        (0 == words[5] ? "" : 1 == words[5] ? " along the x axis" : " along the y axis") + ": " + pe(words) +
        " specified (numContexts " + (int)words[2] + "), PE " + words[3] + " (numContexts " + (int)words[4] + ")");

    static final int WORDS = 9;

    private static final CreationReason[] REASONS = values();
    private static final Ordering[] ORDERINGS = Ordering.values();
    private static final Synchronization[] SYNCHRONIZATIONS = Synchronization.values();
    private static final ContextOption[] OPTIONS = ContextOption.values();

    private final Function<long[], String> text;

    CreationReason(final Function<long[], String> text)
    {
        this.text = text;
    }

    /** Returns the encoded reason. */
    long[] of(final long... details)
    {
        final long[] words = new long[WORDS];
        words[0] = 1 + ordinal();
        System.arraycopy(details, 0, words, 1, details.length);
        return words;
    }

    /** Returns an encoded reason as part of a sentence. */
    static String describe(final long[] words)
    {
        final long code = words[0];
        return code < 1 || code > REASONS.length ? "unknown reason " + code : REASONS[(int)code - 1].text.apply(words);
    }

    private static String pe(final long[] words)
    {
        return "PE " + words[1];
    }

    private static String describeStatus(final int status, final long detail)
    {
        return switch (status)
        {
            case CreationRecord.TOO_MANY ->
                "cannot have more than " + detail + " teams open at once, besides the predefined ones" +
                    " (aeroshmem.teams.max)";
            case CreationRecord.NO_ROOM ->
                "cannot have more teams: their areas take " + detail + " bytes of 1 GiB of address space;" +
                    " close teams";
            case CreationRecord.ID_IN_USE -> "has an open team of id " + Long.toUnsignedString(detail) +
                "; id must be that of no open team";
            default -> "cannot have more teams: their areas take " + detail + " bytes, which the file system of" +
                " aeroshmem.shm.dir does not have; close teams, make room there, or set a smaller" +
                " aeroshmem.heap.size";
        };
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

    private static String describeId(final long flags, final long id)
    {
        return 0 == (flags & CreationRecord.HAS_ID) ? "none" : Long.toUnsignedString(id);
    }
}
