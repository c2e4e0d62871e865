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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.SharedMemory;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Join records with arbitrary contents.
 */
@Timeout(60)
@Tag("ci")
class HostileJoinRecordTest
{
    private static final int ROUNDS = 100_000;

    @TempDir(factory = SharedMemory.class)
    private Path root;

    @Test
    void shouldReadOrRefuseAnyBytes() throws IOException
    {
        final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime() & 0xFFFF_FFFFFFFFL);
        final Random random = new Random(seed);
        try (JobDirectory job = JobDirectory.create(root, 2))
        {
            final ControlFile control = job.control();
            final JoinRecord good = new JoinRecord(
                1, 77, TransportMode.AUTO, 1 << 20, 1 << 16, "host", "node", "127.0.0.1:4711", "boot/1/2", "a\nb\nc",
                3);
            good.publish(control);
            final long offset = find(job.path().resolve("control"), good);
            control.phase(1, PePhase.RECORDED);
            assertEquals(good, JoinRecord.read(control, 1));

            final UnsafeBuffer intact = new UnsafeBuffer(new byte[ControlFile.RECORD_CAPACITY]);
            final int length = control.record(1, intact, 0);
            int read = 0;
            try (RandomAccessFile file = new RandomAccessFile(job.path().resolve("control").toFile(), "rw"))
            {
                for (int i = 0; i < ROUNDS; i++)
                {
                    final byte[] bytes = intact.byteArray().clone();
                    damage(bytes, length, random);
                    file.seek(offset);
                    file.write(bytes);
                    read += read(control, "-Daeroshmem.test.seed=" + seed) ? 1 : 0;
                }
            }

            assertTrue(read > ROUNDS / 100 && read < ROUNDS * 99 / 100, read + " of " + ROUNDS + " could be read");
            job.delete();
        }
    }

    private static boolean read(final ControlFile control, final String at)
    {
        try
        {
            final JoinRecord record = JoinRecord.read(control, 1);
            assertEquals(1, record.pe(), at);
            final int characters = record.host().length() + record.node().length() + record.endpoint().length() +
                record.driver().length() + record.attributes().length();
            assertTrue(characters <= ControlFile.RECORD_CAPACITY, at);
            return true;
        }
        catch (final TransportException ex)
        {
            return false;
        }
    }

    private static void damage(final byte[] bytes, final int length, final Random random)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        switch (random.nextInt(4))
        {
            case 0:
                random.nextBytes(bytes);
                break;

            case 1:
                final int[] wild = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1024, 1 << 16, 0, length};
                buffer.putInt(random.nextInt(length - 4), wild[random.nextInt(wild.length)]);
                break;

            case 2:
                buffer.putShort(2 * random.nextInt(4), (short)random.nextInt());
                break;

            default:
                bytes[random.nextInt(length)] = (byte)random.nextInt();
                break;
        }
    }

    /**
     * Where in the file the record lies.
     */
    private static long find(final Path file, final JoinRecord record) throws IOException
    {
        final byte[] all = Files.readAllBytes(file);
        for (int at = 0; at <= all.length - ControlFile.RECORD_CAPACITY; at += ControlFile.RECORD_CAPACITY)
        {
            final int found = new String(all, at, 256, ISO_8859_1).indexOf(record.endpoint());
            if (found > 0)
            {
                return at;
            }
        }

        throw new AssertionError("no record in " + file);
    }
}
