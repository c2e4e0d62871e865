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
package io.aeroshmem.team;

import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.endpoint.Endpoint;

/**
 * The {@link Arena} at the end of a PE's system region.
 *
 * @param endpoint the endpoint of the PE.
 */
record EndpointArena(Endpoint endpoint) implements Arena
{
    @Override
    public long offset()
    {
        return endpoint.arenaOffset();
    }

    @Override
    public long length()
    {
        return endpoint.regionLength(Region.SYSTEM) - endpoint.arenaOffset();
    }

    @Override
    public void reserve(final long offset, final long length)
    {
        endpoint.reserve(offset, length);
    }
}
