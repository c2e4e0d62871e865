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

import static io.aeroshmem.transport.job.ControlDescriptor.*;

/**
 * The calls in which the PEs are blocked. Each is published as an {@link Activity} in the PE's cell of the control
 * file. A call is published only after it has been blocked for a while, so the common case costs nothing. The end of a
 * published call is published as well.
 */
public final class PeActivities
{
    /**
     * A caller that has not polled for this long is no longer blocked, or not running. On a host with many more busy
     * threads than processors a second or two passes between two published polls.
     */
    public static final long FRESH_MS = 5_000;

    /** Team of a call that any PE can end, such as a wait on memory. */
    public static final long ANY_PE = -1;

    /** Flag: what the PE sent before the call has arrived. */
    public static final int SENT_ARRIVED = 1;

    /** Flag: nothing in the PE's process can end the call, and {@link #SENT_ARRIVED}. */
    public static final int STALLED = 2;

    /** Maximum number of characters of {@link Activity#text()}. */
    public static final int MAX_TEXT = ControlDescriptor.ACTIVITY_TEXT_CAPACITY;

    /** Accuracy of a time converted from the clock of another host. */
    private static final long MIRROR_JITTER_MS = 100;

    private static final int MAX_READ_ATTEMPTS = 100;

    /*
     * Ordering: a sequence lock. Its version is odd while a writer writes.
     * - A writer moves the version from even to odd by compare-and-set. After a store fence it stores the words of the
     *   activity, and then the next even version with release. The compare-and-set excludes other threads of the PE. A
     *   thread whose compare-and-set fails publishes nothing, and tries again at a later poll.
     * - A reader loads the version with acquire before it reads the words, and again after a load fence. If both
     *   versions are equal and even, it has read the words of one activity.
     * - The end of a call is published without the lock, by one opaque store: in the word that holds the time of the
     *   caller's last poll (Activity.seenMs), the time of the end is stored as a negative number.
     * Reading and writing allocate nothing, except get and mirror.
     */
    private final UnsafeBuffer buffer;

    PeActivities(final UnsafeBuffer buffer)
    {
        this.buffer = buffer;
    }

    /**
     * A call that a PE is or was blocked in.
     *
     * @param sinceMs   when it was first published, in milliseconds since the epoch; increases with each call of a PE.
     * @param seenMs    when the caller last polled, milliseconds since the epoch.
     * @param isEnded   whether the call has ended, at {@code seenMs}.
     * @param team      identifies the team of a collective call; {@link #ANY_PE} for a call that any PE can end; 0 for
     *                  all others, such as a call that waits for replies of peers, or ends at a time set by its caller.
     * @param number    of a collective call on its team; 0 for other calls.
     * @param signature of the call, which members compare.
     * @param flags     {@link #SENT_ARRIVED} and {@link #STALLED}.
     * @param text      names the call and the team.
     */
    public record Activity(
        long sinceMs, long seenMs, boolean isEnded, long team, long number, long signature, int flags, String text)
    {
        /** Returns whether nothing in the PE's process can end the call. */
        public boolean isStalled()
        {
            return 0 != (flags & STALLED);
        }

        /** Returns whether the caller is blocked now, that is, has polled within {@link #FRESH_MS}. */
        public boolean isFresh(final long nowMs)
        {
            return !isEnded && nowMs - seenMs < FRESH_MS;
        }
    }

    /**
     * Publishes a call that a thread of this process is blocked in. {@code what} names the call, {@code where} the team
     * (or is empty), both in ASCII; for the others see {@link Activity}.
     */
    public void publish(
        final int pe,
        final String callName,
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
        final int length = putText(cell, 0, callName);
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

    /** Publishes that the published call has ended. */
    public void end(final int pe, final long nowMs)
    {
        buffer.putLongOpaque(cellOffset(pe) + ACTIVITY_SEEN_OFFSET, -nowMs);
    }

    /** Publishes flags of a call, if it is still the published one. */
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

    /** Copies the activity of a PE of another node, given in the time of this host. */
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
     * Returns the signature that a PE has published for the call with this number on this team, or -1 if it is equal or
     * the PE is in another call.
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
     * Returns whether a PE has left a call of a team and sent everything that belongs to it: it is blocked in a later
     * call on the team, and what it sent before has arrived.
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

    /** Returns the call that a PE is or was last blocked in, or null if none was published. */
    public Activity get(final int pe)
    {
        final int cell = cellOffset(pe);
        for (int i = 0; i < MAX_READ_ATTEMPTS; i++)
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

    /** Returns the version, now odd, or -1 if another thread is writing. */
    private long lock(final int cell)
    {
        final long version = buffer.getLongVolatile(cell + ACTIVITY_VERSION_OFFSET);
        final boolean isLocked = 0 == (version & 1) &&
            buffer.compareAndSetLong(cell + ACTIVITY_VERSION_OFFSET, version, version + 1);
        UnsafeApi.storeFence();
        return isLocked ? version + 1 : -1;
    }

    private void unlock(final int cell, final long version)
    {
        buffer.putLongRelease(cell + ACTIVITY_VERSION_OFFSET, version + 1);
    }
}
