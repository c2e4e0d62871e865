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
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AtomicBuffer;

import java.nio.ByteBuffer;

/** A PE's own part of a region in host memory, mapped by the {@link Endpoint} of the PE. */
public final class EndpointMemory implements LocalMemory
{
    private static final long ZERO_PIECE = 1L << 20;

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
    public long operandAddress()
    {
        return address();
    }

    @Override
    public void copy(final long fromOffset, final long toOffset, final long length)
    {
        MemoryOps.copy(null, address() + fromOffset, null, address() + toOffset, length);
    }

    @Override
    public void zero(final long offset, final long length)
    {
        for (long done = 0; done < length; done += ZERO_PIECE)
        {
            UnsafeApi.setMemory(null, address() + offset + done, Math.min(ZERO_PIECE, length - done), (byte)0);
        }
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
