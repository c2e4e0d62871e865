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

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Batch;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.Transport;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Program of a PE in a {@link MessageWorld}: one-sided operations on all PEs, of the seed's choice, whose effects it
 * knows. Each PE has in each heap:
 * <ul>
 * <li>an area that it alone writes, and compares with its own copy after a quiet;</li>
 * <li>a mailbox, whose data must be complete when the flag is there; the receiver gives credit back by another
 * flag.</li>
 * </ul>
 * Besides, all PEs update the words of {@link SharedWords} in each heap.
 */
final class MessageProgram
{
    static final int AREA = 4096;
    static final int MAIL = 1024;
    private static final int MAILS = SimulatedPe.MAX_PES * AREA;
    private static final int FLAGS = MAILS + SimulatedPe.MAX_PES * MAIL;
    private static final int CREDITS = FLAGS + SimulatedPe.MAX_PES * Long.BYTES;
    static final int WORDS = CREDITS + SimulatedPe.MAX_PES * Long.BYTES;
    static final int LENGTH = WORDS + SharedWords.LENGTH;

    private static final int LONG_BASE = UnsafeApi.arrayBaseOffset(long[].class);
    private static final int OPERATIONS = 14;
    private static final int LIMIT = 48;
    private static final int FETCHES = 96;
    private static final byte CANARY = 0x55;

    private final SimulatedPe self;
    private final MessageWorld world;
    private final SplittableRandom random;
    private final int nPes;
    private final byte[][] model;
    private final boolean[] isFrozen;
    private final long[] sentMail;
    private final long[] seenMail;
    private final boolean mayClaimWords;
    /** Operations that this program calls, of which the others are disabled to have these more often. */
    private final int enabled;
    private final UnsafeBuffer source = new UnsafeBuffer(BufferUtil.allocateDirectAligned(AREA, 64));
    private final Pending pending = new Pending();
    private final List<Runnable> checks = new ArrayList<>();
    private final List<Runnable> lastChecks = new ArrayList<>();
    private int left;
    private int fetches;
    private Batch batch;
    private boolean isActive;
    private boolean hasEnded;
    private int roundsToInterrupt;
    private String call = "";
    private RuntimeException failure;

    MessageProgram(final SimulatedPe self)
    {
        this.self = self;
        world = self.world;
        random = world.random;
        nPes = world.pes.length;
        model = new byte[nPes][AREA];
        isFrozen = new boolean[nPes];
        sentMail = new long[nPes];
        seenMail = new long[nPes];
        mayClaimWords = 0 == random.nextInt(3);
        enabled = random.nextInt() | 1 << random.nextInt(OPERATIONS);
        left = 8 + random.nextInt(LIMIT);
        // from now on it does not wait for its engine's lock before an atomic operation on its own heap
        self.transports[self.pe].atomicLong(self.pe, AtomicOp.ADD, Region.USER, WORDS, 0);
    }

    boolean isActive()
    {
        return isActive;
    }

    boolean hasEnded()
    {
        return hasEnded;
    }

    /** Returns the exception that has ended the program, or null. */
    RuntimeException failure()
    {
        return failure;
    }

    /** Returns false if the program may wait for the lock of its engine, which then is not held by another. */
    boolean mayFindTheLockTaken()
    {
        return !mayClaimWords;
    }

    /** Runs one operation, unless it is inside one; returns true if it did. */
    boolean step()
    {
        if (isActive || hasEnded)
        {
            return false;
        }

        isActive = true;
        try
        {
            receiveMail();
            if (left > 0)
            {
                left--;
                operate();
            }
            else
            {
                end();
                hasEnded = true;
            }
        }
        catch (final RuntimeException ex)
        {
            if (!self.isKilled() && !world.directory.control().isFailed())
            {
                throw ex;
            }

            failure = ex;
            hasEnded = true;
        }
        finally
        {
            isActive = false;
        }

        return true;
    }

    /** Runs in each round of a wait: ends it by an exception where this was planned. */
    void onWait()
    {
        if (roundsToInterrupt > 0 && 0 == --roundsToInterrupt)
        {
            self.freeLock();
            throw new InterruptedWait();
        }
    }

    private void operate()
    {
        int operation = random.nextInt(OPERATIONS);
        while (0 == (enabled & 1 << operation))
        {
            operation = random.nextInt(OPERATIONS);
        }

        final int pe = random.nextInt(nPes);
        for (int repeat = 1 << random.nextInt(6); repeat > 0; repeat--)
        {
            operate(operation, pe);
            point();
        }

        call = "";
    }

    private void operate(final int operation, final int pe)
    {
        switch (operation)
        {
            case 0:
                putElement(pe);
                break;

            case 1:
                putBlock(pe);
                break;

            case 2:
                mail(pe);
                break;

            case 3:
                get(pe);
                break;

            case 4:
                call = "add";
                world.words.add(transport(pe), pe, random);
                break;

            case 5:
                call = "fetchAdd";
                world.words.fetchAdd(transport(pe), pe, random);
                break;

            case 6:
                call = "swap";
                world.words.swap(transport(pe), pe, self.pe);
                break;

            case 7:
                call = "compareSwap";
                world.words.compareSwap(transport(pe), pe, random);
                break;

            case 8:
                fetchNbi(pe);
                break;

            case 9:
                getNbi(pe);
                break;

            case 10:
                quiet(pe);
                break;

            case 11:
                quietAll();
                break;

            case 12:
                changeSession();
                break;

            default:
                interruptedGet(pe);
                break;
        }
    }

    /** Others may go on here, as they may at any place of a program. */
    private void point()
    {
        for (int steps = Math.max(0, random.nextInt(24) - 12); steps > 0; steps--)
        {
            world.step();
            self.checkAlive();
        }
    }

    private Transport transport(final int pe)
    {
        return world.traced(self.pe, null == batch ? self.transports[pe] : batch);
    }

    private int area()
    {
        return self.pe * AREA;
    }

    private void putElement(final int pe)
    {
        call = "put of an element";
        final int width = 1 << random.nextInt(4);
        final int offset = random.nextInt(AREA / width) * width;
        final long value = random.nextLong();
        if (isFrozen[pe])
        {
            return;
        }

        final Transport transport = transport(pe);
        final long address = area() + offset;
        switch (width)
        {
            case Byte.BYTES:
                transport.putByte(pe, Region.USER, address, (byte)value);
                break;

            case Short.BYTES:
                transport.putShort(pe, Region.USER, address, (short)value);
                break;

            case Integer.BYTES:
                transport.putInt(pe, Region.USER, address, (int)value);
                break;

            default:
                transport.putLong(pe, Region.USER, address, value);
                break;
        }

        for (int i = 0; i < width; i++)
        {
            model[pe][offset + i] = (byte)(value >>> 8 * i);
        }
    }

    private int length()
    {
        return 0 == random.nextInt(4) ? 1 + random.nextInt(AREA) : 1 + random.nextInt(600);
    }

    private void putBlock(final int pe)
    {
        call = "put of a block";
        final int length = length();
        final int offset = random.nextInt(AREA - length + 1);
        if (isFrozen[pe])
        {
            return;
        }

        final byte[] bytes = new byte[length];
        fill(bytes);
        final Transport transport = transport(pe);
        final long address = area() + offset;
        switch (random.nextInt(4))
        {
            case 0:
                source.putBytes(0, bytes);
                transport.put(pe, Region.USER, address, null, source.addressOffset(), length);
                break;

            case 1:
                final byte[] copy = bytes.clone();
                transport.put(pe, Region.USER, address, copy, BufferUtil.ARRAY_BASE_OFFSET, length);
                Arrays.fill(copy, CANARY);
                break;

            case 2:
                final long[] longs = new long[(length + Long.BYTES - 1) / Long.BYTES];
                UnsafeApi.copyMemory(bytes, BufferUtil.ARRAY_BASE_OFFSET, longs, LONG_BASE, length);
                transport.put(pe, Region.USER, address, longs, LONG_BASE, length);
                Arrays.fill(longs, -1L);
                break;

            default:
                source.putBytes(0, bytes);
                transport.putNbi(pe, Region.USER, address, source.addressOffset(), length);
                transport.quiet(pe);
                break;
        }

        source.setMemory(0, AREA, CANARY);
        System.arraycopy(bytes, 0, model[pe], offset, length);
    }

    private void fill(final byte[] bytes)
    {
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)random.nextInt();
        }
    }

    /** Sends data, and then a flag that holds a number and the length of the data, if the last mail has been seen. */
    private void mail(final int pe)
    {
        call = "mail";
        if (self.user.getLongVolatile(CREDITS + pe * Long.BYTES) != sentMail[pe])
        {
            return;
        }

        final long number = (sentMail[pe] >>> 16) + 1;
        final int words = 1 + random.nextInt(MAIL / Long.BYTES);
        final long flag = number << 16 | words;
        final int mail = MAILS + self.pe * MAIL;
        final int flagOffset = FLAGS + self.pe * Long.BYTES;
        final Transport transport = transport(pe);
        if (random.nextBoolean())
        {
            for (int i = 0; i < words; i++)
            {
                transport.putLong(pe, Region.USER, mail + i * Long.BYTES, mailWord(self.pe, number, i));
            }
        }
        else
        {
            for (int i = 0; i < words; i++)
            {
                source.putLong(i * Long.BYTES, mailWord(self.pe, number, i));
            }

            if (random.nextBoolean())
            {
                transport.putSignal(
                    pe,
                    Region.USER,
                    mail,
                    null,
                    source.addressOffset(),
                    words * Long.BYTES,
                    Region.USER,
                    flagOffset,
                    flag,
                    SignalOperation.SET);
                source.setMemory(0, AREA, CANARY);
                sentMail[pe] = flag;
                return;
            }

            transport.put(pe, Region.USER, mail, null, source.addressOffset(), words * Long.BYTES);
            source.setMemory(0, AREA, CANARY);
        }

        point();
        transport.fence(pe);
        setFlag(transport, pe, flagOffset, flag);
        sentMail[pe] = flag;
    }

    private void setFlag(final Transport transport, final int pe, final int offset, final long flag)
    {
        switch (random.nextInt(3))
        {
            case 0:
                transport.signal(pe, Region.USER, offset, flag, SignalOperation.SET);
                break;

            case 1:
                transport.putLong(pe, Region.USER, offset, flag);
                break;

            default:
                transport.atomicLong(pe, AtomicOp.SET, Region.USER, offset, flag);
                break;
        }
    }

    private static long mailWord(final int sender, final long number, final int index)
    {
        return ((long)sender << 56 | number << 16 | index) * 0x9E37_79B9_7F4A_7C15L;
    }

    private void receiveMail()
    {
        call = "receipt of mail";
        for (int peer = 0; peer < nPes; peer++)
        {
            if (checkMail(peer))
            {
                setFlag(transport(peer), peer, CREDITS + self.pe * Long.BYTES, seenMail[peer]);
            }
        }

        call = "";
    }

    private boolean checkMail(final int peer)
    {
        final long flag = self.user.getLongVolatile(FLAGS + peer * Long.BYTES);
        if (flag == seenMail[peer])
        {
            return false;
        }

        final int words = (int)flag & 0xFFFF;
        for (int i = 0; i < words; i++)
        {
            if (mailWord(peer, flag >>> 16, i) != self.user.getLong(MAILS + peer * MAIL + i * Long.BYTES))
            {
                throw world.wrong("PE " + self.pe + " has the flag of mail " + (flag >>> 16) + " of PE " + peer +
                    " and not word " + i + " of " + words);
            }
        }

        seenMail[peer] = flag;
        return true;
    }

    private void get(final int pe)
    {
        final Transport transport = transport(pe);
        call = "quiet before get";
        transport.quiet(pe);
        call = "get";
        if (random.nextBoolean())
        {
            final int offset = random.nextInt(AREA / Long.BYTES) * Long.BYTES;
            final long expected = new UnsafeBuffer(model[pe]).getLong(offset);
            switch (random.nextInt(3))
            {
                case 0:
                    equal(expected, transport.getLong(pe, Region.USER, area() + offset), pe, offset);
                    break;

                case 1:
                    equal((int)expected, transport.getInt(pe, Region.USER, area() + offset), pe, offset);
                    break;

                default:
                    equal((short)expected, transport.getShort(pe, Region.USER, area() + offset), pe, offset);
                    break;
            }
        }
        else
        {
            final int length = length();
            final int offset = random.nextInt(AREA - length + 1);
            final byte[] bytes = new byte[length];
            transport.get(pe, Region.USER, area() + offset, bytes, BufferUtil.ARRAY_BASE_OFFSET, length);
            equal(bytes, Arrays.copyOfRange(model[pe], offset, offset + length), pe, offset);
        }
    }

    private void equal(final long expected, final long found, final int pe, final int offset)
    {
        if (expected != found)
        {
            throw world.wrong("PE " + self.pe + " got " + Long.toHexString(found) + " from offset " + offset +
                " of PE " + pe + " and not " + Long.toHexString(expected));
        }
    }

    private void equal(final byte[] found, final byte[] expected, final int pe, final int offset)
    {
        final int mismatch = Arrays.mismatch(found, expected);
        if (mismatch >= 0)
        {
            throw world.wrong("byte " + mismatch + " of " + expected.length + " at offset " + offset + " of PE " + pe +
                " in the area of PE " + self.pe + " is " + found[mismatch] + " and not " + expected[mismatch]);
        }
    }

    private void fetchNbi(final int pe)
    {
        call = "nonblocking fetch";
        if (fetches < FETCHES)
        {
            fetches++;
            checks.add(world.words.fetchNbi(transport(pe), pe, random, self.pe, pending));
        }
    }

    /** The area is not written before the get has ended. */
    private void getNbi(final int pe)
    {
        if (fetches == FETCHES)
        {
            return;
        }

        final Transport transport = transport(pe);
        if (!isFrozen[pe])
        {
            call = "quiet before a nonblocking get";
            transport.quiet(pe);
            isFrozen[pe] = true;
        }

        call = "nonblocking get";
        fetches++;
        final int length = random.nextBoolean() ? Long.BYTES : random.nextBoolean() ? Integer.BYTES : length();
        final int offset = length <= Long.BYTES ?
            random.nextInt(AREA / Long.BYTES) * Long.BYTES : random.nextInt(AREA - length + 1);
        final byte[] dest = new byte[length + 2];
        dest[0] = CANARY;
        dest[length + 1] = CANARY;
        transport.getNbi(
            pe, Region.USER, area() + offset, dest, BufferUtil.ARRAY_BASE_OFFSET + 1, length, pending);
        checks.add(() ->
        {
            equal(Arrays.copyOfRange(dest, 1, length + 1),
                Arrays.copyOfRange(model[pe], offset, offset + length), pe, offset);
            equal(CANARY, dest[0], pe, offset);
            equal(CANARY, dest[length + 1], pe, offset);
        });
    }

    private void quiet(final int pe)
    {
        call = "quiet";
        transport(pe).quiet(pe);
        checkArea(pe);
        if (null == batch && !self.transports[pe].isQuiet(pe))
        {
            throw world.wrong("PE " + pe + " is not quiet after a quiet of PE " + self.pe);
        }
    }

    private void checkArea(final int pe)
    {
        final byte[] found = new byte[AREA];
        world.pes[pe].user.getBytes(area(), found);
        equal(found, model[pe], pe, 0);
    }

    private void quietAll()
    {
        call = "quietAll";
        if (null != batch)
        {
            batch.submit();
        }

        self.messages.quietAll("quietAll");
        if (!pending.isIdle())
        {
            throw world.wrong("PE " + self.pe + " has fetches outstanding after quietAll");
        }

        checks.forEach(Runnable::run);
        checks.clear();
        fetches = 0;
        Arrays.fill(isFrozen, false);
        for (int pe = 0; pe < nPes; pe++)
        {
            checkArea(pe);
        }
    }

    private void changeSession()
    {
        call = "change of the session";
        if (null == batch)
        {
            batch = self.messages.batch(self.transports, mayClaimWords);
            pending.batch(true);
        }
        else
        {
            endSession();
        }
    }

    private void endSession()
    {
        pending.batch(false);
        batch.end();
        batch = null;
    }

    /** A get whose wait ends by an exception after a few rounds: its destination must not change any more. */
    private void interruptedGet(final int pe)
    {
        if (pe == self.pe || null != batch)
        {
            return;
        }

        call = "interrupted get";
        final int length = length();
        final byte[] dest = new byte[length];
        roundsToInterrupt = 1 + random.nextInt(4);
        try
        {
            final long offset = area() + random.nextInt(AREA - length + 1);
            self.messages.get(pe, Region.USER, offset, dest, BufferUtil.ARRAY_BASE_OFFSET, length);
            roundsToInterrupt = 0;
        }
        catch (final InterruptedWait ex)
        {
            Arrays.fill(dest, CANARY);
            lastChecks.add(() ->
            {
                for (final byte b : dest)
                {
                    equal(CANARY, b, pe, 0);
                }
            });
        }
    }

    private void end()
    {
        if (null != batch)
        {
            call = "end of the session";
            endSession();
        }

        quietAll();
        call = "";
    }

    /**
     * Checks what must hold when all programs have ended: after a failure of the job only that no flag has come before
     * its data.
     */
    void checkLast(final boolean isFailed)
    {
        for (int peer = 0; peer < nPes; peer++)
        {
            checkMail(peer);
        }

        if (isFailed)
        {
            return;
        }

        for (int peer = 0; peer < nPes; peer++)
        {
            checkArea(peer);
        }

        lastChecks.forEach(Runnable::run);
        for (final PeerLink link : self.engine.links())
        {
            if (0 != link.requests.inUse() || !link.fetchRuns.isIdle())
            {
                throw world.wrong("PE " + self.pe + " has requests to PE " + link.pe + " left");
            }
        }
    }

    @Override
    public String toString()
    {
        return (hasEnded ? "has ended" : left + " operations left") + (call.isEmpty() ? "" : ", in " + call) +
            (null == batch ? "" : ", in a session");
    }

    /** Ends a wait. */
    private static final class InterruptedWait extends RuntimeException
    {
        private static final long serialVersionUID = 1L;

        InterruptedWait()
        {
            super(null, null, false, false);
        }
    }
}
