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
package io.aeroshmem.sync;

import io.aeroshmem.Comparison;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.latency.Operation;
import io.aeroshmem.latency.OperationRecording;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.transport.endpoint.Endpoint;

/** A {@link PointToPointSync} that records each wait, for a PE that has asked for it. */
public final class RecordedPointToPointSync extends PointToPointSync
{
    private final OperationRecording operations;

    public RecordedPointToPointSync(
        final PeIdentity owner, final Endpoint endpoint, final OperationRecording operations)
    {
        super(owner, endpoint);
        this.operations = operations;
    }

    @Override
    public long until(
        final String call, final long address, final int wordBytes, final Comparison cmp, final long value)
    {
        final long startNs = operations.begin();
        final long seen = super.until(call, address, wordBytes, cmp, value);
        operations.end(Operation.WAIT, 0, startNs);
        return seen;
    }

    @Override
    public boolean tryUntil(
        final String call,
        final long address,
        final int wordBytes,
        final Comparison cmp,
        final long value,
        final long timeoutNs)
    {
        final long startNs = operations.begin();
        final boolean isSatisfied = super.tryUntil(call, address, wordBytes, cmp, value, timeoutNs);
        operations.end(Operation.WAIT, 0, startNs);
        return isSatisfied;
    }

    @Override
    public int await(
        final Quantifier quantifier,
        final SymmetricBuffer ivars,
        final long offset,
        final int wordBytes,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value,
        final Object values,
        final long timeoutNs)
    {
        final long startNs = operations.begin();
        final int found = super.await(
            quantifier, ivars, offset, wordBytes, n, indices, status, cmp, value, values, timeoutNs);
        operations.end(Operation.WAIT, 0, startNs);
        return found;
    }
}
