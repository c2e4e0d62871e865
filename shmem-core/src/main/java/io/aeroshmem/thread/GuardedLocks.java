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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.sync.Locks;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.progress.ExceptionFactory;
import org.agrona.ErrorHandler;

import java.util.concurrent.ThreadFactory;

/** The lock calls of a PE, checked by the {@link ThreadGuard}. */
public final class GuardedLocks extends Locks
{
    private final ThreadGuard guard;

    public GuardedLocks(
        final ThreadGuard guard,
        final Object owner,
        final Endpoint endpoint,
        final CommunicationContext context,
        final ExceptionFactory exceptions,
        final ThreadFactory threadFactory,
        final ErrorHandler errorHandler)
    {
        super(owner, endpoint, context, exceptions, threadFactory, errorHandler);
        this.guard = guard;
    }

    @Override
    public void lock(final SymmetricBuffer buffer, final long offset)
    {
        guard.run("Shmem.lock", () -> super.lock(buffer, offset));
    }

    @Override
    public boolean test(final SymmetricBuffer buffer, final long offset)
    {
        return guard.call("Shmem.testLock", () -> super.test(buffer, offset));
    }

    @Override
    public boolean tryLock(final SymmetricBuffer buffer, final long offset, final long timeoutNs)
    {
        return guard.call("Shmem.tryLock", () -> super.tryLock(buffer, offset, timeoutNs));
    }

    @Override
    public void unlock(final SymmetricBuffer buffer, final long offset)
    {
        guard.run("Shmem.unlock", () -> super.unlock(buffer, offset));
    }
}
