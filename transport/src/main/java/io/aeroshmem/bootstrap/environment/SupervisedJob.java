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
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.PreviousGeneration;
import io.aeroshmem.transport.job.RecoveryMember;
import io.aeroshmem.transport.rendezvous.LostRendezvousException;
import io.aeroshmem.transport.rendezvous.RendezvousId;
import io.aeroshmem.transport.rendezvous.RendezvousServer;

import java.nio.file.Path;
import java.util.stream.IntStream;

/**
 * The share of a process in a recoverable job that no launcher started: what crosses from one generation to the next.
 * That is the PE's {@link RecoveryMember}, and in the process of PE 0 the port of the rendezvous. A supervisor starts
 * the processes that end after a failure; with REPLACE a process that survives joins the next generation itself.
 * <p>
 * All generations have one id, since nobody could count them: PE 0 listens for each anew.
 */
final class SupervisedJob
{
    private final RendezvousId id;
    private final int pe;
    private final int nPes;
    private final RecoveryMember member;
    private final String setting;
    /** Of the last generation that this process has tried to join; null if it does not run PE 0. */
    private RendezvousServer server;
    private boolean isJoined;

    private SupervisedJob(
        final RendezvousId id, final int pe, final int nPes, final String setting, final RecoveryMember member)
    {
        this.setting = setting;
        this.id = id;
        this.pe = pe;
        this.nPes = nPes;
        this.member = member;
    }

    /**
     * Waits until an earlier process of the PE has ended, and takes over what it has left. {@code setting} says in
     * messages what names the address.
     */
    static SupervisedJob open(
        final RendezvousId id, final int pe, final int nPes, final String setting, final EndpointContext context)
    {
        final Path root = context.settings().shmDirectory();
        JobCleaner.clean(root, context.errorHandler());
        final RecoveryMember member = RecoveryMember.join(root, id.recoveryId(context.settings().nodeName()), pe,
            context.settings().retainTimeoutNs(), context.settings().joinTimeoutNs(), context.pause());
        return new SupervisedJob(id, pe, nPes, setting, member);
    }

    /**
     * Returns whether another generation follows the last one, which this process has left. None follows the close of a
     * PE, which is not started again.
     */
    boolean isFollowed(final JobProcess last)
    {
        final ControlFile control = isJoined ? last.directory().control() : null;
        final JobFailure failure = null == control ? null : control.failure();
        return null != failure && !failure.endsJob() &&
            IntStream.range(0, nPes).noneMatch((other) -> PePhase.CLOSED == control.phase(other));
    }

    /**
     * Joins the next generation. One that fails before all PEs have joined is followed by the next at once, without
     * another process.
     */
    JobProcess join(final EndpointContext context)
    {
        isJoined = false;
        try
        {
            final JobProcess joined = joinOneOfThem(context);
            isJoined = true;
            return joined;
        }
        catch (final RuntimeException | Error ex)
        {
            member.abandon();
            if (null != server)
            {
                EnvironmentBootstrap.failAndAwait(server, ex);
            }

            throw ex;
        }
    }

    private JobProcess joinOneOfThem(final EndpointContext context)
    {
        final long deadlineNs = System.nanoTime() + context.settings().joinTimeoutNs();
        while (true)
        {
            listen(context);
            try
            {
                return EnvironmentBootstrap.atPe0(id, setting, context, () ->
                    new RendezvousBootstrap(id, pe, nPes, 0 == pe).recoveryMember(member).enter(context));
            }
            catch (final JobFailureException ex)
            {
                if (ex.failure().endsJob() || JobFailure.Kind.PROTOCOL == ex.failure().kind() ||
                    System.nanoTime() - deadlineNs >= 0)
                {
                    throw ex;
                }
            }
            catch (final LostRendezvousException ex)
            {
                if (System.nanoTime() - deadlineNs >= 0)
                {
                    throw ex;
                }
            }
        }
    }

    private void listen(final EndpointContext context)
    {
        if (0 == pe)
        {
            server = null != server ? server.next(PreviousGeneration.NONE) : EnvironmentBootstrap.startServer(
                setting, () -> RendezvousServer.startRecoverable(id, context.errorHandler()));
        }
    }
}
