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
package io.aeroshmem.tests.collective;

import io.aeroshmem.simulation.AlteredLibrary;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * Bugs that simulated worlds must find: each is a change of one place of the library. Those that depend on the order of
 * the PEs' steps are the measure of the schedules.
 */
enum PlantedBug
{
    BARRIER_FLAGS_SHARED(
        "even and odd barriers share a flag",
        "sync/Barrier", "return (number & 1) * ODD_FLAG;", "return 0;", LockstepSubject.COLLECTIVES),
    BARRIER_WITHOUT_LAST_ROUND(
        "a barrier ends before its last round",
        "sync/Barrier", "        while (round < rounds)\n        {\n            for (final int end = waitEnds",
        "        while (round < rounds - 1)\n        {\n            for (final int end = waitEnds",
        LockstepSubject.COLLECTIVES),
    BARRIER_ROUNDS_AT_ONCE(
        "a barrier signals all rounds before it has awaited the first",
        "sync/Barrier", "        if (rounds > 0)\n        {\n            signalRound();\n        }",
        "        for (round = 0; round < rounds; round++)\n        {\n            signalRound();\n        }\n" +
        "        round = 0;",
        LockstepSubject.REQUESTS),
    CREDIT_ONE_TOO_MANY(
        "a sender uses a slot that may be unread",
        "collective/task/PeerMailboxes", "if (number - knownConsumed[rank] > TeamAreaDescriptor.SLOTS && ",
        "if (number - knownConsumed[rank] > TeamAreaDescriptor.SLOTS + 1 && ", LockstepSubject.COLLECTIVES),
    ACKNOWLEDGEMENT_LOST(
        "every fourth slot only is acknowledged, though there are four",
        "collective/task/PeerMailboxes", "return 0 == (number & 1);", "return 0 == (number & 7);",
        LockstepSubject.REQUESTS),
    ACTIVITY_ACKNOWLEDGES_STEP(
        "a slot counts as read because its reader has sent one in the same step",
        "collective/task/PeerMailboxes",
        "lastSendStep[rank] == step ? sentBeforeStep[rank] : sent[rank]", "sent[rank]",
        LockstepSubject.SLOTS),
    SLOT_REUSED(
        "of four slots two are used",
        "collective/task/TeamAreaDescriptor", "((number - 1) & (SLOTS - 1))", "((number - 1) & (SLOTS / 2 - 1))",
        LockstepSubject.COLLECTIVES),
    GRANT_OF_EARLIER_STEP(
        "a grant or release of an earlier step counts",
        "collective/task/PeerMailboxes", "if (seen == awaited || Stamp.isPast(seen, step))", "if (0 != seen)",
        LockstepSubject.ACCESSES),
    STEP_NOT_BEGUN(
        "a call begins no step, so that a grant of the call before counts",
        "collective/call/CollectiveEngine", "            mailboxes.beginStep();\n", "", LockstepSubject.COLLECTIVES),
    ROOT_RETURNS_EARLY(
        "the root of a broadcast does not wait until its source has been read",
        "collective/algorithm/DirectBroadcast", "return releasedIndex == size ? DONE : WAITING;", "return DONE;",
        LockstepSubject.ACCESSES),
    PIECE_BEFORE_GRANT(
        "a piece is put before its receiver has entered the call",
        "collective/algorithm/PipelinedBroadcast",
        "!(isGranted[index] || mailboxes.hasGrantedAccess(child))", "false",
        LockstepSubject.COLLECTIVES),
    LEAF_RETURNS_EARLY(
        "a leaf of a pipelined broadcast returns before the last piece",
        "collective/algorithm/PipelinedBroadcast", "if (isSent && arrivedPieces == pieces)", "if (isSent)",
        LockstepSubject.COLLECTIVES),
    WRONG_PARENT(
        "a member of a binomial tree awaits the root instead of its parent",
        "collective/algorithm/BinomialBroadcast", "rankAt(distance - lowestBit)", "rankAt(0)",
        LockstepSubject.COLLECTIVES),
    SHARED_BEFORE_ALL_POSTED(
        "a shared reduction begins before every member has posted",
        "collective/algorithm/WorkStealingReduce", "        isEntered = false;\n", "        isEntered = true;\n",
        LockstepSubject.SHARED),
    CLAIM_OF_EARLIER_STEP(
        "a claim of an earlier reduction counts for the next",
        "collective/task/SharedSlices",
        "        UnsafeApi.putLongRelease(null, slice + TeamAreaDescriptor.CLAIMED, none);\n",
        "        if (0 == UnsafeApi.getLongAcquire(null, slice + TeamAreaDescriptor.CLAIMED))\n        {\n" +
        "            UnsafeApi.putLongRelease(null, slice + TeamAreaDescriptor.CLAIMED, none);\n        }\n",
        LockstepSubject.SHARED),
    ENTERED_WITHOUT_BARRIER(
        "a direct reduction reads the sources of members that have not entered",
        "collective/algorithm/DirectCombination", "        isEntered = false;\n", "        isEntered = true;\n",
        LockstepSubject.COLLECTIVES),
    PIECES_NOT_AWAITED(
        "an exchange ends before the last piece has arrived",
        "collective/algorithm/PairwiseExchange",
        "mailboxes.missing(arrivedIndex) <= 0", "mailboxes.missing(arrivedIndex) <= 1",
        LockstepSubject.COLLECTIVES),
    LOCK_PASSED_TWICE(
        "unlock passes a lock on twice",
        "sync/Locks", "        serveNext(home(address), address);\n",
        "        serveNext(home(address), address);\n        serveNext(home(address), address);\n",
        LockstepSubject.LOCKS),
    TICKET_NOT_WITHDRAWN(
        "tryLock leaves its ticket in the queue",
        "sync/Locks", "                withdraw(home, address, ticket);\n", "", LockstepSubject.LOCKS),
    LAST_TICKET_MISTAKEN(
        "any ticket is withdrawn as if it were the last",
        "sync/LockWord", "return isLast(word, ticket) ? word - TAKE : word | bit(ticket);", "return word - TAKE;",
        LockstepSubject.LOCKS),
    TICKET_MOVES_TOO_FAR(
        "a withdrawn predecessor stays marked when a ticket moves up",
        "sync/LockWord", "withdrawn(word & ~bit(ticket - 1), ticket)", "withdrawn(word, ticket)",
        LockstepSubject.LOCKS),
    LOCK_TAKEN_WHILE_HELD(
        "testLock takes a lock by a store that does not compare",
        "sync/Locks", "if (!LockWord.isFree(word) || word != compareAndSwap", "if (word != compareAndSwap",
        LockstepSubject.LOCKS),
    AGREED_WITHOUT_ONE(
        "the coordinator agrees on a request that one member has not posted",
        "collective/request/RequestSequencer", "if (size == announcement.ranks.cardinality())",
        "if (Math.max(1, size - 1) == announcement.ranks.cardinality())", LockstepSubject.REQUESTS),
    AGREED_UNEVENLY(
        "members that the coordinator reaches later get more keys at once",
        "collective/request/RequestSequencer",
        "0 == sending ? RequestChannel.MAX_KEYS : sending", "RequestChannel.MAX_KEYS",
        LockstepSubject.UNORDERED),
    ANNOUNCED_TWICE(
        "an announcement is not withdrawn from those to be made",
        "collective/request/RequestSequencer", "            removeToAnnounce();\n        }\n        return count;",
        "            if (i > 0)\n            {\n                removeToAnnounce();\n            }\n        }\n" +
        "        return count;",
        LockstepSubject.REQUESTS),
    READY_LOST(
        "a member that is ready before the root has posted is forgotten",
        "collective/request/ActiveSets", "        posted.add(request);\n        for (int i = 0; i < kept.size(); i++)",
        "        posted.add(request);\n        for (int i = 1; i < kept.size(); i++)", LockstepSubject.ACTIVE_SETS),
    READY_OF_OTHER_SET(
        "a message of another active set with the same tag counts",
        "collective/request/ActiveSetBroadcast",
        "        return tag == UnsafeApi.getLong(base, message + RequestChannel.TAG) &&",
        "        return 0 <= UnsafeApi.getLong(base, message + RequestChannel.TAG) ||", LockstepSubject.ACTIVE_SETS),
    AREA_REUSED(
        "the area of a closed team is reused while members still store into it",
        "team/TeamSlots", "if (slot.isQuiet.getAsBoolean())", "if (null != slot.isQuiet)", LockstepSubject.TEAMS),
    AGREEMENT_NOT_DOUBLE(
        "successive heap calls share the payload of their agreement",
        "memory/AllocationConsensus", "descriptor.agreementPayloadOffset(call, round)",
        "descriptor.agreementPayloadOffset(0, round)", LockstepSubject.MEMORY),
    STAMPS_NOT_RENEWED(
        "the stamps of members that were long idle are not renewed",
        "collective/task/PeerMailboxes", "if (step >= refreshStep)", "if (step < 0)", LockstepSubject.WRAPS),
    SLOT_NUMBER_WRAPS(
        "the number of a slot is compared as an int",
        "collective/task/PeerMailboxes",
        "if (consumed > knownConsumed[rank])", "if ((int)consumed > (int)knownConsumed[rank])",
        LockstepSubject.WRAPS),
    PHASE_WITHOUT_LAST(
        "the last PE is not awaited when the PEs join",
        "transport/endpoint/PhaseBarrier",
        "phase(pe, phase);\n        int round = 0;\n        for (int peer = 0; peer < control.nPes(); peer++)",
        "phase(pe, phase);\n        int round = 0;\n        for (int peer = 0; peer < control.nPes() - 1; peer++)",
        LockstepSubject.WORDS),
    UNLOCK_COMPLETES_NOTHING(
        "unlock does not complete what its PE has put",
        "sync/Locks", "        context.quiet();\n", "", LockstepSubject.LOCKS, PlantedBugWorld.WEAK),
    BARRIER_COMPLETES_NOTHING(
        "a barrier does not complete what its PE has put",
        "sync/Barrier", "            endpoint.quietAll(callName);\n", "", LockstepSubject.MEMORY, PlantedBugWorld.WEAK),
    QUIET_COMPLETES_NOTHING(
        "a quiet waits for no PE",
        "rma/Completion", "                quietDirty(rank);\n", "", LockstepSubject.LOCKS, PlantedBugWorld.WEAK),
    UNLOCK_BEFORE_CUT_STREAMS(
        "unlock does not complete what is on its way on another stream",
        "sync/Locks", "        context.quiet();\n", "", LockstepSubject.LOCKS, PlantedBugWorld.CUTS),
    REFUSED_FRAME_SENT(
        "a frame counts as sent that a stream has no room for",
        "transport/aeron/MessageCounters",
        "if (result >= 0)", "if (result >= 0 || Publication.BACK_PRESSURED == result)",
        LockstepSubject.WORDS, PlantedBugWorld.CUTS),
    DEATH_OF_LAST_UNSEEN(
        "nobody watches the last PE",
        "transport/job/Liveness", "pe < isLocal.length; pe++", "pe < isLocal.length - 1; pe++",
        LockstepSubject.WORDS, PlantedBugWorld.DEATH),
    RETAINED_BEFORE_ALL_HAVE_PREPARED(
        "memory is retained before all PEs have prepared it",
        "memory/RetainedAllocations",
        "            world.barrier();\n            put(find(name).in(RetainedBlock.State.COMMITTED));",
        "            put(find(name).in(RetainedBlock.State.COMMITTED));", null, PlantedBugWorld.RECOVERY),
    RELEASED_BEFORE_ALL_ARE_ABOUT_TO(
        "memory is released before all PEs are about to",
        "memory/RetainedAllocations", "        world.barrier();\n        remove(name);", "        remove(name);",
        null, PlantedBugWorld.RECOVERY);

    private final String what;
    private final String file;
    private final String original;
    private final String replacement;
    /** Null if the world has a program of its own. */
    private final LockstepSubject subject;
    private final PlantedBugWorld worlds;

    PlantedBug(
        final String what,
        final String file,
        final String original,
        final String replacement,
        final LockstepSubject subject)
    {
        this(what, file, original, replacement, subject, PlantedBugWorld.MAPPED);
    }

    PlantedBug(
        final String what,
        final String file,
        final String original,
        final String replacement,
        final LockstepSubject subject,
        final PlantedBugWorld worlds)
    {
        this.what = what;
        this.file = file;
        this.original = original;
        this.replacement = replacement;
        this.subject = subject;
        this.worlds = worlds;
    }

    String what()
    {
        return what;
    }

    /** Returns the programs and worlds that find it. */
    String where()
    {
        final String program = null == subject ? "" : "`" + subject + "`";
        final String kind = worlds.toString();
        return program + (program.isEmpty() || kind.isEmpty() ? "" : ", ") + kind;
    }

    /** Returns whether a world of a seed finds the bug, in a copy of the library that has it. */
    LongPredicate plant()
    {
        final String module = file.startsWith("transport/") ? "../transport" : "../shmem-core";
        final Path source = Path.of(module, "src/main/java/io/aeroshmem", file + ".java");
        try
        {
            final Method run = new AlteredLibrary(Map.of(source.getFileName().toString(), altered(source)))
                .loadClass(PlantedBugWorld.class.getName())
                .getDeclaredMethod("run", String.class, String.class, long.class);
            run.setAccessible(true);
            return (seed) -> isFound(run, seed);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private String altered(final Path source)
    {
        return AlteredLibrary.replaceOnce(file, AlteredLibrary.read(source), original, replacement);
    }

    private boolean isFound(final Method run, final long seed)
    {
        try
        {
            run.invoke(null, worlds.name(), null == subject ? null : subject.name(), seed);
            return false;
        }
        catch (final InvocationTargetException ex)
        {
            return true;
        }
        catch (final IllegalAccessException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
