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

import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PePhase;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a {@link NodeStateMachine} sees of a node and does to it: a control file, of which the first failure counts, a
 * clock, and the actions as lines. PE n has the pid 100 + n.
 */
final class FakeNode implements NodeStateMachine.Actions
{
    final NodeStateMachine machine;
    private final List<String> actions = new ArrayList<>();
    private int nPes;
    private int firstPe;
    private int peCount;
    private JobFailure failure;
    private int[] phases;
    private long nowMs;

    /** Starts all PEs of a job. */
    FakeNode(final LaunchContext ctx)
    {
        this(ctx, 0, ctx.nPes(), "");
    }

    /** Starts those PEs of a job that are on a host. */
    FakeNode(final LaunchContext ctx, final int firstPe, final int peCount, final String where)
    {
        nPes = ctx.nPes();
        this.firstPe = firstPe;
        this.peCount = peCount;
        phases = new int[nPes];
        machine = new NodeStateMachine(ctx, firstPe, peCount, where, 0, this);
        for (int pe = firstPe; pe < firstPe + peCount; pe++)
        {
            machine.onStart(pe, 100 + pe);
        }
    }

    /** Sets the phase of every PE. */
    FakeNode all(final int phase)
    {
        Arrays.fill(phases, phase);
        return poll();
    }

    FakeNode phase(final int pe, final int phase)
    {
        phases[pe] = phase;
        return poll();
    }

    /** Lets a PE, or with -1 the rest of the job, report a failure. */
    FakeNode failed(final JobFailure.Kind kind, final int pe, final int status, final String message)
    {
        failure = null == failure ? new JobFailure(kind, pe, status, message) : failure;
        return poll();
    }

    /** Ends the process of a PE. */
    FakeNode ended(final int pe, final int exitCode)
    {
        return ended(pe, exitCode, null);
    }

    FakeNode ended(final int pe, final int exitCode, final String refusal)
    {
        observe();
        machine.onEnd(nowNs(), pe, exitCode, refusal);
        machine.tick(nowNs());
        return this;
    }

    /** Creates the successor of the job. */
    FakeNode succeeded()
    {
        phases = new int[nPes];
        failure = null;
        machine.onSuccessor();
        return poll();
    }

    /** Begins the next generation, and starts processes for the PEs that have none. */
    FakeNode next()
    {
        begin();
        return started().poll();
    }

    /** Begins the next generation, in which the process of one PE cannot be started. */
    FakeNode nextWithout(final int pe, final String reason)
    {
        begin();
        machine.onStartFailure(nowNs(), pe, reason);
        return started().poll();
    }

    private void begin()
    {
        final JobFailure previousFailure = failure;
        phases = new int[nPes];
        failure = null;
        machine.onGeneration(nowNs(), previousFailure);
    }

    /** Begins the next generation with other PEs, and returns their previous numbers. */
    int[] resized()
    {
        final int[] pes = machine.nextPes(failure);
        resized(0, pes.length, pes);
        return pes;
    }

    /** Begins the next generation, in which these PEs have other numbers. */
    FakeNode resized(final int newFirstPe, final int newNPes, final int... pes)
    {
        machine.onNextPes(newFirstPe, newNPes, pes);
        firstPe = newFirstPe;
        nPes = newNPes;
        peCount = pes.length;
        return next();
    }

    /** Starts processes for the PEs that want one, with pids of their own. */
    FakeNode started()
    {
        for (int pe = firstPe; pe < firstPe + peCount; pe++)
        {
            if (machine.isWanted(pe))
            {
                machine.onStart(pe, 200 + pe);
                add("start " + pe);
            }
        }

        return this;
    }

    /** Lets time pass, in rounds as long as the machine wants them. */
    FakeNode after(final long ms)
    {
        final long untilMs = nowMs + ms;
        while (nowMs < untilMs)
        {
            nowMs = Math.min(untilMs, nowMs + machine.pollMs(nowNs()));
            poll();
        }

        return this;
    }

    long nowMs()
    {
        return nowMs;
    }

    JobFailure failure()
    {
        return failure;
    }

    int exitCode()
    {
        return machine.conclude(failure);
    }

    /** Returns why the generation has ended, if another one may follow it. */
    String recoverable()
    {
        return machine.recoverable(failure);
    }

    /** Returns the actions, each with its time in milliseconds. */
    List<String> actions()
    {
        return List.copyOf(actions);
    }

    /** Returns whether an action has been taken. */
    boolean hasDone(final String action)
    {
        for (final String each : actions)
        {
            if (each.endsWith(action))
            {
                return true;
            }
        }

        return false;
    }

    /** Returns the lines of the launcher. */
    List<String> lines()
    {
        return actions.stream().filter((action) -> action.contains(" report ") || action.contains(" describe "))
            .map((action) -> action.substring(action.indexOf(' ', action.indexOf(' ') + 1) + 1)).toList();
    }

    private FakeNode poll()
    {
        observe();
        machine.tick(nowNs());
        return this;
    }

    private void observe()
    {
        machine.onJob(nowNs(), failure, phases.clone());
    }

    private long nowNs()
    {
        return TimeUnit.MILLISECONDS.toNanos(nowMs);
    }

    private void add(final String action)
    {
        actions.add(nowMs + " " + action);
    }

    @Override
    public void report(final String line)
    {
        add("report " + line);
    }

    @Override
    public void describe(final String line)
    {
        add("describe " + line);
    }

    @Override
    public void fail(final int pe, final JobFailure reported)
    {
        add("fail " + pe + " " + reported.kind() + " " + reported.message());
        failure = null == failure ? reported : failure;
    }

    @Override
    public void peDied(final int pe, final int exitCode, final String what)
    {
        add("died " + pe + " " + exitCode);
        failure = null == failure ?
            new JobFailure(JobFailure.Kind.PE_DIED, pe, exitCode, "PE " + pe + " died: " + what) : failure;
    }

    @Override
    public void holdTraceOf(final int pe)
    {
        add("hold " + pe);
    }

    @Override
    public void dropTraces()
    {
        add("drop");
    }

    @Override
    public void printHeld()
    {
        add("print");
    }

    @Override
    public void signal(final EndSchedule.Signal signal)
    {
        if (EndSchedule.Signal.NONE != signal)
        {
            add(signal.toString());
        }
    }

    @Override
    public void kill(final int pe)
    {
        add("kill " + pe);
    }

    @Override
    public void abandon(final int pe)
    {
        add("abandon " + pe);
    }

    @Override
    public String toString()
    {
        return "PEs from " + firstPe + ", phases " + Arrays.stream(phases).mapToObj(PePhase::name).toList() +
            ", failure " + failure + ", actions:\n  " + String.join("\n  ", actions);
    }
}
