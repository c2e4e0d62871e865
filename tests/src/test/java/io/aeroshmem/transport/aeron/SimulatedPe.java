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

import io.aeroshmem.transport.MemorySpace;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.progress.BlockingWait;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.BufferUtil;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;

/** PE of a {@link MessageWorld}: its memory, its engine with links to all other PEs, and its program. */
final class SimulatedPe
{
    /** Limit of the PEs of a world. */
    static final int MAX_PES = 16;
    static final int USER_LENGTH = MessageProgram.LENGTH;
    static final int SYSTEM_LENGTH = 4096;

    final MessageWorld world;
    final int pe;
    private final int lockInterval;
    final UnsafeBuffer user = new UnsafeBuffer(BufferUtil.allocateDirectAligned(USER_LENGTH, 64));
    final UnsafeBuffer system = new UnsafeBuffer(BufferUtil.allocateDirectAligned(SYSTEM_LENGTH, 64));
    ProgressEngine engine;
    MessageTransport messages;
    Transport[] transports;
    MessageProgram program;
    private MessageLinks links;
    private BlockingWait blockingWait;
    private boolean isLockHeld;
    private boolean isKilled;
    private boolean isKilledInCall;

    SimulatedPe(final MessageWorld world, final int pe)
    {
        this.world = world;
        this.pe = pe;
        lockInterval = 2 << world.random.nextInt(6);
    }

    /** Opens the inbox. */
    void open(final FrameStreams streams, final Channels channels, final int[] epochs, final boolean isUdp)
    {
        engine = new ProgressEngine(
            pe,
            world.directory.control(),
            new RegionMemory(user.addressOffset(), USER_LENGTH, system.addressOffset(), SYSTEM_LENGTH),
            epochs,
            world.directory.token(),
            (ex) ->
            {
                throw world.wrong(ex.getMessage());
            });
        links = new MessageLinks(engine, streams, channels, world.directory.token(), 0, (round) -> round);
        if (isUdp)
        {
            links.openUdpInbox();
        }
        else
        {
            links.openIpcInbox();
        }
    }

    /** Opens the links to the other PEs, whose inboxes are open. */
    void link(final boolean isUdp, final MemorySpace[] spaces)
    {
        for (final SimulatedPe peer : world.pes)
        {
            if (peer != this && isUdp)
            {
                links.linkUdp(peer.pe, peer.links.udpEndpoint(), pe);
            }
            else if (peer != this)
            {
                links.linkIpc(peer.pe);
            }
        }

        blockingWait = new BlockingWait(
            world.directory.control(),
            pe,
            this::pollWaiting,
            Progress.NONE,
            new SimulatedExceptions(),
            0,
            NoOpIdleStrategy::new,
            Pause.SYSTEM);
        messages = new MessageTransport(engine, blockingWait);
        transports = new Transport[world.pes.length];
        Arrays.fill(transports, messages);
        transports[pe] = new OwnTransport(spaces, this, blockingWait, engine);
        program = new MessageProgram(this);
    }

    /** Lets others run inside a wait of the program, which then drives its engine, as a rule. */
    private int pollWaiting()
    {
        world.step();
        checkAlive();
        if (world.directory.control().isFailed())
        {
            // what ends the wait takes the lock
            freeLock();
        }

        program.onWait();
        return 0 == world.random.nextInt(8) ? 0 : engine.poll();
    }

    /**
     * Drives the engine as any of the threads does that may; or holds its lock for some time, as a thread does that is
     * interrupted in a duty cycle. Returns true if something moved.
     */
    boolean drive()
    {
        if (isLockHeld)
        {
            if (0 == world.random.nextInt(8))
            {
                freeLock();
            }

            return false;
        }

        if (0 == world.random.nextInt(lockInterval))
        {
            isLockHeld = program.mayFindTheLockTaken() && !world.isEnding() &&
                !world.directory.control().isFailed() && engine.tryLock();
            return false;
        }

        switch (world.random.nextInt(16))
        {
            case 0:
                engine.pollAsSender();
                return false;

            case 1:
                engine.send();
                return false;

            default:
                return engine.pollAsAgent() > 0;
        }
    }

    /** Ends the PE wherever its program is: nothing of it runs any more, but what leaves the call that it is in. */
    void kill()
    {
        isKilled = true;
        isKilledInCall = program.isActive();
    }

    /** Leaves the program of a PE that was killed. What this passes reaches nobody: the streams ignore the PE. */
    void checkAlive()
    {
        if (isKilled)
        {
            // what leaves the call takes the lock
            freeLock();
            throw new Killed();
        }
    }

    /** Returns whether the PE was killed amid a call. */
    boolean isKilledInCall()
    {
        return isKilledInCall;
    }

    boolean isKilled()
    {
        return isKilled;
    }

    void freeLock()
    {
        if (isLockHeld)
        {
            isLockHeld = false;
            engine.unlock();
        }
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder(
            "PE " + pe + (isKilled ? " (killed)" : "") +
            (isLockHeld ? " (lock held)" : "") + ": " + program);
        for (final PeerLink link : engine.links())
        {
            text.append("; to PE " + link.pe + " " + link.outbox.assigned() + " records, " +
                link.outbox.acknowledged() + " acknowledged, " + Long.bitCount(link.requests.inUse()) + " requests, " +
                (link.fetchRuns.opened() - link.fetchRuns.completed()) + " runs");
        }

        return text.toString();
    }

    /** Ends the program of a PE that was killed. */
    private static final class Killed extends RuntimeException
    {
        private static final long serialVersionUID = 1L;

        Killed()
        {
            super(null, null, false, false);
        }
    }
}
