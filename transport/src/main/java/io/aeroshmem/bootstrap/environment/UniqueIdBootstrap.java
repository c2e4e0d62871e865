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
package io.aeroshmem.bootstrap.environment;

import io.aeroshmem.bootstrap.RendezvousBootstrap;
import io.aeroshmem.transport.endpoint.EndpointContext;
import io.aeroshmem.transport.endpoint.JobProcess;
import io.aeroshmem.transport.endpoint.PeBootstrap;
import io.aeroshmem.transport.rendezvous.RendezvousId;

/**
 * The bootstrap of a PE by an id that the program has distributed. All generations of a recoverable job have the same
 * id: a supervisor starts a process that has ended again, with its rank and the id, and PE 0 listens at the address in
 * the id, in place of the server that was made with it.
 */
public final class UniqueIdBootstrap implements PeBootstrap
{
    private static final String SETTING = "the unique id";

    private final RendezvousId id;
    private final boolean isStartedAgain;
    private final Runnable release;
    /** How the PE joins a job that does not recover. */
    private final RendezvousBootstrap single;
    private final SupervisedJob before;
    private SupervisedJob supervised;
    private JobProcess joined;

    /**
     * Constructs the bootstrap of a PE.
     *
     * @param isStartedAgain whether a supervisor may be assumed, if the job is to recover.
     * @param release        closes the server that was made with the id, if it is in this process.
     */
    public UniqueIdBootstrap(
        final RendezvousId id, final int pe, final int nPes, final boolean isStartedAgain, final Runnable release)
    {
        this(id, new RendezvousBootstrap(id, pe, nPes), isStartedAgain, release, null);
    }

    private UniqueIdBootstrap(
        final RendezvousId id,
        final RendezvousBootstrap single,
        final boolean isStartedAgain,
        final Runnable release,
        final SupervisedJob before)
    {
        this.id = id;
        this.single = single;
        this.isStartedAgain = isStartedAgain;
        this.release = release;
        this.before = before;
    }

    @Override
    public int pe()
    {
        return single.pe();
    }

    @Override
    public int nPes()
    {
        return single.nPes();
    }

    @Override
    public JobProcess enter(final EndpointContext context)
    {
        if (!isStartedAgain || !context.settings().isRecoverable())
        {
            return single.enter(context);
        }

        single.use();
        supervised = null != before ? before : open(context);
        joined = supervised.join(context);
        return joined;
    }

    private SupervisedJob open(final EndpointContext context)
    {
        final SupervisedJob opened = SupervisedJob.open(id, pe(), nPes(), SETTING, context);
        if (0 == pe())
        {
            release.run();
        }

        return opened;
    }

    @Override
    public void withdraw(final Throwable cause, final long joinTimeoutNs)
    {
        single.withdraw(cause, joinTimeoutNs);
    }

    @Override
    public PeBootstrap next()
    {
        return null == joined || !supervised.isFollowed(joined) ? null : new UniqueIdBootstrap(
            id, new RendezvousBootstrap(id, pe(), nPes()), isStartedAgain, release, supervised);
    }

    @Override
    public boolean isStartedAgain()
    {
        return isStartedAgain;
    }
}
