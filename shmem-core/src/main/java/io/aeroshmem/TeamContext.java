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
package io.aeroshmem;

import io.aeroshmem.latency.OperationRecording;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.rma.TypedContext;
import io.aeroshmem.team.Membership;
import io.aeroshmem.transport.endpoint.Endpoint;

/**
 * A communication context of a team, which it names. The only subclass of {@link TypedContext}: so the operations need
 * no team, and calls of them no dispatch.
 */
final class TeamContext extends TypedContext
{
    private final Team team;

    TeamContext(
        final PeIdentity owner,
        final Endpoint endpoint,
        final OperationRecording operations,
        final Team team,
        final Membership membership,
        final boolean isDefault,
        final ContextOption... options)
    {
        super(owner, endpoint, operations, membership.worldPes(), membership.myRank(), isDefault, options);
        this.team = team;
    }

    @Override
    public Team team()
    {
        return team;
    }
}
