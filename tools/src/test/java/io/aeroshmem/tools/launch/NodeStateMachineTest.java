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
package io.aeroshmem.tools.launch;

import io.aeroshmem.Recovery;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import static io.aeroshmem.transport.job.JobFailure.Kind.DRIVER_DIED;
import static io.aeroshmem.transport.job.JobFailure.Kind.GLOBAL_EXIT;
import static io.aeroshmem.transport.job.JobFailure.Kind.LAUNCHER_DIED;
import static io.aeroshmem.transport.job.JobFailure.Kind.PE_DIED;
import static io.aeroshmem.transport.job.JobFailure.Kind.PE_FAILED;
import static io.aeroshmem.transport.job.JobFailure.Kind.RECOVERY_REQUESTED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Every decision of a launcher about the PEs of its host: exit codes, lines, signals and their times.
 */
class NodeStateMachineTest
{
    private static final int KILL = 137;
    private static final int TERM = 143;
    private static final int INT = 130;

    @Test
    void shouldExitWith0AfterAllPes()
    {
        final FakeNode node = running(3);
        for (int pe = 0; pe < 3; pe++)
        {
            assertFalse(node.machine.isOver());
            node.phase(pe, PePhase.CLOSED).ended(pe, 0).after(50);
            assertTrue(node.machine.hasEnded(pe));
        }

        assertTrue(node.machine.isOver());
        assertEquals(0, node.exitCode());
        assertEquals(List.of("150 print"), node.actions());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "7 | ended with exit code 7",
        "137 | was ended by signal 9 (SIGKILL)",
        "139 | was ended by signal 11 (SIGSEGV)",
        "255 | ended with exit code 255"
    })
    void shouldExitWithThatOfThePeThatFailed(final int code, final String how)
    {
        final FakeNode node = running(3).ended(1, code).after(400);
        node.ended(0, 1).ended(2, 1);

        assertEquals(code, node.exitCode());
        assertEquals(
            List.of("0 died 1 " + code, "0 hold 1", "400 print",
            "400 report PE 1 (pid 101) " + how + "; ending the other 2 PEs"),
            node.actions());
    }

    @Test
    void shouldCountThePesThatItEnds()
    {
        final FakeNode last = running(2).phase(0, PePhase.CLOSED).ended(0, 0).ended(1, 3);
        assertEquals(3, last.exitCode());
        assertEquals(List.of("PE 1 (pid 101) ended with exit code 3"), last.lines());

        final FakeNode first = running(2).ended(0, 3).ended(1, 1);
        assertEquals(3, first.exitCode());
        assertEquals(List.of("PE 0 (pid 100) ended with exit code 3; ending the other PE"), first.lines());
    }

    @ParameterizedTest
    @ValueSource(ints = {
        PePhase.RECORDED, PePhase.EXCHANGED, PePhase.LISTENING, PePhase.CONNECTED, PePhase.RUNNING, PePhase.FINALIZING,
        PePhase.CLOSING
    })
    void shouldFailIfAPeLeavesTheOthersWithExitCode0(final int phase)
    {
        final FakeNode node = running(2).phase(0, phase).ended(0, 0);
        node.ended(1, 1);

        assertEquals(ExitCode.FAILURE, node.exitCode());
        assertEquals(
            List.of("PE 0 (pid 100) ended with exit code 0 without closing its Shmem; ending the other PE"),
            node.lines());
    }

    @Test
    void shouldNotBlameAPeThatEndsWith0AfterTheFailureOfAnother()
    {
        final FakeNode node = running(3).failed(PE_FAILED, 2, -1, "PE 2: out of luck").ended(1, 0);
        assertEquals(List.of(), node.actions());
        node.ended(2, 1).ended(0, 1);

        assertEquals(ExitCode.FAILURE, node.exitCode());
        assertEquals(
            List.of("PE 2 (pid 102) ended with exit code 1; PE 2: out of luck; ending the other PE"), node.lines());
    }

    @Test
    void shouldNotRepeatTheDeathThatOthersDetectedFirst()
    {
        final FakeNode node = running(2).failed(PE_DIED, 1, -1, "PE 1 died: its lock is free").ended(1, 0);
        node.ended(0, 1);

        assertEquals(ExitCode.FAILURE, node.exitCode());
        assertEquals(
            List.of("PE 1 (pid 101) ended with exit code 0 without closing its Shmem; ending the other PE"),
            node.lines());
    }

    @ParameterizedTest
    @CsvSource({ "false, 1", "true, 1", "false, 2" })
    void shouldFailIfAPeNeverJoins(final boolean isKeepingGoing, final int absent)
    {
        final FakeNode node = new FakeNode(context(3).keepGoing(isKeepingGoing)).ended(absent, 0).after(1_000);
        assertEquals(List.of(), node.actions());
        node.phase(0, PePhase.RECORDED);

        final String line = "PE " + absent + " ended without joining the job that others joined";
        assertEquals(PE_DIED, node.failure().kind(), "the others cannot detect it");
        node.ended(0, 1).ended(3 - absent, 1);
        assertEquals(ExitCode.FAILURE, node.exitCode());
        assertEquals(line, node.lines().get(0).replace("; ending the other 2 PEs", ""));
        assertEquals(1, node.lines().stream().filter((each) -> each.startsWith(line)).count(), node::toString);
    }

    @Test
    void shouldNotMissAPeThatNeverJoinsIfNoneDoes()
    {
        final FakeNode node = new FakeNode(context(2)).ended(0, 0).ended(1, 0);

        assertEquals(0, node.exitCode());
        assertEquals(List.of(), node.lines());
    }

    @Test
    void shouldNameTheCauseOfAnException()
    {
        final FakeNode node =
            running(3).failed(PE_FAILED, 2, -1, "PE 2: IllegalStateException: nothing left").ended(2, 1);
        node.ended(0, 1).ended(1, 1);

        assertEquals(1, node.exitCode());
        assertEquals(
            List.of("PE 2 (pid 102) ended with exit code 1; PE 2: IllegalStateException: nothing left; " +
            "ending the other 2 PEs"),
            node.lines());
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2 })
    void shouldHoldTheTraceOfTheCauseWhoeverEndsFirst(final int first)
    {
        final FakeNode node = running(3).failed(PE_FAILED, 1, -1, "PE 1: out of luck").ended(first, 1);

        assertEquals("0 hold 1", node.actions().get(1));
        for (int pe = 0; pe < 3; pe++)
        {
            if (pe != first)
            {
                node.ended(pe, 1);
            }
        }

        node.exitCode();
        assertEquals("0 print", node.actions().get(2), "the traces are printed before the line of the launcher");
        assertEquals(4, node.actions().size(), node::toString);
    }

    @Test
    void shouldHoldTheTraceOfThePeThatEndsWhereNoneIsTheCause()
    {
        assertEquals("0 hold 1", running(2).failed(PE_FAILED, -1, -1, "no PE").ended(1, 1).actions().get(1));
    }

    @Test
    void shouldExitWithThatOfThePeThatTheJobFailedWith()
    {
        // PE 0 receives the failure of PE 1 at once and ends first, PE 1 later with another exit code
        final FakeNode node = running(3).failed(PE_FAILED, 1, -1, "PE 1: late").ended(0, 1).after(100);
        node.ended(1, 7).ended(2, 1);

        assertEquals(7, node.exitCode());
        assertEquals(
            List.of("PE 1 (pid 101) ended with exit code 7; PE 1: late; ending the other 2 PEs"), node.lines());
    }

    @Test
    void shouldNotExitWithItsOwnSignal()
    {
        final FakeNode node = running(2).failed(PE_FAILED, 1, -1, "PE 1: stuck").ended(0, 1).after(600);
        node.ended(1, TERM);

        assertEquals(1, node.exitCode(), "SIGTERM is from this launcher");
        assertTrue(
            node.lines().get(0).startsWith("PE 0 (pid 100) ended with exit code 1; PE 1: stuck"), node::toString);
    }

    @Test
    void shouldEndTheOthersInSteps()
    {
        final FakeNode node = running(2).after(1_000).ended(1, KILL).after(3_000);
        assertEquals("1500 TERMINATE", node.actions().get(2));
        assertEquals("3500 KILL", node.actions().get(3));
        assertEquals("3600 KILL", node.actions().get(4), "again, for a process that was started meanwhile");
        node.ended(0, KILL);

        assertEquals(KILL, node.exitCode());
        assertEquals(
            List.of("PE 1 (pid 101) was ended by signal 9 (SIGKILL); ending the other PE"), node.lines());
    }

    @Test
    void shouldLetTheOthersNoticeByThemselves()
    {
        final FakeNode node =
            new FakeNode(context(3).keepGoing(true)).all(PePhase.RUNNING).ended(2, KILL).after(60_000);
        assertEquals(List.of("0 report PE 2 (pid 102) was ended by signal 9 (SIGKILL)"), node.actions());
        node.failed(PE_DIED, 2, -1, "PE 2 died").ended(0, 1).ended(1, 1);

        assertEquals(KILL, node.exitCode());
        assertEquals(
            List.of("PE 2 (pid 102) was ended by signal 9 (SIGKILL)",
            "PE 0 (pid 100) ended with exit code 1; PE 2 died", "PE 1 (pid 101) ended with exit code 1; PE 2 died"),
            node.lines());
    }

    @ParameterizedTest
    @CsvSource({ "0, 0, 0", "7, 7, 1", "255, 255, 1", "256, 1, 1", "-1, 255, 1" })
    void shouldExitWithTheStatusOfAGlobalExit(final int status, final int exitCode, final int lines)
    {
        final FakeNode node = running(3).failed(GLOBAL_EXIT, 1, status, "globalExit(" + status + ")").after(2_000);
        node.ended(1, 3).ended(0, KILL).ended(2, 0);

        assertEquals(exitCode, node.exitCode());
        assertEquals(
            1 == lines ? List.of("globalExit(" + status + "); ending the job") : List.of(), node.lines());
        assertEquals(List.of("500 TERMINATE", "1500 KILL"),
            node.actions().stream().filter((each) -> each.contains("TERM") || each.contains("1500 KILL")).toList());
    }

    @Test
    void shouldExitWithTheStatusThatIsGivenAfterATimeoutOrTheEndOfAPe()
    {
        final FakeNode timedOut = new FakeNode(context(2).timeout(Duration.ofSeconds(1))).all(PePhase.RUNNING)
            .after(1_000).failed(GLOBAL_EXIT, 0, 5, "globalExit(5)");
        timedOut.ended(0, 5).ended(1, TERM);
        assertEquals(5, timedOut.exitCode());
        assertEquals(1, timedOut.lines().size(), timedOut::toString);
    }

    @Test
    void shouldEndAJobThatTakesTooLong()
    {
        final FakeNode node = new FakeNode(context(3).timeout(Duration.ofSeconds(2))).all(PePhase.RUNNING)
            .phase(2, PePhase.CLOSED).ended(2, 0).after(6_000);
        node.ended(0, KILL).ended(1, TERM);

        assertEquals(ExitCode.TIMEOUT, node.exitCode());
        assertEquals(
            List.of("2000 describe the job did not end within 2s (--timeout); ending its 2 PEs", "2000 TERMINATE",
            "4000 KILL"),
            node.actions().subList(0, 3));
        assertEquals(1, node.lines().size(), node::toString);
    }

    @Test
    void shouldExitWithTheFirstOfAFailureAndATimeout()
    {
        final FakeNode node = new FakeNode(context(2).timeout(Duration.ofSeconds(2))).all(PePhase.RUNNING)
            .after(1_900).ended(0, 9).after(3_000);
        node.ended(1, KILL);
        assertEquals(9, node.exitCode());
        assertEquals(1, node.lines().size(), node::toString);

        final FakeNode keepingGoing = new FakeNode(context(2).keepGoing(true).timeout(Duration.ofSeconds(2)))
            .all(PePhase.RUNNING).after(1_900).ended(0, 9).after(3_000);
        keepingGoing.ended(1, KILL);
        assertEquals(ExitCode.TIMEOUT, keepingGoing.exitCode());
    }

    @ParameterizedTest
    @CsvSource({ "130, 0", "143, 137", "130, 143" })
    void shouldExitWithTheCodeOfASignal(final int code, final int peCode)
    {
        final FakeNode node = running(2);
        node.machine.onSignal(code);
        assertEquals(List.of("0 drop"), node.actions());
        node.ended(0, peCode).ended(1, peCode);

        assertEquals(code, node.exitCode());
        assertEquals(List.of("0 drop"), node.actions(), "the line of the signal handler is the only one");
    }

    @Test
    void shouldEndLivePesWhenItCloses()
    {
        final FakeNode node = running(2);
        node.machine.onClosing();
        assertTrue(node.machine.isOver());
        node.machine.onClose(true);

        assertEquals(
            List.of("0 drop", "0 fail 0 LAUNCHER_DIED the launcher is ending the job"), node.actions());
        node.ended(0, TERM).ended(1, 1);
        assertEquals(List.of(), node.lines());

        final FakeNode ended = running(1);
        ended.machine.onClose(false);
        assertEquals(List.of(), ended.actions());
    }

    @Test
    void shouldReportNoFailureWhenItIsInterruptedWithItsPes()
    {
        final FakeNode node = running(3).ended(1, INT).ended(0, 1).after(200);
        assertFalse(node.machine.hasEnded(1), "the end may be that of all");
        assertEquals(NodeStateMachine.LEFT_POLL_MS, node.machine.pollMs(0));
        node.machine.onSignal(INT);
        node.ended(2, INT);

        assertTrue(node.machine.isOver());
        assertEquals(INT, node.exitCode());
        assertEquals(List.of("200 drop"), node.actions());
    }

    @Test
    void shouldReportAPeThatAloneIsInterrupted()
    {
        final FakeNode node = running(3).ended(1, INT).ended(0, 1).after(290);
        assertEquals(List.of(), node.actions());
        node.after(10);
        assertEquals(List.of("300 died 1 130", "300 hold 1"), node.actions());
        node.ended(2, 1);

        assertEquals(INT, node.exitCode());
        assertEquals(
            List.of("PE 1 (pid 101) was ended by signal 2 (SIGINT); ending the other 2 PEs"), node.lines());
    }

    @ParameterizedTest
    @CsvSource({ "false, 1", "true, 1" })
    void shouldReportOnceThatJvmsRefuseAnOption(final boolean isKeepingGoing, final int exitCode)
    {
        final FakeNode node =
            new FakeNode(context(3).keepGoing(isKeepingGoing).jvmOptions(List.of("-XX:Foo", "-Da=b")));
        for (int pe = 0; pe < 3; pe++)
        {
            node.ended(pe, 1, "Unrecognized VM option 'Foo'");
        }

        assertEquals(exitCode, node.exitCode());
        assertEquals(
            List.of("the JVM of PE 0 did not start: Unrecognized VM option 'Foo' (-J-XX:Foo)"),
            node.lines().stream().map((line) -> line.replace("; ending the other 2 PEs", "")).toList());
    }

    @Test
    void shouldReportAnOptionThatOnePeRefuses()
    {
        final FakeNode node = new FakeNode(context(2).jvmOptions(List.of("-Xss{pe}t")));
        node.ended(1, 1, "Invalid thread stack size").after(500).ended(0, TERM);

        assertEquals(1, node.exitCode());
        assertEquals(
            List.of("the JVM of PE 1 did not start: Invalid thread stack size (-J-Xss{pe}t); ending the other PE"),
            node.lines());
    }

    @ParameterizedTest
    @CsvSource({ "true, 4, 4", "false, 3, 3" })
    void shouldEndWithTheFailureOfAnotherNode(final boolean isReportedFirst, final int code, final int expected)
    {
        final FakeNode node = new FakeNode(context(3), 1, 2, " on hostb").all(PePhase.RUNNING);
        if (isReportedFirst)
        {
            node.failed(PE_DIED, 0, 9, "PE 0 died on hosta");
        }

        node.ended(2, code).after(700).ended(1, TERM);

        assertEquals(expected, node.exitCode());
        assertEquals(
            isReportedFirst ? List.of("500 TERMINATE", "700 print") : List.of("0 died 2 3", "0 hold 2",
            "500 TERMINATE", "700 print",
            "700 report PE 2 (pid 102 on hostb) ended with exit code 3; ending the other 2 PEs"),
            node.actions());
    }

    @Test
    void shouldKeepGoingAfterTheFailureOfAnotherNode()
    {
        final FakeNode node = new FakeNode(context(3).keepGoing(true), 1, 2, " on hostb").all(PePhase.RUNNING)
            .failed(PE_DIED, 0, 9, "PE 0 died on hosta").after(10_000);
        assertEquals(List.of(), node.actions());
        node.ended(1, 1);

        assertEquals(List.of("PE 1 (pid 101 on hostb) ended with exit code 1; PE 0 died on hosta"), node.lines());
    }

    @Test
    void shouldLeaveTheLineOfAGlobalExitToTheNodeOfItsPe()
    {
        final FakeNode node = new FakeNode(context(3), 1, 2, " on hostb").all(PePhase.RUNNING)
            .failed(GLOBAL_EXIT, 0, 6, "globalExit(6)");
        node.ended(1, 6).ended(2, 6);

        assertEquals(6, node.exitCode());
        assertEquals(List.of(), node.lines());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "the launcher on hosta is ending the job | drop",
        "the job did not end within 4s (--timeout) | describe null",
        "lost PE 0 on hosta: the connection ended with exit code 255 | ''"
    })
    void shouldEndWhenTheLauncherOfTheJobOrAnotherHostIsLost(final String message, final String action)
    {
        for (final boolean isKeepingGoing : new boolean[]{ false, true })
        {
            final FakeNode node = new FakeNode(context(3).keepGoing(isKeepingGoing), 1, 2, " on hostb")
                .all(PePhase.RUNNING).failed(LAUNCHER_DIED, -1, 1, message).after(3_000);

            final List<String> actions = node.actions();
            final int first = action.isEmpty() ? 0 : 1;
            assertEquals(action.isEmpty() ? List.of() : List.of("0 " + action), actions.subList(0, first));
            assertEquals(List.of("500 TERMINATE", "2500 KILL"), actions.subList(first, first + 2));
        }
    }

    @Test
    void shouldNameTheHostOfAPeThatNeverJoins()
    {
        final FakeNode node = new FakeNode(context(3), 1, 2, " on hostb").ended(1, 0).phase(0, PePhase.RECORDED);
        node.ended(2, 1);

        assertEquals(ExitCode.FAILURE, node.exitCode());
        assertEquals(
            List.of("PE 1 on hostb ended without joining the job that others joined; ending the other 2 PEs"),
            node.lines());
    }

    @Test
    void shouldExitWith0IfTheFailedJobHasASuccessorThatEndsWell()
    {
        final FakeNode node = running(2).failed(PE_FAILED, 1, -1, "PE 1: a bad day").all(PePhase.CLOSED).succeeded();
        node.all(PePhase.RUNNING).all(PePhase.CLOSED).ended(0, 0).ended(1, 0);

        assertEquals(0, node.exitCode());
        assertEquals(List.of(), node.lines());
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldFailIfAPeEndsAndOthersInitialiseAgain(final boolean isKeepingGoing)
    {
        final FakeNode node = new FakeNode(context(3).keepGoing(isKeepingGoing)).all(PePhase.CLOSED).succeeded();
        node.ended(1, 0).phase(0, PePhase.RECORDED);

        assertTrue(node.failure().message().contains(
            "PE 1 ended without joining the next job, which others joined after they had closed one"), node::toString);
        if (isKeepingGoing)
        {
            // the next one lacks the PE too
            node.phase(2, PePhase.RECORDED).all(PePhase.CLOSED).succeeded().phase(0, PePhase.RECORDED);
            assertEquals(PE_DIED, node.failure().kind());
        }

        node.ended(0, 1).ended(2, 1);
        assertEquals(ExitCode.FAILURE, node.exitCode());
    }

    @Test
    void shouldFailIfAPeEndsInTheNextJobWithoutClosingIt()
    {
        final FakeNode node = running(3).all(PePhase.CLOSED).succeeded().all(PePhase.RUNNING).ended(2, 0);
        node.ended(0, 1).ended(1, 1);

        assertEquals(ExitCode.FAILURE, node.exitCode());
        assertEquals(
            List.of("PE 2 (pid 102) ended with exit code 0 without closing its Shmem; ending the other 2 PEs"),
            node.lines());
    }

    @Test
    void shouldExitWithTheStatusOfAGlobalExitInTheNextJob()
    {
        final FakeNode node = running(2).all(PePhase.CLOSED).succeeded().failed(GLOBAL_EXIT, 1, 9, "globalExit(9)");
        node.ended(0, 0).ended(1, 9);

        assertEquals(9, node.exitCode());
    }

    /** A process that calls globalExit after the close ends with the status, and the job of the others lacks it. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldExitWithTheStatusOfAGlobalExitBetweenTwoJobs(final boolean isBeforeTheNext)
    {
        final FakeNode node = running(3).all(PePhase.CLOSED);
        (isBeforeTheNext ? node.ended(1, 9).succeeded() : node.succeeded().ended(1, 9)).phase(0, PePhase.RECORDED);
        node.ended(0, 1).ended(2, 1);

        assertEquals(9, node.exitCode());
        assertEquals(List.of("PE 1 (pid 101) ended with exit code 9; ending the other 2 PEs"), node.lines());
    }

    @Test
    void shouldBeFollowedByAnotherGenerationAfterTheDeathOfAPe()
    {
        final FakeNode node = recovering(3).ended(1, KILL);
        assertNull(node.recoverable(), "two processes of this generation are alive");
        node.ended(0, 1).ended(2, 0);

        assertEquals("PE 1 (pid 101) was ended by signal 9 (SIGKILL)", node.recoverable());
        assertEquals(KILL, node.exitCode());
        assertEquals(List.of("0 died 1 137", "0 hold 1", "0 print"), node.actions());
    }

    @ParameterizedTest
    @CsvSource({ "PE_FAILED, 0", "PE_FAILED, 1", "RECOVERY_REQUESTED, 0", "PROTOCOL, 0", "MISMATCH, 0" })
    void shouldEndAllPesOfAGenerationThatHasFailed(final JobFailure.Kind kind, final int code)
    {
        final FakeNode node = recovering(3).failed(kind, 1, -1, "PE 1: no more").ended(1, code).after(3_000);
        assertTrue(node.actions().containsAll(List.of("500 TERMINATE", "2500 KILL")), node::toString);
        node.ended(0, TERM).ended(2, KILL);

        assertEquals(0 == code ? "PE 1: no more" : "PE 1 (pid 101) ended with exit code 1; PE 1: no more",
            node.recoverable());
        node.exitCode();
        assertEquals(List.of(), node.lines());
    }

    @Test
    void shouldBeFollowedIfAllPesSurviveTheFailure()
    {
        final FakeNode node = recovering(2).failed(RECOVERY_REQUESTED, 1, -1, "PE 1 requested a recovery");
        node.all(PePhase.FAILED).ended(0, 0).ended(1, 0);

        assertEquals("PE 1 requested a recovery", node.recoverable());
    }

    @ParameterizedTest
    @ValueSource(ints = { PePhase.ABSENT, PePhase.RECORDED, PePhase.CONNECTED, PePhase.FINALIZING })
    void shouldBeFollowedAfterAFailureAtAnyTimeBeforeAPeLeaves(final int phase)
    {
        final FakeNode node = new FakeNode(recoverable(2)).all(phase).ended(1, KILL).ended(0, 1);

        assertEquals("PE 1 (pid 101) was ended by signal 9 (SIGKILL)", node.recoverable());
    }

    @Test
    void shouldBeFollowedIfAPeDoesNotJoin()
    {
        final FakeNode node = new FakeNode(recoverable(2)).ended(1, 0).phase(0, PePhase.RECORDED).ended(0, 1);

        assertEquals("PE 1 ended without joining the job that others joined", node.recoverable());
    }

    @Test
    void shouldNotBeFollowedAfterAPeHasLeft()
    {
        final FakeNode node = recovering(3).phase(0, PePhase.CLOSED).ended(1, KILL);
        node.phase(2, PePhase.FAILED).ended(2, 1).ended(0, 0);

        assertNull(node.recoverable());
        assertEquals(KILL, node.exitCode());
        assertEquals(
            List.of("PE 1 (pid 101) was ended by signal 9 (SIGKILL); ending the other 2 PEs"), node.lines());
    }

    @Test
    void shouldNotBeFollowedIfAPeHasLeftSinceTheLastPoll()
    {
        final FakeNode node = recovering(2);
        final JobFailure death = new JobFailure(PE_DIED, 1, KILL, "PE 1 died");
        node.machine.onJob(0, death, PePhase.CLOSED, PePhase.CLOSING);
        node.ended(1, KILL).ended(0, 0);

        assertNull(node.machine.recoverable(death));
        final FakeNode survivor = recovering(2);
        survivor.machine.onJob(0, death, PePhase.FAILED, PePhase.CLOSING);
        survivor.ended(1, KILL).ended(0, 0);
        assertEquals("PE 1 (pid 101) was ended by signal 9 (SIGKILL)", survivor.machine.recoverable(death));
    }

    @Test
    void shouldBeFollowedAfterAFailureOfTheNextJobOfTheSameProcesses()
    {
        final FakeNode node = recovering(2).all(PePhase.CLOSED).succeeded().all(PePhase.RUNNING);
        node.ended(1, 3).ended(0, 1);

        assertEquals("PE 1 (pid 101) ended with exit code 3", node.recoverable());
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldNotBeFollowedAfterTheEndOfADriverThatIsNotItsOwn(final boolean isOwn)
    {
        final FakeNode node = recovering(2);
        if (isOwn)
        {
            node.machine.onDriver();
        }

        node.failed(DRIVER_DIED, 1, -1, "the media driver has ended").ended(0, 1).ended(1, 1);

        assertEquals(isOwn ? "PE 1 (pid 101) ended with exit code 1; the media driver has ended" : null,
            node.recoverable(), node::toString);
    }

    @Test
    void shouldNotBeFollowedAfterAnEndOnPurpose()
    {
        final FakeNode exit = recovering(2).failed(GLOBAL_EXIT, 1, 0, "globalExit(0)").ended(0, 0).ended(1, 0);
        assertNull(exit.recoverable());
        final FakeNode timeout =
            new FakeNode(recoverable(2).timeout(Duration.ofSeconds(1))).all(PePhase.RUNNING).after(2_000);
        assertNull(timeout.ended(0, TERM).ended(1, TERM).recoverable());
        final FakeNode launcher = recovering(2).failed(LAUNCHER_DIED, -1, 1, "the launcher").ended(0, 1).ended(1, 1);
        assertNull(launcher.recoverable());
        final FakeNode signal = recovering(2);
        signal.machine.onSignal(TERM);
        assertNull(signal.ended(0, TERM).ended(1, TERM).recoverable());
        final FakeNode closed = recovering(2).ended(0, KILL);
        closed.machine.onClose(true);
        assertNull(closed.ended(1, TERM).recoverable());
        assertNull(recovering(2).ended(0, 0).ended(1, 0).phase(0, PePhase.ABSENT).machine.recoverable(null));
    }

    @Test
    void shouldNotBeFollowedIfAJvmRefusesItsOptions()
    {
        final FakeNode node = new FakeNode(recoverable(2)).ended(0, 1, "Unrecognized VM option 'Foo'");
        node.ended(1, 1, "Unrecognized VM option 'Foo'");

        assertNull(node.recoverable());
        node.exitCode();
        assertEquals(1, node.lines().size(), node::toString);
    }

    @Test
    void shouldNotBeFollowedWithoutRecovery()
    {
        assertNull(running(2).ended(0, KILL).ended(1, 1).recoverable());
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2 })
    void shouldReplaceAPeThatHasDied(final int lost)
    {
        final FakeNode node = replacing(3).ended(lost, KILL).after(1);
        assertTrue(node.machine.isOver(), node::toString);
        assertEquals("PE " + lost + " (pid 10" + lost + ") was ended by signal 9 (SIGKILL)", node.recoverable());
        node.exitCode();

        node.next().all(PePhase.RUNNING).after(60_000);
        assertFalse(node.machine.isOver());
        assertEquals(List.of("0 died " + lost + " 137", "0 hold " + lost, "1 start " + lost), node.actions());
        for (int pe = 0; pe < 3; pe++)
        {
            node.phase(pe, PePhase.CLOSED).ended(pe, 0);
        }

        assertTrue(node.machine.isOver());
        assertEquals(0, node.exitCode());
    }

    @ParameterizedTest
    @CsvSource({ "PE_FAILED, 500", "PE_DIED, 500", "RECOVERY_REQUESTED, 0", "MISMATCH, 0", "PROTOCOL, 0" })
    void shouldWaitForTheEndOfAPeOnlyIfItIsLost(final JobFailure.Kind kind, final int waitMs)
    {
        final FakeNode node = replacing(2).failed(kind, 1, -1, "PE 1: no more");
        node.after(Math.max(0, waitMs - 1));
        assertEquals(0 == waitMs, node.machine.isOver());
        assertFalse(node.machine.isLast(), "processes go on");
        node.after(100);
        assertTrue(node.machine.isOver());
        assertEquals("PE 1: no more", node.recoverable());

        node.next();
        assertEquals(PE_DIED == kind, node.hasDone("kill 1"), "others take it for dead");
        assertFalse(node.hasDone("start 1"));
        final FakeNode ended = replacing(2).failed(kind, 1, -1, "PE 1: no more").ended(1, 1);
        assertTrue(ended.machine.isOver());
    }

    @Test
    void shouldReplaceAllPesThatEndUntilTheyJoin()
    {
        final FakeNode node = replacing(4).ended(1, KILL).ended(2, KILL).after(1).next();
        assertTrue(node.hasDone("start 1") && node.hasDone("start 2") && !node.hasDone("start 3"), node::toString);
        node.phase(0, PePhase.RECORDED).ended(3, KILL).started().after(5_000);

        assertTrue(node.hasDone("start 3"), node::toString);
        assertNull(node.failure(), "no failure of this generation");
        node.ended(0, KILL).after(1);
        assertEquals("PE 0 (pid 100) was ended by signal 9 (SIGKILL)", node.recoverable(), "it had joined");
    }

    @Test
    void shouldStartAllPesIfAllAreLost()
    {
        final FakeNode node = replacing(2).ended(0, KILL).ended(1, KILL);
        assertTrue(node.machine.isOver());
        assertEquals("PE 0 (pid 100) was ended by signal 9 (SIGKILL)", node.recoverable());

        node.next();
        assertTrue(node.hasDone("start 0") && node.hasDone("start 1"), node::toString);
        assertFalse(node.machine.isOver());
    }

    @Test
    void shouldCountTheEndOfAReplacementThatDoesNotJoin()
    {
        final FakeNode failed = replacing(2).ended(1, KILL).after(1).next().ended(1, 1).after(1);
        assertEquals("PE 1 (pid 201) ended with exit code 1", failed.recoverable());

        final FakeNode ended = replacing(2).ended(1, KILL).after(1).next().phase(0, PePhase.RECORDED).ended(1, 0);
        assertEquals("PE 1 ended without joining the job that others joined", ended.after(1).recoverable());
    }

    @Test
    void shouldCountAReplacementThatCannotBeStarted()
    {
        final FakeNode node = replacing(3).ended(1, KILL).after(1).nextWithout(1, "no more processes").after(1);
        assertTrue(node.machine.isOver());
        assertEquals("PE 1 cannot be started: no more processes", node.recoverable());
        assertFalse(node.hasDone("kill 0"), node::toString);
        assertFalse(node.hasDone("TERMINATE"), node::toString);

        node.next().all(PePhase.RUNNING).after(60_000);
        assertTrue(node.hasDone("start 1"), node::toString);
        assertFalse(node.machine.isOver());
    }

    @Test
    void shouldEndAPeThatDoesNotJoinInTime()
    {
        final FakeNode node = replacing(3).ended(1, KILL).after(1).next().phase(1, PePhase.RECORDED).after(9_900);
        assertFalse(node.hasDone("kill 0"), node::toString);
        node.phase(0, PePhase.RECORDED).after(300);

        assertEquals(List.of("PE 2 (pid 102) did not join generation 1 within 10000 ms" +
            " (aeroshmem.recovery.join.timeout); replacing it"), node.lines());
        assertFalse(node.hasDone("kill 0"), node::toString);
        node.ended(2, KILL).started().after(20_000);
        assertTrue(node.hasDone("start 2"), node::toString);
        assertNull(node.failure());
        assertEquals(1, node.lines().size(), "a new process has no such limit");
    }

    @Test
    void shouldGoOnFromAGenerationThatFailsWhilePesJoinIt()
    {
        final FakeNode node = replacing(3).ended(1, KILL).after(1).next();
        node.phase(0, PePhase.RECORDED).ended(0, KILL).after(1);
        assertTrue(node.machine.isOver());
        assertTrue(node.machine.isAwaited(2) && !node.machine.isAwaited(1), "it needs the directory that it has left");

        node.next();
        assertTrue(node.hasDone("start 0"), node::toString);
        assertTrue(node.machine.isAwaited(2) && node.machine.isAwaited(1), node::toString);
        node.all(PePhase.RUNNING);
        assertFalse(node.machine.isAwaited(2) || node.machine.isAwaited(1), node::toString);
    }

    @Test
    void shouldEndThePesAfterAFailureThatNoGenerationFollows()
    {
        final FakeNode left = replacing(3).phase(0, PePhase.CLOSED).ended(0, 0).ended(1, KILL).after(3_000);
        assertTrue(left.machine.isLast());
        assertTrue(left.hasDone("TERMINATE") && left.hasDone("KILL"), left::toString);
        left.ended(2, KILL);
        assertEquals(KILL, left.exitCode());
        assertEquals(List.of("PE 1 (pid 101) was ended by signal 9 (SIGKILL); ending the other PE"), left.lines());

        final FakeNode exit = replacing(2).failed(GLOBAL_EXIT, 1, 0, "globalExit(0)");
        assertTrue(exit.machine.isLast() && !exit.machine.isOver());
        final FakeNode refused = replacing(2).ended(1, KILL).after(1).next().ended(1, 1, "no memory").after(3_000);
        assertTrue(refused.machine.isLast() && refused.hasDone("KILL"), refused::toString);
        final FakeNode next = replacing(2).all(PePhase.CLOSED).succeeded().all(PePhase.RUNNING).ended(1, KILL);
        assertTrue(next.after(1).machine.isLast(), "a process does not run again what it has completed");
    }

    @Test
    void shouldEndThePesAfterTheMostRecoveries()
    {
        final FakeNode node = replacing(2).ended(1, KILL).after(1);
        node.exitCode();
        node.machine.onLast(1_000_000);
        assertTrue(node.machine.isLast() && !node.machine.isOver());
        node.after(3_000);
        assertTrue(node.hasDone("501 TERMINATE") && node.hasDone("2501 KILL"), node::toString);
        node.ended(0, TERM);

        assertEquals(KILL, node.exitCode());
        assertEquals(List.of(), node.lines());
    }

    /** PEs 1 and 2 are here. The launcher of the lost PE knows when its process has ended. */
    @ParameterizedTest
    @EnumSource(value = JobFailure.Kind.class, names = { "PE_DIED", "PE_FAILED", "RECOVERY_REQUESTED", "PROTOCOL" })
    void shouldGoOnAtOnceAfterAFailureOnAnotherNode(final JobFailure.Kind kind)
    {
        final FakeNode node = replacingHere().failed(kind, 0, -1, "PE 0: no more");
        assertTrue(node.machine.isOver(), node::toString);
        assertEquals("PE 0: no more", node.recoverable());
        assertFalse(node.machine.isLast(), "processes go on");

        node.next().all(PePhase.RUNNING).after(60_000);
        assertFalse(node.machine.isOver());
        assertEquals(List.of(), node.actions());
    }

    @Test
    void shouldReplaceAPeThatEndsWhileThoseOfOtherNodesAreReplaced()
    {
        final FakeNode node = replacingHere().failed(PE_DIED, 0, -1, "PE 0 died").ended(2, KILL).next();
        assertEquals(List.of("0 start 2"), node.actions());

        node.ended(1, KILL).started().after(1);
        assertTrue(node.hasDone("start 1"), node::toString);
        assertNull(node.failure());
    }

    /** Each node may have detected the death of one of its own PEs. */
    @Test
    void shouldEndThePeThatAnotherNodeTakesForDead()
    {
        final FakeNode node = replacingHere().failed(PE_DIED, 1, -1, "PE 1 is silent").after(500);
        node.machine.onGeneration(1, node.failure(), new JobFailure(PE_DIED, 0, -1, "PE 0 died"));
        assertTrue(node.hasDone("kill 1") && !node.hasDone("kill 0"), node::toString);
        final FakeNode other = replacingHere().failed(PE_DIED, 0, -1, "PE 0 died");
        other.machine.onGeneration(1, other.failure(), new JobFailure(PE_DIED, 2, -1, "PE 2 is silent"));

        assertTrue(other.hasDone("kill 2"), other::toString);
    }

    @Test
    void shouldKeepADirectoryThatThePesOfAnotherLauncherMayHaveToRead()
    {
        final FakeNode node = replacingHere().failed(PE_DIED, 0, -1, "PE 0 died").next();
        node.phase(1, PePhase.RUNNING).phase(2, PePhase.RUNNING);
        assertTrue(node.machine.isAwaited(0) && !node.machine.isAwaited(1) && !node.machine.isAwaited(2));

        assertFalse(node.phase(0, PePhase.RUNNING).machine.isAwaited(0));
    }

    @Test
    void shouldEndThePesHereAfterAFailureOnAnotherNodeThatNoGenerationFollows()
    {
        final FakeNode left = replacingHere().phase(1, PePhase.CLOSED).failed(PE_DIED, 0, -1, "PE 0 died").after(600);
        assertTrue(left.machine.isLast() && !left.machine.isOver() && left.hasDone("500 TERMINATE"), left::toString);
        final FakeNode last = replacingHere().failed(PE_DIED, 0, -1, "PE 0 died");
        last.machine.onLast(0);

        assertTrue(last.after(600).hasDone("500 TERMINATE") && !last.machine.isOver(), last::toString);
    }

    @Test
    void shouldReplaceNoneAfterASignal()
    {
        final FakeNode node = replacing(3).ended(1, INT).after(100);
        assertFalse(node.machine.isOver());
        node.machine.onSignal(INT);
        assertTrue(node.ended(0, INT).ended(2, INT).machine.isOver());
        assertNull(node.recoverable());
        assertEquals(INT, node.exitCode());
    }

    @Test
    void shouldGoOnWithoutThePesThatAreLost()
    {
        final FakeNode node = shrinking(4).ended(1, KILL).after(5);
        assertFalse(node.machine.isOver(), "others may have died with it");
        node.ended(2, KILL).after(30);
        assertTrue(node.machine.isOver());
        assertEquals("PE 1 (pid 101) was ended by signal 9 (SIGKILL)", node.recoverable());

        assertEquals(Map.of(1, KILL, 2, KILL), node.machine.lost());
        assertArrayEquals(new int[]{ 0, 3 }, node.resized());
        assertEquals(Map.of(), node.machine.lost());
        node.all(PePhase.RUNNING).after(60_000);
        assertFalse(node.hasDone("start 1"), node::toString);
        assertFalse(node.machine.isOver());
        node.ended(1, KILL).after(30);
        assertEquals("PE 1 (pid 103) was ended by signal 9 (SIGKILL)", node.recoverable(), "its number is another one");
        assertArrayEquals(new int[]{ 0 }, node.resized());
        node.all(PePhase.CLOSED).ended(0, 0);
        assertTrue(node.machine.isOver());
        assertEquals(0, node.exitCode());
        assertEquals(List.of(), node.lines());
    }

    @Test
    void shouldFailWithoutAPeThatDoesNotJoinTheSmallerGeneration()
    {
        final FakeNode node = shrinking(4).ended(0, KILL).after(30);
        node.resized();
        node.phase(0, PePhase.RECORDED).ended(1, KILL).after(30);
        assertEquals("PE 1 (pid 102) was ended by signal 9 (SIGKILL)", node.recoverable());
        assertArrayEquals(new int[]{ 0, 2 }, node.resized());

        node.phase(0, PePhase.RECORDED).after(10_200);
        assertTrue(node.hasDone("kill 1"), node::toString);
        node.ended(1, KILL).after(30);
        assertArrayEquals(new int[]{ 0 }, node.resized());
    }

    @Test
    void shouldNotNameThePesThatItEndsAmongTheLost()
    {
        final FakeNode node = recovering(4).ended(1, KILL).after(100).ended(2, KILL).ended(0, 1).after(3_000);
        node.ended(3, KILL);

        assertTrue(node.hasDone("KILL"), node::toString);
        assertEquals(Map.of(1, KILL, 2, KILL), node.machine.lost());
    }

    @Test
    void shouldExcludeAPeThatTheOthersTakeForDead()
    {
        final FakeNode node = shrinking(3).failed(PE_DIED, 1, -1, "PE 1 is silent").after(600);
        assertTrue(node.machine.isOver());
        assertArrayEquals(new int[]{ 0, 2 }, node.resized());
        assertTrue(node.hasDone("kill 1"), node::toString);
        final FakeNode requested = shrinking(3).failed(RECOVERY_REQUESTED, 1, -1, "PE 1: once more").after(30);
        assertArrayEquals(new int[]{ 0, 1, 2 }, requested.resized());
    }

    /** PEs 3 to 5 of 6 are here; the others are PEs 0 and 1 of the next generation. */
    @Test
    void shouldGoOnWithThePesThatAreLeftOnAHost()
    {
        final FakeNode node = new FakeNode(
            context(6).recovery(Recovery.SHRINK, 8, Long.MAX_VALUE, Long.MAX_VALUE),
            3, 3, " on hostb").all(PePhase.RUNNING);
        node.ended(4, KILL).after(30);
        assertTrue(node.machine.isOver());
        assertArrayEquals(new int[]{ 3, 5 }, node.machine.nextPes(node.failure()));
        node.resized(2, 4, 3, 5).all(PePhase.RUNNING).ended(3, KILL).after(30);
        assertEquals("PE 3 (pid 105 on hostb) was ended by signal 9 (SIGKILL)", node.recoverable());
        node.resized(0, 2, 2).all(PePhase.RUNNING).failed(PE_DIED, 1, -1, "PE 1 elsewhere died").after(30);
        assertArrayEquals(new int[]{ 0 }, node.machine.nextPes(node.failure()));

        node.resized(0, 1, 0).all(PePhase.RUNNING).ended(0, KILL);
        assertTrue(node.machine.isOver());
        assertEquals("PE 0 (pid 103 on hostb) was ended by signal 9 (SIGKILL)", node.recoverable(),
            "another host may have PEs left");
        assertArrayEquals(new int[0], node.machine.nextPes(node.failure()));
    }

    @Test
    void shouldEndWithItsLastPe()
    {
        final FakeNode node = shrinking(2).ended(0, KILL).ended(1, 3);
        assertNull(node.recoverable());
        assertEquals(KILL, node.exitCode());
    }

    @Test
    void shouldReplaceAPeByACommand()
    {
        final FakeNode node = replacing(3);
        assertNull(node.machine.replaceProblem(1));
        assertTrue(node.machine.isRunning());
        node.machine.onReplace(1);
        node.after(1);
        assertFalse(node.machine.isRunning(), "one after the other");
        assertTrue(node.machine.isOver() && node.failure().isCommanded(), node::toString);
        assertEquals("PE 1 is replaced by a command", node.recoverable());

        node.next();
        assertTrue(node.hasDone("kill 1") && !node.hasDone("kill 0") && !node.hasDone("start 1"), node::toString);
        node.ended(1, KILL).started().phase(0, PePhase.RECORDED).after(5_000);
        assertTrue(node.hasDone("start 1"), node::toString);
        assertNull(node.failure(), "no failure of this generation");
        assertEquals(Map.of(), node.machine.lost());

        node.all(PePhase.RUNNING).ended(0, KILL).after(1);
        assertFalse(node.failure().isCommanded());
        final int kills = node.actions().size();
        node.next();
        assertFalse(node.actions().subList(kills, node.actions().size()).stream().anyMatch((action) ->
            action.endsWith("kill 1")), node::toString);
    }

    /** The others learn of it by the rendezvous. */
    @Test
    void shouldReplaceAPeOfItsHostByACommand()
    {
        final FakeNode node = replacingHere();
        node.machine.onReplace(2);
        node.after(1);
        assertTrue(node.machine.isOver() && node.failure().isCommanded(), node::toString);
        node.next();
        assertTrue(node.hasDone("kill 2") && !node.hasDone("kill 1"), node::toString);
        node.ended(2, KILL).started();
        assertTrue(node.hasDone("start 2"), node::toString);
    }

    @Test
    void shouldReplaceAPeByACommandAlsoIfAFailureComesFirst()
    {
        final FakeNode node = replacing(3).failed(PE_FAILED, 2, -1, "PE 2: no more");
        node.machine.onReplace(1);
        node.ended(2, 1).after(1);
        assertFalse(node.failure().isCommanded(), "it counts");
        node.next();
        assertTrue(node.hasDone("kill 1") && node.hasDone("start 2"), node::toString);
        node.ended(1, KILL).started();
        assertTrue(node.hasDone("start 1"), node::toString);
    }

    @Test
    void shouldEndAllPesForACommandIfAllAreStartedAgain()
    {
        final FakeNode node = recovering(2);
        node.machine.onReplace(0);
        node.after(3_000);
        assertTrue(node.hasDone("TERMINATE"), node::toString);
        node.ended(0, 1).ended(1, TERM);
        assertTrue(node.failure().isCommanded());
        assertEquals("PE 0 is replaced by a command", node.recoverable());
    }

    @Test
    void shouldRefuseACommandThatNoGenerationCanFollow()
    {
        final FakeNode node = replacing(2);
        assertEquals("PE must be 0 to 1: 2", node.machine.replaceProblem(2));
        assertEquals("PE must be 0 to 1: -1", node.machine.replaceProblem(-1));
        assertEquals("the launcher on hostb has not started PE 0: the command is given on its host",
            replacingHere().machine.replaceProblem(0));
        assertNull(replacingHere().machine.replaceProblem(1));
        node.phase(1, PePhase.LISTENING);
        assertFalse(node.machine.isRunning());
        assertNull(node.machine.replaceProblem(1), "it waits");
        node.phase(1, PePhase.CLOSED);
        assertEquals("a PE has left the job, so that no generation follows this one", node.machine.replaceProblem(0));
        assertEquals("a job of --recover=shrink starts no process again", shrinking(2).machine.replaceProblem(0));
        final FakeNode ending = replacing(2);
        ending.machine.onSignal(TERM);
        assertEquals("the job is ending", ending.machine.commandProblem());
    }

    /** As one that waits for a device. */
    @Test
    void shouldReplaceAPeThatCannotBeKilled()
    {
        final FakeNode node = replacing(3).failed(PE_DIED, 1, -1, "PE 1 is silent").after(600).next();
        node.all(PePhase.ABSENT).phase(0, PePhase.RECORDED).phase(2, PePhase.RECORDED).after(9_950);
        assertTrue(node.hasDone("kill 1") && !node.hasDone("abandon 1"), node::toString);
        node.after(100).started();
        assertTrue(node.hasDone("abandon 1") && node.hasDone("start 1"), node::toString);
        assertEquals(List.of("PE 1 (pid 101) has not ended within 10000 ms after SIGKILL; giving up its process and" +
            " its retained memory"), node.lines());

        node.all(PePhase.RUNNING).after(60_000).all(PePhase.CLOSED).ended(0, 0).ended(1, 0).ended(2, 0);
        assertTrue(node.machine.isOver(), node::toString);
        assertEquals(0, node.exitCode());
    }

    @Test
    void shouldGoOnWithoutAPeThatCannotBeKilled()
    {
        final FakeNode node = shrinking(3).ended(0, KILL).after(30);
        node.resized();
        node.phase(0, PePhase.RECORDED).after(10_200);
        assertTrue(node.hasDone("kill 1"), node::toString);
        node.after(10_200);
        assertTrue(node.hasDone("abandon 1"), node::toString);
        assertTrue(node.machine.isOver(), node::toString);
        assertArrayEquals(new int[]{ 0 }, node.resized());
    }

    @Test
    void shouldNotAwaitAPeThatCannotBeKilledBeforeAllAreStartedAgain()
    {
        final FakeNode node = recovering(2).ended(0, KILL).after(12_400);
        assertFalse(node.machine.isOver(), node::toString);
        node.after(200);
        assertTrue(node.hasDone("abandon 1") && !node.hasDone("abandon 0"), node::toString);
        assertTrue(node.machine.isOver(), node::toString);
        assertEquals("PE 0 (pid 100) was ended by signal 9 (SIGKILL)", node.recoverable());
    }

    @Test
    void shouldStartThePesThatACommandAdds()
    {
        final FakeNode node = replacing(2);
        assertNull(node.machine.resizeProblem(4));
        node.machine.onResize(4);
        node.after(1);
        assertTrue(node.machine.isOver() && node.failure().isCommanded(), node::toString);
        assertEquals("a command gives the job 4 PEs", node.recoverable());

        assertArrayEquals(new int[]{ 0, 1, -1, -1 }, node.resized());
        assertTrue(node.hasDone("start 2") && node.hasDone("start 3"), node::toString);
        assertFalse(node.hasDone("start 1") || node.hasDone("kill 1"), node::toString);
        node.all(PePhase.RUNNING).ended(3, KILL).after(1);
        assertEquals("PE 3 (pid 203) was ended by signal 9 (SIGKILL)", node.recoverable());
        assertArrayEquals(new int[]{ 0, 1, 2, 3 }, node.resized(), "as many as before");
    }

    @Test
    void shouldEndThePesThatACommandRemoves()
    {
        final FakeNode node = replacing(3);
        node.machine.onResize(1);
        node.after(1);
        assertArrayEquals(new int[]{ 0 }, node.resized());
        assertTrue(node.hasDone("kill 1") && node.hasDone("kill 2") && !node.hasDone("kill 0"), node::toString);
        node.all(PePhase.CLOSED).ended(0, 0);
        assertTrue(node.machine.isOver(), "two of three are not awaited");
        assertEquals(0, node.exitCode());
    }

    /** A failure comes first, and the process of a PE that stays ends with it. */
    @Test
    void shouldReplaceThePesThatAreLostWhenTheNumberChanges()
    {
        final FakeNode node = replacing(3).ended(1, KILL).after(1);
        node.machine.onResize(2);
        assertFalse(node.failure().isCommanded(), "it counts");
        assertArrayEquals(new int[]{ 0, 1 }, node.resized());
        assertTrue(node.hasDone("start 1") && node.hasDone("kill 2"), node::toString);
    }

    /** The end by SIGINT of a PE is known, but not yet whether a signal to the launcher follows. */
    @Test
    void shouldNotAwaitAPeThatHasEndedWhenTheNumberChanges()
    {
        final FakeNode node = replacing(2);
        node.machine.onResize(3);
        node.ended(1, INT).after(1);
        node.resized();
        assertTrue(node.hasDone("start 1") && node.hasDone("start 2"), node::toString);
    }

    @Test
    void shouldGoBackToTheNumberThatCameUp()
    {
        final FakeNode node = replacing(2);
        node.machine.onResize(3);
        node.after(1).resized();
        node.ended(2, 1).after(1);
        node.machine.onRefusedSize(2);
        assertArrayEquals(new int[]{ 0, 1 }, node.resized());
        node.all(PePhase.RUNNING).after(1);
        assertTrue(node.machine.isRunning(), node::toString);
    }

    @Test
    void shouldAddPesToAJobThatShrinks()
    {
        final FakeNode node = shrinking(3).ended(0, KILL).after(30);
        node.machine.onResize(3);
        assertArrayEquals(new int[]{ 1, 2, -1 }, node.resized());
        assertTrue(node.hasDone("start 2"), node::toString);
        node.all(PePhase.RUNNING).ended(2, KILL).after(30);
        assertArrayEquals(new int[]{ 0, 1 }, node.resized());
    }

    @Test
    void shouldRefuseANumberOfPes()
    {
        final FakeNode node = replacing(2);
        assertEquals("the job has 2 PEs", node.machine.resizeProblem(2));
        assertEquals("the number of PEs must be 1 to 65536: 0", node.machine.resizeProblem(0));
        assertEquals("the number of PEs must be 1 to 65536: 65537", node.machine.resizeProblem(65_537));
        assertEquals("a job on several hosts keeps its number of PEs", replacingHere().machine.resizeProblem(4));
        node.phase(1, PePhase.CLOSED);
        assertEquals("a PE has left the job, so that no generation follows this one", node.machine.resizeProblem(1));
    }

    @Test
    void shouldPollOftenOnlyWhileAPeMayWait()
    {
        final FakeNode node = new FakeNode(context(2));
        assertEquals(JoiningPoll.MIN_MS, node.machine.pollMs(0), "a PE may request a driver");
        node.machine.onDriver();
        assertEquals(NodeStateMachine.RUNNING_POLL_MS, node.machine.pollMs(0));
        node.all(PePhase.CONNECTED);
        assertEquals(NodeStateMachine.RUNNING_POLL_MS, node.machine.pollMs(0));
        node.phase(1, PePhase.CLOSED);
        assertEquals(NodeStateMachine.LEFT_POLL_MS, node.machine.pollMs(0), "a PE may request a successor");
        node.succeeded();
        assertEquals(JoiningPoll.MIN_MS, node.machine.pollMs(0));
        node.all(PePhase.RECORDED).ended(0, 1);
        assertEquals(NodeStateMachine.RUNNING_POLL_MS, node.machine.pollMs(0), "the job ends");
    }

    @Test
    void shouldPollSeldomForPesThatJoinLate()
    {
        final FakeNode node = new FakeNode(context(2)).after(600_000);
        assertEquals(JoiningPoll.MAX_MS, node.machine.pollMs(600_000_000_000L));
        node.phase(0, PePhase.RECORDED);
        assertEquals(JoiningPoll.MIN_MS, node.machine.pollMs(600_000_000_000L));
    }

    private static FakeNode running(final int nPes)
    {
        return new FakeNode(context(nPes)).all(PePhase.RUNNING);
    }

    private static FakeNode recovering(final int nPes)
    {
        return new FakeNode(recoverable(nPes)).all(PePhase.RUNNING);
    }

    private static FakeNode replacing(final int nPes)
    {
        return new FakeNode(replaceable(nPes)).all(PePhase.RUNNING);
    }

    private static FakeNode replacingHere()
    {
        return new FakeNode(replaceable(3), 1, 2, " on hostb").all(PePhase.RUNNING);
    }

    private static LaunchContext replaceable(final int nPes)
    {
        return context(nPes).recovery(Recovery.REPLACE, 8, Long.MAX_VALUE, Long.MAX_VALUE)
            .recoveryJoinTimeoutNs(10_000_000_000L);
    }

    private static FakeNode shrinking(final int nPes)
    {
        return new FakeNode(context(nPes).recovery(Recovery.SHRINK, 8, Long.MAX_VALUE, Long.MAX_VALUE)
            .recoveryJoinTimeoutNs(10_000_000_000L)).all(PePhase.RUNNING);
    }

    private static LaunchContext recoverable(final int nPes)
    {
        return context(nPes).recovery(Recovery.RESTART, 8, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    private static LaunchContext context(final int nPes)
    {
        return new LaunchContext().nPes(nPes);
    }
}
