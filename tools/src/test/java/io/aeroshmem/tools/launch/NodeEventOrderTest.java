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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * All orders of three events at a {@link NodeStateMachine} of two PEs, and orders of four: all in the nightly run.
 * However a job comes to its end, the launcher ends within the grace period, with one line and the exit code of the
 * cause.
 */
class NodeEventOrderTest
{
    /** Between the orders of four events that a build tries; prime to the number of events. */
    private static final int STRIDE = Math.max(1, 11 / Integer.getInteger("aeroshmem.test.volume", 1));
    private static final int KILL = 137;
    private static final int TERM = 143;
    private static final int STATUS = 5;
    private static final int[] CODES = { 0, 7, 130, KILL };
    private static final int[] PHASES = { PePhase.ABSENT, PePhase.RECORDED, PePhase.RUNNING, PePhase.CLOSED };
    private static final long[] DELAYS_MS = { 100, 600, 2_500 };

    enum Mode
    {
        END_OTHERS, KEEP_GOING, RECOVER
    }

    private enum Kind
    {
        END, PHASE, PE_FAILS, GLOBAL_EXIT, SIGNAL, TIME
    }

    /** An event; {@code value} is an exit code or a delay. */
    private record Event(Kind kind, int pe, long value)
    {
    }

    private static List<Event> events()
    {
        final List<Event> events = new ArrayList<>();
        for (int pe = 0; pe < 2; pe++)
        {
            for (final int code : CODES)
            {
                events.add(new Event(Kind.END, pe, code));
            }

            events.add(new Event(Kind.PHASE, pe, 0));
            events.add(new Event(Kind.PE_FAILS, pe, 0));
        }

        events.add(new Event(Kind.GLOBAL_EXIT, 1, STATUS));
        events.add(new Event(Kind.SIGNAL, 0, TERM));
        for (final long delayMs : DELAYS_MS)
        {
            events.add(new Event(Kind.TIME, 0, delayMs));
        }

        return events;
    }

    @ParameterizedTest
    @CsvSource({ "END_OTHERS, false", "END_OTHERS, true", "KEEP_GOING, false", "KEEP_GOING, true", "RECOVER, false",
        "RECOVER, true" })
    void shouldEndRightly(final Mode mode, final boolean hasTimeout)
    {
        endInOrders(3, 0, 1, mode, hasTimeout);
    }

    @ParameterizedTest
    @CsvSource({ "END_OTHERS, false", "END_OTHERS, true", "KEEP_GOING, false", "KEEP_GOING, true", "RECOVER, false",
        "RECOVER, true" })
    @Tag("ci")
    void shouldEndRightlyAfterMoreEvents(final Mode mode, final boolean hasTimeout)
    {
        final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime());
        System.out.println(mode + ", " + hasTimeout + ": -Daeroshmem.test.seed=" + seed);
        endInOrders(4, (int)Math.floorMod(seed, (long)STRIDE), STRIDE, mode, hasTimeout);
    }

    /** Of all orders of so many events, every {@code stride}-th. */
    private static void endInOrders(
        final int depth, final int first, final int stride, final Mode mode, final boolean hasTimeout)
    {
        final List<Event> events = events();
        final int orders = (int)Math.pow(events.size(), depth);
        assertEquals(1, BigInteger.valueOf(stride).gcd(BigInteger.valueOf(events.size())).intValue());
        for (int number = first; number < orders; number += stride)
        {
            final List<Event> order = new ArrayList<>();
            for (int i = 0, rest = number; i < depth; i++, rest /= events.size())
            {
                order.add(events.get(rest % events.size()));
            }

            new Job(order, mode, hasTimeout).run();
        }
    }

    private static final class Job
    {
        private final List<Event> order;
        private final Mode mode;
        private final FakeNode node;
        private final int[] phase = { 1, 1 };
        private final Integer[] codes = new Integer[2];
        private boolean isSignalled;
        private boolean hasLeft;
        private JobFailure cause;
        private int exitCodeOfCause;

        private Job(final List<Event> order, final Mode mode, final boolean hasTimeout)
        {
            this.order = order;
            this.mode = mode;
            node = new FakeNode(new LaunchContext().nPes(2).keepGoing(Mode.KEEP_GOING == mode)
                .recovery(Mode.RECOVER == mode ? Recovery.RESTART : Recovery.NONE, 1, 1, 1)
                .timeout(hasTimeout ? Duration.ofSeconds(1) : null));
            node.phase(0, PePhase.RECORDED).phase(1, PePhase.RECORDED).machine.onDriver();
        }

        private void run()
        {
            order.forEach(this::apply);
            awaitEnd();
            final int exitCode = node.exitCode();
            final List<String> lines = node.lines();
            final boolean isTimedOut = lines.stream().anyMatch((line) -> line.contains("(--timeout)"));
            if (isSignalled)
            {
                check(TERM == exitCode && null == node.recoverable(), exitCode);
                return;
            }

            if (null != cause && JobFailure.Kind.GLOBAL_EXIT == cause.kind())
            {
                check(STATUS == exitCode, exitCode);
            }
            else if (isTimedOut)
            {
                check(ExitCode.TIMEOUT == exitCode, exitCode);
            }
            else if (0 != exitCodeOfCause)
            {
                check(exitCodeOfCause == exitCode, exitCode);
            }

            check(0 == exitCode || isTimedOut || STATUS == exitCode || ExitCode.FAILURE == exitCode ||
                exitCode == codes[0] || exitCode == codes[1], exitCode);
            check(0 != exitCode || 0 == codes[0] && 0 == codes[1], exitCode);
            final boolean isRecoverable = Mode.RECOVER == mode && !isTimedOut && !hasLeft &&
                null != node.failure() && JobFailure.Kind.GLOBAL_EXIT != node.failure().kind();
            check(isRecoverable == (null != node.recoverable()), exitCode);
            check(Mode.KEEP_GOING == mode || lines.size() == (0 == exitCode || isRecoverable ? 0 : 1), exitCode);
        }

        private void apply(final Event event)
        {
            switch (event.kind())
            {
                case END -> end(event.pe(), (int)event.value());
                case PHASE -> proceed(event.pe());
                case PE_FAILS -> fail(JobFailure.Kind.PE_FAILED, event, "PE " + event.pe() + " has a bad day");
                case GLOBAL_EXIT -> fail(JobFailure.Kind.GLOBAL_EXIT, event, "globalExit");
                case TIME -> node.after(event.value());
                default ->
                {
                    isSignalled = true;
                    node.machine.onSignal((int)event.value());
                }
            }
        }

        private void proceed(final int pe)
        {
            if (null == codes[pe] && phase[pe] < PHASES.length - 1)
            {
                final int next = PHASES[++phase[pe]];
                final boolean isLeaving = PePhase.CLOSED == next;
                node.phase(pe, isLeaving && null != node.failure() ? PePhase.FAILED : next);
                hasLeft |= isLeaving && null == node.failure();
            }
        }

        private void fail(final JobFailure.Kind kind, final Event event, final String message)
        {
            if (null == codes[event.pe()])
            {
                node.failed(kind, event.pe(), (int)event.value(), message);
                cause = node.failure();
            }
        }

        private void end(final int pe, final int code)
        {
            if (null == codes[pe])
            {
                codes[pe] = code;
                cause = node.failure();
                if (null != cause && cause.pe() == pe && 0 != code && !hasSent("TERMINATE"))
                {
                    exitCodeOfCause = code;
                }

                node.ended(pe, code);
            }
        }

        /** PEs end by SIGKILL only, or by themselves where nothing ends them. */
        private void awaitEnd()
        {
            final long startMs = node.nowMs();
            while (!node.machine.isOver())
            {
                node.after(100);
                final boolean isKilled = hasSent("KILL");
                final boolean isEnding = hasSent("TERMINATE");
                for (int pe = 0; pe < 2; pe++)
                {
                    if (isKilled)
                    {
                        end(pe, KILL);
                    }
                    else if (!isEnding && node.nowMs() - startMs > 1_000 && null == codes[pe])
                    {
                        phase[pe] = PHASES.length - 1;
                        node.phase(pe, null == node.failure() ? PePhase.CLOSED : PePhase.FAILED);
                        hasLeft |= null == node.failure();
                        end(pe, 0);
                    }
                }

                check(node.nowMs() - startMs <= 4_000, -1);
            }
        }

        private boolean hasSent(final String signal)
        {
            return node.hasDone(signal);
        }

        private void check(final boolean isRight, final int exitCode)
        {
            assertTrue(isRight, () ->
                order + ", exit code " + exitCode + ", codes " + Arrays.toString(codes) + "\n" + node);
        }
    }
}
