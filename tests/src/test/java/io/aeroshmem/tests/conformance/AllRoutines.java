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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.tests.fixture.RoutineSet;

/**
 * Every routine of the suite.
 */
public class AllRoutines extends RoutineSet
{
    public AllRoutines()
    {
        addMemory();
        addAccess();
        addAtomics();
        addSynchronisation();
        addTeams();
        new BulkRoutines().routines().forEach(this::add);
        addEdges();
        add("interleavings: oracle", Interleavings::shouldDoWhatTheOracleDoes);
    }

    private void addMemory()
    {
        add("memory: addresses", Memory::shouldAgreeOnAddresses);
        add("memory: nothing", Memory::shouldDoNothingForNothing);
        add("memory: calloc", Memory::shouldZeroWhatCallocGives);
        add("memory: align", Memory::shouldAlign);
        add("memory: realloc", Memory::shouldKeepContentsWhenReallocated);
        add("memory: hints", Memory::shouldTakeHints);
        add("memory: slices", Memory::shouldSlice);
        add("memory: exhaustion", Memory::shouldReportWhatIsFreeWhenExhausted);
        add("memory: churn", Memory::shouldSurviveChurn);
        add("memory: different sizes", Memory::shouldRejectDifferentSizesOnAllPes);
        add("memory: bad sizes", Memory::shouldThrowTheSameOnAllPesForBadSizes);
        add("memory: retained", Memory::shouldRetainByName);
        add("memory: bad names", Memory::shouldRejectWhatIsNotTheRetainedMemory);
        add("memory: lock of a dead holder", Memory::shouldResetALock);
        add("views: local", Views::shouldShowTheSameBytesInEveryLocalView);
        add("views: pointers", Views::shouldStoreThroughPointersWherePeersAreMapped);
    }

    private void addAccess()
    {
        add("elements: six types", SingleElements::shouldPutAndGetSixTypes);
        add("elements: odd offsets", SingleElements::shouldPutAndGetAtOddOffsets);
        add("elements: floating-point bits", SingleElements::shouldKeepBitsOfFloatingPointNumbers);
        add("elements: many", SingleElements::shouldSeeManySmallPutsAfterQuiet);
        add("blocks: put from symmetric memory", Blocks::shouldPutBlocksFromSymmetricMemory);
        add("blocks: put from local buffers", Blocks::shouldPutBlocksFromLocalBuffers);
        add("blocks: get to symmetric memory", Blocks::shouldGetBlocksToSymmetricMemory);
        add("blocks: get to local buffers", Blocks::shouldGetBlocksToLocalBuffers);
        add("blocks: putNbi", Blocks::shouldCompleteNonblockingPutsAtQuiet);
        add("blocks: getNbi", Blocks::shouldCompleteNonblockingGetsAtQuiet);
        add("blocks: many nonblocking", Blocks::shouldKeepManyNonblockingTransfersApart);
        add("blocks: requests of puts", Blocks::shouldCompletePutsByTheirRequests);
        add("blocks: requests of gets", Blocks::shouldCompleteGetsByTheirRequests);
        add("blocks: many requests", Blocks::shouldKeepManyRequestsApart);
        add("blocks: overlapping", Blocks::shouldCopyWithinOneselfEvenWhenOverlapping);
        add("strided: iput", Strided::shouldPutWithStrides);
        add("strided: iget", Strided::shouldGetWithStrides);
        add("strided: ibput", Strided::shouldPutBlocksWithStrides);
        add("strided: ibget", Strided::shouldGetBlocksWithStrides);
    }

    private void addAtomics()
    {
        add("atomics: model", Atomics::shouldDoWhatTheModelDoes);
        add("atomics: nonblocking", Atomics::shouldFetchWithoutBlocking);
        add("atomics: floating point", Atomics::shouldFetchSetAndSwapFloatingPoint);
        add("atomics: extremes of floating point", Atomics::shouldTakeExtremesOfFloatingPoint);
        add("atomics: contended", Atomics::shouldLoseNoContendedUpdate);
        add("atomics: against the owner", Atomics::shouldStayAtomicAgainstTheOwner);
    }

    private void addSynchronisation()
    {
        add("signals: put from symmetric memory", Signals::shouldPutWithSignalFromSymmetricMemory);
        add("signals: put from local buffers", Signals::shouldPutWithSignalFromLocalBuffers);
        add("signals: putSignalNbi", Signals::shouldPutWithSignalWithoutBlocking);
        add("signals: to all others", Signals::shouldPutWithSignalToAllOthers);
        add("signals: blocks to all others", Signals::shouldPutToAllOthers);
        add("signals: set and add", Signals::shouldSetAndAddSignals);
        add("signals: stream", Signals::shouldStreamPutsWithSignalsWithoutAcknowledgement);
        add("ordering: fence", Ordering::shouldOrderPutsByFence);
        add("ordering: fence of one PE", Ordering::shouldOrderPutsToOnePeByItsFence);
        add("ordering: quiet", Ordering::shouldCompleteAtQuiet);
        add("ordering: testQuiet", Ordering::shouldTestQuietUntilComplete);
        add("ordering: barrierAll", Ordering::shouldCompletePutsAtBarrier);
        add("ordering: barriers back to back", Ordering::shouldMeetInBarriersBackToBack);
        add("ordering: contexts", Ordering::shouldKeepContextsApart);
        add("ordering: closed context", Ordering::shouldCompleteWhatIsOutstandingWhenAContextIsClosed);
        add("waits: comparisons", Waits::shouldCompareAsJavaDoes);
        add("waits: for a peer", Waits::shouldWaitForAPeer);
        add("waits: timeout", Waits::shouldGiveUpAfterTheTimeGiven);
        add("waits: timeout of sets", Waits::shouldGiveUpSetsAfterTheTimeGiven);
        add("waits: sets within a time", Waits::shouldWaitForSetsWithinTheTimeGiven);
        add("waits: all", Waits::shouldWaitForAll);
        add("waits: any", Waits::shouldReportEveryIndexWaitedForAny);
        add("waits: some", Waits::shouldReportEveryIndexWaitedForSome);
        add("waits: tests", Waits::shouldTestAnyAndSome);
        add("waits: empty sets", Waits::shouldReturnAtOnceForEmptySets);
        add("waits: plain stores", Waits::shouldEndByPlainStoresOfAnotherThread);
        add("locks: lock", Locks::shouldExcludeOthersWhileHeld);
        add("locks: testLock", Locks::shouldExcludeOthersWhenTested);
        add("locks: held", Locks::shouldRejectALockThatIsHeld);
        add("locks: order", Locks::shouldBeTakenInTheOrderOfRequests);
    }

    private void addTeams()
    {
        add("teams: numbering", Teams::shouldNumberThePredefinedTeams);
        add("teams: translation", Teams::shouldTranslateOnlyMembers);
        add("teams: barrier and sync", Teams::shouldMeetInTeams);
        add("teams: contexts", Teams::shouldCountPesOfAContextInItsTeam);
    }

    private void addEdges()
    {
        add("edges: nothing", Edges::shouldMoveNothingAtTheEndOfABuffer);
        add("edges: bits", Edges::shouldKeepTheBitsOfWhatIsNoNumber);
        add("edges: signals", Edges::shouldTakeSignalsBelowZeroAndWrapThem);
        add("edges: arrays", Edges::shouldTouchOnlyThePartOfAnArrayThatABufferWraps);
        add("edges: long overlap", Edges::shouldCopyLongOverlappingBlocksWithinOneself);
        add("edges: slices", Edges::shouldEndSlicesWithTheirAllocationAndOnlyThen);
        add("edges: locks of freed memory", Edges::shouldLeaveNoHolderToTheLocksOfTheNextAllocation);
        add("edges: closed contexts", Edges::shouldCloseContextsAgainButNotTheDefaultOne);
        add("edges: signals to all others", Edges::shouldRejectTheSameInSignalsToAllOthers);
    }
}
