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
package io.aeroshmem.collective.selection;

import io.aeroshmem.collective.algorithm.BarrierTask;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.TeamResources;

/**
 * The task of a call on a synchronised team ({@link io.aeroshmem.Synchronization}). It performs the call's ordinary
 * task between two barriers. No member's memory is accessed before all members have entered the call, and no member
 * returns before all are done. A call without data is one barrier.
 */
public final class SynchronizedTask extends CollectiveTask
{
    private static final int ENTERING = 0;
    private static final int RUNNING = 1;
    private static final int LEAVING = 2;

    private final BarrierTask barrier;
    private CollectiveTask task;
    private CallArguments call;
    private int phase;

    public SynchronizedTask(final TeamResources resources)
    {
        barrier = new BarrierTask(resources);
    }

    /** Returns this with the task of the next call. */
    public SynchronizedTask of(final CollectiveTask task)
    {
        this.task = task;
        return this;
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        phase = ENTERING;
        barrier.start(call);
    }

    @Override
    public int poll()
    {
        if (RUNNING == phase)
        {
            final int result = task.poll();
            if (DONE != result)
            {
                return result;
            }

            phase = LEAVING;
            barrier.start(call);
        }

        if (DONE != barrier.poll())
        {
            return WAITING;
        }

        if (LEAVING == phase || !call.hasData())
        {
            return DONE;
        }

        phase = RUNNING;
        task.start(call);
        return MOVED;
    }
}
