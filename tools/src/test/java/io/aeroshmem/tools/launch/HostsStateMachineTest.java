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

import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.transport.job.JobFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

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
            failure = new JobFailure(kind, pe, -1, message);
            return poll();
        }

        private Hosts ended(final int node, final int code)
        {
            return end(new NodeEnd(NODES.get(node), true, code, true, 255 == code && null != failure, ""));
        }

        private Hosts end(final NodeEnd end)
        {
            machine.onJob(failure, isJoined.clone());
            machine.onEnd(TimeUnit.MILLISECONDS.toNanos(nowMs), end);
            return poll();
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
        }

        @Override
        public void signal(final EndSchedule.Signal signal)
        {
            if (EndSchedule.Signal.NONE != signal)
            {
                actions.add(nowMs + " " + signal);
            }
        }
    }
}
