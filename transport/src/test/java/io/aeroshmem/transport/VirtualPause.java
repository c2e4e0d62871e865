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
package io.aeroshmem.transport;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;

/** A pause of one thread that takes no time: parking sets its clocks forward. */
public final class VirtualPause extends Pause
{
    private final long arrivalMs;
    private long nowNs;

    public VirtualPause()
    {
        this(1);
    }

    /** For a peer that is another thread of this process: what it sends arrives within this time if it runs. */
    public VirtualPause(final long arrivalMs)
    {
        this.arrivalMs = arrivalMs;
    }

    @Override
    public long nanoTime()
    {
        return nowNs;
    }

    @Override
    public long time()
    {
        return TimeUnit.NANOSECONDS.toMillis(nowNs);
    }

    @Override
    public void park(final Object blocker, final long ns)
    {
        nowNs += ns;
    }

    /** What is on its way on the loopback interface arrives before any time passes. */
    @Override
    public void select(final Selector selector, final long timeoutMs) throws IOException
    {
        if (0 == selector.select(arrivalMs))
        {
            nowNs += TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        }
    }
}
