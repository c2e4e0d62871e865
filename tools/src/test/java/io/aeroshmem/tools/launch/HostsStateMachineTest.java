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
import io.aeroshmem.transport.job.PreviousGeneration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Every decision of the launcher of a job on several hosts: PE 0 on hosta, PEs 1 and 2 on hostb.
 */
class HostsStateMachineTest
{
    private static final int TERM = 143;
    private static final int KILL = 137;
    private static final int INT = 130;

    @Test
    void shouldExitWith0AfterAllNodes()
    {
        final Hosts hosts = new Hosts(context()).joined().ended(0, 0);
        assertFalse(hosts.machine.isOver());
        hosts.ended(1, 0);

        assertTrue(hosts.machine.isOver());
        assertEquals(0, hosts.machine.conclude());
        assertEquals(List.of(), hosts.actions);
    }

    @ParameterizedTest
    @CsvSource({ "0, 7", "2, 255", "1, 2" })
    void shouldExitWithThatOfTheNodeOfThePeThatFailed(final int pe, final int code)
    {
        final int node = 0 == pe ? 0 : 1;
        final Hosts hosts = new Hosts(context()).joined().failed(JobFailure.Kind.PE_DIED, pe, "PE " + pe + " died");
        hosts.ended(1 - node, 1).ended(node, code);

        assertEquals(code, hosts.machine.conclude());
        assertEquals(List.of(), hosts.actions, "the launcher of the node reports it");
    }

    @Test
    void shouldMakeSureThatTheNodesEndAfterAFailure()
    {
        final Hosts hosts =
            new Hosts(context()).joined().failed(JobFailure.Kind.PE_DIED, 2, "PE 2 died").ended(1, KILL).after(7_000);

        assertEquals(List.of("4500 TERMINATE", "6500 KILL"), hosts.actions.subList(0, 2));
        hosts.ended(0, KILL);
        assertEquals(KILL, hosts.machine.conclude());
    }

    @ParameterizedTest
    @CsvSource({ "0, 0", "3, 3", "255, 255", "256, 1" })
    void shouldExitWithTheStatusOfAGlobalExit(final int status, final int exitCode)
    {
        final Hosts hosts = new Hosts(context().keepGoing(true)).joined();
        hosts.failure = new JobFailure(JobFailure.Kind.GLOBAL_EXIT, 1, status, "globalExit");
        hosts.poll().after(5_000);
        assertEquals("4500 TERMINATE", hosts.actions.get(0));
        hosts.ended(0, 9).ended(1, 9);

        assertEquals(exitCode, hosts.machine.conclude());
    }

    @Test
    void shouldWaitForTheCauseOfTheEndOfANode()
    {
        final Hosts hosts = new Hosts(context()).joined().ended(1, 7).after(900);
        assertEquals(HostsStateMachine.PENDING_POLL_MS, hosts.machine.pollMs());
        hosts.failed(JobFailure.Kind.PE_DIED, 2, "PE 2 died").ended(0, 1);

        assertTrue(hosts.machine.isOver());
        assertEquals(7, hosts.machine.conclude());
        assertEquals(List.of(), hosts.actions);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "1 | 137 | lost PEs 1-2 on hostb: the connection was ended by signal 9 (SIGKILL)",
        "1 | 255 | lost PEs 1-2 on hostb: the connection ended with exit code 255",
        "0 | 1 | lost PE 0 on hosta: the connection ended with exit code 1"
    })
    void shouldFailTheJobIfAHostIsLost(final int node, final int code, final String message)
    {
        final Hosts hosts = new Hosts(context()).joined().ended(node, code).after(995);
        assertEquals(List.of(), hosts.actions);
        hosts.after(5);

        assertEquals(
            List.of("1000 fail " + message, "1000 report " + message + "; ending the job"), hosts.actions);
        hosts.ended(1 - node, 1);
        assertEquals(ExitCode.FAILURE, hosts.machine.conclude());
        assertEquals(2, hosts.actions.size(), "one line");
    }

    @ParameterizedTest
    @CsvSource({ "3, 3, 0", "137, 1, 2" })
    void shouldKeepGoingAfterAPeButNotAfterAHost(final int code, final int exitCode, final int actions)
    {
        final Hosts hosts = new Hosts(context().keepGoing(true)).joined().ended(1, code).after(2_000);
        assertEquals(actions, hosts.actions.size(), hosts.actions::toString);
        hosts.ended(0, 0);

        assertEquals(exitCode, hosts.machine.conclude());
    }

    /** As where output of its PEs could not be written, which all end by themselves. */
    @Test
    void shouldNotEndTheOthersAfterANodeThatEndsInOrder()
    {
        final Hosts hosts = new Hosts(context()).joined();
        hosts.end(new NodeEnd(NODES.get(1), true, 1, true, true, "")).after(5_000).ended(0, 0);

        assertEquals(List.of(), hosts.actions);
        assertEquals(ExitCode.FAILURE, hosts.machine.conclude());
    }

    /** 255 is also ssh's own exit code. */
    @ParameterizedTest
    @CsvSource({ "true, 255", "false, 1" })
    void shouldNotTakeTheExitCodeOfSshForThatOfAPe(final boolean isOrderly, final int exitCode)
    {
        final Hosts hosts = new Hosts(context()).joined().failed(JobFailure.Kind.PE_DIED, 2, "PE 2 died");
        hosts.end(new NodeEnd(NODES.get(1), true, 255, true, isOrderly, "")).ended(0, 1);

        assertEquals(exitCode, hosts.machine.conclude());
        assertEquals(isOrderly ? List.of() : List.of("0 report PE 2 died"), hosts.actions);
    }

    @Test
    void shouldNotTakeTheExitCodeOfAProcessThatItEnded()
    {
        final Hosts hosts = new Hosts(context()).joined().failed(JobFailure.Kind.PE_DIED, 2, "PE 2 died").after(5_000);
        hosts.ended(1, TERM).ended(0, TERM);

        assertEquals(ExitCode.FAILURE, hosts.machine.conclude());
        assertEquals(List.of("4500 TERMINATE", "5000 report PE 2 died"), hosts.actions);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "255 | ssh: Could not resolve hostname | 1 | ssh: Could not resolve hostname",
        "2 | --bind must not exceed 1 | 2 | --bind must not exceed 1",
        "127 | sh: not found | 1 | sh: not found (--remote specifies the path of the script there)",
        "3 | '' | 1 | the launch command ended with exit code 3"
    })
    void shouldReportInOneLineWhyANodeCannotStart(
        final int code, final String diagnostics, final int exitCode, final String line)
    {
        final Hosts hosts = new Hosts(context());
        hosts.end(new NodeEnd(NODES.get(1), true, code, false, false, diagnostics));
        final String message = "cannot start PEs 1-2 on hostb: " + line;
        assertEquals(List.of("0 fail " + message), hosts.actions);
        hosts.after(600).ended(0, 1);

        assertEquals(exitCode, hosts.machine.conclude());
        assertEquals(List.of("500 TERMINATE", "600 report " + message), hosts.actions.subList(1, 3));
        assertEquals(3, hosts.actions.size());
    }

    @Test
    void shouldReportTheNodeThatCouldNotStartRatherThanTheOthersThatRepeatTheReason()
    {
        final Hosts hosts = new Hosts(context());
        hosts.failed(JobFailure.Kind.LAUNCHER_DIED, -1, "no room on hostb");
        hosts.end(new NodeEnd(NODES.get(0), true, 1, false, false, "the job failed: no room on hostb"));
        hosts.end(new NodeEnd(NODES.get(1), true, 1, false, false, "the heap does not fit"));

        assertEquals(ExitCode.FAILURE, hosts.machine.conclude());
        assertEquals(List.of("0 report cannot start PEs 1-2 on hostb: the heap does not fit"), hosts.actions);
    }

    @Test
    void shouldEndAJobOfWhichANodeDoesNotJoin()
    {
        final Hosts hosts = new Hosts(context().joinTimeoutNs(TimeUnit.SECONDS.toNanos(10)));
        hosts.isJoined[0] = true;
        hosts.after(40_600);

        final String message = "the launcher on hostb did not join the job within 40 s";
        assertEquals(
            List.of("40000 report " + message, "40000 fail " + message), hosts.actions.subList(0, 2));
        assertTrue(hosts.actions.get(2).endsWith("TERMINATE"), hosts.actions::toString);
        hosts.ended(0, 1).end(new NodeEnd(NODES.get(1), true, TERM, false, false, ""));
        assertEquals(ExitCode.FAILURE, hosts.machine.conclude());
        assertEquals(3, hosts.actions.size());
    }

    @Test
    void shouldEndAJobThatTakesTooLong()
    {
        final Hosts hosts = new Hosts(context().timeout(Duration.ofSeconds(4))).joined().after(4_100);
        final String message = "the job did not end within 4s (--timeout)";
        assertEquals(
            List.of("4000 fail " + message, "4050 report " + message + "; ending the job"), hosts.actions);
        hosts.ended(0, TERM).ended(1, TERM);

        assertEquals(ExitCode.TIMEOUT, hosts.machine.conclude());
    }

    @Test
    void shouldLetTheNodesMeasureTheTimeAfterAFailure()
    {
        final Hosts hosts = new Hosts(context().keepGoing(true).timeout(Duration.ofSeconds(4))).joined()
            .failed(JobFailure.Kind.PE_DIED, 2, "PE 2 died").after(39_000);
        assertEquals(List.of("38500 TERMINATE"), hosts.actions);
        hosts.ended(0, 124).ended(1, 124);

        assertEquals(ExitCode.TIMEOUT, hosts.machine.conclude());
    }

    @ParameterizedTest
    @ValueSource(ints = { INT, TERM })
    void shouldExitWithTheCodeOfASignal(final int code)
    {
        final Hosts hosts = new Hosts(context()).joined().ended(1, INT).after(200);
        assertFalse(hosts.machine.isOver());
        hosts.machine.onSignal(code);
        hosts.machine.onClosing();
        hosts.machine.onClose();
        assertEquals(List.of("200 fail the launcher is ending the job"), hosts.actions);
        hosts.after(50);

        assertTrue(hosts.machine.isOver());
        assertEquals(code, hosts.machine.conclude());
        assertEquals(1, hosts.actions.size(), "the line of the signal handler is the only one");
    }

    @Test
    void shouldReportAnInterruptOfOneConnectionAlone()
    {
        final Hosts hosts = new Hosts(context()).joined().ended(1, INT).after(1_050);

        assertEquals(
            "1000 fail lost PEs 1-2 on hostb: the connection was ended by signal 2 (SIGINT)", hosts.actions.get(0));
    }

    @Test
    void shouldStartTheNextGenerationWhenAllNodesWait()
    {
        final Hosts hosts = new Hosts(recovering(8)).joined().died(2).waiting(1).after(1_000);
        assertEquals(List.of(), hosts.actions);
        hosts.waiting(0);
        assertEquals(List.of("1000 report generation 0 has failed: PE 2 died; starting generation 1",
            "1000 start 1 after PE 2 died"), hosts.actions);

        // the next one is delayed, from the start of the last
        hosts.after(100).died(0).waiting(0, 1).after(500);
        assertEquals(List.of("1100 report generation 1 has failed: PE 0 died; starting generation 2 in 400 ms",
            "1500 start 2 after PE 0 died"), hosts.actions.subList(2, 4));
        hosts.ended(0, 0).ended(1, 0);
        assertEquals(0, hosts.machine.conclude());
        assertEquals(4, hosts.actions.size());
    }

    @Test
    void shouldNotEndTheNodesThatWaitForADelayedGeneration()
    {
        final Hosts hosts = new Hosts(recovering(8)).joined();
        for (int generation = 1; generation <= 6; generation++)
        {
            hosts.died(2).waiting(0, 1).after(8_000);
        }

        assertEquals(6, hosts.actions.stream().filter((action) -> action.contains(" start ")).count());
        assertFalse(hosts.actions.stream().anyMatch((action) -> action.endsWith("TERMINATE")), hosts.actions::toString);
    }

    @Test
    void shouldNotCountGenerationsThatCommandsEnd()
    {
        final Hosts hosts = new Hosts(recovering(1)).joined();
        for (int generation = 1; generation <= 3; generation++)
        {
            hosts.failed(JobFailure.commanded(1, "PE 1 is replaced")).waiting(0, 1);
        }

        hosts.died(2).waiting(0, 1);
        assertEquals(List.of(
            "0 report generation 0 ends: PE 1 is replaced; starting generation 1", "0 start 1 after PE 1 is replaced",
            "0 report generation 1 ends: PE 1 is replaced; starting generation 2", "0 start 2 after PE 1 is replaced",
            "0 report generation 2 ends: PE 1 is replaced; starting generation 3", "0 start 3 after PE 1 is replaced",
            "0 report generation 3 has failed: PE 2 died; starting generation 4", "0 start 4 after PE 2 died"),
            hosts.actions);
    }

    /** The nodes join in any order, or not at all. */
    @Test
    void shouldFollowAGenerationThatFailsBeforeAllNodesHaveJoined()
    {
        final Hosts hosts = new Hosts(recovering(8)).joined().died(2).waiting(0, 1);
        hosts.failed(JobFailure.Kind.PE_FAILED, 1, "PEs 1-2 did not join").waiting(0, 1).after(500);

        assertEquals("500 start 2 after PEs 1-2 did not join", hosts.actions.get(hosts.actions.size() - 1));
    }

    @Test
    void shouldEndTheNodesAfterTheMostRecoveries()
    {
        final Hosts hosts = new Hosts(recovering(1)).joined().died(2).waiting(0, 1).died(1).waiting(0, 1);
        assertEquals(List.of("0 report generation 1 has failed: PE 1 died; ending the job after 1 recoveries within" +
            " 60s (aeroshmem.recovery.max, aeroshmem.recovery.window)", "0 fail the job has ended"),
            hosts.actions.subList(2, 4));
        hosts.endedInOrder(0, 1).endedInOrder(1, 9);

        assertTrue(hosts.machine.isOver());
        assertEquals(9, hosts.machine.conclude());
        assertEquals(List.of("0 report earlier generations of the job ended:\n  generation 0: PE 2 died"),
            hosts.actions.subList(4, 5));
    }

    /** As after the close of a PE, which only one of them may have seen before the failure. */
    @Test
    void shouldEndTheNodesThatWaitIfOneDoesNot()
    {
        final Hosts hosts = new Hosts(recovering(8)).joined().died(2).waiting(1);
        hosts.endedInOrder(0, 1);
        assertEquals(List.of("0 report PE 2 died", "0 fail the job has ended"), hosts.actions);
        hosts.endedInOrder(1, 7);

        assertEquals(7, hosts.machine.conclude());
        assertEquals(2, hosts.actions.size());
    }

    /** While the PEs of the others end, or while the next generation is delayed. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldMoveThePesOfAHostThatIsLostBetweenGenerations(final boolean isDelayed)
    {
        final Hosts hosts = new Hosts(recovering(8)).joined().died(2).waiting(0, 1).died(2);
        final int before = isDelayed ? hosts.waiting(0, 1).actions.size() : hosts.actions.size();
        hosts.end(lost(1, KILL)).waiting(0).after(600);

        assertEquals(List.of("500 start 2 after PE 2 died",
            "500 report lost PEs 1-2 on hostb: the connection was ended by signal 9 (SIGKILL); " +
            "starting PEs 1-2 on hosta, with zeros as retained memory", "500 move PEs 1-2 to hosta"),
            hosts.actions.subList(isDelayed ? before : before + 1, hosts.actions.size()));
        hosts.joined().ended(0, 0).ended(1, 0);
        assertTrue(hosts.machine.isOver());
        assertEquals(0, hosts.machine.conclude());
    }

    /** As where the network to the host is cut, or its node launcher is stopped: the command that reaches it ends. */
    @Test
    void shouldMoveThePesOfANodeThatDoesNotWaitInTime()
    {
        final Hosts hosts = new Hosts(recovering(8)).joined()
            .failed(JobFailure.Kind.HOST_LOST, -1, "PEs 1-2: their node was silent").waiting(0).after(5_000);
        assertEquals(List.of("4500 TERMINATE hostb"), hosts.actions);
        hosts.end(lost(1, TERM));

        assertEquals(List.of("5000 report generation 0 has failed: PEs 1-2: their node was silent; " +
            "starting generation 1", "5000 start 1 after PEs 1-2: their node was silent",
            "5000 report lost PEs 1-2 on hostb: the connection was ended by signal 15 (SIGTERM); " +
            "starting PEs 1-2 on hosta, with zeros as retained memory", "5000 move PEs 1-2 to hosta"),
            hosts.actions.subList(1, 5));
    }

    /** As one that is stopped while it waits: the generation that starts would wait for it. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldMoveThePesOfANodeThatIsSilentWhileItWaits(final boolean isStarted)
    {
        final Hosts hosts = new Hosts(recovering(8)).joined().died(2);
        hosts.isSilent[1] = true;
        hosts.waiting(1);
        if (isStarted)
        {
            hosts.waiting(0);
            hosts.isWaiting[0] = true;
            hosts.isWaiting[1] = true;
        }

        hosts.after(11_000);

        final List<String> last = hosts.actions.subList(isStarted ? 2 : 0, hosts.actions.size());
        assertEquals(isStarted, last.get(0).contains(
            "fail PEs 1-2 on hostb: their launcher waits for the next generation, and has been silent for 10000 ms"));
        assertTrue(last.get(isStarted ? 1 : 0).endsWith(isStarted ? "TERMINATE hostb" : "TERMINATE hosta"),
            hosts.actions::toString);
        hosts.waiting(0).end(lost(1, TERM)).after(1_000);
        assertTrue(hosts.actions.get(hosts.actions.size() - 1).endsWith("move PEs 1-2 to hosta"),
            hosts.actions::toString);
    }

    /** A node that has joined the generation which starts ends its PEs, and goes on. */
    @Test
    void shouldEndOnlyTheNodeThatIsSilent()
    {
        final Hosts hosts = new Hosts(recovering(8)).joined().died(2).waiting(0, 1);
        hosts.isWaiting[1] = true;
        hosts.isSilent[1] = true;
        hosts.actions.clear();
        hosts.after(10_000);
        assertEquals(List.of("10000 fail PEs 1-2 on hostb: their launcher waits for the next generation, and has " +
            "been silent for 10000 ms", "10000 TERMINATE hostb"), hosts.actions);

        hosts.end(lost(1, TERM)).after(500).waiting(0).after(1_000);
        assertEquals(List.of("lost PEs 1-2 on hostb: the connection was ended by signal 15 (SIGTERM); starting PEs " +
            "1-2 on hosta, with zeros as retained memory", "move PEs 1-2 to hosta"), hosts.lastActions(2));
    }

    @Test
    void shouldEndTheJobIfNoHostIsLeft()
    {
        final Hosts hosts = new Hosts(recovering(8)).joined()
            .failed(JobFailure.Kind.HOST_LOST, -1, "the launcher of PEs 1-2 died");
        hosts.end(lost(1, KILL)).end(lost(0, KILL));

        assertTrue(hosts.machine.isOver());
        assertEquals(ExitCode.FAILURE, hosts.machine.conclude());
        assertEquals(List.of("0 report the launcher of PEs 1-2 died"), hosts.actions);
    }

    @Test
    void shouldEndTheJobIfThePesOfALostHostCannotBeStartedElsewhere()
    {
        final Hosts hosts = new Hosts(recovering(8)).joined().died(2).end(lost(1, KILL)).waiting(0);
        hosts.isWaiting[0] = true;
        hosts.end(new NodeEnd(hosts.nodes.get(1), false, 1, false, false, "no memory")).waiting(0);

        final String line = "cannot start PEs 1-2 on hosta: no memory";
        assertTrue(hosts.actions.contains("0 fail " + line) && hosts.actions.contains("0 fail the job has ended"),
            hosts.actions::toString);
        hosts.endedInOrder(0, 1);
        assertEquals(ExitCode.FAILURE, hosts.machine.conclude());
    }

    /** Nodes know the PEs by their numbers in generation 0, the job by those in the last one. */
    @Test
    void shouldGoOnWithThePesThatAreLeft()
    {
        final Hosts hosts = new Hosts(shrinking()).joined().died(1).left(0, 0).left(1, 2).waiting(0, 1);
        assertEquals(List.of("0 report generation 0 has failed: PE 1 died; starting generation 1",
            "0 report generation 1 has 2 PEs, without PE 1 and the retained memory there",
            "0 start 1 after PE 1 died with [0, 2]"), hosts.actions);
        assertEquals(new HostList.Node("hostb", 1, 1), hosts.machine.node(1));

        hosts.actions.clear();
        hosts.died(0).left(0).waiting(0).left(1, 2).waiting(1).after(2_000);
        assertEquals(List.of(), hosts.actions, "the launcher on hosta has not ended");
        hosts.endedInOrder(0, KILL).after(500);
        assertEquals(List.of("generation 2 has 1 PE, without PE 0 and the retained memory there",
            "start 2 after PE 0 died with [2]"), hosts.lastActions(2));
        assertEquals(new HostList.Node("hostb", 0, 1), hosts.machine.node(1));

        hosts.actions.clear();
        hosts.after(30_000);
        assertEquals(List.of(), hosts.actions, "hosta is gone, and not silent");
        hosts.endedInOrder(1, 0);
        assertTrue(hosts.machine.isOver());
        assertEquals(0, hosts.machine.conclude());
    }

    /** Some nodes may have entered it, and others not. */
    @Test
    void shouldGoOnAfterASmallerGenerationThatNotAllHaveEntered()
    {
        final Hosts hosts = new Hosts(shrinking()).joined().died(0).left(0).waiting(0).endedInOrder(0, KILL)
            .left(1, 1, 2).waiting(1);
        assertEquals(List.of("start 1 after PE 0 died with [1, 2]"), hosts.lastActions(1));
        hosts.died(0).left(1, 2).waiting(1).after(1_000);
        assertEquals(List.of("generation 2 has 1 PE, without PE 0 and the retained memory there",
            "start 2 after PE 0 died with [2]"), hosts.lastActions(2));
    }

    /** What it has said before it joined is of an earlier failure. */
    @Test
    void shouldAwaitWhatANodeSaysOfItsPes()
    {
        final Hosts hosts = new Hosts(shrinking()).joined().died(1).left(0, 0).waiting(0, 1).after(1_000);
        assertEquals(List.of(), hosts.actions);
        hosts.left(1, 2).poll();
        assertEquals(List.of("start 1 after PE 1 died with [0, 2]"), hosts.lastActions(1));
    }

    @Test
    void shouldGoOnWithoutALostHostIfTheJobShrinks()
    {
        final Hosts hosts = new Hosts(shrinking()).joined()
            .failed(JobFailure.Kind.HOST_LOST, -1, "PEs 1, 2: their node was silent").left(0, 0).waiting(0)
            .end(lost(1, KILL));
        assertEquals(List.of("lost PEs 1-2 on hostb: the connection was ended by signal 9 (SIGKILL); going on without" +
            " them", "generation 1 has 1 PE, without PE 1 and PE 2 and the retained memory there",
            "start 1 after PEs 1, 2: their node was silent with [0]"), hosts.lastActions(3));
        hosts.endedInOrder(0, 0);
        assertTrue(hosts.machine.isOver());
        assertEquals(0, hosts.machine.conclude());
    }

    @Test
    void shouldEndAJobThatShrinksWithItsLastPe()
    {
        final Hosts hosts = new Hosts(shrinking()).joined().died(1).left(0).left(1).waiting(0, 1)
            .endedInOrder(0, 1).endedInOrder(1, KILL);
        assertTrue(hosts.machine.isOver());
        assertEquals(KILL, hosts.machine.conclude());
    }

    /** As after a PE has left the job: it has PEs, but does not wait. */
    @Test
    void shouldNotShrinkIfANodeEndsTheJob()
    {
        final Hosts hosts = new Hosts(shrinking()).joined().died(1).left(0, 0).waiting(0).endedInOrder(1, KILL);
        assertEquals(List.of("fail the job has ended"), hosts.lastActions(1));
        hosts.endedInOrder(0, 1);
        assertEquals(KILL, hosts.machine.conclude());
    }

    private static LaunchContext shrinking()
    {
        return context().recovery(Recovery.SHRINK, 8, TimeUnit.SECONDS.toNanos(60), 1);
    }

    private static NodeEnd lost(final int node, final int code)
    {
        return new NodeEnd(NODES.get(node), true, code, true, false, "");
    }

    @Test
    void shouldCountTheTimeFromTheFirstGeneration()
    {
        final Hosts hosts = new Hosts(recovering(8).timeout(Duration.ofSeconds(4))).joined()
            .died(2).waiting(0, 1).after(3_900).died(2).waiting(0, 1).died(2).waiting(0, 1).after(100);
        assertEquals("4000 start 3 after PE 2 died", hosts.actions.get(hosts.actions.size() - 1));
        hosts.after(50).ended(0, TERM).ended(1, TERM);

        assertEquals(ExitCode.TIMEOUT, hosts.machine.conclude());
    }

    private static LaunchContext recovering(final int max)
    {
        return context().recovery(Recovery.RESTART, max, TimeUnit.SECONDS.toNanos(60), 1);
    }

    private static final List<HostList.Node> NODES =
        List.of(new HostList.Node("hosta", 0, 1), new HostList.Node("hostb", 1, 2));

    private static LaunchContext context()
    {
        return new LaunchContext().nPes(3);
    }

    /** A rendezvous, of which the first failure counts, and a clock. */
    private static final class Hosts implements HostsStateMachine.Actions
    {
        private final List<String> actions = new ArrayList<>();
        private final HostsStateMachine machine;
        private final boolean[] isJoined = new boolean[2];
        private final boolean[] isWaiting = new boolean[2];
        private final boolean[] isSilent = new boolean[2];
        private final int[] marks = new int[2];
        private final BitSet[] left = new BitSet[2];
        private final List<HostList.Node> nodes = new ArrayList<>(NODES);
        private JobFailure failure;
        private long nowMs;

        private Hosts(final LaunchContext ctx)
        {
            machine = new HostsStateMachine(ctx, NODES, 0, this);
        }

        private Hosts joined()
        {
            Arrays.fill(isJoined, true);
            return poll();
        }

        private Hosts failed(final JobFailure.Kind kind, final int pe, final String message)
        {
            return failed(new JobFailure(kind, pe, -1, message));
        }

        private Hosts failed(final JobFailure newFailure)
        {
            failure = newFailure;
            return poll();
        }

        private Hosts died(final int pe)
        {
            return failed(JobFailure.Kind.PE_DIED, pe, "PE " + pe + " died");
        }

        private Hosts waiting(final int... waitingNodes)
        {
            for (final int node : waitingNodes)
            {
                isWaiting[node] = true;
            }

            return poll();
        }

        /** Has a node say, before it waits, which PEs are left there. */
        private Hosts left(final int node, final int... pes)
        {
            left[node] = new BitSet();
            Arrays.stream(pes).forEach(left[node]::set);
            return this;
        }

        private List<String> lastActions(final int count)
        {
            return actions.subList(actions.size() - count, actions.size()).stream()
                .map((action) -> action.replaceFirst("^\\d+ (report )?", "")).toList();
        }

        private Hosts ended(final int node, final int code)
        {
            return end(new NodeEnd(nodes.get(node), true, code, true, 255 == code && null != failure, ""));
        }

        private Hosts endedInOrder(final int node, final int code)
        {
            return end(new NodeEnd(nodes.get(node), true, code, true, true, ""));
        }

        private Hosts end(final NodeEnd end)
        {
            machine.onJob(failure, isJoined.clone());
            observeWaiting();
            machine.onEnd(TimeUnit.MILLISECONDS.toNanos(nowMs), end);
            return poll();
        }

        /** A node repeats that it waits, unless it is silent. */
        private void observeWaiting()
        {
            for (int i = 0; i < marks.length; i++)
            {
                marks[i] = !isWaiting[i] ? 0 : isSilent[i] && marks[i] > 0 ? marks[i] : marks[i] + 1;
            }

            machine.onLeft(left.clone());
            machine.onWaiting(TimeUnit.MILLISECONDS.toNanos(nowMs), marks.clone());
        }

        private Hosts after(final long ms)
        {
            final long untilMs = nowMs + ms;
            while (nowMs < untilMs)
            {
                nowMs = Math.min(untilMs, nowMs + machine.pollMs());
                poll();
            }

            return this;
        }

        private Hosts poll()
        {
            machine.onJob(failure, isJoined.clone());
            observeWaiting();
            machine.tick(TimeUnit.MILLISECONDS.toNanos(nowMs));
            return this;
        }

        @Override
        public void report(final String line)
        {
            actions.add(nowMs + " report " + line);
        }

        @Override
        public void fail(final JobFailure reported)
        {
            actions.add(nowMs + " fail " + reported.message());
            failure = null == failure || JobFailure.Kind.PE_DIED == failure.kind() ? reported : failure;
        }

        @Override
        public void startGeneration(final PreviousGeneration previous, final int... members)
        {
            actions.add(nowMs + " start " + (previous.number() + 1) + " after " + previous.failure().message() +
                (0 == members.length ? "" : " with " + Arrays.toString(members)));
            failure = null;
            Arrays.fill(isWaiting, false);
            nodes.replaceAll((node) -> machine.node(nodes.indexOf(node)));
        }

        @Override
        public void signal(final EndSchedule.Signal signal, final IntPredicate numbers)
        {
            if (EndSchedule.Signal.NONE != signal)
            {
                final String which = numbers.test(0) && numbers.test(1) ? "" : numbers.test(0) ? " hosta" :
                    numbers.test(1) ? " hostb" : " none";
                actions.add(nowMs + " " + signal + which);
            }
        }

        @Override
        public void move(final int number, final HostList.Node node)
        {
            actions.add(nowMs + " move " + node.peText() + " to " + node.host());
            nodes.set(number, node);
            isJoined[number] = false;
        }
    }
}
