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

import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.UnsafeApi;

/**
 * The barrier of one team: no member leaves it before all have entered it. It completes no communication; a caller that
 * needs its operations completed calls {@link #complete} first. A {@link BarrierSchedule} defines the order of the
 * signals.
 */
public final class Barrier extends BarrierState
{
    /**
     * Polls of a flag before the first round of waiting: longer than a barrier of PEs with a core each takes. Zero
     * where messages have to be driven.
     */
    private static final int SPINS = 400;

    private static final long ODD_FLAG = Long.BYTES;

    /*
     * Ordering. A signal is a Stamp: the number of the barrier, and the signature of the call that uses the barrier. It
     * is stored with release and loaded with acquire. A signal that travels as a message has the same effect at its
     * target. Hence what a member wrote before entering happens before what any member does after leaving.
     *
     * Flags. A flag is a word of the receiver's memory for the signals of one member, so it has one writer and one
     * reader. The writer is at most one barrier ahead of the reader, since the writer leaves a barrier only after the
     * reader has entered the same barrier. Even and odd barriers have separate flags, so a writer that is ahead does
     * not overwrite the value that its reader awaits. The reader waits for one exact value: its own number and
     * signature. A flag with that number and another signature shows a call that does not match (mismatch()). Before a
     * member leaves a barrier, it waits for every flag that is written for it in that barrier.
     *
     * Threads. As with every collective call, one thread of a PE at a time takes part, and calls are ordered; the
     * fields are therefore plain. Only complete blocks. The caller polls a barrier to its end, and waits between polls.
     */
    private final Endpoint endpoint;
    private final boolean isMessaging;
    private final int spins;
    private final int rounds;

    /** By round: ends of the ranges of peers to signal and of flags to wait for, in the arrays below. */
    private final int[] signalEnds;
    private final int[] waitEnds;

    private final long[] ownFlags;
    private final long[] peerFlags;
    private final long[] peerFlagOffsets;
    private final Transport[] peerTransports;
    private final int[] peers;
    /** Writers of the flags in {@code ownFlags}, as PEs of the world. */
    private final int[] flagWriters;

    /**
     * Constructs the barrier of a team.
     *
     * @param worldPes        the members, by rank in the team.
     * @param ownFlagOffsets  offset in this PE's system region of the two words of 8 bytes by which each member signals
     *                        it, by rank.
     * @param peerFlagOffsets offset in each member's system region of the words by which this PE signals it, by rank.
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
        spins = isMessaging ? 0 : endpoint.pause().polls(SPINS);
        rounds = schedule.rounds();
        round = rounds;
        signalEnds = new int[rounds];
        waitEnds = new int[rounds];
        int peerCount = 0;
        int flagCount = 0;
        for (int round = 0; round < rounds; round++)
        {
            peerCount += schedule.targets(round).length;
            flagCount += schedule.sources(round).length;
            signalEnds[round] = peerCount;
            waitEnds[round] = flagCount;
        }

        ownFlags = new long[flagCount];
        peerFlags = new long[peerCount];
        this.peerFlagOffsets = new long[peerCount];
        peerTransports = new Transport[peerCount];
        peers = new int[peerCount];
        flagWriters = new int[flagCount];
        int index = 0;
        int flag = 0;
        for (int round = 0; round < rounds; round++)
        {
            for (final int rank : schedule.targets(round))
            {
                final int peer = worldPes[rank];
                peers[index] = peer;
                peerTransports[index] = endpoint.transport(peer);
                this.peerFlagOffsets[index] = peerFlagOffsets[rank];
                peerFlags[index] = peerTransports[index].isMessaging() ? 0 :
                    endpoint.mappedAddress(Region.SYSTEM, peer) + peerFlagOffsets[rank];
                index++;
            }

            for (final int rank : schedule.sources(round))
            {
                flagWriters[flag] = worldPes[rank];
                ownFlags[flag++] = endpoint.localAddress(Region.SYSTEM) + ownFlagOffsets[rank];
            }
        }
    }

    /**
     * Completes what this PE has issued, to all peers.
     *
     * @param callName name of the program's call, in an exception.
     */
    public void complete(final String callName)
    {
        if (isMessaging)
        {
            endpoint.quietAll(callName);
        }

        UnsafeApi.fullFence();
    }

    /** Begins a call of the team, which need not be a barrier. Members compare its signature, see {@link Stamp}. */
    public void sign(final long signature)
    {
        final long before = history;
        this.signature = Stamp.signature(signature, before);
        history = Stamp.history(before, signature);
    }

    /** Returns the history of the team's calls, equal on members that have made the same calls; 0 before the first. */
    public long history()
    {
        return history;
    }

    /** Returns the signature of the call, to which the history of the calls before it is added. */
    public long signature()
    {
        return signature;
    }

    /**
     * Enters the barrier, and spins for a short time.
     *
     * @return true if every member has entered it; otherwise the barrier must be polled to its end.
     */
    public boolean trySync()
    {
        final long number = ++sequence;
        final long stamp = Stamp.of(number, signature);
        final long flagOffset = flagOffset(number);
        final int rounds = this.rounds;
        int nextPeer = 0;
        int nextFlag = 0;
        for (int i = 0; i < rounds; i++)
        {
            for (final int end = signalEnds[i]; nextPeer < end; nextPeer++)
            {
                signal(nextPeer, flagOffset, stamp);
            }

            for (final int end = waitEnds[i]; nextFlag < end; nextFlag++)
            {
                final long flag = ownFlags[nextFlag] + flagOffset;
                int spins = this.spins;
                while (UnsafeApi.getLongAcquire(null, flag) != stamp)
                {
                    if (--spins < 0)
                    {
                        round = i;
                        this.nextPeer = nextPeer;
                        this.nextFlag = nextFlag;
                        return false;
                    }
                }
            }
        }

        round = rounds;
        return true;
    }

    /** Begins a barrier without waiting. It must be polled to its end before the next one begins. */
    public void start()
    {
        sequence++;
        round = 0;
        nextPeer = 0;
        nextFlag = 0;
        if (rounds > 0)
        {
            signalRound();
        }
    }

    /** Advances the barrier as far as possible, and returns true when every member has entered it. */
    public boolean poll()
    {
        final long stamp = Stamp.of(sequence, signature);
        final long flagOffset = flagOffset(sequence);
        while (round < rounds)
        {
            for (final int end = waitEnds[round]; nextFlag < end; nextFlag++)
            {
                if (UnsafeApi.getLongAcquire(null, ownFlags[nextFlag] + flagOffset) != stamp)
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

    /** Returns the PE of the world that the barrier waits for after {@link #poll()} has returned false, or -1. */
    public int pendingPe()
    {
        return nextFlag < flagWriters.length && round < rounds ? flagWriters[nextFlag] : -1;
    }

    /** Returns the signature of another call that the awaited member has made, or {@link Stamp#NONE}. */
    public long mismatch()
    {
        return pendingPe() < 0 ? Stamp.NONE : Stamp.mismatch(
            UnsafeApi.getLongAcquire(null, ownFlags[nextFlag] + flagOffset(sequence)), Stamp.of(sequence, signature));
    }

    private void signalRound()
    {
        final long stamp = Stamp.of(sequence, signature);
        for (final int end = signalEnds[round]; nextPeer < end; nextPeer++)
        {
            signal(nextPeer, flagOffset(sequence), stamp);
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
 * Padding before the mutable state of a barrier: in one JVM the objects of several PEs may be adjacent.
 */
abstract class BarrierPadding
{
    byte p000, p001, p002, p003, p004, p005, p006, p007, p008, p009, p010, p011, p012, p013, p014, p015;
    byte p016, p017, p018, p019, p020, p021, p022, p023, p024, p025, p026, p027, p028, p029, p030, p031;
    byte p032, p033, p034, p035, p036, p037, p038, p039, p040, p041, p042, p043, p044, p045, p046, p047;
    byte p048, p049, p050, p051, p052, p053, p054, p055, p056, p057, p058, p059, p060, p061, p062, p063;
}

/** The mutable state of a barrier: its number, the calls of the team, and its progress. */
abstract class BarrierState extends BarrierPadding
{
    long sequence;
    long signature;
    long history;
    int round;
    int nextPeer;
    int nextFlag;
}
