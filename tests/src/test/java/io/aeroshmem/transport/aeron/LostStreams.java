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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.simulation.SimulatedNetwork.LostStream;
import io.aeroshmem.transport.job.JobFailure;

import java.util.ArrayList;
import java.util.List;

/**
 * The end of one stream, or the death of a process. What was on its way on a stream that ends is lost; its receiver is
 * notified, and the sender sees it, each after a while. A death is reported after a while too, as the liveness of
 * processes does.
 */
final class LostStreams implements MessageFaults
{
    private static final int DELAY = 2_000;
    private static final int LAST_BEGIN = 8_000;

    private final boolean isDeath;
    private final List<Runnable> events = new ArrayList<>();
    private final List<Long> times = new ArrayList<>();
    private long time;
    private long beginTime = -1;
    private boolean hasBegun;

    /** {@code isDeath} for the death of a process, which ends all streams that only it sends on. */
    LostStreams(final boolean isDeath)
    {
        this.isDeath = isDeath;
    }

    @Override
    public boolean step(final MessageWorld world)
    {
        if (beginTime < 0)
        {
            beginTime = world.random.nextInt(LAST_BEGIN);
        }

        time++;
        if (!hasBegun && time >= beginTime)
        {
            hasBegun = isDeath ? kill(world) : end(world);
            return hasBegun;
        }

        for (int i = 0; i < events.size(); i++)
        {
            if (times.get(i) <= time)
            {
                times.remove(i);
                events.remove(i).run();
                return true;
            }
        }

        return false;
    }

    private boolean end(final MessageWorld world)
    {
        final LostStream lost = world.network.lose();
        if (null != lost)
        {
            end(world, lost);
        }

        return null != lost;
    }

    private void end(final MessageWorld world, final LostStream lost)
    {
        later(world, lost.notification());
        later(world, lost.disconnection());
    }

    private void later(final MessageWorld world, final Runnable event)
    {
        events.add(event);
        times.add(time + 1 + world.random.nextInt(DELAY));
    }

    private boolean kill(final MessageWorld world)
    {
        final int process = world.random.nextInt(world.nProcesses);
        for (final SimulatedPe pe : world.pes)
        {
            if (isOf(world, pe, process) && pe.program.hasEnded())
            {
                return false;
            }
        }

        SimulatedPe dead = null;
        for (final SimulatedPe pe : world.pes)
        {
            if (isOf(world, pe, process))
            {
                pe.kill();
                dead = pe;
            }
        }

        final int pe = dead.pe;
        later(world, () -> world.directory.control().fail(
            pe, new JobFailure(JobFailure.Kind.PE_FAILED, pe, -1, "PE " + pe + " was killed")));
        world.network.kill(process).forEach((lost) -> end(world, lost));
        return true;
    }

    private static boolean isOf(final MessageWorld world, final SimulatedPe pe, final int process)
    {
        return pe.pe % world.nProcesses == process;
    }
}
