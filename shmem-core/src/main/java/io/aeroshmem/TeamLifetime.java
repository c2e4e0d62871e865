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

import io.aeroshmem.collective.call.CallHistories;
import io.aeroshmem.collective.call.CollectiveCount;
import io.aeroshmem.collective.call.CollectiveEngine;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.rma.ContextUse;
import io.aeroshmem.team.CreationDomain;
import io.aeroshmem.team.TeamSlots;
import org.agrona.CloseHelper;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The lifetime of a created team on one PE. {@link Team} checks here that the team is open. Closing the team closes the
 * contexts made from it, and releases its {@link TeamHoldings}, its latency records and its slot ({@link TeamSlots}).
 * Thread-safe.
 */
final class TeamLifetime
{
    private static final int FIRST_SWEEP = 16;

    private final String name;
    private final TeamSlots slots;
    private final long area;
    private final CollectiveEngine engine;
    private final TeamLatency latency;
    private final CollectiveCount collectiveCount;
    private final CallHistories histories;
    private final TeamHoldings holdings;
    private final Map<ContextUse, AutoCloseable> contexts = new LinkedHashMap<>();
    private int sweepAt = FIRST_SWEEP;
    private volatile boolean isClosed;
    private volatile boolean areAllClosed;

    TeamLifetime(
        final String name,
        final TeamSlots slots,
        final long area,
        final CollectiveEngine engine,
        final TeamLatency latency,
        final CollectiveCount collectiveCount,
        final CallHistories histories,
        final TeamHoldings holdings)
    {
        this.histories = histories;
        this.collectiveCount = collectiveCount;
        this.holdings = holdings;
        this.name = name;
        this.slots = slots;
        this.area = area;
        this.engine = engine;
        this.latency = latency;
    }

    void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("team must be open: team " + name + " is closed");
        }
    }

    /**
     * Registers a context until it is closed. Contexts that the program has closed are removed when there are twice as
     * many as were open at the last sweep.
     */
    synchronized void register(final ContextUse use, final AutoCloseable context)
    {
        if (isClosed)
        {
            CloseHelper.close(context);
            checkOpen();
        }

        if (contexts.size() >= sweepAt)
        {
            contexts.keySet().removeIf(ContextUse::isClosed);
            sweepAt = Math.max(FIRST_SWEEP, 2 * contexts.size());
        }

        contexts.put(use, context);
    }

    /**
     * Closes the team on this PE, unless it is closed.
     *
     * @param domainSupplier of the domain of the team's splits, or null if there was none; splits begin under the
     *                       monitor of this object.
     */
    synchronized void close(final Supplier<CreationDomain> domainSupplier)
    {
        if (isClosed)
        {
            return;
        }

        final CreationDomain domain = domainSupplier.get();

        if (null != domain && !domain.tryBegin())
        {
            throw new IllegalStateException("team " + name + " must not be closed while a split of it is in progress");
        }

        boolean isClosing = false;
        try
        {
            engine.guard().close(this::checkUnused);
            isClosing = true;
        }
        finally
        {
            if (!isClosing && null != domain)
            {
                domain.end();
            }
        }

        closeUnused();
    }

    private void checkUnused()
    {
        contexts.keySet().forEach(ContextUse::check);
        if (engine.hasRequestsInFlight())
        {
            throw new IllegalStateException("team " + name + " must not be closed while a request is in flight");
        }
    }

    private void closeUnused()
    {
        isClosed = true;
        holdings.release();
        RuntimeException problem = closeContexts();
        latency.close();
        collectiveCount.remove(engine);
        final boolean isQuiet = engine.closeRequests();
        engine.announceClose();
        final RuntimeException mismatch = engine.differentHistory(false);
        problem = null == problem ? mismatch : problem;
        if (engine.isOutOfStep() || !isQuiet)
        {
            histories.remove(engine);
            slots.abandon();
        }
        else
        {
            slots.close(area, this::areAllClosed);
            engine.resources().workspace().close();
        }

        if (null != problem)
        {
            throw problem;
        }
    }

    /**
     * Returns whether all other members have closed the team or their PE; the team is closed here. After a failure no
     * memory is accessed: that of a closed PE may be gone.
     */
    boolean isDestroyed()
    {
        if (areAllClosed || null != engine.resources().endpoint().failure())
        {
            return areAllClosed;
        }

        final PeerMailboxes mailboxes = engine.resources().mailboxes();
        for (int rank = 0; rank < mailboxes.size(); rank++)
        {
            if (rank != mailboxes.myRank() && !mailboxes.hasClosed(rank) &&
                !engine.resources().endpoint().isFinalizing(mailboxes.worldPe(rank)))
            {
                return areAllClosed;
            }
        }

        final RuntimeException mismatch = engine.differentHistory(false);
        if (null != mismatch)
        {
            throw mismatch;
        }

        return true;
    }

    /**
     * Returns whether all other members have closed the team, which is closed here. The answer is kept, as the area is
     * reused from then on. If the members have made different calls, the job fails, and later calls report it.
     */
    private boolean areAllClosed()
    {
        if (!areAllClosed && engine.resources().mailboxes().areAllClosed())
        {
            engine.differentHistory(false);
            histories.remove(engine);
            areAllClosed = true;
        }

        return areAllClosed;
    }

    /** Closes all contexts; returns the first failure, the others suppressed in it, or null. */
    private RuntimeException closeContexts()
    {
        try
        {
            CloseHelper.closeAll(contexts.values());
            return null;
        }
        catch (final RuntimeException ex)
        {
            return ex;
        }
        finally
        {
            contexts.clear();
        }
    }
}
