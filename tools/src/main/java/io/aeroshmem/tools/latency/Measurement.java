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
package io.aeroshmem.tools.latency;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Shmem;

/**
 * Times calls of one operation. Each operation is a class of its own with its own loop: a loop shared by all would see
 * so many kinds of call that the compiler could inline none of them.
 */
abstract class Measurement
{
    final Shmem shmem;
    final CommunicationContext ctx;
    final int me;
    final int peer;

    Measurement(final Shmem shmem, final int peer)
    {
        this.shmem = shmem;
        this.ctx = shmem.defaultContext();
        this.me = shmem.myPe();
        this.peer = peer;
    }

    /**
     * Makes calls and times them.
     *
     * @param samples takes the time of each call in nanoseconds, from index 0; rates leave it alone.
     * @param count   of calls, at most {@code samples.length} unless this is a rate.
     * @return nanoseconds that all of them took together.
     */
    abstract long measure(long[] samples, int count);
}
