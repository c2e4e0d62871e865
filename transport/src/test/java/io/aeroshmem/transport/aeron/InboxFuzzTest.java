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

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeroshmem.codecs.FetchRunReplyRecordDecoder;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PeCounter;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Sends frames of a malicious peer to an inbox, and compares the result with {@link InboxModel}: the frames that are
 * rejected and those that fail their sender, every byte of the memory, the source of the replies, the state of the PE's
 * own requests. Memory and frames end at unmapped pages, see {@link GuardedMemory}.
 * <p>
 * {@code -Daeroshmem.test.seed} repeats a run, {@code -Dtest.volume} makes it longer.
 */
@Tag("jdk")
class InboxFuzzTest
{
    private static final int USER_LENGTH = 4096 - 8;
    private static final int SYSTEM_LENGTH = 4096;
    private static final int PEER = 1;
    private static final int EPOCH = 0xFE03;
    private static final int FRAMES_BETWEEN_LOOKS = 16;

    private final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime() & 0xFFFF_FFFFFFFFL);
    private final long seconds = Integer.getInteger("aeroshmem.test.volume", 1);
    private final SplittableRandom random = new SplittableRandom(seed);
    private final Pending pending = new Pending();
    private final byte[][] arrays = new byte[InboxModel.SLOTS][];
    private final long[] outcomes = new long[InboxModel.Outcome.values().length];

    @TempDir
    private Path root;
    private GuardedMemory user;
    private GuardedMemory system;
    private GuardedMemory dest;
    private GuardedMemory wire;
    private JobDirectory directory;
    private MediaDriver driver;
    private Aeron aeron;
    private MessageCounters counters;
    private PeerLink link;
    /** In whose open frame this PE's runs gather. */
    private Outbox runOutbox;
    private Outbox replyOutbox;
    private Inbox inbox;
    private AtomicCounter rejected;
    private InboxModel model;
    private HostileFrames frames;
    private String complaint;
    private long answers;

    @BeforeEach
    void before() throws Exception
    {
        user = GuardedMemory.map(root.resolve("user"), USER_LENGTH);
        system = GuardedMemory.map(root.resolve("system"), SYSTEM_LENGTH);
        dest = GuardedMemory.map(root.resolve("dest"), InboxModel.DEST_LENGTH);
        wire = GuardedMemory.map(root.resolve("wire"), HostileFrames.MAX_LENGTH);
        directory = JobDirectory.create(root, 2);
        driver = MediaDriver.launch(EmbeddedDriver.context(TimeUnit.SECONDS.toNanos(10))
            .aeronDirectoryName(root.resolve("aeron").toString()));
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName()));

        final long token = directory.token();
        counters = new MessageCounters(directory.control(), 0);
        link = new PeerLink(PEER, newOutbox());
        runOutbox = newOutbox();
        replyOutbox = newOutbox();
        rejected = directory.control().counter(0, PeCounter.REJECTED_FRAMES);
        final InboxListener listener = new InboxListener()
        {
            @Override
            public void onProtocolViolation(final int sourcePe, final String what)
            {
                assertEquals(PEER, sourcePe);
                complaint = what;
            }

            @Override
            public void onPeerImage(final Object image)
            {
                throw new AssertionError("no frame came by an image");
            }
        };
        inbox = new Inbox(
            listener,
            counters,
            new RejectedFrames(0, counters),
            new RegionMemory(user.address(), USER_LENGTH, system.address(), SYSTEM_LENGTH),
            new WordOwnership(new EngineLock()),
            new PeerLink[]{null, link, null},
            new int[]{EPOCH, EPOCH, EPOCH},
            token);
        final boolean hasGroup = random.nextBoolean();
        if (hasGroup)
        {
            inbox.expectGroup(0);
            link.isInGroup = true;
        }

        model = new InboxModel(USER_LENGTH, SYSTEM_LENGTH, hasGroup, token, PEER, EPOCH);
        frames = new HostileFrames(random, model, hasGroup, token, PEER, EPOCH);
    }

    private Outbox newOutbox()
    {
        return new Outbox(
            new PublicationSink(aeron.addPublication("aeron:ipc?term-length=128k", 1)),
            counters,
            directory.token(),
            0,
            EPOCH,
            Outbox.ringCapacity(2));
    }

    @AfterEach
    void after()
    {
        CloseHelper.closeAll(aeron, driver);
        directory.delete();
        directory.close();
    }

    @Test
    void shouldHandleHostileFramesAsTheModelDoes()
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long count = 0;
        while (System.nanoTime() - deadlineNs < 0)
        {
            for (int i = 0; i < FRAMES_BETWEEN_LOOKS; i++)
            {
                ask();
                receive();
                count++;
            }

            send();
        }

        System.out.println("fuzzed the inbox with " + count + " frames: " + outcomes[0] + " rejected, " + outcomes[1] +
            " failed their sender, " + outcomes[2] + " performed, " + model.received + " records, " + answers +
            " answers owed, " + model.lateReplies + " late replies; " + at());
        for (final InboxModel.Outcome outcome : InboxModel.Outcome.values())
        {
            assertFalse(count > 10_000 && outcomes[outcome.ordinal()] < count / 100, outcome + " is hardly tested");
        }
    }

    /**
     * Every kind of record, whole, and then truncated at every byte.
     */
    @Test
    void shouldTolerateFramesThatAreCutAtEveryByte()
    {
        for (int i = 0; i < 300; i++)
        {
            ask();
            final int length = frames.next();
            final int records = frames.buffer().getShort(RecordDescriptor.FRAME_RECORD_COUNT) & 0xFFFF;
            for (int cut = 0; cut < Math.min(length, 600) && 0 != records; cut++)
            {
                frames.buffer().putInt(RecordDescriptor.FRAME_FIRST_SEQUENCE, (int)model.received);
                receive(cut);
            }

            send();
        }
    }

    private String at()
    {
        return "-Daeroshmem.test.seed=" + seed;
    }

    private void receive()
    {
        receive(frames.next());
    }

    /**
     * The frame ends where the memory ends.
     */
    private void receive(final int length)
    {
        final UnsafeBuffer frame = wire.end(length);
        frame.putBytes(0, frames.buffer(), 0, length);
        final InboxModel.Outcome expected = model.onFrame(frames.buffer(), length);
        final long before = rejected.get();
        complaint = null;
        inbox.onFragment(frame, 0, length, null);
        if (model.hasAddedNans)
        {
            model.hasAddedNans = false;
            user.copyTo(model.user);
            system.copyTo(model.system);
        }

        final InboxModel.Outcome found = null != complaint ? InboxModel.Outcome.FAILED :
            before != rejected.get() ? InboxModel.Outcome.REJECTED : InboxModel.Outcome.PERFORMED;
        if (expected != found || model.isAtFault != link.isAtFault || model.received != link.received() ||
            model.acknowledged != link.outbox.acknowledged() || model.lateReplies != inbox.lateReplies())
        {
            throw new AssertionError("expected " + expected + ", found " + found + " (" + complaint + "), received " +
                link.received() + " of " + model.received + ", " + at());
        }

        outcomes[found.ordinal()]++;
        link.isAtFault = false;
        model.isAtFault = false;
        if (0 != random.nextInt(8))
        {
            answer();
        }
    }

    /**
     * Issues requests of this PE's own, to be replied to, and releases completed ones.
     */
    private void ask()
    {
        if (0 == random.nextInt(3))
        {
            link.outbox.append(0, false);
            model.assigned++;
        }

        final int slot = random.nextInt(4) > 0 ? link.requests.tryAcquire() : -1;
        if (slot >= 0)
        {
            request(slot);
        }

        if (0 == random.nextInt(8))
        {
            fetch();
        }

        final int other = random.nextInt(InboxModel.SLOTS);
        final InboxModel.Request request = model.requests[other];
        if (request.isUsed && request.isDone)
        {
            assertEquals(request.result, InboxModel.Kind.FETCH == request.kind ?
                link.requests.result(other) : request.result, this::at);
            if (null != request.array)
            {
                assertEquals(-1, Arrays.mismatch(request.array, arrays[other]), this::at);
            }

            link.requests.release(other);
            request.release();
        }
        else if (request.isUsed && 0 == random.nextInt(4))
        {
            abandon(other, request);
        }
    }

    /** Appends a fetch to a run of this PE's own or to a new one, or sends all that are open. */
    private void fetch()
    {
        final FetchRuns runs = link.fetchRuns;
        final InboxModel.Run last = model.runs.peekLast();
        if (0 == random.nextInt(3) && null != last)
        {
            runs.onFrameSent();
            model.runs.forEach((run) -> run.isSent = true);
            return;
        }

        final boolean isOpen = null != last && !last.isSent;
        final boolean isJoining = isOpen && random.nextInt(4) > 0;
        final long number = isJoining ? last.number : runs.opened();
        final int width = isJoining ? last.width : isOpen ? 12 - last.width : 4 << random.nextInt(2);
        final InboxModel.Run run = isJoining ? last : new InboxModel.Run(number, width);
        if (run.count == InboxModel.RUN_LENGTH)
        {
            return;
        }

        final boolean hasRoom = isJoining || model.runs.size() < InboxModel.RUNS;
        if (!runOutbox.hasRoom(64) && !isJoining && hasRoom)
        {
            runOutbox = newOutbox();
        }

        final long address = dest.address() + run.offset(run.count);
        final boolean isAppended = runs.append(
            runOutbox, RecordDescriptor.atomicKind(0, 4, width), 0, 1, null, address, pending);
        if (isAppended)
        {
            assertTrue(hasRoom, this::at);
            run.count++;
            if (!isJoining)
            {
                model.runs.add(run);
            }
        }
        else
        {
            assertTrue(!hasRoom || !runOutbox.hasRoom(64), this::at);
        }

        assertEquals(isJoining || isAppended ? number + 1 : number, runs.opened(), this::at);
    }

    private void request(final int slot)
    {
        final InboxModel.Request request = model.requests[slot];
        assertFalse(request.isUsed, this::at);
        request.isUsed = true;
        request.array = null;
        request.result = 0;
        request.position = 0;
        request.length = 1 + random.nextInt(InboxModel.SLOT_LENGTH);
        final long address = dest.address() + (long)slot * InboxModel.SLOT_LENGTH;
        switch (random.nextInt(7))
        {
            case 0:
                request.kind = InboxModel.Kind.FETCH;
                link.requests.fetch(slot);
                break;
            case 1:
                request.kind = InboxModel.Kind.FETCH_INT_NBI;
                pending.begin();
                link.requests.fetchNbi(slot, false, address, pending);
                break;
            case 2:
                request.kind = InboxModel.Kind.FETCH_LONG_NBI;
                pending.begin();
                link.requests.fetchNbi(slot, true, address, pending);
                break;
            case 3:
                request.kind = InboxModel.Kind.GET;
                link.requests.get(slot, null, address, request.length);
                break;
            case 4:
                request.kind = InboxModel.Kind.GET_ARRAY;
                request.array = new byte[request.length];
                arrays[slot] = new byte[request.length];
                link.requests.get(
                    slot, arrays[slot], new UnsafeBuffer(arrays[slot]).addressOffset(), request.length);
                break;
            case 5:
                request.kind = InboxModel.Kind.GET_NBI;
                pending.begin();
                link.requests.getNbi(slot, null, address, request.length, pending);
                break;
            default:
                // acquired by a thread that has not set its kind yet
                request.kind = InboxModel.Kind.NONE;
                break;
        }
    }

    private void abandon(final int slot, final InboxModel.Request request)
    {
        switch (request.kind)
        {
            case FETCH:
                link.requests.abandon(slot);
                request.kind = InboxModel.Kind.ABANDONED_FETCH;
                break;
            case GET:
            case GET_ARRAY:
                link.requests.abandon(slot);
                request.kind = InboxModel.Kind.ABANDONED_GET;
                break;
            case NONE:
                link.requests.release(slot);
                request.release();
                break;
            default:
                break;
        }
    }

    /**
     * Reads the replies that are due, as if they were sent.
     */
    private void answer()
    {
        final ReplyQueue replies = link.replies;
        for (final InboxModel.Answer answer : model.fetches)
        {
            assertFetch(answer, replies);
            replies.removeFetch();
            answers++;
        }

        for (final InboxModel.Answer answer : model.gets)
        {
            assertGet(answer, replies);
            replies.onChunkSent((int)replies.getRemaining());
            answers++;
        }

        assertRuns();
        model.fetches.clear();
        model.gets.clear();
        assertFalse(replies.hasFetch() || replies.hasGet(), this::at);
    }

    /** Appends the replies to runs to frames, and compares what these carry. */
    private void assertRuns()
    {
        final FetchRunReplyRecordDecoder reply = new FetchRunReplyRecordDecoder();
        int position = 0;
        while (!link.fetchRunReplies.isEmpty())
        {
            int index = replyOutbox.appendIndex();
            link.fetchRunReplies.appendTo(replyOutbox);
            while (index < replyOutbox.appendIndex())
            {
                final InboxModel.RunAnswer answer = model.runAnswers.peek();
                reply.wrap(replyOutbox.frame(), index + 8, FetchRunReplyRecordDecoder.BLOCK_LENGTH, 0);
                index += 8 + FetchRunReplyRecordDecoder.BLOCK_LENGTH + 4;
                final FetchRunReplyRecordDecoder.ValuesDecoder values = reply.values();
                assertTrue(
                    null != answer && answer.number() == reply.number() && position == reply.position(), this::at);
                while (values.hasNext())
                {
                    assertEquals(answer.values()[position++], values.next().value(), this::at);
                    index += Long.BYTES;
                }

                if (answer.values().length == position)
                {
                    position = 0;
                    model.runAnswers.remove();
                    answers++;
                }
            }

            if (!link.fetchRunReplies.isEmpty())
            {
                replyOutbox = newOutbox();
            }
        }

        assertTrue(model.runAnswers.isEmpty(), this::at);
    }

    private void assertFetch(final InboxModel.Answer answer, final ReplyQueue replies)
    {
        if (!replies.hasFetch() || answer.slot() != replies.fetchSlot() ||
            answer.generation() != replies.fetchGeneration() || answer.value() != replies.fetchValue())
        {
            throw new AssertionError("owes " + answer + ", " + at());
        }
    }

    private void assertGet(final InboxModel.Answer answer, final ReplyQueue replies)
    {
        final long base = Region.USER == answer.region() ? user.address() : system.address();
        if (!replies.hasGet() || answer.slot() != replies.getSlot() ||
            answer.generation() != replies.getGeneration() ||
            base + answer.offset() != replies.getAddress(0) || answer.length() != replies.getRemaining())
        {
            throw new AssertionError("owes " + answer + ", " + at());
        }
    }

    /** Reads the replies that would be sent. */
    private void send()
    {
        user.assertIs(model.user, at());
        system.assertIs(model.system, at());
        dest.assertIs(model.dest, at());
        long inUse = 0;
        int outstanding = model.runs.size();
        for (int slot = 0; slot < InboxModel.SLOTS; slot++)
        {
            final InboxModel.Request request = model.requests[slot];
            if (request.isUsed)
            {
                inUse |= 1L << slot;
                outstanding += request.kind.name().endsWith("NBI") ? 1 : 0;
                assertEquals(request.isDone, isBlocking(request) && link.requests.isDone(slot), this::at);
            }

            assertEquals(request.generation, link.requests.generation(slot), this::at);
        }

        assertEquals(inUse, link.requests.inUse(), this::at);
        assertEquals(0 == outstanding, pending.isIdle(), this::at);
    }

    private static boolean isBlocking(final InboxModel.Request request)
    {
        return InboxModel.Kind.FETCH == request.kind || InboxModel.Kind.GET == request.kind ||
            InboxModel.Kind.GET_ARRAY == request.kind;
    }
}
