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
package io.aeroshmem.collective;

/**
 * An algorithm of a collective as a machine that can be left and resumed: it is started with a call and then polled
 * until it is done. It never blocks, does a bounded amount of work in a poll (about a piece of {@link #PIECE} bytes
 * for each peer), and allocates nothing after its construction. One machine serves one call at a time.
 */
public abstract class CollectiveMachine
{
    /**
     * Result of a poll: nothing to do until another PE does something.
     */
    public static final int WAITING = 0;

    /**
     * Result of a poll: something was done, and more may be at once.
     */
    public static final int MOVED = 1;

    /**
     * Result of a poll: this PE has done its part, its dest is complete, and its source may be reused.
     */
    public static final int DONE = 2;

    /**
     * Large blocks are moved in pieces of this many bytes.
     */
    public static final int PIECE = 64 * 1024;

    /**
     * Construct a machine.
     */
    protected CollectiveMachine()
    {
    }

    /**
     * Begin a call, in a step that has begun. The machine keeps the call until it is done.
     *
     * @param call checked arguments, unchanged meanwhile.
     */
    public abstract void start(CollectiveCall call);

    /**
     * Go on as far as is possible now.
     *
     * @return {@link #WAITING}, {@link #MOVED} or {@link #DONE}.
     */
    public abstract int poll();
}
