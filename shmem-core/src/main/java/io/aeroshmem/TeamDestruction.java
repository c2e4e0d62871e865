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
package io.aeroshmem;

import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.progress.BlockingWait;

import java.util.function.BooleanSupplier;

/**
 * The destruction of a team, started by {@link Team#destroy()}: {@code ucc_team_destroy}. The team is closed on this PE
 * from that call on. The destruction is complete when every member has called {@link Team#destroy()},
 * {@link Team#close()} or {@link Shmem#close()}.
 * <p>
 * Any thread may poll or wait.
 */
public final class TeamDestruction
{
    private final Endpoint endpoint;
    private final BooleanSupplier isComplete;

    /**
     * @param endpoint null if the destruction is complete.
     */
    TeamDestruction(final Endpoint endpoint, final BooleanSupplier isComplete)
    {
        this.endpoint = endpoint;
        this.isComplete = isComplete;
    }

    /**
     * Drives progress, and tests for completion. Never blocks.
     *
     * @return true if the destruction is complete.
     * @throws ShmemException if the job has failed.
     */
    public boolean poll()
    {
        if (isComplete.getAsBoolean())
        {
            return true;
        }

        endpoint.progress();
        if (isComplete.getAsBoolean())
        {
            return true;
        }

        endpoint.checkFailure();
        return false;
    }

    /**
     * Waits until the destruction is complete.
     *
     * @throws ShmemTimeoutException     if it is not within {@link Shmem.Context#operationTimeoutNs(long)}; it may
     *                                   be called again.
     * @throws ShmemInterruptedException if the thread is interrupted; it may be called again.
     * @throws ShmemException            if the job has failed.
     */
    public void await()
    {
        if (isComplete.getAsBoolean())
        {
            return;
        }

        final BlockingWait waiting = endpoint.blockingWait();
        final long deadlineNs = waiting.operationDeadline();
        int round = 0;
        while (!poll())
        {
            round = waiting.idle(round, deadlineNs, "TeamDestruction.await");
        }

        waiting.reset(round);
    }
}
