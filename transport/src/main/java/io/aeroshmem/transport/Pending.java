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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Count of one communication context's nonblocking requests that await a reply. A request is a get, a fetching atomic,
 * or a run of such operations.
 * <p>
 * A thread that issues a request calls {@link #begin()} before it submits the request. The thread that holds the lock
 * of the {@link io.aeroshmem.transport.aeron.ProgressEngine} calls {@link #end()} after it has stored the reply. (If
 * the request cannot be submitted, the issuing thread calls it.) The release in {@code end} and the acquire in
 * {@link #isIdle()} order the data of the reply before the return of a quiet that saw the count at zero.
 */
public class Pending extends PendingValue
{
    private static final VarHandle COUNT =
        Fields.handle(MethodHandles.lookup(), PendingValue.class, "count", long.class);

    private volatile boolean isBatch;
    byte p016, p017, p018, p019, p020, p021, p022, p023, p024, p025, p026, p027, p028, p029, p030, p031;
    byte p032, p033, p034, p035, p036, p037, p038, p039, p040, p041, p042, p043, p044, p045, p046, p047;
    byte p048, p049, p050, p051, p052, p053, p054, p055, p056, p057, p058, p059, p060, p061, p062, p063;

    /** Sets whether the context is in a batch: what it issues gathers, and is not sent at once. Any thread. */
    public void batch(final boolean isBatch)
    {
        this.isBatch = isBatch;
    }

    /** Returns whether the context is in a batch. */
    public boolean isBatch()
    {
        return isBatch;
    }

    /** Counts an operation that is about to be issued. */
    public void begin()
    {
        COUNT.getAndAdd(this, 1L);
    }

    /** Counts an operation as complete. */
    public void end()
    {
        COUNT.getAndAddRelease(this, -1L);
    }

    /** Returns true if no operation is outstanding. */
    public boolean isIdle()
    {
        return 0 == (long)COUNT.getAcquire(this);
    }
}

/** Left padding and the count, so that the counts of two communication contexts never share a cache line. */
abstract class PendingValue
{
    byte p000, p001, p002, p003, p004, p005, p006, p007, p008, p009, p010, p011, p012, p013, p014, p015;
    byte q000, q001, q002, q003, q004, q005, q006, q007, q008, q009, q010, q011, q012, q013, q014, q015;
    byte r000, r001, r002, r003, r004, r005, r006, r007, r008, r009, r010, r011, r012, r013, r014, r015;
    volatile long count;
}
