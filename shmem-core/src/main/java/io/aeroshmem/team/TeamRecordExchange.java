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

import io.aeroshmem.TeamConfig;
import io.aeroshmem.TeamCreationException;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.progress.BlockedCall;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.LangUtil;
import org.agrona.UnsafeApi;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The creation of a team from any PEs of the world. Beforehand, these PEs need to share only an id. The id names a
 * record table ({@link TeamRecordDescriptor}) in the memory of the PE that made the id. All participants access the
 * table by one-sided operations.
 * <p>
 * <b>Course.</b> A participant takes a slot ({@link TeamSlots}) for its area of the new team. It arrives by counting
 * itself in the state word of the table. Then it puts its record, and after that the stamp, which marks the record as
 * complete. The first participant to arrive is the coordinator. It evaluates the records as they arrive, and decides by
 * a compare and swap of the state word from open to made or failed. The swap succeeds only if no participant has
 * arrived meanwhile.
 * <p>
 * The other participants poll the state word. When the team is made, all records are complete. The participants fetch
 * the records, because these contain the areas of the members. When the creation has failed, they fetch the reason from
 * the record of the PE that decided. A participant that stops waiting, because of a timeout for example, decides for
 * failure by the same operation. So the outcome is decided once, in one word, and is the same for all. A participant
 * that arrives later finds the outcome decided.
 * <p>
 * <b>Ordering.</b> A record is put before its stamp, which is stored with release. A fetch of all records may read a
 * stamp and its record in any order. So a first fetch only looks for the stamps. Once the stamps of all participants
 * that have arrived have been seen, a second fetch reads the records. A reason is put before the state word refers to
 * it, and a fence orders the two. Atomic operations on the state word are sequentially consistent.
 * <p>
 * Thread-safe: threads may create different teams at the same time.
 */
public final class TeamRecordExchange
{
    private static final BlockedCall CALL = BlockedCall.ofAnyPe("teamInit");
    private static final long ARRAY_BASE = UnsafeApi.arrayBaseOffset(long[].class);

    private final Endpoint endpoint;
    private final TeamSlots slots;
    private final TeamRecordSlots tables;
    private final BlockingWait waiting;
    private final int pe;
    private final int nPes;
    private final Set<TableLocation> inProgress = new HashSet<>();
    private final Object deciding = new Object();

    public TeamRecordExchange(final Endpoint endpoint, final TeamSlots slots)
    {
        this.endpoint = endpoint;
        this.slots = slots;
        tables = new TeamRecordSlots(slots, endpoint.localAddress(Region.SYSTEM), endpoint.nPes());
        waiting = endpoint.blockingWait();
        pe = endpoint.pe();
        nPes = endpoint.nPes();
    }

    /**
     * The location of a record table.
     *
     * @param pe     that owns the memory.
     * @param offset in its system region.
     * @param serial of the use of the table.
     */
    public record TableLocation(int pe, long offset, long serial)
    {
    }

    /**
     * Opens a record table in the memory of this PE.
     *
     * @throws TeamCreationException if there is no room for another.
     */
    public TableLocation open()
    {
        final TeamRecordSlots.Table table = tables.open();
        return new TableLocation(pe, table.offset(), table.serial());
    }

    /** Returns bytes that prove that a table was opened by a PE of this job; only PEs of the job can compute them. */
    public byte[] seal(final TableLocation table)
    {
        try
        {
            return MessageDigest.getInstance("SHA-256").digest(ByteBuffer.allocate(4 * Long.BYTES)
                .putLong(endpoint.jobToken()).putLong(table.pe).putLong(table.offset).putLong(table.serial).array());
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new IllegalStateException("every Java platform has SHA-256", ex);
        }
    }

    /**
     * Creates the team with the other participants.
     *
     * @param size  number of members.
     * @param index rank of this PE.
     * @throws TeamCreationException if it cannot be made, on all participants.
     */
    public TeamDescriptor make(final TableLocation table, final TeamConfig config, final int size, final int index)
    {
        final Participation participation = new Participation(table);
        final boolean isFirst;
        synchronized (inProgress)
        {
            isFirst = inProgress.add(table);
        }

        if (!isFirst)
        {
            participation.fail(CreationReason.CALLED_TWICE.of(pe));
            throw participation.failure();
        }

        try
        {
            return participation.make(config, size, index);
        }
        finally
        {
            synchronized (inProgress)
            {
                inProgress.remove(table);
            }
        }
    }

    /** The participation of this PE in one creation. */
    private final class Participation
    {
        private final TableLocation table;
        private final Transport transport;
        private final long[] slotWords = new long[nPes * TeamRecordDescriptor.SLOT_WORDS];
        private boolean isArrived;
        private boolean isAnnounced;
        private boolean isCoordinator;
        private boolean isInterrupted;
        private Throwable cause;
        private int npes;

        Participation(final TableLocation table)
        {
            this.table = table;
            transport = endpoint.transport(table.pe);
        }

        TeamDescriptor make(final TeamConfig config, final int size, final int index)
        {
            npes = size;
            final long area = size < 1 || size > nPes ? TeamSlots.TOO_MANY : slots.take(size);
            try
            {
                final long word = participate(config, size, index, area);
                if (!isArrived || TeamRecordDescriptor.FAILED == TeamRecordDescriptor.state(word))
                {
                    isAnnounced = false;
                    if (null != cause)
                    {
                        LangUtil.rethrowUnchecked(cause);
                    }

                    throw failure(word);
                }

                final TeamDescriptor team = team();
                depart();
                return team;
            }
            catch (final RuntimeException | Error ex)
            {
                slots.release(area, isAnnounced);
                throw ex;
            }
            finally
            {
                if (isInterrupted)
                {
                    Thread.currentThread().interrupt();
                }
            }
        }

        /** Returns the state word when it is decided. */
        private long participate(final TeamConfig config, final int size, final int index, final long area)
        {
            try
            {
                final long word = arrive();
                if (!isArrived)
                {
                    return word;
                }

                isAnnounced = true;
                putRecord(config, size, index, area);
                return awaitDecision();
            }
            catch (final RuntimeException | Error ex)
            {
                if (!isArrived || null != endpoint.failure())
                {
                    throw ex;
                }

                return withdraw(ex);
            }
        }

        /** Counts this PE in the state word, if the table is still open, and returns the state word as it was then. */
        private long arrive()
        {
            long word = stateWord();
            while (isOpen(word))
            {
                final int arrivals = TeamRecordDescriptor.arrivals(word);
                isCoordinator = 0 == arrivals;
                isArrived = true;
                final long before = compareAndSwap(
                    word,
                    TeamRecordDescriptor.stateWord(table.serial, TeamRecordDescriptor.OPEN, arrivals + 1, 0));
                if (before == word)
                {
                    return word;
                }

                isArrived = false;
                word = before;
            }

            return word;
        }

        /** Stops waiting: decides for failure, unless the outcome is decided. An interrupt is kept until the end. */
        private long withdraw(final Throwable reason)
        {
            cause = reason;
            isInterrupted = Thread.interrupted();
            try
            {
                final long word = fail(CreationReason.WITHDRAWN.of(pe));
                if (pe != TeamRecordDescriptor.pe(word))
                {
                    cause = null;
                }
                else if (TeamRecordDescriptor.FAILED == TeamRecordDescriptor.state(word))
                {
                    depart();
                    isArrived = false;
                }

                return word;
            }
            catch (final RuntimeException ex)
            {
                reason.addSuppressed(ex);
                LangUtil.rethrowUnchecked(reason);
                throw ex;
            }
        }

        private void putRecord(final TeamConfig config, final int size, final int index, final long area)
        {
            final long[] record = new long[CreationRecord.HEAD_WORDS];
            CreationRecord.slot(record, slots, area, size);
            record[CreationRecord.PE] = pe;
            record[CreationRecord.PLACE] = CreationRecord.place(index, size);
            record[CreationRecord.CONFIG] = CreationRecord.config(config);
            final long offset = table.offset + TeamRecordDescriptor.recordOffset(pe);
            transport.putSignal(
                table.pe,
                Region.SYSTEM,
                offset + TeamRecordDescriptor.RECORD * Long.BYTES,
                record,
                ARRAY_BASE,
                (long)record.length * Long.BYTES,
                Region.SYSTEM,
                offset,
                table.serial,
                SignalOperation.SET);
        }

        /** Returns the state word when it is decided; the coordinator evaluates the records that arrive meanwhile. */
        private long awaitDecision()
        {
            final long deadlineNs = waiting.operationDeadline();
            int round = 0;
            int evaluated = 0;
            long word = stateWord();
            while (isOpen(word))
            {
                final int arrivals = TeamRecordDescriptor.arrivals(word);
                if (isCoordinator && evaluated < arrivals && fetchRecords().length == arrivals)
                {
                    evaluated = arrivals;
                    word = evaluate(word);
                }
                else
                {
                    round = waiting.idle(round, deadlineNs, CALL);
                    word = stateWord();
                }
            }

            waiting.end(round, CALL);
            return word;
        }

        /** Decides if the records show the outcome, after their stamps were seen; returns the state word. */
        private long evaluate(final long word)
        {
            UnsafeApi.loadFence();
            final CreationOutcome outcome = CreationOutcome.ofUniqueId(fetchRecords(), nPes);
            return null == outcome ? stateWord() :
                null == outcome.reason() ? decide(word, TeamRecordDescriptor.MADE) : fail(outcome.reason());
        }

        /**
         * Decides for failure, unless the outcome is decided; returns the decided state word. The record of a PE has
         * one place for a reason. So the threads of a PE decide one after the other, and a thread that finds the
         * outcome decided does not write there.
         */
        private long fail(final long[] reason)
        {
            synchronized (deciding)
            {
                long word = stateWord();
                if (isOpen(word))
                {
                    putReason(reason);
                }

                while (isOpen(word))
                {
                    word = decide(word, TeamRecordDescriptor.FAILED);
                }

                return word;
            }
        }

        /** Puts a reason into the record of this PE, before the state word can refer to it. */
        private void putReason(final long[] reason)
        {
            transport.put(
                table.pe,
                Region.SYSTEM,
                table.offset + TeamRecordDescriptor.recordOffset(pe) + TeamRecordDescriptor.REASON * Long.BYTES,
                reason,
                ARRAY_BASE,
                (long)TeamRecordDescriptor.REASON_WORDS * Long.BYTES);
            transport.fence(table.pe);
        }

        /** Returns the state word after the attempt. */
        private long decide(final long word, final long state)
        {
            final long decided =
                TeamRecordDescriptor.stateWord(table.serial, state, TeamRecordDescriptor.arrivals(word), pe);
            final long before = compareAndSwap(word, decided);
            return before == word ? decided : before;
        }

        private boolean isOpen(final long word)
        {
            return table.serial == TeamRecordDescriptor.serial(word) &&
                TeamRecordDescriptor.OPEN == TeamRecordDescriptor.state(word);
        }

        private TeamDescriptor team()
        {
            final long[][] records = fetchRecords();
            return TeamDescriptor.of(
                records, CreationOutcome.ofUniqueId(records, nPes).members(), 0, null, nPes, pe);
        }

        RuntimeException failure()
        {
            return failure(stateWord());
        }

        /** Returns the exception for a state word that is no longer open. */
        private RuntimeException failure(final long word)
        {
            if (table.serial != TeamRecordDescriptor.serial(word))
            {
                return outdated();
            }

            if (TeamRecordDescriptor.MADE == TeamRecordDescriptor.state(word))
            {
                final RuntimeException mismatch = mismatch(word);
                return null != mismatch ? mismatch : new TeamCreationException(
                    "an id makes one team, and the id of PE " + table.pe + " has made one: take a new id from" +
                    " Shmem.teamUniqueId");
            }

            final int decider = TeamRecordDescriptor.pe(word);
            final long[] reason = new long[CreationReason.WORDS];
            transport.get(
                table.pe,
                Region.SYSTEM,
                table.offset + TeamRecordDescriptor.recordOffset(decider) + TeamRecordDescriptor.REASON * Long.BYTES,
                reason,
                ARRAY_BASE,
                (long)TeamRecordDescriptor.REASON_WORDS * Long.BYTES);
            if (isArrived)
            {
                depart();
            }
            else if (word != stateWord())
            {
                return outdated();
            }

            return new TeamCreationException(
                "cannot make the team of the id that PE " + table.pe + " made: " +
                CreationReason.describe(reason));
        }

        /**
         * Returns the failure of a mismatch, or null if it is another use of the id, by a member or with the same npes.
         * PEs that specified another npes have completed their team before this one arrived: the job fails, so that
         * they are notified too.
         */
        private RuntimeException mismatch(final long word)
        {
            final long[][] records = fetchRecords();
            if (word != stateWord() || Arrays.stream(records).anyMatch((record) -> pe == record[CreationRecord.PE]))
            {
                return null;
            }

            final long member = records[0][CreationRecord.PE];
            final int made = CreationRecord.ranks(records[0][CreationRecord.PLACE]);
            return made == npes ? null : endpoint.failed(new JobFailure(
                JobFailure.Kind.MISMATCH,
                pe,
                -1,
                "npes must be the same on all PEs of the team of the id that PE " + table.pe + " made: PE " + member +
                " specified npes=" + made + ", and its team was made, PE " + pe + " npes=" + npes));
        }

        private TeamCreationException outdated()
        {
            return new TeamCreationException(
                "the id that PE " + table.pe + " made is outdated: a team was made with it before, or an attempt" +
                " failed, or it was unused while " + TeamRecordSlots.MAX_TABLES + " others were made; take a new id" +
                " from Shmem.teamUniqueId");
        }

        private void depart()
        {
            isArrived = false;
            transport.atomicLong(
                table.pe, AtomicOp.ADD, Region.SYSTEM, table.offset + TeamRecordDescriptor.DEPARTURES, 1);
        }

        /** Returns the records of the participants that have put them, in the order of their PEs. */
        private long[][] fetchRecords()
        {
            transport.get(
                table.pe,
                Region.SYSTEM,
                table.offset + TeamRecordDescriptor.recordOffset(0),
                slotWords,
                ARRAY_BASE,
                (long)slotWords.length * Long.BYTES);
            final long[][] records = new long[nPes][];
            int count = 0;
            for (int slot = 0; slot < slotWords.length; slot += TeamRecordDescriptor.SLOT_WORDS)
            {
                if (table.serial == slotWords[slot + TeamRecordDescriptor.STAMP])
                {
                    records[count++] = Arrays.copyOfRange(
                        slotWords, slot + TeamRecordDescriptor.RECORD, slot + TeamRecordDescriptor.REASON);
                }
            }

            return Arrays.copyOf(records, count);
        }

        private long stateWord()
        {
            return transport.fetchAtomicLong(table.pe, AtomicOp.FETCH, Region.SYSTEM, table.offset, 0, 0);
        }

        private long compareAndSwap(final long expected, final long value)
        {
            return transport.fetchAtomicLong(
                table.pe, AtomicOp.COMPARE_SWAP, Region.SYSTEM, table.offset, value, expected);
        }
    }
}
