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
package io.aeroshmem.collective.task;

/**
 * An algorithm of a collective as a resumable task: it is started with a call, and then polled until it is done. One
 * task serves one call at a time.
 * <p>
 * A poll does not block, apart from back pressure of the transport, and does a bounded amount of work: about a piece of
 * {@link #PIECE} bytes for each peer. Only tasks on device memory use longer pieces, and may wait for a transfer within
 * a poll. A task allocates private memory in its first calls, and again for a call that needs more than all
 * earlier calls; otherwise it allocates nothing.
 */
public abstract class CollectiveTask
{
    /** Result of a poll: no progress is possible until another PE acts. */
    public static final int WAITING = 0;

    /** Result of a poll: progress was made, and more may be possible at once. */
    public static final int MOVED = 1;

    /** Result of a poll: this PE has done its part, its dest is complete, and its source may be reused. */
    public static final int DONE = 2;

    /** Large blocks are moved in pieces of this many bytes. */
    public static final int PIECE = 64 * 1024;

    protected CollectiveTask()
    {
    }

    /** Returns whether any member may take the next step, so that a thread with other work can leave it to others. */
    public boolean isShared()
    {
        return false;
    }

    /** Starts a call within the current step. The task refers to the call until it is done. */
    public abstract void start(CallArguments call);

    /** Proceeds as far as possible, and returns {@link #WAITING}, {@link #MOVED} or {@link #DONE}. */
    public abstract int poll();
}
