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
package io.aeroshmem.sync;

import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import org.agrona.UnsafeApi;

/**
 * Synchronises the members of one team: none leaves it before all have entered it. It completes no
 * communication; {@link #complete()} does that. The order of the signals is a {@link BarrierSchedule}.
 * <p>
 * Ordering. A signal is a {@link Stamp}: the number of the barrier and the signature of the call that it belongs to,
 * stored with release (a message has the same effect at its target) and awaited with acquire. Hence what a member wrote
 * before entering happens before what any member does after leaving. Every flag has one writer, which may be one
 * barrier ahead of its reader, never two: to begin the one after that, it must have left the next one, which its reader
 * has not entered. There is a flag for even numbers and one for odd ones, so a writer that is ahead does not overwrite
 * what its reader awaits, and the reader waits for one exact value: its own number and signature. A flag with that
 * number and another signature is a call that does not match ({@link #mismatch()}). A member waits for every flag that
 * is written for it in a barrier before it leaves that one.
 * <p>
 * As with every collective call, one thread of a PE at a time takes part, and calls are ordered by the program; the
 * fields are therefore plain. The machine form, {@link #start()} and then {@link #poll()} until it returns true,
 * never blocks.
 */
public final class Barrier extends BarrierState
{
    /**
     * Looks at the flag before the first round of waiting: about as long as a barrier of PEs that have a core each.
     * Where messages have to be driven there is no time for it.
     */
    private static final int SPINS = 100;

    private static final long ODD_FLAG = Long.BYTES;

    private final Endpoint endpoint;
    private final boolean isMessaging;
    private final int spins;
    private final int rounds;

    /** By round: where those end that are told, and those that are awaited, in the arrays below. */
    private final int[] toldEnds;
    private final int[] awaitedEnds;

    private final long[] ownFlags;
    private final long[] peerFlags;
    private final long[] peerFlagOffsets;
    private final Transport[] peerTransports;
    private final int[] peers;
    /** Members that write the flags in {@code ownFlags}, as PEs of the world. */
    private final int[] flagWriters;

    /**
     * Construct the barrier of a team.
     *
     * @param endpoint        of this PE.
     * @param worldPes        the members, by rank in the team.
     * @param schedule        of this PE.
     * @param ownFlagOffsets  where in this PE's system region each member signals it, by rank: two words of 8 bytes.
     * @param peerFlagOffsets where in each member's system region this PE signals it, by rank.
     */
    public Barrier(
        final Endpoint endpoint,
        final int[] worldPes,
        final BarrierSchedule schedule,
        final long[] ownFlagOffsets,
        final long[] peerFlagOffsets)
    {
        this.endpoint = endpoint;
        isMessaging = endpoint.isMessaging();
        spins = isMessaging ? 0 : SPINS;
        rounds = schedule.rounds();
        round = rounds;
        toldEnds = new int[rounds];
        awaitedEnds = new int[rounds];
        int told = 0;
        int awaited = 0;
        for (int round = 0; round < rounds; round++)
        {
            told += schedule.told(round).length;
            awaited += schedule.awaited(round).length;
            toldEnds[round] = told;
            awaitedEnds[round] = awaited;
        }

        ownFlags = new long[awaited];
        peerFlags = new long[told];
        this.peerFlagOffsets = new long[told];
        peerTransports = new Transport[told];
        peers = new int[told];
        flagWriters = new int[awaited];
        told = 0;
        awaited = 0;
        for (int round = 0; round < rounds; round++)
        {
            for (final int rank : schedule.told(round))
            {
                final int peer = worldPes[rank];
                peers[told] = peer;
                peerTransports[told] = endpoint.transport(peer);
                this.peerFlagOffsets[told] = peerFlagOffsets[rank];
                peerFlags[told] = peerTransports[told].isMessaging() ? 0 :
                    endpoint.mappedAddress(Region.SYSTEM, peer) + peerFlagOffsets[rank];
                told++;
            }

            for (final int rank : schedule.awaited(round))
            {
                flagWriters[awaited] = worldPes[rank];
                ownFlags[awaited++] = endpoint.localAddress(Region.SYSTEM) + ownFlagOffsets[rank];
            }
        }
    }

    /**
     * Complete what this PE has issued, to whichever peer.
     */
    public void complete()
    {
        if (isMessaging)
        {
            endpoint.quietAll();
        }

        UnsafeApi.fullFence();
    }

    /**
     * Signature of the calls from now on, which members compare.
     *
     * @param signature see {@link Stamp}.
     */
    public void sign(final long signature)
    {
        this.signature = signature;
    }

    /**
     * Signature of the calls.
     *
     * @return see {@link #sign}.
     */
    public long signature()
    {
        return signature;
    }

    /**
     * Enter the barrier, and wait for all members for as long as that takes no time.
     *
     * @return true if every member has entered it; else it must be polled to its end.
     */
    public boolean trySync()
    {
        final long number = ++sequence;
        final long stamp = Stamp.of(number, signature);
        final long flagOffset = flagOffset(number);
        final int rounds = this.rounds;
        int told = 0;
        int awaited = 0;
        for (int i = 0; i < rounds; i++)
        {
            for (final int end = toldEnds[i]; told < end; told++)
            {
                signal(told, flagOffset, stamp);
            }

            for (final int end = awaitedEnds[i]; awaited < end; awaited++)
            {
                final long flag = ownFlags[awaited] + flagOffset;
                int spins = this.spins;
                while (UnsafeApi.getLongAcquire(null, flag) != stamp)
                {
                    if (--spins < 0)
                    {
                        round = i;
                        this.told = told;
                        this.awaited = awaited;
                        return false;
                    }
                }
            }
        }

        round = rounds;
        return true;
    }

    /**
     * Begin a barrier without waiting. It must be polled to its end before the next one begins.
     */
    public void start()
    {
        sequence++;
        round = 0;
        told = 0;
        awaited = 0;
        if (rounds > 0)
        {
            signalRound();
        }
    }

    /**
     * Move the barrier that was started as far as it goes now.
     *
     * @return true when every member has entered it.
     */
    public boolean poll()
    {
        final long stamp = Stamp.of(sequence, signature);
        final long flagOffset = flagOffset(sequence);
        while (round < rounds)
        {
            for (final int end = awaitedEnds[round]; awaited < end; awaited++)
            {
                if (UnsafeApi.getLongAcquire(null, ownFlags[awaited] + flagOffset) != stamp)
                {
                    return false;
                }
            }

            if (++round < rounds)
            {
                signalRound();
            }
        }

        return true;
    }

    /**
     * The member that the barrier waits for, after {@link #poll()} has returned false.
     *
     * @return PE of the world, or -1 if it waits for nobody.
     */
    public int awaitedPe()
    {
        return awaited < flagWriters.length && round < rounds ? flagWriters[awaited] : -1;
    }

    /**
     * What the member that the barrier waits for has called instead.
     *
     * @return the signature of its call, or {@link Stamp#NONE} if it has not called anything.
     */
    public long mismatch()
    {
        return awaitedPe() < 0 ? Stamp.NONE : Stamp.mismatch(
            UnsafeApi.getLongAcquire(null, ownFlags[awaited] + flagOffset(sequence)), Stamp.of(sequence, signature));
    }

    private void signalRound()
    {
        final long stamp = Stamp.of(sequence, signature);
        for (final int end = toldEnds[round]; told < end; told++)
        {
            signal(told, flagOffset(sequence), stamp);
        }
    }

    private void signal(final int index, final long flagOffset, final long stamp)
    {
        final long flag = peerFlags[index];
        if (0 != flag)
        {
            UnsafeApi.putLongRelease(null, flag + flagOffset, stamp);
        }
        else
        {
            peerTransports[index].signal(
                peers[index], Region.SYSTEM, peerFlagOffsets[index] + flagOffset, stamp, SignalOperation.SET);
        }
    }

    private static long flagOffset(final long number)
    {
        return (number & 1) * ODD_FLAG;
    }
}

/**
 * Padding before what a barrier changes: in one JVM the objects of several PEs may be neighbours.
 */
abstract class BarrierPadding
{
    byte p000, p001, p002, p003, p004, p005, p006, p007, p008, p009, p010, p011, p012, p013, p014, p015;
    byte p016, p017, p018, p019, p020, p021, p022, p023, p024, p025, p026, p027, p028, p029, p030, p031;
    byte p032, p033, p034, p035, p036, p037, p038, p039, p040, p041, p042, p043, p044, p045, p046, p047;
    byte p048, p049, p050, p051, p052, p053, p054, p055, p056, p057, p058, p059, p060, p061, p062, p063;
}

/**
 * What a barrier changes: the number of the barrier last entered, its signature, and how far it is.
 */
abstract class BarrierState extends BarrierPadding
{
    long sequence;
    long signature;
    int round;
    int told;
    int awaited;
}
