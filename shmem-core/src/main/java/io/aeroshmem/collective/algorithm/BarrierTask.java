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
package io.aeroshmem.collective.algorithm;

import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.sync.Barrier;

/**
 * The task that performs the {@link Barrier} of a team. The barrier's schedule is chosen once, when the team is
 * created. The task only synchronises: it does not complete outstanding communication.
 */
public final class BarrierTask extends CollectiveTask
{
    private final Barrier barrier;

    public BarrierTask(final TeamResources resources)
    {
        barrier = resources.barrier();
    }

    @Override
    public void start(final CallArguments call)
    {
        barrier.start();
    }

    @Override
    public int poll()
    {
        return barrier.poll() ? DONE : WAITING;
    }
}
