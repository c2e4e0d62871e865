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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The creation of a team from any PEs of the world, which need to share only an id beforehand. The id names a record
 * table ({@link TeamRecordDescriptor}) in the memory of the PE that made the id. All participants access the table by
 * one-sided operations. Thread-safe: threads may create different teams at the same time.
 */
public final class TeamRecordExchange
{
    private static final BlockedCall CALL = BlockedCall.ofAnyPe("teamInit");
    private static final long ARRAY_BASE = UnsafeApi.arrayBaseOffset(long[].class);

    /*
     * Course. A participant takes a slot (TeamSlots) for its area of the new team, and arrives by counting itself in
     * the state word of the table. Then it puts its record, and counts it as complete. If all that have arrived are
     * complete, it evaluates their records, and decides by a compare and swap of the state word from open to made or
     * failed. The swap succeeds only if no participant has arrived meanwhile. All of them wait for the decision. The
     * members of a team that is made fetch the records, which contain the areas. When the creation has failed, the
     * participants fetch the reason from the record of the PE that decided.
     *
     * A participant that stops waiting, because of a timeout for example, decides for failure by the same operation. So
     * the outcome is decided once, in one word, and is the same for all. A participant that arrives later finds it.
     *
     * Ordering. A record is put before it is counted, and a fence orders the two. Counts are read-modify-write
     * operations on one word, so the participant that counts last finds the records of all others. It also finds all
     * arrivals: each participant arrives before it counts. If another one arrives meanwhile, that one counts later, and
     * evaluates. A reason is put before the state word refers to it, and a fence orders these two as well. Atomic
     * operations on the state word are sequentially consistent.
     */
    private final Endpoint endpoint;
    private final TeamSlots slots;
    private final TeamRecordSlots tables;
    private final BlockingWait waiting;
    private final int pe;
    private final int nPes;
    private final Set<TableLocation> inProgress = ConcurrentHashMap.newKeySet();
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
        final Participation participation = new Participation(table, size);
        if (!inProgress.add(table))
        {
            throw participation.failure(participation.fail(CreationReason.CALLED_TWICE.of(pe)));
        }

        try
        {
            return participation.make(config, index);
        }
        finally
        {
            inProgress.remove(table);
        }
    }

    /** Returns the records that a use of a table has, in the order of their PEs, from the words of all slots. */
    static long[][] records(final long[] slotWords, final long serial)
    {
        final long[][] records = new long[slotWords.length / TeamRecordDescriptor.SLOT_WORDS][];
        int count = 0;
        for (int slot = 0; slot < slotWords.length; slot += TeamRecordDescriptor.SLOT_WORDS)
        {
            if (serial == slotWords[slot + TeamRecordDescriptor.STAMP])
            {
                records[count++] = Arrays.copyOfRange(
                    slotWords, slot + TeamRecordDescriptor.RECORD, slot + TeamRecordDescriptor.REASON);
            }
        }

        return Arrays.copyOf(records, count);
    }

    /** The participation of this PE in one creation. */
    private final class Participation
    {
        private final TableLocation table;
        private final int size;
        private final Transport transport;
        private boolean isArrived;
        /** Whether others may have found the team made, or will. */
        private boolean isBound;
        private boolean isInterrupted;

        Participation(final TableLocation table, final int size)
        {
            this.table = table;
            this.size = size;
            transport = endpoint.transport(table.pe);
        }

        TeamDescriptor make(final TeamConfig config, final int index)
        {
            final long area = size < 1 || size > nPes ? TeamSlots.TOO_MANY : slots.take(size);
            try
            {
                final long word = participate(config, index, area);
                if (!isArrived || TeamRecordDescriptor.FAILED == TeamRecordDescriptor.state(word))
                {
                    isBound = false;
                    throw failure(word);
                }

                final long[][] records = fetchRecords();
                final int[] members = CreationOutcome.ofUniqueId(records, nPes).members();
                final TeamDescriptor team = TeamDescriptor.of(records, members, 0, null, nPes, pe);
                depart();
                return team;
            }
            catch (final RuntimeException | Error ex)
            {
                slots.release(area, isBound);
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
        private long participate(final TeamConfig config, final int index, final long area)
        {
            try
            {
                final long word = arrive();
                if (!isArrived)
                {
                    return word;
                }

                isBound = true;
                contribute(config, index, area);
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
                isArrived = true;
                final long before = compareAndSwap(word, TeamRecordDescriptor.stateWord(
                    table.serial, TeamRecordDescriptor.OPEN, TeamRecordDescriptor.arrivals(word) + 1, 0));
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
        private long withdraw(final Throwable cause)
        {
            isInterrupted = Thread.interrupted();
            try
            {
                final long word = fail(CreationReason.WITHDRAWN.of(pe));
                if (pe != TeamRecordDescriptor.pe(word) ||
                    TeamRecordDescriptor.FAILED != TeamRecordDescriptor.state(word))
                {
                    return word;
                }

                isBound = false;
                depart();
            }
            catch (final RuntimeException ex)
            {
                cause.addSuppressed(ex);
            }

            LangUtil.rethrowUnchecked(cause);
            return 0;
        }

        /** Puts the record, and evaluates those of all that have arrived if it completes them. */
        private void contribute(final TeamConfig config, final int index, final long area)
        {
            final long[] record = new long[CreationRecord.HEAD_WORDS];
            CreationRecord.slot(record, slots, area, size);
            record[CreationRecord.PE] = pe;
            record[CreationRecord.PLACE] = CreationRecord.place(index, size);
            record[CreationRecord.CONFIG] = CreationRecord.config(config);
            final long[] stamped = new long[TeamRecordDescriptor.REASON];
            stamped[TeamRecordDescriptor.STAMP] = table.serial;
            System.arraycopy(record, 0, stamped, TeamRecordDescriptor.RECORD, record.length);
            put(TeamRecordDescriptor.STAMP, stamped, stamped.length);

            final long complete = 1 + transport.fetchAtomicLong(
                table.pe, AtomicOp.ADD, Region.SYSTEM, table.offset + TeamRecordDescriptor.COMPLETE, 1, 0);
            final long word = stateWord();
            if (isOpen(word) && complete == TeamRecordDescriptor.arrivals(word))
            {
                evaluate(word);
            }
        }

        private void evaluate(final long word)
        {
            final CreationOutcome outcome = CreationOutcome.ofUniqueId(fetchRecords(), nPes);
            if (null != outcome && null == outcome.reason())
            {
                decide(word, TeamRecordDescriptor.MADE);
            }
            else if (null != outcome)
            {
                fail(outcome.reason());
            }
        }

        private long awaitDecision()
        {
            final long deadlineNs = waiting.operationDeadline();
            int round = 0;
            long word = stateWord();
            while (isOpen(word))
            {
                round = waiting.idle(round, deadlineNs, CALL);
                word = stateWord();
            }

            waiting.reset(round, CALL);
            return word;
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
                    put(TeamRecordDescriptor.REASON, reason, TeamRecordDescriptor.REASON_WORDS);
                }

                while (isOpen(word))
                {
                    word = decide(word, TeamRecordDescriptor.FAILED);
                }

                return word;
            }
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

        /** Returns the exception for a state word that is no longer open. */
        RuntimeException failure(final long word)
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

            final long[] reason = new long[CreationReason.WORDS];
            get(
                TeamRecordDescriptor.recordOffset(TeamRecordDescriptor.pe(word)) +
                TeamRecordDescriptor.REASON * Long.BYTES,
                reason,
                TeamRecordDescriptor.REASON_WORDS);
            if (isArrived)
            {
                depart();
            }
            else if (word != stateWord())
            {
                return outdated();
            }

            return new TeamCreationException(
                "cannot make the team of the id that PE " + table.pe + " made: " + CreationReason.describe(reason));
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
            return made == size ? null : endpoint.failed(new JobFailure(
                JobFailure.Kind.MISMATCH,
                pe,
                -1,
                "npes must be the same on all PEs of the team of the id that PE " + table.pe + " made: PE " + member +
                " specified npes=" + made + ", and its team was made, PE " + pe + " npes=" + size));
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
            final long[] slotWords = new long[nPes * TeamRecordDescriptor.SLOT_WORDS];
            get(TeamRecordDescriptor.recordOffset(0), slotWords, slotWords.length);
            return records(slotWords, table.serial);
        }

        /** Puts words of the record of this PE, before this PE accesses the table again. */
        private void put(final int word, final long[] words, final int count)
        {
            transport.put(
                table.pe,
                Region.SYSTEM,
                table.offset + TeamRecordDescriptor.recordOffset(pe) + (long)word * Long.BYTES,
                words,
                ARRAY_BASE,
                (long)count * Long.BYTES);
            transport.fence(table.pe);
        }

        private void get(final long offset, final long[] words, final int count)
        {
            transport.get(
                table.pe, Region.SYSTEM, table.offset + offset, words, ARRAY_BASE, (long)count * Long.BYTES);
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
