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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.Liveness;
import io.aeroshmem.transport.job.PeCounter;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The sampled counters of a PE. Each counter has a source, a component of the PE that maintains its value. In each
 * round, every {@value Liveness#INTERVAL_MS} ms, the liveness thread reads the values from the sources and writes them
 * to the control file. So a component needs at most a plain field for each counter.
 * <p>
 * Ordering: the liveness thread reads the sources without ordering, and may miss the latest update. A reader of the
 * counters sees values that are at most two rounds old. The monitor of this object prevents a sample after
 * {@link #close()}, when the sources may no longer exist.
 */
final class Gauges implements Liveness.Watch, AutoCloseable
{
    private final List<Gauge> gauges = new ArrayList<>();
    private final ControlFile control;
    private final int pe;
    private boolean isClosed;

    private record Gauge(AtomicCounter counter, LongSupplier source)
    {
    }

    Gauges(final ControlFile control, final int pe)
    {
        this.control = control;
        this.pe = pe;
    }

    /** Adds a source, which any thread may read until {@link #close()}. */
    synchronized void add(final PeCounter counter, final LongSupplier source)
    {
        gauges.add(new Gauge(control.counter(pe, counter), source));
    }

    @Override
    public synchronized JobFailure check(final long elapsedNs)
    {
        if (!isClosed)
        {
            gauges.forEach((gauge) -> gauge.counter.setRelease(gauge.source.getAsLong()));
        }

        return null;
    }

    /** Samples a last time; no source is read when this returns. */
    @Override
    public synchronized void close()
    {
        check(0);
        isClosed = true;
    }
}
