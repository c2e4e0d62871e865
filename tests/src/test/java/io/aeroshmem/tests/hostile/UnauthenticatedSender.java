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
package io.aeroshmem.tests.hostile;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeroshmem.TransportKind;
import io.aeroshmem.codecs.ElementRecordEncoder;
import io.aeroshmem.codecs.FrameEncoder;
import io.aeroshmem.codecs.JoinRecordDecoder;
import io.aeroshmem.codecs.MessageHeaderDecoder;
import io.aeroshmem.codecs.MessageHeaderEncoder;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PeCounter;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A sender that is not a PE of the job, but can read its control file and reaches its media driver.
 */
final class UnauthenticatedSender implements AutoCloseable
{
    static final int HEAD = MessageHeaderEncoder.ENCODED_LENGTH + FrameEncoder.BLOCK_LENGTH;

    private static final int STREAMS_PER_JOB = 4096;
    private static final long QUIET_NS = 30_000_000;

    final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(4096));
    private final Aeron aeron;
    private final JobDirectory directory;
    private final ControlFile control;

    /**
     * Finds the one job that runs in the memory of the tests.
     */
    UnauthenticatedSender(final String driverDirectory)
    {
        final List<Path> jobs = TestMemory.jobs();
        if (1 != jobs.size())
        {
            throw new AssertionError("one job was expected: " + jobs);
        }

        directory = JobDirectory.open(jobs.get(0));
        control = directory.control();
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driverDirectory));
    }

    ControlFile control()
    {
        return control;
    }

    long count(final int pe, final PeCounter counter)
    {
        return control.counter(pe, counter).get();
    }

    /**
     * A stream of this sender's own to a PE's inbox. The driver drops a UDP stream of a session that the job does not
     * use; this one is not used either if the job has one process.
     */
    ExclusivePublication open(final TransportKind kind, final int pe)
    {
        final ExclusivePublication publication = aeron.addExclusivePublication(
            TransportKind.IPC == kind ? "aeron:ipc?term-length=64k" :
            "aeron:udp?linger=0|session-id=" + sessionId(1) + "|term-length=" + termLength() +
            "|endpoint=" + endpoint(pe),
            streamId(pe));
        Pe.await(publication::isConnected, "a connection to the inbox of PE " + pe);
        return publication;
    }

    int streamId(final int pe)
    {
        final long token = control.token();
        return ((int)(token ^ (token >>> 32)) & Integer.MAX_VALUE & -STREAMS_PER_JOB) + pe;
    }

    /**
     * The term length that the channels of the job's inboxes name after the sessions and their number.
     */
    private String termLength()
    {
        final String[] found = {null};
        aeron.countersReader().forEach((counterId, label) ->
        {
            final int at = label.indexOf("aeroshmem-senders=" + sessionId(0) + ":");
            if (at >= 0)
            {
                found[0] = label.substring(at).split("[: ]")[2];
            }
        });
        return found[0];
    }

    /**
     * The session in which a job's driver sends to inboxes.
     */
    int sessionId(final int sender)
    {
        return (int)(control.token() * 0x9E37_79B9_7F4A_7C15L >>> 32) + sender;
    }

    String endpoint(final int pe)
    {
        final JoinRecordDecoder record = record(pe);
        record.skipHost();
        record.skipNode();
        return record.endpoint();
    }

    private JoinRecordDecoder record(final int pe)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[ControlFile.RECORD_CAPACITY]);
        control.record(pe, buffer, 0);
        return new JoinRecordDecoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderDecoder());
    }

    /**
     * Writes the head of the next frame that one of two idle PEs would send to the other.
     */
    FrameEncoder head(final int sourcePe)
    {
        final int me = 1 - sourcePe;
        return new FrameEncoder().wrapAndApplyHeader(frame, 0, new MessageHeaderEncoder())
            .jobToken(control.token())
            .sourcePe(sourcePe)
            .epoch(record(sourcePe).epoch())
            .firstSequence(count(sourcePe, PeCounter.RECORDS_SENT) & 0xFFFF_FFFFL)
            .acknowledged(count(me, PeCounter.RECORDS_SENT) & 0xFFFF_FFFFL)
            .recordCount(1)
            .flags(0);
    }

    /**
     * Adds a record that stores eight bytes.
     *
     * @return length of the frame.
     */
    int element(final int region, final long address, final long value)
    {
        new ElementRecordEncoder().wrapAndApplyHeader(frame, HEAD, new MessageHeaderEncoder())
            .address(address).value(value).region(region).width(Long.BYTES);
        return HEAD + MessageHeaderEncoder.ENCODED_LENGTH + ElementRecordEncoder.BLOCK_LENGTH;
    }

    /**
     * Waits until both PEs of a job have sent what they had to send, and have received it: one that the machine has not
     * run since has a reply to send.
     */
    void awaitQuiet()
    {
        final long[] last = {-1, System.nanoTime()};
        Pe.await(() ->
        {
            final long sent = count(0, PeCounter.FRAMES_SENT) + count(1, PeCounter.FRAMES_SENT);
            if (sent != last[0])
            {
                last[0] = sent;
                last[1] = System.nanoTime();
            }

            return System.nanoTime() - last[1] > QUIET_NS && isAllReceived(0, 1) && isAllReceived(1, 0);
        }, "silence");
    }

    private boolean isAllReceived(final int from, final int to)
    {
        return count(from, PeCounter.FRAMES_SENT) == count(to, PeCounter.FRAMES_RECEIVED);
    }

    static void send(final ExclusivePublication publication, final UnsafeBuffer frame, final int length)
    {
        Pe.await(() -> publication.offer(frame, 0, length) > 0, "a frame to leave");
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(aeron, directory);
    }
}
