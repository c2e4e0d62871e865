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
package io.aeroshmem.transport.job;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import static io.aeroshmem.transport.job.ControlDescriptor.ACTIVITY_NUMBER_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.ACTIVITY_SEEN_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.ACTIVITY_SIGNATURE_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.ACTIVITY_SINCE_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.ACTIVITY_FLAGS_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.ACTIVITY_TEAM_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.ACTIVITY_TEXT_CAPACITY;
import static io.aeroshmem.transport.job.ControlDescriptor.ACTIVITY_TEXT_LENGTH_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.ACTIVITY_TEXT_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.ACTIVITY_VERSION_OFFSET;
import static io.aeroshmem.transport.job.ControlDescriptor.cellOffset;

/**
 * The calls that PEs are blocked in, as their cells of the control file say: which call, on which team, its number
 * there and its signature, since when, and when the caller last polled. A call is published only when it has been
 * blocked for a while, so the common case costs nothing, and then its end is.
 * <p>
 * Ordering: a sequence lock. A writer moves the version from even to odd by compare-and-set, which excludes other
 * threads of the PE (one that fails publishes at its next poll), stores the words, and then the next even version with
 * release. A reader loads the version with acquire before and after; what it read between two equal even versions is
 * one activity. Reading and writing allocate nothing, except {@link #get}.
 */
public final class PeActivities
{
    /**
     * A caller that has not polled for so long is not blocked any more, or not running. On a host with many more busy
     * threads than processors it takes a second or two from one poll that is published to the next.
     */
    public static final long FRESH_MS = 5_000;

    /**
     * Stands for the team of a call that any PE can end, such as a wait on memory.
     */
    public static final long ANY_PE = -1;

    /**
     * Flag: what the PE sent to others before the call has arrived there.
     */
    public static final int SENT_ARRIVED = 1;

    /**
     * Flag: nothing in the process of the PE can end the call, and {@link #SENT_ARRIVED}.
     */
    public static final int STALLED = 2;

    /**
     * The most characters of {@link Activity#text()}.
     */
    public static final int MAX_TEXT = ControlDescriptor.ACTIVITY_TEXT_CAPACITY;

    /**
     * The time of another host is known by so much.
     */
    private static final long MIRROR_JITTER_MS = 100;

    private static final int MOST_READS = 100;

    private final UnsafeBuffer buffer;

    PeActivities(final UnsafeBuffer buffer)
    {
        this.buffer = buffer;
    }

    /**
     * A call that a PE is or was blocked in.
     *
     * @param sinceMs   when it was first published, milliseconds since the epoch; later for each call of a PE.
     * @param seenMs    when the caller last polled, milliseconds since the epoch.
     * @param isEnded   whether that poll was the last.
     * @param team      identifies the team of a collective call; {@link #ANY_PE}; or 0 for a call that needs nothing
     *                  but that peers are served, or that ends at a time that its caller has set.
     * @param number    of the call on its team; 0 for any other call.
     * @param signature of the call, which members compare.
     * @param flags     {@link #SENT_ARRIVED} and {@link #STALLED}.
     * @param text      names the call and the team.
     */
    public record Activity(
        long sinceMs, long seenMs, boolean isEnded, long team, long number, long signature, int flags, String text)
    {
        /**
         * Can nothing in the process of the PE end the call?
         *
         * @return true if so.
         */
        public boolean isStalled()
        {
            return 0 != (flags & STALLED);
        }

        /**
         * Is the caller blocked now?
         *
         * @param nowMs milliseconds since the epoch.
         * @return true if it has polled within {@link #FRESH_MS}.
         */
        public boolean isFresh(final long nowMs)
        {
            return !isEnded && nowMs - seenMs < FRESH_MS;
        }
    }

    /**
     * Publish a call that a thread of this process is blocked in.
     *
     * @param pe        world PE of this process.
     * @param what      names the call; ASCII.
     * @param where     names the team, or is empty; ASCII.
     * @param team      see {@link Activity}.
     * @param number    see {@link Activity}.
     * @param signature see {@link Activity}.
     * @param sinceMs   see {@link Activity}.
     * @param seenMs    see {@link Activity}.
     */
    public void publish(
        final int pe,
        final String what,
        final String where,
        final long team,
        final long number,
        final long signature,
        final long sinceMs,
        final long seenMs)
    {
        final int cell = cellOffset(pe);
        final long version = lock(cell);
        if (version < 0)
        {
            return;
        }

        buffer.putLong(cell + ACTIVITY_SEEN_OFFSET, seenMs);
        if (sinceMs != buffer.getLong(cell + ACTIVITY_SINCE_OFFSET))
        {
            buffer.putInt(cell + ACTIVITY_FLAGS_OFFSET, 0);
        }

        buffer.putLong(cell + ACTIVITY_SINCE_OFFSET, sinceMs);
        buffer.putLong(cell + ACTIVITY_TEAM_OFFSET, team);
        buffer.putLong(cell + ACTIVITY_NUMBER_OFFSET, number);
        buffer.putLong(cell + ACTIVITY_SIGNATURE_OFFSET, signature);
        final int length = putText(cell, 0, what);
        buffer.putInt(cell + ACTIVITY_TEXT_LENGTH_OFFSET, putText(cell, length, where));
        unlock(cell, version);
    }

    private int putText(final int cell, final int start, final String text)
    {
        final int length = Math.min(text.length(), ACTIVITY_TEXT_CAPACITY - start);
        for (int i = 0; i < length; i++)
        {
            final char character = text.charAt(i);
            buffer.putByte(cell + ACTIVITY_TEXT_OFFSET + start + i, (byte)(character < 128 ? character : '?'));
        }

        return start + length;
    }

    /**
     * Publish that the call that is published has ended.
     *
     * @param pe    world PE of this process.
     * @param nowMs milliseconds since the epoch.
     */
    public void end(final int pe, final long nowMs)
    {
        buffer.putLongOpaque(cellOffset(pe) + ACTIVITY_SEEN_OFFSET, -nowMs);
    }

    /**
     * Publish what else is known of a call, if it is still the one that is published.
     *
     * @param pe      world PE of this process.
     * @param sinceMs of the call.
     * @param flags   {@link #SENT_ARRIVED} and {@link #STALLED}.
     */
    public void flags(final int pe, final long sinceMs, final int flags)
    {
        final int cell = cellOffset(pe);
        final long version = lock(cell);
        if (version >= 0)
        {
            if (sinceMs == buffer.getLong(cell + ACTIVITY_SINCE_OFFSET))
            {
                buffer.putIntRelease(cell + ACTIVITY_FLAGS_OFFSET, flags);
            }

            unlock(cell, version);
        }
    }

    /**
     * Copy the activity of a PE of another node.
     *
     * @param pe       world PE of another node.
     * @param activity as published there, in the time of this host.
     */
    public void mirror(final int pe, final Activity activity)
    {
        final Activity before = get(pe);
        final boolean isSame = null != before && before.team == activity.team && before.number == activity.number &&
            before.text.equals(activity.text) && Math.abs(before.sinceMs - activity.sinceMs) < MIRROR_JITTER_MS;
        final long sinceMs = isSame ? before.sinceMs : activity.sinceMs;
        publish(
            pe,
            activity.text,
            "",
            activity.team,
            activity.number,
            activity.signature,
            sinceMs,
            activity.isEnded ? -activity.seenMs : activity.seenMs);
        flags(pe, sinceMs, activity.flags);
    }

    /**
     * The signature by which the call of a PE differs from a call of another PE with the same number on the same team.
     *
     * @param pe        world PE.
     * @param team      of the other call, not 0.
     * @param number    of the other call.
     * @param signature of the other call.
     * @return the signature that the PE has published, or -1 if it is the same or of another call.
     */
    public long mismatch(final int pe, final long team, final long number, final long signature)
    {
        final int cell = cellOffset(pe);
        final long version = buffer.getLongAcquire(cell + ACTIVITY_VERSION_OFFSET);
        final long seenTeam = buffer.getLong(cell + ACTIVITY_TEAM_OFFSET);
        final long seenNumber = buffer.getLong(cell + ACTIVITY_NUMBER_OFFSET);
        final long seenSignature = buffer.getLong(cell + ACTIVITY_SIGNATURE_OFFSET);
        return seenTeam == team && seenNumber == number && seenSignature != signature && isUnchanged(cell, version) ?
            seenSignature : -1;
    }

    /**
     * Has a PE left a call of a team, and sent everything that it will ever send in it?
     *
     * @param pe     world PE.
     * @param team   of the call, not 0.
     * @param number of the call.
     * @return true if the PE is blocked in a later call on the team, and what it sent before has arrived.
     */
    public boolean isPast(final int pe, final long team, final long number)
    {
        final int cell = cellOffset(pe);
        final long version = buffer.getLongAcquire(cell + ACTIVITY_VERSION_OFFSET);
        final long seenTeam = buffer.getLong(cell + ACTIVITY_TEAM_OFFSET);
        final long seenNumber = buffer.getLong(cell + ACTIVITY_NUMBER_OFFSET);
        final int flags = buffer.getIntAcquire(cell + ACTIVITY_FLAGS_OFFSET);
        return seenTeam == team && seenNumber > number && 0 != (flags & SENT_ARRIVED) && isUnchanged(cell, version);
    }

    /**
     * The call that a PE is or was last blocked in.
     *
     * @param pe world PE.
     * @return null if none was published.
     */
    public Activity get(final int pe)
    {
        final int cell = cellOffset(pe);
        for (int i = 0; i < MOST_READS; i++)
        {
            final long version = buffer.getLongAcquire(cell + ACTIVITY_VERSION_OFFSET);
            if (0 == version)
            {
                return null;
            }

            final long seenMs = buffer.getLongOpaque(cell + ACTIVITY_SEEN_OFFSET);
            final Activity activity = new Activity(
                buffer.getLong(cell + ACTIVITY_SINCE_OFFSET),
                Math.abs(seenMs),
                seenMs < 0,
                buffer.getLong(cell + ACTIVITY_TEAM_OFFSET),
                buffer.getLong(cell + ACTIVITY_NUMBER_OFFSET),
                buffer.getLong(cell + ACTIVITY_SIGNATURE_OFFSET),
                buffer.getIntAcquire(cell + ACTIVITY_FLAGS_OFFSET),
                BoundedText.get(
                    buffer,
                    cell + ACTIVITY_TEXT_LENGTH_OFFSET,
                    cell + ACTIVITY_TEXT_OFFSET,
                    ACTIVITY_TEXT_CAPACITY));
            if (isUnchanged(cell, version))
            {
                return activity;
            }

            Thread.onSpinWait();
        }

        return null;
    }

    private boolean isUnchanged(final int cell, final long version)
    {
        UnsafeApi.loadFence();
        return 0 == (version & 1) && version == buffer.getLongVolatile(cell + ACTIVITY_VERSION_OFFSET);
    }

    /**
     * @return the version, now odd; or -1 if another thread is writing.
     */
    private long lock(final int cell)
    {
        final long version = buffer.getLongVolatile(cell + ACTIVITY_VERSION_OFFSET);
        final boolean isLocked = 0 == (version & 1) &&
            buffer.compareAndSetLong(cell + ACTIVITY_VERSION_OFFSET, version, version + 1);
        return isLocked ? version + 1 : -1;
    }

    private void unlock(final int cell, final long version)
    {
        buffer.putLongRelease(cell + ACTIVITY_VERSION_OFFSET, version + 1);
    }
}
