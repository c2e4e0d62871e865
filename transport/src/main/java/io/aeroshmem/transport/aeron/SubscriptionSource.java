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
package io.aeroshmem.transport.aeron;

import io.aeron.Subscription;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.FragmentHandler;

/** Subscription of Aeron as an inbox. */
final class SubscriptionSource extends FrameSource
{
    private final Subscription subscription;

    SubscriptionSource(final Subscription subscription)
    {
        this.subscription = subscription;
    }

    @Override
    public int poll(final FragmentHandler handler, final int limit)
    {
        return subscription.poll(handler, limit);
    }

    @Override
    public int controlledPoll(final ControlledFragmentHandler handler, final int limit)
    {
        return subscription.controlledPoll(handler, limit);
    }

    @Override
    public boolean isClosed()
    {
        return subscription.isClosed();
    }

    @Override
    public String resolvedEndpoint()
    {
        return subscription.resolvedEndpoint();
    }

    @Override
    public void close()
    {
        subscription.close();
    }
}
