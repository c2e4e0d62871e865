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
package io.aeroshmem.rma;

import io.aeroshmem.latency.Operation;
import io.aeroshmem.latency.OperationRecording;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.endpoint.Endpoint;

/** A {@link Completion} that records each quiet, for a PE that has asked for it. */
final class RecordedCompletion extends Completion
{
    private final OperationRecording operations;

    RecordedCompletion(
        final Endpoint endpoint,
        final Transport[] transports,
        final int[] worldPes,
        final OperationRecording operations)
    {
        super(endpoint, transports, worldPes);
        this.operations = operations;
    }

    @Override
    void quiet()
    {
        final long startNs = operations.begin();
        super.quiet();
        operations.end(Operation.QUIET, 0, startNs);
    }

    @Override
    void quiet(final int rank)
    {
        final long startNs = operations.begin();
        super.quiet(rank);
        operations.end(Operation.QUIET, 0, startNs);
    }
}
