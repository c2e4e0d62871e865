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
package io.aeroshmem.thread;

import io.aeroshmem.Comparison;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.sync.PointToPointSync;
import io.aeroshmem.transport.endpoint.Endpoint;

/**
 * Waits and tests whose calls are checked by the {@link ThreadGuard}. Every wait or test first obtains the address of
 * its words, and the guard checks the calling thread in this step. A wait then enters the guard until it returns, so
 * that the guard rejects calls of other threads meanwhile. A test does not enter the guard.
 */
public final class GuardedPointToPointSync extends PointToPointSync
{
    private final ThreadGuard guard;

    public GuardedPointToPointSync(final ThreadGuard guard, final PeIdentity owner, final Endpoint endpoint)
    {
        super(owner, endpoint);
        this.guard = guard;
    }

    @Override
    public long wordAddress(final SymmetricBuffer buffer, final long offset, final int wordBytes)
    {
        guard.check();
        return super.wordAddress(buffer, offset, wordBytes);
    }

    @Override
    public long signalAddress(final SymmetricBuffer signal, final long offset)
    {
        guard.check();
        return super.signalAddress(signal, offset);
    }

    @Override
    public long untilLong(final long address, final Comparison cmp, final long value)
    {
        return guard.call("Shmem.waitUntilLong", () -> super.untilLong(address, cmp, value));
    }

    @Override
    public void untilInt(final long address, final Comparison cmp, final int value)
    {
        guard.run("Shmem.waitUntilInt", () -> super.untilInt(address, cmp, value));
    }

    @Override
    public boolean tryUntil(
        final long address, final int wordBytes, final Comparison cmp, final long value, final long timeoutNs)
    {
        return guard.call("Shmem.tryWaitUntil",
            () -> super.tryUntil(address, wordBytes, cmp, value, timeoutNs));
    }

    @Override
    public long setAddress(
        final SymmetricBuffer buffer, final long offset, final int n, final int wordBytes, final int[] status)
    {
        guard.check();
        return super.setAddress(buffer, offset, n, wordBytes, status);
    }

    @Override
    public void untilAll(
        final long address,
        final int wordBytes,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        guard.run("Shmem.waitUntilAll",
            () -> super.untilAll(address, wordBytes, n, status, cmp, value, longs, ints));
    }

    @Override
    public int untilAny(
        final long address,
        final int wordBytes,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        return guard.call("Shmem.waitUntilAny",
            () -> super.untilAny(address, wordBytes, n, status, cmp, value, longs, ints));
    }

    @Override
    public int untilSome(
        final long address,
        final int wordBytes,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        return guard.call("Shmem.waitUntilSome",
            () -> super.untilSome(address, wordBytes, n, indices, status, cmp, value, longs, ints));
    }
}
