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
package io.aeroshmem.tools.stat;

import io.aeron.CncFileDescriptor;
import io.aeron.driver.status.StreamCounter;
import io.aeron.exceptions.AeronException;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.FileProblem;
import io.aeroshmem.tools.exit.InputFile;
import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static io.aeron.AeronCounters.DRIVER_PUBLISHER_LIMIT_TYPE_ID;
import static io.aeron.AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID;
import static io.aeron.AeronCounters.DRIVER_RECEIVER_HWM_TYPE_ID;
import static io.aeron.AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID;
import static io.aeron.AeronCounters.DRIVER_SENDER_BPE_TYPE_ID;
import static io.aeron.AeronCounters.DRIVER_SENDER_LIMIT_TYPE_ID;
import static io.aeron.AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID;
import static io.aeron.AeronCounters.DRIVER_SUBSCRIBER_POSITION_TYPE_ID;

/** Prints the positions of the streams of a media driver, as Aeron's StreamStat does. */
public final class StatStreams
{
    private static final Map<Integer, String> POSITIONS = Map.of(
        DRIVER_PUBLISHER_POS_TYPE_ID, "pub-pos",
        DRIVER_PUBLISHER_LIMIT_TYPE_ID, "pub-lmt",
        DRIVER_SENDER_POSITION_TYPE_ID, "snd-pos",
        DRIVER_SENDER_LIMIT_TYPE_ID, "snd-lmt",
        DRIVER_SENDER_BPE_TYPE_ID, "snd-bpe",
        DRIVER_RECEIVER_HWM_TYPE_ID, "rcv-hwm",
        DRIVER_RECEIVER_POS_TYPE_ID, "rcv-pos",
        DRIVER_SUBSCRIBER_POSITION_TYPE_ID, "sub-pos");

    private StatStreams()
    {
    }

    private record Stream(int streamId, int sessionId)
    {
    }

    /** Returns whether a directory is that of a media driver that has started. */
    public static boolean isDriverDirectory(final Path directory)
    {
        return Files.isReadable(directory.resolve(CncFileDescriptor.CNC_FILE));
    }

    /**
     * Prints the streams of a media driver. Only reads the driver's CnC file.
     *
     * @throws CommandException if the file is not one of this version, or is damaged.
     */
    public static void print(final PrintWriter output, final Path directory)
    {
        final Path cnc = directory.resolve(CncFileDescriptor.CNC_FILE);
        try
        {
            InputFile.check(cnc, Integer.MAX_VALUE);
            if (Files.size(cnc) < CncFileDescriptor.META_DATA_LENGTH)
            {
                throw CommandException.failure("the media driver in " + directory + " has not started");
            }

            print(output, directory, IoUtil.mapExistingFile(
                cnc.toFile(), FileChannel.MapMode.READ_ONLY, CncFileDescriptor.CNC_FILE));
        }
        catch (final IOException ex)
        {
            throw CommandException.failure("cannot read " + cnc + ": " + FileProblem.describe(ex));
        }
        catch (final AeronException | IndexOutOfBoundsException | IllegalArgumentException ex)
        {
            throw CommandException.failure(
                cnc + " is damaged, or that of another version of Aeron: " + ex.getMessage());
        }
    }

    private static void print(final PrintWriter output, final Path directory, final MappedByteBuffer file)
    {
        try
        {
            final DirectBuffer metadata = CncFileDescriptor.createMetaDataBuffer(file);
            CncFileDescriptor.checkVersion(metadata.getInt(CncFileDescriptor.cncVersionOffset(0)));
            final CountersReader counters = new CountersReader(
                CncFileDescriptor.createCountersMetaDataBuffer(file, metadata),
                CncFileDescriptor.createCountersValuesBuffer(file, metadata));
            output.println("driver " + directory);
            streams(counters).forEach((stream, lines) ->
            {
                output.println("  stream " + stream.streamId() + " session " + stream.sessionId());
                lines.forEach((line) -> output.println("    " + line));
            });
        }
        finally
        {
            IoUtil.unmap(file);
        }
    }

    /** Returns the positions of each stream: one or more of its publisher, and those of its subscribers. */
    private static Map<Stream, List<String>> streams(final CountersReader counters)
    {
        final Map<Stream, List<String>> streams = new TreeMap<>(
            Comparator.comparingInt(Stream::streamId).thenComparingInt(Stream::sessionId));
        counters.forEach((counterId, typeId, key, label) ->
        {
            final String name = POSITIONS.get(typeId);
            if (null != name)
            {
                final Stream stream = new Stream(
                    key.getInt(StreamCounter.STREAM_ID_OFFSET), key.getInt(StreamCounter.SESSION_ID_OFFSET));
                streams.computeIfAbsent(stream, (unused) -> new ArrayList<>()).add(name + "=" +
                    counters.getCounterValue(counterId) + " " + key.getStringAscii(StreamCounter.CHANNEL_OFFSET));
            }
        });
        return streams;
    }
}
