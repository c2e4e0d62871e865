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
import io.aeroshmem.OobRequest;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Creations over a network with a virtual clock, in which messages of a pair arrive in order and late.
 */
class CreationExchangeTest
{
    private static final long MS = 1_000_000L;
    /** Of random tests: 1, and more in the nightly run. */
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);

    @Test
    void shouldMakeATeamWhenAllHavePolledAfterAllHaveCalled()
    {
        final Network network = new Network(3, 0, new Random(1));
        final CreationExchange[] exchanges = {network.begin(0, 0), network.begin(1, 0), network.begin(2, 0)};
        assertEquals(CreationExchange.RUNNING, exchanges[0].poll());
        assertEquals(CreationExchange.RUNNING, exchanges[1].poll());
        assertEquals(CreationExchange.RUNNING, exchanges[0].poll());
        assertEquals(CreationExchange.RUNNING, exchanges[1].poll());
        assertEquals(CreationExchange.RUNNING, exchanges[2].poll());
        assertEquals(CreationExchange.MADE, exchanges[0].poll());
        assertEquals(CreationExchange.MADE, exchanges[1].poll());
        assertEquals(CreationExchange.MADE, exchanges[2].poll());
        assertEquals(2, exchanges[0].outcome().members()[2]);
    }

    @Test
    void shouldFailOnAllWhenOneNeverPolls()
    {
        final Network network = new Network(3, 0, new Random(1));
        final CreationExchange first = network.begin(0, 50 * MS);
        final CreationExchange second = network.begin(1, 0);
        final CreationExchange third = network.begin(2, 0);
        first.poll();
        second.poll();
        first.poll();
        network.nowNs += 49 * MS;
        assertEquals(CreationExchange.RUNNING, first.poll());
        network.nowNs += MS;
        assertEquals(CreationExchange.FAILED, first.poll());
        assertEquals(CreationExchange.FAILED, second.poll());
        assertEquals(CreationExchange.FAILED, third.poll());
        assertEquals("PE 0 waited until its limit of 50000000 ns (TeamParams.timeoutNs), for PE 2", first.failure());
        assertEquals(first.failure(), second.failure());
        assertEquals(first.failure(), third.failure());
        assertFalse(first.isUnknown() || second.isUnknown() || third.isUnknown());
        assertMade(network, 0, 1, 2);
    }

    @Test
    void shouldFailALateParticipantAtOnce()
    {
        final Network network = new Network(2, 0, new Random(1));
        final CreationExchange first = network.begin(0, MS);
        network.nowNs += MS;
        assertEquals(CreationExchange.FAILED, first.poll());
        final CreationExchange late = network.begin(1, 0);
        assertEquals(CreationExchange.FAILED, late.poll());
        assertEquals(first.failure(), late.failure());
        assertMade(network, 0, 1);
    }

    @Test
    void shouldFailTheSlowerOneWhenAPartnerBeganAnother()
    {
        final Network network = new Network(2, 0, new Random(1));
        final CreationExchange first = network.begin(0, MS);
        final CreationExchange slow = network.begin(1, 0);
        slow.poll();
        network.nowNs += MS;
        assertEquals(CreationExchange.FAILED, first.poll());
        final CreationExchange second = network.begin(0, 0);
        assertEquals(CreationExchange.RUNNING, second.poll());
        assertEquals(CreationExchange.FAILED, slow.poll());
        assertEquals(first.failure(), slow.failure());
        assertEquals(CreationExchange.RUNNING, second.poll());
        final CreationExchange again = network.begin(1, 0);
        network.run(second, again);
        assertEquals(CreationExchange.MADE, second.poll());
        assertEquals(CreationExchange.MADE, again.poll());
    }

    @Test
    void shouldContinueWithTheNumberOfAPartnerThatIsAhead()
    {
        final Network network = new Network(2, 0, new Random(1));
        final CreationExchange slow = network.begin(1, 0);
        for (int i = 0; i < 3; i++)
        {
            final CreationExchange first = network.begin(0, MS);
            network.nowNs += MS;
            assertEquals(CreationExchange.FAILED, first.poll());
        }

        final CreationExchange last = network.begin(0, 0);
        assertEquals(CreationExchange.RUNNING, last.poll());
        assertEquals(CreationExchange.FAILED, slow.poll());
        assertEquals("PE 0 withdrew from this creation and began another", slow.failure());
        final CreationExchange again = network.begin(1, 0);
        network.run(last, again);
        assertEquals(CreationExchange.MADE, last.poll());
        assertEquals(CreationExchange.MADE, again.poll());
    }

    @Test
    void shouldNotLoseADecisionToTheNextAttemptOfTheCoordinator()
    {
        final Network network = new Network(2, 0, new Random(1));
        final CreationExchange first = network.begin(0, 0);
        final CreationExchange slow = network.begin(1, 0);
        slow.poll();
        assertEquals(CreationExchange.MADE, first.poll());
        final CreationExchange next = network.begin(0, MS);
        network.nowNs += MS;
        assertEquals(CreationExchange.FAILED, next.poll());
        assertEquals(CreationExchange.MADE, slow.poll());
        final CreationExchange late = network.begin(1, 0);
        assertEquals(CreationExchange.FAILED, late.poll());
        assertMade(network, 0, 1);
    }

    @Test
    void shouldNotDecideOnATimeLeftThatIsOutdated()
    {
        final Network network = new Network(2, 0, new Random(1));
        final CreationExchange coordinator = network.begin(0, 0);
        final CreationExchange limited = network.begin(1, 10 * MS);
        limited.poll();
        network.nowNs += 20 * MS;
        coordinator.poll();
        assertEquals(CreationExchange.RUNNING, coordinator.poll());
        assertEquals(CreationExchange.FAILED, limited.poll());
        assertEquals(CreationExchange.FAILED, coordinator.poll());
        assertFalse(limited.isUnknown());
    }

    @Test
    void shouldNotDecideAfterTheLimitOfAParticipantThatHasConfirmed()
    {
        final Network network = new Network(2, 0, new Random(1));
        final CreationExchange coordinator = network.begin(0, 0);
        final CreationExchange limited = network.begin(1, 10 * MS);
        limited.poll();
        coordinator.poll();
        limited.poll();
        network.nowNs += 11 * MS;
        assertEquals(CreationExchange.RUNNING, limited.poll());
        assertEquals(CreationExchange.FAILED, coordinator.poll());
        assertEquals(CreationExchange.FAILED, limited.poll());
        assertFalse(limited.isUnknown());
        assertEquals("PE 1 waited until its limit of 10000000 ns (TeamParams.timeoutNs)", coordinator.failure());
    }

    @Test
    void shouldStopWaitingForTheDecisionAfterTheSlack()
    {
        final Network network = new Network(2, 0, new Random(1));
        final CreationExchange coordinator = network.begin(0, 0);
        final CreationExchange limited = network.begin(1, 10 * MS);
        limited.poll();
        coordinator.poll();
        limited.poll();
        network.nowNs += 10 * MS + CreationExchange.SLACK_NS - 1;
        assertEquals(CreationExchange.RUNNING, limited.poll());
        network.nowNs += 1;
        assertEquals(CreationExchange.FAILED, limited.poll());
        assertTrue(limited.isUnknown());
        assertEquals(CreationExchange.FAILED, coordinator.poll());
        assertMade(network, 0, 1);
    }

    @Test
    void shouldFailWhenAPartnerHasLeft()
    {
        final Network network = new Network(2, 0, new Random(1));
        final CreationExchange first = network.begin(0, 0);
        assertEquals(CreationExchange.RUNNING, first.poll());
        network.isGone[1] = true;
        assertEquals(CreationExchange.FAILED, first.poll());
        assertEquals("PE 1 called Shmem.close", first.failure());
    }

    @Test
    void shouldFindTheParticipantsByAnExchange()
    {
        final Network network = new Network(5, 0, new Random(1));
        final int[] pes = {3, 0, 4};
        final Gathering gathering = new Gathering(pes.length);
        final CreationExchange[] exchanges = new CreationExchange[pes.length];
        for (int rank = 0; rank < pes.length; rank++)
        {
            exchanges[rank] = network.create(pes[rank], null, 0);
            exchanges[rank].start(gathering.of(rank), pes.length, rank);
            assertEquals(CreationExchange.RUNNING, exchanges[0].poll());
        }

        network.run(exchanges);
        for (final CreationExchange exchange : exchanges)
        {
            assertEquals(CreationExchange.MADE, exchange.poll());
            assertEquals(3, exchange.records()[0][CreationRecord.PE]);
        }
    }

    @Test
    void shouldReportToAllWhenItStopsBeforeTheExchangeIsComplete()
    {
        final Network network = new Network(3, 0, new Random(1));
        final Gathering gathering = new Gathering(2);
        final CreationExchange first = network.create(0, null, 0);
        first.start(gathering.of(0), 2, 0);
        final CreationExchange second = network.create(2, null, 0);
        second.start(gathering.of(1), 2, 1);
        second.abandon();
        assertEquals(CreationExchange.FAILED, first.poll());
        assertEquals("PE 2 closed its TeamCreation before the team was made", first.failure());
        assertMade(network, 0, 1, 2);
    }

    @Test
    void shouldRejectAnExchangeWithPesThatAreNotInTheMap()
    {
        final Network network = new Network(3, 0, new Random(1));
        final Gathering gathering = new Gathering(2);
        final CreationExchange first = network.create(0, new int[]{ 0, 1 }, 0);
        first.start(gathering.of(0), 2, 0);
        final CreationExchange second = network.create(2, new int[]{ 2, 0 }, 0);
        second.start(gathering.of(1), 2, 1);
        assertEquals(CreationExchange.FAILED, first.poll());
        assertEquals(CreationExchange.FAILED, second.poll());
        assertTrue(first.failure().contains("PE 2 is not in the map"), first.failure());
    }

    /** Every byte of a record is validated, also those of the PE that receives it. */
    @Test
    void shouldFailOnAllWhenAnExchangeAltersAByte()
    {
        final Network network = new Network(3, 0, new Random(1));
        final int length = CreationRecord.EXCHANGED_WORDS * Long.BYTES;
        for (int i = 0; i < 3 * length; i++)
        {
            final int index = i;
            final String failure = failure(network, (dest) ->
                dest.putByte(index, (byte)(dest.getByte(index) ^ 1 << index % 8)));
            assertEquals("the out-of-band exchange must deliver all bytes that each rank has sent: PE 1 received a" +
                " record of rank " + i / length + " that is incomplete or altered", failure);
        }

        assertMade(network, 0, 1, 2);
    }

    @Test
    void shouldFailOnAllWhenAnExchangeMovesTooLittle()
    {
        final Network network = new Network(3, 0, new Random(1));
        final int length = CreationRecord.EXCHANGED_WORDS * Long.BYTES;
        for (int moved = 0; moved < length; moved += 4)
        {
            final int first = moved;
            final String failure = failure(network, (dest) -> dest.setMemory(first, length - first, (byte)0));
            assertTrue(failure.contains("rank 0 that is incomplete"), failure);
        }

        assertMade(network, 0, 1, 2);
    }

    @Test
    void shouldFailOnAllWhenAnExchangeMovesRecordsToOtherRanks()
    {
        final Network network = new Network(3, 0, new Random(1));
        final int length = CreationRecord.EXCHANGED_WORDS * Long.BYTES;
        final byte[] first = new byte[length];
        final String failure = failure(network, (dest) ->
        {
            dest.getBytes(0, first);
            dest.putBytes(0, dest, 2 * length, length);
            dest.putBytes(2 * length, first);
        });
        assertEquals("the out-of-band exchange must have a different PE of the job at each rank: rank 0 of 3 has" +
            " PE 2, which gave rank 2 of 3", failure);
        assertMade(network, 0, 1, 2);
    }

    @Test
    void shouldFailOnAllWhenAnExchangeDeliversRecordsOfAnEarlierCreation()
    {
        final int length = CreationRecord.EXCHANGED_WORDS * Long.BYTES;
        for (int rank = 0; rank < 3; rank++)
        {
            final Network network = new Network(3, 0, new Random(1));
            final int index = rank * length;
            final byte[] earlier = new byte[length];
            assertEquals(null, failure(network, (dest) -> dest.getBytes(index, earlier)));
            final String failure = failure(network, (dest) -> dest.putBytes(index, earlier));
            assertEquals("the out-of-band exchange must deliver what each rank has sent in it: PE 1 received at rank " +
                rank + " a record that PE " + rank + " sent for an earlier creation", failure);
            assertMade(network, 0, 1, 2);
        }
    }

    /** Records that no participant can have sent are not used even if their checksum is right. */
    @Test
    void shouldFailOnAllWhenARecordIsOutOfRange()
    {
        final Network network = new Network(3, 0, new Random(1));
        final long[][] wrong = {
            {CreationRecord.ATTEMPT, 0}, {CreationRecord.ATTEMPT, Long.MAX_VALUE}, {CreationRecord.STATUS, 6},
            {CreationRecord.STATUS, -1}, {CreationRecord.AREA, -1}, {CreationRecord.AREA, Network.MAX_AREA + 1},
            {CreationRecord.CONFIG, 77}, {CreationRecord.CONFIG, -1}, {CreationRecord.CONFIG, 77 << 8},
            {CreationRecord.FLAGS, 8}, {CreationRecord.CONTEXTS, -1}, {CreationRecord.TIMEOUT, -1}};
        for (final long[] wordAndValue : wrong)
        {
            final String failure = failure(network, (dest) ->
            {
                final long[] words = new long[CreationRecord.EXCHANGED_WORDS];
                Arrays.setAll(words, (i) -> dest.getLong(i * Long.BYTES, ByteOrder.LITTLE_ENDIAN));
                words[(int)wordAndValue[0]] = wordAndValue[1];
                words[CreationRecord.CHECKSUM] = OutOfBandExchange.checksum(words);
                for (int i = 0; i < words.length; i++)
                {
                    dest.putLong(i * Long.BYTES, words[i], ByteOrder.LITTLE_ENDIAN);
                }
            });
            assertTrue(null != failure && failure.contains("rank 0 that is incomplete or altered"),
                Arrays.toString(wordAndValue) + ": " + failure);
        }

        assertMade(network, 0, 1, 2);
    }

    /** Returns the failure of a creation of three PEs, the same on all, after PE 1 has changed what it received. */
    private static String failure(final Network network, final Consumer<MutableDirectBuffer> change)
    {
        final Gathering gathering = new Gathering(3);
        final CreationExchange[] exchanges = new CreationExchange[3];
        for (int pe = 0; pe < 3; pe++)
        {
            final OobCollective collective = gathering.of(pe);
            exchanges[pe] = network.create(pe, null, 0);
            exchanges[pe].start(1 != pe ? collective : (source, dest, length) ->
            {
                final OobRequest request = collective.allgather(source, dest, length);
                return () ->
                {
                    final boolean isComplete = request.test();
                    if (isComplete)
                    {
                        change.accept(dest);
                    }

                    return isComplete;
                };
            }, 3, pe);
        }

        network.run(exchanges);
        final String failure = exchanges[0].failure();
        for (final CreationExchange exchange : exchanges)
        {
            assertEquals(null == failure ? CreationExchange.MADE : CreationExchange.FAILED, exchange.poll());
            assertEquals(failure, exchange.failure());
            assertFalse(exchange.isUnknown());
        }

        return failure;
    }

    /** Every participant of a made team has made it, whatever the order of polls, delays and limits. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    @Tag("ci")
    void shouldHaveOneOutcomeOnAll(final int size)
    {
        int made = 0;
        for (int seed = 0; seed < 1_000 * VOLUME; seed++)
        {
            made += new Simulation(size, new Random(seed)).run(seed);
        }

        assertTrue(made > 333 * VOLUME, "teams made: " + made);
    }

    private static void assertMade(final Network network, final int... pes)
    {
        final CreationExchange[] exchanges =
            Arrays.stream(pes).mapToObj((pe) -> network.begin(pe, 0)).toArray(CreationExchange[]::new);
        network.run(exchanges);
        for (final CreationExchange exchange : exchanges)
        {
            assertEquals(CreationExchange.MADE, exchange.poll(), exchange.failure());
        }
    }

    /** Failures that participants find by the records do not disturb the creations that follow. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8})
    @Tag("ci")
    void shouldMatchTheNextAttemptAfterAFailure(final int size)
    {
        for (int seed = 0; seed < 2_000; seed++)
        {
            final Random random = new Random(seed);
            final Network network = new Network(size, 1 + random.nextInt(300) * MS, random);
            final CreationExchange[] current = new CreationExchange[size];
            final int[] attempts = new int[size];
            final int[] made = new int[size];
            final int rounds = 6;
            for (int step = 0; step < 100_000 && Arrays.stream(attempts).sum() < rounds * size; step++)
            {
                network.nowNs += random.nextInt(10) * MS;
                network.deliver();
                final int pe = random.nextInt(size);
                if (rounds == attempts[pe])
                {
                    continue;
                }

                final boolean isFailing = 1 == attempts[pe] % 2;
                if (null == current[pe])
                {
                    current[pe] = network.begin(pe, 0, !isFailing ? 0 : pe == seed % size ? 1 : 2);
                }

                final int result = current[pe].poll();
                if (CreationExchange.RUNNING != result)
                {
                    assertEquals(isFailing ? CreationExchange.FAILED : CreationExchange.MADE, result,
                        "seed=" + seed + ", PE " + pe + ", attempt " + attempts[pe] + ": " + current[pe].failure());
                    made[pe] += isFailing ? 0 : 1;
                    attempts[pe]++;
                    current[pe] = null;
                }
            }

            assertEquals(rounds * size / 2, Arrays.stream(made).sum(), "seed=" + seed);
        }
    }

    /** Random creations of PEs that poll, stop and call again at random times. */
    private static final class Simulation
    {
        private static final int ATTEMPTS = 4;

        private final Random random;
        private final Network network;
        private final int size;
        private final List<List<CreationExchange>> attempts = new ArrayList<>();
        private final List<List<Boolean>> isAbandoned = new ArrayList<>();

        Simulation(final int size, final Random random)
        {
            this.size = size;
            this.random = random;
            network = new Network(size, 1 + random.nextInt(300) * MS, random);
            for (int pe = 0; pe < size; pe++)
            {
                attempts.add(new ArrayList<>());
                isAbandoned.add(new ArrayList<>());
            }
        }

        int run(final int seed)
        {
            final CreationExchange[] current = new CreationExchange[size];
            final int pace = 1 + random.nextInt(20);
            for (int step = 0; step < 200_000 && !isOver(current); step++)
            {
                network.nowNs += random.nextInt(pace) * MS;
                network.deliver();
                final int pe = random.nextInt(size);
                if (null == current[pe])
                {
                    begin(current, pe);
                }
                else if (0 == random.nextInt(400))
                {
                    current[pe].abandon();
                    isAbandoned.get(pe).set(attempts.get(pe).size() - 1, true);
                    current[pe] = null;
                }
                else if (CreationExchange.RUNNING != current[pe].poll())
                {
                    current[pe] = null;
                }
            }

            assertTrue(isOver(current), "has not ended: seed=" + seed);
            return check(seed);
        }

        private void begin(final CreationExchange[] current, final int pe)
        {
            if (attempts.get(pe).size() < ATTEMPTS && 0 == random.nextInt(3))
            {
                final boolean isLast = attempts.get(pe).size() == ATTEMPTS - 1;
                final long limitNs = isLast || 0 == random.nextInt(3) ? (1 + random.nextInt(20_000)) * MS :
                    (1 + random.nextInt(1_000)) * MS;
                current[pe] = network.begin(pe, random.nextBoolean() && !isLast && isCalm(pe) ? 0 : limitNs);
                attempts.get(pe).add(current[pe]);
                isAbandoned.get(pe).add(false);
            }
        }

        /** Whether another PE has attempts left, with limits, so that an unlimited attempt ends. */
        private boolean isCalm(final int pe)
        {
            for (int other = 0; other < size; other++)
            {
                if (other != pe && attempts.get(other).size() < ATTEMPTS - 1)
                {
                    return true;
                }
            }

            return 1 == size;
        }

        private boolean isOver(final CreationExchange[] current)
        {
            for (int pe = 0; pe < size; pe++)
            {
                if (null != current[pe] || attempts.get(pe).size() < ATTEMPTS)
                {
                    return false;
                }
            }

            return true;
        }

        private int check(final int seed)
        {
            int made = 0;
            for (int pe = 0; pe < size; pe++)
            {
                for (final CreationExchange exchange : attempts.get(pe))
                {
                    if (CreationExchange.MADE == exchange.poll())
                    {
                        made++;
                        for (int other = 0; other < size; other++)
                        {
                            checkMade(seed, exchange, other);
                        }
                    }
                }
            }

            return made;
        }

        private void checkMade(final int seed, final CreationExchange exchange, final int other)
        {
            final int number = (int)exchange.records()[other][CreationRecord.ATTEMPT] - 1;
            final CreationExchange partner = attempts.get(other).get(number);
            if (CreationExchange.MADE != partner.poll())
            {
                assertTrue(partner.isUnknown() && isAbandoned.get(other).get(number),
                    "PE " + other + " has another outcome in attempt " + (number + 1) + ", " + partner.failure() +
                    ": seed=" + seed);
            }
        }
    }

    /** An allgather that is complete when all ranks have called. */
    private static final class Gathering
    {
        private final DirectBuffer[] sources;
        private int count;

        Gathering(final int ranks)
        {
            sources = new DirectBuffer[ranks];
        }

        OobCollective of(final int rank)
        {
            return (source, dest, length) -> gather(rank, source, dest, length);
        }

        private OobRequest gather(
            final int rank, final DirectBuffer source, final MutableDirectBuffer dest, final int length)
        {
            sources[rank] = source;
            count++;
            return () ->
            {
                if (count < sources.length)
                {
                    return false;
                }

                for (int i = 0; i < sources.length; i++)
                {
                    dest.putBytes(i * length, sources[i], 0, length);
                }

                return true;
            };
        }
    }

    /** The cells of all PEs, and the messages that are under way to them. */
    private static final class Network
    {
        private static final long MAX_AREA = 1 << 20;

        private final int size;
        private final long maxDelayNs;
        private final Random random;
        private final long[][][] stamps;
        private final long[][][][] words;
        private final List<List<Deque<Message>>> messages = new ArrayList<>();
        private final CreationDomain[] domains;
        private final boolean[] isGone;
        private long nowNs;

        Network(final int size, final long maxDelayNs, final Random random)
        {
            this.size = size;
            this.maxDelayNs = maxDelayNs;
            this.random = random;
            stamps = new long[size][size][3];
            words = new long[size][size][3][];
            domains = new CreationDomain[size];
            isGone = new boolean[size];
            for (int pe = 0; pe < size; pe++)
            {
                domains[pe] = new CreationDomain(new Channel(pe));
                messages.add(new ArrayList<>());
                for (int other = 0; other < size; other++)
                {
                    messages.get(pe).add(new ArrayDeque<>());
                }
            }
        }

        CreationExchange create(final int pe, final int[] participants, final long timeoutNs)
        {
            return create(pe, participants, timeoutNs, 0);
        }

        CreationExchange create(final int pe, final int[] participants, final long timeoutNs, final long id)
        {
            final long[] record = new long[CreationRecord.WORDS];
            record[CreationRecord.ID] = id;
            record[CreationRecord.TIMEOUT] = timeoutNs;
            return new CreationExchange(domains[pe], () -> nowNs, participants, false, record);
        }

        CreationExchange begin(final int pe, final long timeoutNs)
        {
            return begin(pe, timeoutNs, 0);
        }

        CreationExchange begin(final int pe, final long timeoutNs, final long id)
        {
            final int[] participants = new int[size];
            Arrays.setAll(participants, (i) -> i);
            final CreationExchange exchange = create(pe, participants, timeoutNs, id);
            exchange.start();
            return exchange;
        }

        void run(final CreationExchange... exchanges)
        {
            for (int i = 0; i < 10; i++)
            {
                for (final CreationExchange exchange : exchanges)
                {
                    exchange.poll();
                }
            }
        }

        void deliver()
        {
            for (int to = 0; to < size; to++)
            {
                for (int from = 0; from < size; from++)
                {
                    deliver(to, from);
                }
            }
        }

        private void deliver(final int to, final int from)
        {
            final Deque<Message> pending = messages.get(to).get(from);
            while (!pending.isEmpty() && pending.peek().atNs <= nowNs)
            {
                final Message message = pending.poll();
                stamps[to][from][message.block] = message.stamp;
                words[to][from][message.block] = message.words;
            }
        }

        private record Message(long atNs, int block, long stamp, long[] words)
        {
        }

        private final class Channel implements CreationChannel
        {
            private final int pe;

            Channel(final int pe)
            {
                this.pe = pe;
            }

            @Override
            public int size()
            {
                return size;
            }

            @Override
            public int myMember()
            {
                return pe;
            }

            @Override
            public int worldPe(final int member)
            {
                return member;
            }

            @Override
            public boolean isArea(final long offset, final int size)
            {
                return offset >= 0 && offset <= MAX_AREA;
            }

            @Override
            public void send(
                final int member, final int block, final long stamp, final long[] source, final int count)
            {
                final long delayNs = 0 == maxDelayNs ? 0 : (long)(random.nextDouble() * maxDelayNs);
                messages.get(member).get(pe).add(
                    new Message(nowNs + delayNs, index(block), stamp, Arrays.copyOf(source, count)));
                deliver(member, pe);
            }

            @Override
            public long stamp(final int member, final int block)
            {
                return stamps[pe][member][index(block)];
            }

            @Override
            public boolean read(
                final int member,
                final int block,
                final long stamp,
                final long[] dest,
                final int from,
                final int count)
            {
                System.arraycopy(words[pe][member][index(block)], 0, dest, from, count);
                return stamps[pe][member][index(block)] == stamp;
            }

            @Override
            public CreationReason departureReason(final int member)
            {
                return isGone[member] ? CreationReason.PE_CLOSED : null;
            }

            @Override
            public void flush()
            {
            }

            private int index(final int block)
            {
                return CreationCellDescriptor.RECORD == block ? 0 : CreationCellDescriptor.PHASE == block ? 1 : 2;
            }
        }
    }
}
