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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.simulation.AlteredLibrary;

import java.util.List;

/**
 * Errors of the message engine that {@link PlantedMessageErrorsTest} plants, each as replacements in sources of the
 * package.
 */
enum PlantedMessageError
{
    /** The acknowledgement counts as sent when the publication has not taken the frame. */
    ACKNOWLEDGEMENT_LOST_BY_BACK_PRESSURE(in("PeerLink.java",
        """
            if (outbox.sendFrame(received))
            {
                fetchRuns.onFrameSent();
                onReported();
        """,
        """
            onReported();
            if (outbox.sendFrame(received))
            {
                fetchRuns.onFrameSent();
        """)),

    /** A refused frame counts as sent. */
    FRAME_LOST_AT_THE_END_OF_A_TERM(in("MessageCounters.java",
        "if (result >= 0)", "if (result >= 0 || Publication.ADMIN_ACTION == result)")),

    /** An update enters the frame before the records that wait in the ring. */
    UPDATE_BEFORE_THE_RING(in("MessageTransport.java",
        "isAppended = outbox.tryDrainRing() && outbox.appendUpdate(", "isAppended = outbox.appendUpdate(")),

    /** The chunks of a large block are sent before the records that wait in the ring. */
    CHUNK_BEFORE_THE_RING(in("MessageTransport.java",
        "if (!link.drainTo(ringPosition))", "if (!outbox.isFrameEmpty() && !link.sendFrame())")),

    /** A chunk that was refused counts as sent. */
    CHUNK_LOST_BY_BACK_PRESSURE(in("MessageTransport.java",
        """
                        FRAME_LENGTH + PUT_DATA, sourceBase, sourceAddress + done, chunk, isAwaited(region)))
                    {
                        break;
                    }
        """,
        """
                        FRAME_LENGTH + PUT_DATA, sourceBase, sourceAddress + done, chunk, isAwaited(region)))
                    {
                        done += chunk;
                        break;
                    }
        """)),

    /** What is in the ring has no number yet when a quiet reads the last number. */
    QUIET_WITHOUT_THE_RING(in("MessageTransport.java",
        """
            int round = awaitBatches(link.batches(), deadlineNs, callName);
            while (outbox.ringConsumerPosition() < ringPosition)
            {
                round = blockingWait.idle(round, deadlineNs, callName);
            }

            final long sequence = outbox.awaited();
        """,
        """
            final long sequence = outbox.awaited();
            int round = awaitBatches(link.batches(), deadlineNs, callName);
            while (outbox.ringConsumerPosition() < ringPosition)
            {
                round = blockingWait.idle(round, deadlineNs, callName);
            }
        """)),

    /** A quiet does not wait for elements and atomics. */
    QUIET_WITHOUT_UPDATES(in("Outbox.java",
        "assign(isAwaited); } /** Extends the last",
        "assign(isAwaited && recordLength != UPDATE_LENGTH); } /** Extends the last")),

    /** The completion of all operations does not wait for runs of fetches. */
    QUIET_WITHOUT_RUNS(in("MessageTransport.java", "awaitFetchRuns(link.fetchRuns, callName);", "")),

    /** The completion of all operations does not wait for nonblocking requests. */
    QUIET_WITHOUT_REQUESTS(in("MessageTransport.java", "awaitRequests(link.requests, callName);", "")),

    /** A slot is free before the reply to its abandoned request has come, whose generation is that of the next. */
    REPLY_OF_AN_EARLIER_USE(
        in("RequestTable.java",
        """
                dest[slot] = null;
                kind[slot] = FETCH == kind[slot] ? ABANDONED_FETCH : ABANDONED_GET;
        """,
        """
                release(slot);
        """),
        in("RequestTable.java", "generation[slot] + 1", "generation[slot]")),

    /** The queue of replies has less room than the peer may have requests. */
    REPLY_QUEUE_TOO_SHORT(in("ReplyQueue.java", "MASK = CAPACITY - 1;", "MASK = CAPACITY / 4 - 1;")),

    /** The second block that is got is sent from where the first ended. */
    REPLY_FROM_THE_OLD_POSITION(in("ReplyQueue.java", "getPosition = 0;", "")),

    /** A chunk of a reply that was refused counts as sent. */
    REPLY_LOST_BY_BACK_PRESSURE(in("PeerLink.java",
        """
            if (!sendChunk(FRAME_LENGTH + GET_REPLY_DATA, null, address, length, false))
            {
                return 0;
            }
        """,
        """
            sendChunk(FRAME_LENGTH + GET_REPLY_DATA, null, address, length, false);
        """)),

    /** A fetch joins a run whose frame has left. */
    FETCH_JOINS_A_SENT_RUN(in("FetchRuns.java", "openIndex = 0;", "")),

    /** The values of the second run are answered from where the first ended. */
    RUN_ANSWERED_FROM_THE_OLD_POSITION(in("FetchRunReplies.java", "replied = 0;", "")),

    /** What has arrived of one run counts for the next. */
    RUN_RECEIVED_AT_THE_OLD_POSITION(in("FetchRuns.java", "arrived = 0;", "")),

    /** The numbers of runs are compared with more bits than travel. */
    RUN_NUMBER_WRAPS(in("FetchRuns.java", "(int)completed != number", "completed != number")),

    /** The sequence numbers of records are compared with more bits than travel. */
    SEQUENCE_WRAPS(in("Inbox.java",
        "final int missing = firstSequence - (int)link.received();",
        "final long missing = firstSequence - link.received();")),

    /** The acknowledgement is extended without regard to a wrap. */
    ACKNOWLEDGEMENT_WRAPS(in("Inbox.java",
        "UnsafeApi.getInt(address + FRAME_ACKNOWLEDGED) - (int)acknowledged;",
        "(int)Math.max(-1, UnsafeApi.getInt(address + FRAME_ACKNOWLEDGED) - acknowledged);")),

    /** Neither a fence nor an operation that does not gather submits what has gathered: a flag before its data. */
    FLAG_BEFORE_ITS_DATA(
        in("BatchTransport.java",
        "submit(ring); ring.end(); } return transports[pe];", "} return transports[pe];"),
        in("BatchTransport.java",
        "submit(pe); transports[pe].fence(pe);", "transports[pe].fence(pe);")),

    /** An update joins the record of another kind. */
    UPDATE_JOINS_ANOTHER_KIND(in("Outbox.java", "if (kind == runKind)", "if (0 != runKind)")),

    /** Updates of a session are appended to a record that is no run. */
    BATCH_JOINS_A_SINGLE_UPDATE(in("Outbox.java",
        "(kind != runKind || runCount < 2)", "kind != runKind")),

    /** A run of updates in the frame that is sent goes on in the next frame. */
    RUN_GOES_ON_IN_THE_NEXT_FRAME(in("Outbox.java",
        "runKind = 0; lastIndex = 0;", "lastIndex = 0;")),

    /** Replies to runs of fetches do not count as owed. */
    REPLY_TO_A_RUN_FORGOTTEN(in("PeerLink.java", " || !fetchRunReplies.isEmpty();", ";")),

    /** Of the records of a long frame, only the first are counted. */
    RECORDS_NOT_COUNTED(in("Inbox.java",
        "link.onReceived(recordCount, 0", "link.onReceived(Math.min(recordCount, 64), 0"));

    private final List<Replacement> replacements;

    PlantedMessageError(final Replacement... replacements)
    {
        this.replacements = List.of(replacements);
    }

    private static Replacement in(final String file, final String text, final String replacement)
    {
        return new Replacement(file, text, replacement);
    }

    /** Returns the names of the files to change. */
    List<String> files()
    {
        return replacements.stream().map(Replacement::file).distinct().toList();
    }

    /** Returns the changed text of a file. */
    String plant(final String file, final String source)
    {
        String changed = source;
        for (final Replacement replacement : replacements)
        {
            if (replacement.file.equals(file))
            {
                changed = replacement.apply(changed);
            }
        }

        return changed;
    }

    /** Replacement of a text that occurs once. */
    private record Replacement(String file, String text, String replacement)
    {
        String apply(final String source)
        {
            return AlteredLibrary.replaceOnce(file, source, text, replacement);
        }
    }
}
