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
import io.aeroshmem.collective.CallRecord;
import io.aeroshmem.collective.TeamAreaDescriptor;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.BlockedCall;
import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.Waiting;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.UnsafeApi;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.Set;

/**
 * Makes teams of any PEs of the world, who know nothing of each other but an id. The id names a place ({@link
 * RendezvousDescriptor}) in the memory of the PE that made it, on which all act by one-sided operations.
 * <p>
 * <b>Course.</b> A participant takes its slot, arrives by counting itself at the gate, and puts its row, whose stamp
 * comes last. The first to arrive judges the rows as they come, and decides: by compare and swap of the gate, from open
 * to made or failed, which succeeds only if nobody has arrived meanwhile. The others watch the gate. When it says that
 * the team is made, they fetch the rows, which are all there, for the areas of the members; when it says that it has
 * failed, the reason from the row of the PE that decided so. Any participant decides for failure when it stops waiting.
 * So the outcome is one word that changes once, and is the same for all; whoever arrives later finds it decided.
 * <p>
 * <b>Ordering.</b> A row is put before its stamp (release), and is read after the stamp was fetched as part of the same
 * block: the row counts only when its stamp was seen first, by a fetch of its own of all rows that follows. A reason is
 * put, and ordered by a fence, before the gate says that it is there. Atomic operations on the gate are sequentially
 * consistent.
 * <p>
 * Thread-safe: threads may make different teams at the same time.
 */
public final class TeamRendezvous
{
    private static final BlockedCall CALL = BlockedCall.ofAnyPe("teamInit");
    private static final long ARRAY_BASE = UnsafeApi.arrayBaseOffset(long[].class);

    private final Endpoint endpoint;
    private final TeamSlots slots;
    private final RendezvousPlaces places;
    private final Waiting waiting;
    private final int pe;
    private final int nPes;
    private final Set<Place> underWay = new HashSet<>();

    /**
     * Construct for a PE.
     *
     * @param endpoint of the PE.
     * @param slots    of the PE.
     */
    public TeamRendezvous(final Endpoint endpoint, final TeamSlots slots)
    {
        this.endpoint = endpoint;
        this.slots = slots;
        places = new RendezvousPlaces(slots, endpoint.localAddress(Region.SYSTEM), endpoint.nPes());
        waiting = endpoint.waiting();
        pe = endpoint.pe();
        nPes = endpoint.nPes();
    }

    /**
     * A place for participants to meet.
     *
     * @param pe     whose memory it is in.
     * @param offset in its system region.
     * @param serial of the use of the place.
     */
    public record Place(int pe, long offset, long serial)
    {
    }

    /**
     * Open a place in the memory of this PE.
     *
     * @return the place.
     * @throws TeamCreationException if there is no room for another.
     */
    public Place open()
    {
        final RendezvousPlaces.Place place = places.open();
        return new Place(pe, place.offset(), place.serial());
    }

    /**
     * What shows that a place was opened by a PE of this job.
     *
     * @param place of a PE.
     * @return bytes that nobody else can make.
     */
    public byte[] seal(final Place place)
    {
        try
        {
            return MessageDigest.getInstance("SHA-256").digest(ByteBuffer.allocate(4 * Long.BYTES)
                .putLong(endpoint.jobToken()).putLong(place.pe).putLong(place.offset).putLong(place.serial).array());
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new IllegalStateException("every Java platform has SHA-256", ex);
        }
    }

    /**
     * Meet the other participants and make the team.
     *
     * @param place  where.
     * @param config of the team.
     * @param size   number of members.
     * @param index  rank of this PE.
     * @return the team.
     * @throws TeamCreationException if it cannot be made, on all participants.
     */
    public NewTeam make(final Place place, final TeamConfig config, final int size, final int index)
    {
        final Meeting meeting = new Meeting(place);
        final boolean isFirst;
        synchronized (underWay)
        {
            isFirst = underWay.add(place);
        }

        if (!isFirst)
        {
            meeting.fail(RendezvousVerdict.reason(RendezvousVerdict.CALLED_TWICE, pe, 0, 0, 0));
            throw meeting.failure();
        }

        try
        {
            return meeting.make(config, size, index);
        }
        finally
        {
            synchronized (underWay)
            {
                underWay.remove(place);
            }
        }
    }

    /**
     * One participation of this PE.
     */
    private final class Meeting
    {
        private final Place place;
        private final Transport transport;
        private final long[] rows = new long[nPes * RendezvousDescriptor.ROW_WORDS];
        private boolean isArrived;
        private boolean isAnnounced;
        private boolean isJudge;
        private boolean isInterrupted;
        private RuntimeException cause;
        private int npes;

        Meeting(final Place place)
        {
            this.place = place;
            transport = endpoint.transport(place.pe);
        }

        NewTeam make(final TeamConfig config, final int size, final int index)
        {
            npes = size;
            final long area = size < 1 || size > nPes ? TeamSlots.TOO_MANY : slots.take(size);
            try
            {
                final long gate = meet(config, size, index, area);
                if (!isArrived || RendezvousDescriptor.FAILED == RendezvousDescriptor.state(gate))
                {
                    isAnnounced = false;
                    throw null == cause ? failure(gate) : cause;
                }

                final NewTeam team = team(size);
                leave();
                return team;
            }
            catch (final RuntimeException ex)
            {
                release(area);
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

        /**
         * Where the outcome is not known, others may have found the team made, and use the slot.
         */
        private void release(final long area)
        {
            if (!isAnnounced)
            {
                slots.giveBack(area);
            }
            else if (area >= 0)
            {
                slots.abandon();
            }
        }

        /**
         * @return the gate when it is decided.
         */
        private long meet(final TeamConfig config, final int size, final int index, final long area)
        {
            try
            {
                final long gate = arrive();
                if (!isArrived)
                {
                    return gate;
                }

                isAnnounced = true;
                putRow(config, size, index, area);
                return isJudge ? judge() : watch();
            }
            catch (final RuntimeException ex)
            {
                if (!isArrived || null != endpoint.failure())
                {
                    throw ex;
                }

                return giveUp(ex);
            }
        }

        /**
         * Be counted at the gate, if the rendezvous is still open.
         *
         * @return the gate as it was then.
         */
        private long arrive()
        {
            long gate = gate();
            while (isOpen(gate))
            {
                final int arrivals = RendezvousDescriptor.arrivals(gate);
                isJudge = 0 == arrivals;
                isArrived = true;
                final long before = compareAndSwap(
                    gate,
                    RendezvousDescriptor.gate(place.serial, RendezvousDescriptor.OPEN, arrivals + 1, 0));
                if (before == gate)
                {
                    return gate;
                }

                isArrived = false;
                gate = before;
            }

            return gate;
        }

        /**
         * Stop waiting: decide for failure, unless the outcome is there. An interrupt is kept until all is done.
         */
        private long giveUp(final RuntimeException reason)
        {
            cause = reason;
            isInterrupted = Thread.interrupted();
            try
            {
                final long gate = fail(RendezvousVerdict.reason(RendezvousVerdict.GAVE_UP, pe, 0, 0, 0));
                if (pe != RendezvousDescriptor.pe(gate))
                {
                    cause = null;
                }
                else if (RendezvousDescriptor.FAILED == RendezvousDescriptor.state(gate))
                {
                    leave();
                    isArrived = false;
                }

                return gate;
            }
            catch (final RuntimeException ex)
            {
                reason.addSuppressed(ex);
                throw reason;
            }
        }

        private void putRow(final TeamConfig config, final int size, final int index, final long area)
        {
            final long[] row = new long[RendezvousDescriptor.RECORD_WORDS];
            row[RendezvousDescriptor.SIZE_AND_INDEX] = (long)size << Integer.SIZE | index & 0xFFFF_FFFFL;
            row[RendezvousDescriptor.STATUS] = area >= 0 ? CallRecord.OK : TeamSlots.TOO_MANY == area ?
                CallRecord.TOO_MANY : TeamSlots.NO_ROOM == area ? CallRecord.NO_ROOM : CallRecord.NO_MEMORY;
            row[RendezvousDescriptor.AREA] = area;
            row[RendezvousDescriptor.CONFIG] = TeamSplitting.pack(config);
            row[RendezvousDescriptor.NUMBER] = slots.nextNumber();
            row[RendezvousDescriptor.DETAIL] = TeamSlots.TOO_MANY == area || size < 1 ? slots.maxTeams() :
                new TeamAreaDescriptor(size).length();

            final long offset = place.offset + RendezvousDescriptor.rowOffset(pe);
            transport.putSignal(
                place.pe,
                Region.SYSTEM,
                offset + Long.BYTES,
                row,
                ARRAY_BASE + Long.BYTES,
                (RendezvousDescriptor.RECORD_WORDS - 1L) * Long.BYTES,
                Region.SYSTEM,
                offset,
                place.serial,
                SignalOperation.SET);
        }

        private long watch()
        {
            final long deadlineNs = waiting.operationDeadline();
            int round = 0;
            long gate = gate();
            while (isOpen(gate))
            {
                round = waiting.idle(round, deadlineNs, CALL);
                gate = gate();
            }

            waiting.end(round, CALL);
            return gate;
        }

        private long judge()
        {
            final long deadlineNs = waiting.operationDeadline();
            int round = 0;
            int judged = 0;
            long gate = gate();
            while (isOpen(gate))
            {
                final int arrivals = RendezvousDescriptor.arrivals(gate);
                if (judged < arrivals && stamped() == arrivals)
                {
                    judged = arrivals;
                    fetchRows();
                    final long[] verdict = RendezvousVerdict.of(rows, place.serial);
                    if (RendezvousVerdict.COMPLETE == verdict[0])
                    {
                        gate = decide(gate, RendezvousDescriptor.MADE);
                        continue;
                    }

                    if (RendezvousVerdict.INCOMPLETE != verdict[0])
                    {
                        return fail(verdict);
                    }
                }

                round = waiting.idle(round, deadlineNs, CALL);
                gate = gate();
            }

            waiting.end(round, CALL);
            return gate;
        }

        /**
         * How many of those that have arrived have put their rows.
         */
        private int stamped()
        {
            fetchRows();
            int count = 0;
            for (int i = 0; i < nPes; i++)
            {
                if (place.serial == RendezvousVerdict.word(rows, i, RendezvousDescriptor.STAMP))
                {
                    count++;
                }
            }

            UnsafeApi.loadFence();
            return count;
        }

        /**
         * Decide for failure, unless the outcome is there.
         *
         * @return the gate when it is decided.
         */
        private long fail(final long[] reason)
        {
            transport.put(
                place.pe,
                Region.SYSTEM,
                place.offset + RendezvousDescriptor.rowOffset(pe) + RendezvousDescriptor.REASON * Long.BYTES,
                reason,
                ARRAY_BASE,
                (long)RendezvousDescriptor.REASON_WORDS * Long.BYTES);
            transport.fence(place.pe);
            long gate = gate();
            while (isOpen(gate))
            {
                gate = decide(gate, RendezvousDescriptor.FAILED);
            }

            return gate;
        }

        /**
         * @return the gate as it is then.
         */
        private long decide(final long gate, final long state)
        {
            final long decided =
                RendezvousDescriptor.gate(place.serial, state, RendezvousDescriptor.arrivals(gate), pe);
            final long before = compareAndSwap(gate, decided);
            return before == gate ? decided : before;
        }

        private boolean isOpen(final long gate)
        {
            return place.serial == RendezvousDescriptor.serial(gate) &&
                RendezvousDescriptor.OPEN == RendezvousDescriptor.state(gate);
        }

        private NewTeam team(final int size)
        {
            fetchRows();
            final int[] worldPes = new int[size];
            final long[] areas = new long[size];
            for (int i = 0; i < nPes; i++)
            {
                if (place.serial == RendezvousVerdict.word(rows, i, RendezvousDescriptor.STAMP))
                {
                    final int index = RendezvousVerdict.index(rows, i);
                    worldPes[index] = i;
                    areas[index] = RendezvousVerdict.word(rows, i, RendezvousDescriptor.AREA);
                }
            }

            final long number = RendezvousVerdict.word(rows, worldPes[0], RendezvousDescriptor.NUMBER);
            return new NewTeam(
                TeamSplitting.name(worldPes[0], number, ""), Membership.inOrder(worldPes, nPes, pe), areas);
        }

        RuntimeException failure()
        {
            return failure(gate());
        }

        /**
         * What to throw when the gate is no longer open.
         */
        private RuntimeException failure(final long gate)
        {
            if (place.serial != RendezvousDescriptor.serial(gate))
            {
                return outdated();
            }

            if (RendezvousDescriptor.MADE == RendezvousDescriptor.state(gate))
            {
                final RuntimeException mismatch = mismatch(gate);
                return null != mismatch ? mismatch : new TeamCreationException(
                    "cannot make a team by the id that PE " + place.pe + " made: a team was made by it before, and" +
                    " allowed is one; take a new id from Shmem.teamUniqueId");
            }

            final int decider = RendezvousDescriptor.pe(gate);
            final long[] reason = new long[RendezvousDescriptor.REASON_WORDS];
            transport.get(
                place.pe,
                Region.SYSTEM,
                place.offset + RendezvousDescriptor.rowOffset(decider) + RendezvousDescriptor.REASON * Long.BYTES,
                reason,
                ARRAY_BASE,
                (long)RendezvousDescriptor.REASON_WORDS * Long.BYTES);
            if (isArrived)
            {
                leave();
            }
            else if (gate != gate())
            {
                return outdated();
            }

            return new TeamCreationException(
                "cannot make the team of the id that PE " + place.pe + " made: " +
                RendezvousVerdict.describe(reason));
        }

        /**
         * PEs that gave another npes have found themselves complete, and gone on, before this one came: the job fails,
         * so that they hear of it too.
         *
         * @param gate of a team that was made.
         * @return null if it is another use of the id, by a member or of the same npes.
         */
        private RuntimeException mismatch(final long gate)
        {
            fetchRows();
            if (gate != gate() || place.serial == RendezvousVerdict.word(rows, pe, RendezvousDescriptor.STAMP))
            {
                return null;
            }

            int member = 0;
            while (place.serial != RendezvousVerdict.word(rows, member, RendezvousDescriptor.STAMP))
            {
                member++;
            }

            final int made = RendezvousVerdict.size(rows, member);
            return made == npes ? null : endpoint.failed(new JobFailure(
                JobFailure.Kind.MISMATCH,
                pe,
                0,
                "teamInit by the id that PE " + place.pe + " made: PE " + member + " gave npes " + made +
                ", and its team was made, PE " + pe + " npes " + npes +
                "; allowed is the same on all PEs of the team"));
        }

        private TeamCreationException outdated()
        {
            return new TeamCreationException(
                "cannot make a team by an id that PE " + place.pe + " made: a team was made by it before, or an" +
                " attempt failed, or it was not used while " + RendezvousPlaces.MOST_PLACES + " others were made;" +
                " take a new id from Shmem.teamUniqueId");
        }

        private void leave()
        {
            isArrived = false;
            transport.atomicLong(
                place.pe, AtomicOp.ADD, Region.SYSTEM, place.offset + RendezvousDescriptor.LEFT, 1);
        }

        private void fetchRows()
        {
            transport.get(
                place.pe,
                Region.SYSTEM,
                place.offset + RendezvousDescriptor.rowOffset(0),
                rows,
                ARRAY_BASE,
                (long)rows.length * Long.BYTES);
        }

        private long gate()
        {
            return transport.fetchAtomicLong(place.pe, AtomicOp.FETCH, Region.SYSTEM, place.offset, 0, 0);
        }

        private long compareAndSwap(final long expected, final long value)
        {
            return transport.fetchAtomicLong(
                place.pe, AtomicOp.COMPARE_SWAP, Region.SYSTEM, place.offset, value, expected);
        }
    }
}
