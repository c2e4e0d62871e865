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
package io.aeroshmem.memory;

import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.concurrent.AtomicBuffer;

import java.nio.ByteBuffer;

/** A PE's own part of a region, in the memory of its host. */
public final class EndpointMemory implements LocalMemory
{
    private final Endpoint endpoint;
    private final int region;

    /** Constructs for a {@link io.aeroshmem.transport.Region} of one PE. */
    public EndpointMemory(final Endpoint endpoint, final int region)
    {
        this.endpoint = endpoint;
        this.region = region;
    }

    @Override
    public long address()
    {
        return endpoint.localAddress(region);
    }

    @Override
    public AtomicBuffer view(final long offset, final int length)
    {
        return endpoint.view(endpoint.pe(), region, offset, length);
    }

    @Override
    public ByteBuffer byteBuffer(final long offset, final int length)
    {
        return endpoint.byteBuffer(region, offset, length);
    }
}
