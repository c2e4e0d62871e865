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

import io.aeroshmem.transport.CachedPause;
import io.aeroshmem.transport.TransportException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Control files with arbitrary contents: each reader returns a valid value, or reports that the file is damaged.
 */
@Tag("waits")
@Timeout(60)
class DamagedControlTest
{
    private static final int N_PES = 3;
    private static final long TOKEN = 0x0123_4567_89AB_CDEFL;

    private final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime() & 0xFFFF_FFFFFFFFL);
    private final Random random = new Random(seed);
    private final long uid = PrivateFiles.currentUid();

    @TempDir(factory = SharedMemory.class)
    private Path root;

    @Test
    @Tag("ci")
    void shouldReadAnyBytesBehindAnIntactHeader() throws IOException
    {
        final Path file = root.resolve("control");
        ControlFile.create(file, N_PES, TOKEN, JobDirectory.NO_PE);
        final ControlFile control = ControlFile.open(file, uid);
        final byte[] noise = new byte[ControlDescriptor.fileLength(N_PES) - ControlDescriptor.FAILURE_WORD_OFFSET];
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
        {
            for (int i = 0; i < 2_000; i++)
            {
                random.nextBytes(noise);
                // words that are nearly right are worse than noise
                final UnsafeBuffer words = new UnsafeBuffer(noise);
                for (int j = random.nextInt(2_000); j > 0; j--)
                {
                    words.putInt(4 * random.nextInt(noise.length / 4), random.nextInt(12) - 2);
                }

                channel.write(ByteBuffer.wrap(noise), ControlDescriptor.FAILURE_WORD_OFFSET);
                readAll(control);
            }
        }
    }

    private void readAll(final ControlFile control)
    {
        assertEquals(N_PES, control.nPes());
        assertEquals(TOKEN, control.token());
        final UnsafeBuffer record = new UnsafeBuffer(new byte[ControlFile.RECORD_CAPACITY]);
        for (int pe = 0; pe < N_PES; pe++)
        {
            final int cell = pe;
            assertDamagedOr(() ->
            {
                final int phase = control.phase(cell);
                assertTrue(phase >= PePhase.ABSENT && phase <= PePhase.CLOSED, this::at);
                final int length = control.record(cell, record, 0);
                assertTrue(length >= 0 && length <= ControlFile.RECORD_CAPACITY, this::at);
            });
            // in characters: each byte that is none of UTF-8 becomes one
            assertTrue(control.lockName(pe).length() <= ControlDescriptor.LOCK_NAME_CAPACITY, this::at);
            assertTrue(control.hostName(pe).length() <= ControlDescriptor.HOST_NAME_CAPACITY, this::at);
            assertDamagedOr(() -> new ProcessIdentity(control.pid(cell), control.startTime(cell)).isAlive());
            control.heartbeat(pe);
            control.counter(pe, PeCounter.FRAMES_SENT).get();
        }

        control.driverState();
        control.driverMessage();
        assertEquals(control.isFailed(), null != control.failure(), this::at);
        if (control.isFailed())
        {
            final JobFailure failure = control.failure();
            assertTrue(failure.pe() >= -1 && failure.pe() < N_PES, this::at);
            assertNotNull(failure.kind(), this::at);
        }

        assertFalse(control.toString().isEmpty());
    }

    private void assertDamagedOr(final Runnable reader)
    {
        try
        {
            reader.run();
        }
        catch (final TransportException ex)
        {
            assertTrue(ex.getMessage().contains("damaged"), ex.getMessage());
        }
    }

    private String at()
    {
        return "-Daeroshmem.test.seed=" + seed;
    }

    @Test
    void shouldFailThoughTheCellForItIsDamaged() throws IOException
    {
        final Path file = root.resolve("control");
        final ControlFile control = ControlFile.create(file, N_PES, TOKEN, JobDirectory.NO_PE);
        write(file, ControlDescriptor.cellOffset(1) + ControlDescriptor.FAILURE_STATE_OFFSET, 77);
        final long start = System.nanoTime();
        assertFalse(control.fail(1, new JobFailure(JobFailure.Kind.PE_FAILED, 1, 0, "x")));
        assertTrue(control.isFailed());
        assertTrue(control.failure().message().contains("damaged"), control.failure().message());
        // not that of a cell that is claimed
        assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(2));
    }

    /**
     * As after the end of a process that was about to report a failure.
     */
    @Test
    @Tag("ci")
    void shouldFailThoughTheCellForItIsClaimedForEver() throws IOException
    {
        final Path file = root.resolve("control");
        final ControlFile control = ControlFile.create(file, N_PES, TOKEN, JobDirectory.NO_PE);
        write(file, ControlDescriptor.cellOffset(1) + ControlDescriptor.FAILURE_STATE_OFFSET,
            ControlFile.FAILURE_CLAIMED);
        assertFalse(control.fail(1, new JobFailure(JobFailure.Kind.PE_FAILED, 1, 0, "x")));
        assertTrue(control.isFailed());
    }

    @Test
    @Tag("ci")
    void shouldRefuseAnyHeaderThatIsNotRight() throws IOException
    {
        final Path file = root.resolve("control");
        ControlFile.create(file, N_PES, TOKEN, JobDirectory.NO_PE);
        final byte[] intact = Files.readAllBytes(file);
        for (int i = 0; i < 2_000; i++)
        {
            final byte[] damaged = intact.clone();
            final UnsafeBuffer words = new UnsafeBuffer(damaged);
            final int[] offsets =
            {
                ControlDescriptor.MAGIC_OFFSET, ControlDescriptor.VERSION_OFFSET, ControlDescriptor.N_PES_OFFSET
            };
            final int offset = offsets[random.nextInt(offsets.length)];
            final int before = words.getInt(offset);
            words.putInt(offset, random.nextBoolean() ? random.nextInt() : before + 1 + random.nextInt(3));
            Files.write(file, damaged);
            if (before != words.getInt(offset))
            {
                assertThrows(TransportException.class, () -> ControlFile.open(file, uid), this::at);
            }
        }
    }

    @Test
    void shouldRefuseEveryLengthButItsOwn() throws IOException
    {
        final Path file = root.resolve("control");
        ControlFile.create(file, N_PES, TOKEN, JobDirectory.NO_PE);
        final int length = ControlDescriptor.fileLength(N_PES);
        final List<Long> lengths = new ArrayList<>(List.of(
            (long)length + 1, (long)length + 4096, 1L << 32, (1L << 32) + length, 1L << 40, 4095L, 1L, 0L));
        for (final long other : lengths)
        {
            try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw"))
            {
                access.setLength(other);
            }

            assertThrows(TransportException.class, () -> ControlFile.open(file, uid), () -> other + " bytes");
        }
    }

    /**
     * The liveness thread reports the error once, and continues.
     */
    @Test
    void shouldKeepLivenessGoing() throws Exception
    {
        try (JobDirectory job = JobDirectory.create(root, N_PES))
        {
            final Path file = job.path().resolve(JobDirectory.CONTROL);
            final ProcessLock lock = job.lockProcess("pe-0");
            final ControlFile control = job.control();
            control.register(
                0, ProcessIdentity.current().pid(), ProcessIdentity.current().startTime(), "proc-pe-0.lock");
            write(file, ControlDescriptor.cellOffset(1) + ControlDescriptor.PHASE_OFFSET, 1_000);
            write(file, ControlDescriptor.cellOffset(1) + ControlDescriptor.PID_OFFSET, -5);
            write(file, ControlDescriptor.cellOffset(1) + ControlDescriptor.LOCK_NAME_LENGTH_OFFSET, 1 << 20);
            write(file, ControlDescriptor.cellOffset(2) + ControlDescriptor.PID_OFFSET, 1);
            write(file, ControlDescriptor.cellOffset(2) + ControlDescriptor.LOCK_NAME_LENGTH_OFFSET, -1);
            final List<Throwable> errors = new CopyOnWriteArrayList<>();
            final CachedPause pause = new CachedPause();
            try (Liveness liveness = new Liveness(
                job, new int[]{0}, true, 1, Thread::new, errors::add, pause,
                (pid) -> false))
            {
                liveness.poll();
                assertEquals(2, errors.size(), errors::toString);
                pause.epochClock.advance(1);
                liveness.poll();
                assertEquals(pause.epochClock.time(), control.heartbeat(0));
            }

            assertEquals(2, errors.size(), errors::toString);
            assertTrue(errors.stream().allMatch((ex) -> ex.getMessage().contains("damaged")), errors::toString);
            lock.close();
            job.delete();
        }
    }

    private static void write(final Path file, final int offset, final int value) throws IOException
    {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw"))
        {
            access.seek(offset);
            access.writeInt(Integer.reverseBytes(value));
        }
    }
}
