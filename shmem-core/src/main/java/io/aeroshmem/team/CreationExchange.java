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

import io.aeroshmem.OobCollective;
import org.agrona.concurrent.NanoClock;

import java.util.Arrays;

/**
 * One PE's attempt to create a team with other PEs, driven by polls. No method blocks, and no operation awaits a reply.
 * <p>
 * <b>Records.</b> Every participant sends its record to all others when its attempt begins, through the creation cells
 * ({@link CreationCellDescriptor}) or the program's own exchange ({@link OobCollective}). A participant that has all
 * records derives the outcome from them ({@link CreationOutcome}). All participants derive the same outcome. If the
 * outcome is a failure, each participant ends its attempt with the reason of the failure.
 * <p>
 * One thread at a time polls; {@link CreationDomain} orders attempts.
 */
final class CreationExchange
{
    /** Result: the attempt has not ended. */
    static final int RUNNING = 0;
    /** Result: the team is made. */
    static final int MADE = 1;
    /** Result: there is no team. */
    static final int FAILED = 2;

    /** Time in nanoseconds that a participant waits for the decision after its limit. */
    static final long SLACK_NS = 1_000_000_000L;

    private static final int EXCHANGING = 0;
    private static final int COLLECTING = 1;
    private static final int READY = 2;
    private static final int CONFIRMED = 3;

    private static final int COORDINATOR = 0;

    /*
     * Matching. For each other PE, a PE counts the creations that the two have in common. The k-th of these creations
     * on one of the PEs matches the k-th on the other. (Attempts that use the program's own exchange are not counted,
     * because that exchange matches them.) The cell that each of the two PEs writes at the other holds the writer's
     * count, and the number and the progress of the writer's attempt.
     *
     * If the count of a partner is greater than this PE's, the partner has withdrawn from the matching creation. This
     * PE then fails its attempt too, and corrects its count: its next attempt with that partner matches the partner's
     * present attempt or, if the partner has ended that too, the partner's next one. A participant that begins after
     * its partner has withdrawn fails at once.
     *
     * Decision. The first participant is the coordinator. The others report READY to it when they have derived a team.
     * READY carries a hash of all records. Each record includes the number of its participant's attempt, so equal
     * hashes show that the participants have matched the same attempts. The coordinator compares the hash with its own,
     * and fails the attempt if they differ. When all have reported, the coordinator decides that the team is made, and
     * announces the decision to all. Before the decision, a participant may withdraw, unless it is bound. A participant
     * without a time limit is bound by its READY, and waits for the decision.
     *
     * A participant with a time limit may withdraw after READY. So the coordinator asks each of these participants once
     * more (PREPARE). The participant answers with the time left until its limit (CONFIRMED), and is bound after this
     * answer. The coordinator decides for the team only while less than the shortest of these times has passed since it
     * sent PREPARE. Each participant measured its time after PREPARE was sent, so the decision precedes every limit. A
     * participant that has confirmed waits for the decision until one second (SLACK_NS) after its limit, then fails
     * alone.
     *
     * So all participants have the same outcome, except in two cases: the announcement is in transit for longer than
     * that second, or a bound participant abandons its attempt (abandon). A participant that abandons its attempt fails
     * without waiting, unless the decision has arrived. In either of the two cases, isUnknown is true on the
     * participant that fails.
     *
     * Ordering. What one PE sends to another PE arrives in order. A participant first checks whether a partner has left
     * (by closing the PE or the parent team), and then reads the partner's cell. If the partner has left, everything
     * that it sent before has arrived. So words that are still missing from the cell never arrive.
     */
    private final CreationDomain domain;
    private final CreationChannel channel;
    private final NanoClock clock;
    private final boolean isSplit;
    private final int[] mapped;
    private final long attempt;
    private final long[] record;
    private final long timeoutNs;
    private final long deadlineNs;
    private final long[] phase = new long[CreationPhase.WORDS];
    private OutOfBandExchange exchange;
    /** What the exchange has delivered, by rank. */
    private long[][] exchanged;

    private int state;
    private int result;
    private long[] reason;
    private Throwable cause;
    private boolean isUnknown;
    private CreationOutcome outcome;
    private long hash;

    /** Participants as members of the domain, in the order that all share; null before the exchange is complete. */
    private int[] participants;
    private int me;
    private long[][] records;
    /** Attempt of each participant that matches this one; 0 before it is found. */
    private long[] matched;
    /** Number of this creation among those that this PE has in common with each participant; 0 after an exchange. */
    private long[] common;
    private int missing;

    /** State of the coordinator: the last phase that each participant has reached, and the time it has left. */
    private int[] phases;
    private long[] timesLeft;
    private boolean isPrepared;
    private long preparedNs;

    /**
     * Begins an attempt.
     *
     * @param participants members of the domain, in the order that all share; null if an exchange finds them, or the
     *                     PEs that it may find.
     * @param isSplit      whether the participants become teams by colour.
     * @param record       of this PE; its attempt and PE are set here.
     */
    CreationExchange(
        final CreationDomain domain,
        final NanoClock clock,
        final int[] participants,
        final boolean isSplit,
        final long[] record)
    {
        this.domain = domain;
        this.clock = clock;
        this.isSplit = isSplit;
        this.record = record;
        channel = domain.channel();
        timeoutNs = record[CreationRecord.TIMEOUT];
        deadlineNs = clock.nanoTime() + timeoutNs;
        attempt = domain.nextAttempt();
        record[CreationRecord.PE] = channel.worldPe(channel.myMember());
        record[CreationRecord.ATTEMPT] = attempt;
        mapped = participants;
    }

    /** Sends the record to the participants. */
    void start()
    {
        state = COLLECTING;
        join(mapped);
        missing = participants.length - 1;
        final long[] words = Arrays.copyOf(record, CreationRecord.CELL_WORDS);
        for (int i = 0; i < participants.length; i++)
        {
            if (i != me)
            {
                common[i] = domain.nextCommon(participants[i]);
                words[CreationRecord.COMMON] = common[i];
                channel.send(
                    participants[i], CreationCellDescriptor.RECORD, attempt, words, CreationRecord.CELL_WORDS);
            }
        }

        channel.flush();
    }

    /** Starts the program's exchange of records. An exception of the program's collective is thrown to the caller. */
    void start(final OobCollective collective, final int ranks, final int rank)
    {
        me = rank;
        exchanged = new long[ranks][];
        exchange = new OutOfBandExchange(collective, ranks, rank, record);
    }

    private void join(final int[] members)
    {
        participants = members;
        records = new long[members.length][];
        matched = new long[members.length];
        common = new long[members.length];
        for (int i = 0; i < members.length; i++)
        {
            if (members[i] == channel.myMember())
            {
                me = i;
            }
        }

        records[me] = record;
        matched[me] = attempt;
    }

    /** Proceeds as far as possible, and returns the result. */
    int poll()
    {
        if (RUNNING == result && EXCHANGING == state)
        {
            pollExchange();
        }

        if (RUNNING == result && COLLECTING == state)
        {
            collect();
        }

        if (RUNNING == result && state >= READY)
        {
            if (COORDINATOR == me)
            {
                coordinate();
            }
            else
            {
                awaitDecision();
            }
        }

        channel.flush();
        return result;
    }

    /** Withdraws from the attempt, which has not ended, unless the team is made; returns the result. */
    int abandon()
    {
        if (isBound())
        {
            awaitDecision();
        }

        if (RUNNING == result)
        {
            fail(isBound(), CreationReason.ABANDONED.of(myPe()));
        }

        channel.flush();
        return result;
    }

    /** Returns the derived outcome of an attempt that has made a team. */
    CreationOutcome outcome()
    {
        return outcome;
    }

    /** Returns the records of the participants of an attempt that has made a team. */
    long[][] records()
    {
        return records;
    }

    /** Returns whether other participants may have found the team made although the attempt has failed here. */
    boolean isUnknown()
    {
        return isUnknown;
    }

    /** Returns the reason of a failure as part of a sentence, or null. */
    String failure()
    {
        return null == reason ? null : CreationReason.describe(reason);
    }

    /** Returns what the program's exchange threw, or null. */
    Throwable cause()
    {
        return cause;
    }

    private void pollExchange()
    {
        try
        {
            if (!exchange.isComplete())
            {
                if (isOverdue())
                {
                    fail(false, timeLimit(-1));
                }

                return;
            }
        }
        catch (final RuntimeException | Error ex)
        {
            cause = ex;
            fail(false, CreationReason.EXCHANGE_FAILED.of(myPe()));
            return;
        }

        final long[] problem = problem();
        if (null != problem)
        {
            fail(false, problem);
            return;
        }

        final int rank = me;
        join(Arrays.stream(exchanged).mapToInt((words) -> (int)words[CreationRecord.PE]).toArray());
        for (int i = 0; i < exchanged.length; i++)
        {
            records[i] = Arrays.copyOf(exchanged[i], CreationRecord.WORDS);
            matched[i] = exchanged[i][CreationRecord.ATTEMPT];
        }

        me = rank;
        state = COLLECTING;
    }

    /**
     * Takes the records from the complete exchange; returns what is wrong with them, or null. No word of a record is
     * used before the whole record is found to be one that a PE has sent from this place for an attempt that is new.
     */
    private long[] problem()
    {
        final boolean[] isFound = new boolean[channel.size()];
        final boolean[] isAllowed = new boolean[channel.size()];
        Arrays.fill(isAllowed, null == mapped);
        if (null != mapped)
        {
            Arrays.stream(mapped).forEach((pe) -> isAllowed[pe] = true);
        }

        for (int rank = 0; rank < exchanged.length; rank++)
        {
            final long[] words = exchange.record(rank);
            if (null == words)
            {
                return CreationReason.ALTERED_RECORD.of(myPe(), rank);
            }

            final long pe = words[CreationRecord.PE];
            final long place = words[CreationRecord.PLACE];
            if (pe < 0 || pe >= isFound.length || isFound[(int)pe] || (rank == me) != (pe == myPe()) ||
                place != CreationRecord.place(rank, exchanged.length))
            {
                return CreationReason.BAD_EXCHANGE.of(rank, exchanged.length, pe, place);
            }

            if (!isAllowed[(int)pe])
            {
                return CreationReason.OUTSIDE_MAP.of(pe);
            }

            if (rank == me ? !exchange.isOwn(words) : words[CreationRecord.ATTEMPT] <= domain.ended((int)pe))
            {
                return CreationReason.OUTDATED_RECORD.of(myPe(), rank, pe);
            }

            if (CreationRecord.OK == words[CreationRecord.STATUS] &&
                !channel.isArea(words[CreationRecord.AREA], exchanged.length))
            {
                return CreationReason.ALTERED_RECORD.of(myPe(), rank);
            }

            exchanged[rank] = words;
            isFound[(int)pe] = true;
        }

        return null;
    }

    /** Looks for the records that are missing, and for participants that have withdrawn. */
    private void collect()
    {
        int awaited = -1;
        for (int i = 0; i < participants.length && RUNNING == result; i++)
        {
            if (i != me)
            {
                final CreationReason departureReason = channel.departureReason(participants[i]);
                watch(i);
                if (0 == matched[i] && RUNNING == result)
                {
                    awaited = i;
                    if (null != departureReason)
                    {
                        fail(false, departureReason.of(worldPe(i)));
                    }
                }
            }
        }

        if (RUNNING != result)
        {
            return;
        }

        if (isOverdue())
        {
            fail(false, timeLimit(awaited));
        }
        else if (0 == missing)
        {
            evaluate();
        }
    }

    /**
     * Looks for the record of a participant, or for its failure. The phase is loaded last: a participant that began
     * another attempt has published the failure of the last one before.
     */
    private void watch(final int participant)
    {
        final int member = participants[participant];
        final long stamp = channel.stamp(member, CreationCellDescriptor.RECORD);
        final long phaseStamp = channel.stamp(member, CreationCellDescriptor.PHASE);
        if (0 != matched[participant])
        {
            checkMatched(participant, stamp, phaseStamp);
        }
        else if (!endIfMatchFailed(participant, phaseStamp) && stamp > domain.ended(member) && RUNNING == result)
        {
            match(participant, stamp, phaseStamp);
        }
    }

    /** Ends the attempt if a participant has published the failure of the matching one; returns whether it has. */
    private boolean endIfMatchFailed(final int participant, final long phaseStamp)
    {
        if (CreationPhase.FAILED == CreationPhase.phase(phaseStamp) && readPhase(participant, phaseStamp) &&
            phase[CreationPhase.COMMON] == common[participant])
        {
            matched[participant] = CreationPhase.attempt(phaseStamp);
            fail(false, reasonOfPhase());
            return true;
        }

        return false;
    }

    private void match(final int participant, final long stamp, final long phaseStamp)
    {
        final int member = participants[participant];
        final long[] words = new long[CreationRecord.CELL_WORDS];
        if (!channel.read(member, CreationCellDescriptor.RECORD, stamp, words, 0, CreationRecord.CELL_WORDS))
        {
            return;
        }

        final long number = words[CreationRecord.COMMON];
        final boolean hasLeft = CreationPhase.attempt(phaseStamp) > stamp ||
            CreationPhase.stamp(stamp, CreationPhase.FAILED) == phaseStamp;
        if (number < common[participant])
        {
            domain.end(member, stamp);
        }
        else if (number > common[participant] || CreationPhase.attempt(phaseStamp) > stamp)
        {
            domain.common(member, hasLeft ? number : number - 1);
            fail(false, CreationReason.BEGAN_ANOTHER.of(worldPe(participant)));
        }
        else if (!hasLeft)
        {
            records[participant] = Arrays.copyOf(words, CreationRecord.WORDS);
            matched[participant] = stamp;
            missing--;
        }
    }

    /** Ends the attempt if a participant has ended or left the matched one. */
    private void checkMatched(final int participant, final long stamp, final long phaseStamp)
    {
        final long phaseAttempt = CreationPhase.attempt(phaseStamp);
        if (CreationPhase.stamp(matched[participant], CreationPhase.FAILED) == phaseStamp)
        {
            if (readPhase(participant, phaseStamp))
            {
                fail(false, reasonOfPhase());
            }
        }
        else if (phaseAttempt > matched[participant] || stamp > matched[participant])
        {
            fail(false, CreationReason.BEGAN_ANOTHER.of(worldPe(participant)));
        }
    }

    private boolean readPhase(final int participant, final long phaseStamp)
    {
        return channel.read(
            participants[participant], CreationCellDescriptor.PHASE, phaseStamp, phase, 0, CreationPhase.WORDS);
    }

    private long[] reasonOfPhase()
    {
        return Arrays.copyOfRange(phase, CreationPhase.REASON, CreationPhase.REASON + CreationReason.WORDS);
    }

    private void evaluate()
    {
        outcome = isSplit ? CreationOutcome.ofSplit(records, me) : CreationOutcome.ofTeam(records);
        if (null != outcome.reason())
        {
            fail(false, outcome.reason());
            return;
        }

        hash = CreationRecord.hash(records);
        state = READY;
        if (COORDINATOR == me)
        {
            phases = new int[participants.length];
            timesLeft = new long[participants.length];
        }
        else
        {
            report(CreationPhase.READY);
        }
    }

    /** Reports a phase to the coordinator, with the time that is left. */
    private void report(final int reached)
    {
        Arrays.fill(phase, 0);
        phase[CreationPhase.COMMON] = common[COORDINATOR];
        phase[CreationPhase.HASH] = hash;
        phase[CreationPhase.TIME_LEFT] = 0 == timeoutNs ? CreationPhase.UNLIMITED : deadlineNs - clock.nanoTime();
        sendPhase(COORDINATOR, reached);
    }

    private void coordinate()
    {
        for (int i = 1; i < participants.length && RUNNING == result; i++)
        {
            final CreationReason departureReason = channel.departureReason(participants[i]);
            watchPhase(i);
            if (null != departureReason && RUNNING == result && isAwaited(i))
            {
                fail(false, departureReason.of(worldPe(i)));
            }
        }

        if (RUNNING != result)
        {
            return;
        }

        final int awaited = firstAwaited();
        if (isOverdue())
        {
            fail(false, timeLimit(awaited));
        }
        else if (awaited < 0)
        {
            if (isPrepared || !isAnyLimited())
            {
                decide();
            }
            else
            {
                prepare();
            }
        }
    }

    private void watchPhase(final int participant)
    {
        final int member = participants[participant];
        final long stamp = channel.stamp(member, CreationCellDescriptor.RECORD);
        final long phaseStamp = channel.stamp(member, CreationCellDescriptor.PHASE);
        checkMatched(participant, stamp, phaseStamp);
        if (RUNNING != result || CreationPhase.attempt(phaseStamp) != matched[participant])
        {
            return;
        }

        final int reached = CreationPhase.phase(phaseStamp);
        if (CreationPhase.FAILED != reached && reached > phases[participant] && readPhase(participant, phaseStamp))
        {
            if (hash != phase[CreationPhase.HASH])
            {
                fail(false, CreationReason.DIFFERENT_RECORDS.of(myPe(), worldPe(participant)));
                return;
            }

            phases[participant] = reached;
            timesLeft[participant] = phase[CreationPhase.TIME_LEFT];
        }
    }

    private int firstAwaited()
    {
        for (int i = 1; i < participants.length; i++)
        {
            if (isAwaited(i))
            {
                return i;
            }
        }

        return -1;
    }

    private boolean isAwaited(final int participant)
    {
        return phases[participant] < CreationPhase.READY ||
            isPrepared && isLimited(participant) && phases[participant] < CreationPhase.CONFIRMED;
    }

    private boolean isLimited(final int participant)
    {
        return CreationPhase.UNLIMITED != timesLeft[participant];
    }

    private boolean isAnyLimited()
    {
        for (int i = 1; i < participants.length; i++)
        {
            if (isLimited(i))
            {
                return true;
            }
        }

        return false;
    }

    /** Asks the participants with a limit to confirm. */
    private void prepare()
    {
        isPrepared = true;
        preparedNs = clock.nanoTime();
        Arrays.fill(phase, 0);
        phase[CreationPhase.HASH] = hash;
        for (int i = 1; i < participants.length; i++)
        {
            if (isLimited(i))
            {
                phase[CreationPhase.COMMON] = common[i];
                sendPhase(i, CreationPhase.PREPARE);
            }
        }
    }

    /** Decides for the team, unless the limit of a participant has passed. */
    private void decide()
    {
        final long elapsedNs = isPrepared ? clock.nanoTime() - preparedNs : 0;
        for (int i = 1; i < participants.length; i++)
        {
            if (isLimited(i) && elapsedNs >= timesLeft[i])
            {
                fail(false, CreationReason.TIME_LIMIT.of(worldPe(i), records[i][CreationRecord.TIMEOUT], -1));
                return;
            }
        }

        for (int i = 1; i < participants.length; i++)
        {
            channel.send(participants[i], CreationCellDescriptor.MADE, attempt, phase, 0);
        }

        end(MADE);
    }

    /**
     * Waits for the decision. The coordinator announces it before it publishes anything of a later attempt; so it is
     * loaded after those.
     */
    private void awaitDecision()
    {
        final int member = participants[COORDINATOR];
        final CreationReason departureReason = channel.departureReason(member);
        final long stamp = channel.stamp(member, CreationCellDescriptor.RECORD);
        final long phaseStamp = channel.stamp(member, CreationCellDescriptor.PHASE);
        if (channel.stamp(member, CreationCellDescriptor.MADE) == matched[COORDINATOR])
        {
            end(MADE);
            return;
        }

        checkMatched(COORDINATOR, stamp, phaseStamp);
        if (RUNNING == result && null != departureReason)
        {
            fail(false, departureReason.of(worldPe(COORDINATOR)));
        }

        if (RUNNING != result)
        {
            return;
        }

        if (CONFIRMED == state)
        {
            if (clock.nanoTime() - deadlineNs >= SLACK_NS)
            {
                fail(true, CreationReason.NO_DECISION.of(worldPe(COORDINATOR)));
            }
        }
        else if (isOverdue())
        {
            fail(false, timeLimit(COORDINATOR));
        }
        else if (CreationPhase.stamp(matched[COORDINATOR], CreationPhase.PREPARE) == phaseStamp)
        {
            state = CONFIRMED;
            report(CreationPhase.CONFIRMED);
        }
    }

    /** Returns whether the coordinator may decide for the team although this participant wants to fail. */
    private boolean isBound()
    {
        return COORDINATOR != me && (CONFIRMED == state || READY == state && 0 == timeoutNs);
    }

    private boolean isOverdue()
    {
        return 0 != timeoutNs && clock.nanoTime() - deadlineNs >= 0;
    }

    private long[] timeLimit(final int awaited)
    {
        return CreationReason.TIME_LIMIT.of(myPe(), timeoutNs, awaited < 0 ? -1 : worldPe(awaited));
    }

    /** Ends the attempt without a team, and reports that to all participants, or to all PEs if they are unknown. */
    private void fail(final boolean isUnknown, final long[] why)
    {
        this.isUnknown = isUnknown;
        reason = why;
        Arrays.fill(phase, 0);
        System.arraycopy(why, 0, phase, CreationPhase.REASON, CreationReason.WORDS);
        if (null == participants)
        {
            participants = new int[channel.size()];
            Arrays.setAll(participants, (member) -> member);
            matched = new long[participants.length];
            common = new long[participants.length];
            me = channel.myMember();
        }

        for (int i = 0; i < participants.length; i++)
        {
            if (i != me)
            {
                phase[CreationPhase.COMMON] = common[i];
                sendPhase(i, CreationPhase.FAILED);
            }
        }

        end(FAILED);
    }

    private void end(final int result)
    {
        for (int i = 0; i < participants.length; i++)
        {
            domain.end(participants[i], matched[i]);
        }

        this.result = result;
    }

    private void sendPhase(final int participant, final int reached)
    {
        channel.send(
            participants[participant],
            CreationCellDescriptor.PHASE,
            CreationPhase.stamp(attempt, reached),
            phase,
            CreationPhase.WORDS);
    }

    private int myPe()
    {
        return channel.worldPe(channel.myMember());
    }

    private int worldPe(final int participant)
    {
        return channel.worldPe(participants[participant]);
    }
}
