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
package io.aeroshmem.transport.progress;

/**
 * Duty cycle that blocked callers and the background agent run. For example, one duty cycle drives a PE's messages, and
 * another one its nonblocking requests.
 */
public interface Progress
{
    /** Progress of a PE that exchanges no messages. */
    Progress NONE = () -> 0;

    /** Runs one duty cycle unless another thread runs one, and returns the work count. Never blocks. */
    int poll();

    /** Polls as the background agent, which leaves the work to callers that poll at the time. */
    default int pollAsAgent()
    {
        return poll();
    }

    /** Returns true if there is nothing to drive. */
    default boolean isIdle()
    {
        return false;
    }

    /** Returns whether it serves other PEs, which may wait for a poll. */
    default boolean isServing()
    {
        return false;
    }

    /**
     * Returns whether this thread is inside a poll. What waits there belongs to a call of the program that is not its
     * current one.
     */
    default boolean isInPoll()
    {
        return false;
    }

    /** Polls inside a wait of the thread that drives several PEs: calls nothing of the application. */
    default int pollNested()
    {
        return pollAsAgent();
    }
}
