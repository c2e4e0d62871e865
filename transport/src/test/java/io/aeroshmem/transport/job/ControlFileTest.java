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

import io.aeroshmem.transport.TransportException;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

@Tag("jdk")
@Timeout(60)
class ControlFileTest
{
    private static final int N_PES = 4;
    private static final long TOKEN = 0x0123456789ABCDEFL;

    @TempDir(factory = SharedMemory.class)
    private Path root;
    private Path file;
    private ControlFile control;
    private ControlFile other;
    private final long uid = PrivateFiles.currentUid();

    @BeforeEach
    void createAndMapTwice() throws IOException
    {
        file = root.resolve("control");
        control = ControlFile.create(file, N_PES, TOKEN, JobDirectory.NO_PE);
        other = ControlFile.open(file, uid);
    }

    @Test
    void shouldTellTheShapeOfTheJob() throws IOException
    {
        assertEquals(N_PES, other.nPes());
        assertEquals(N_PES, other.creatorCell());
        assertEquals(TOKEN, other.token());
        assertEquals(ProcessHandle.current().pid(), other.creatorPid());
        assertEquals(ProcessIdentity.current().startTime(), other.creatorStartTime());
        assertTrue(Math.abs(System.currentTimeMillis() - other.createdTime()) < 60_000);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void shouldFitLargestJobInSixPagesPerPe() throws IOException
    {
        final Path large = root.resolve("large");
        assertEquals(4096, ControlFile.create(large, 4096, TOKEN, JobDirectory.NO_PE).nPes());
        assertEquals(4096L * (6 * 4096 + 3), Files.size(large));
        assertTrue(ControlDescriptor.fileLength(ControlDescriptor.MAX_PES) > 0);
    }

    @Test
    void shouldGiveEachPolledWordItsOwn128Bytes()
    {
        final int[] words =
        {
            0,
            ControlDescriptor.FAILURE_WORD_OFFSET,
            ControlDescriptor.DRIVER_STATE_OFFSET,
            ControlDescriptor.DRIVER_MESSAGE_LENGTH_OFFSET,
            ControlDescriptor.cellOffset(0) + ControlDescriptor.PHASE_OFFSET,
            ControlDescriptor.cellOffset(0) + ControlDescriptor.HEARTBEAT_OFFSET,
            ControlDescriptor.cellOffset(0) + ControlDescriptor.PID_OFFSET,
            ControlDescriptor.cellOffset(0) + ControlDescriptor.FAILURE_STATE_OFFSET,
            ControlDescriptor.cellOffset(0) + ControlDescriptor.RECORD_OFFSET,
            ControlDescriptor.cellOffset(0) + ControlDescriptor.FAILURE_MESSAGE_OFFSET,
            ControlDescriptor.cellOffset(1),
            ControlDescriptor.countersOffset(1, 0),
            ControlDescriptor.countersOffset(1, 0) + ControlDescriptor.COUNTER_METADATA_LENGTH,
            ControlDescriptor.countersOffset(1, 1)
        };

        for (int i = 1; i < words.length; i++)
        {
            assertEquals(0, words[i] % 128);
            assertTrue(words[i] - words[i - 1] >= 128);
        }
    }

    @Test
    void shouldPublishRegistration()
    {
        assertEquals(0, other.pid(2));
        assertEquals(0, other.startTime(2));
        assertEquals("", other.lockName(2));
        assertEquals("", other.hostName(2));

        control.register(2, 4711, 1234567890123L, "proc-pe-2.lock");

        assertEquals(4711, other.pid(2));
        assertEquals(1234567890123L, other.startTime(2));
        assertEquals("proc-pe-2.lock", other.lockName(2));
        assertEquals(HostName.local(), other.hostName(2));
        assertEquals(PePhase.ABSENT, other.phase(2));
        assertEquals(0, other.pid(1));
        assertEquals(0, other.pid(3));
        assertThrows(IllegalStateException.class, () -> other.register(2, 4712, 1, "proc-pe-2.lock"));
    }

    @Test
    void shouldTellWhereTheProcessLogs()
    {
        assertEquals("", other.log(2));
        control.register(2, 4711, 1, "proc-pe-2.lock");
        assertFalse(other.log(2).isEmpty());
        assertTrue(ProcessLog.current().startsWith(other.log(2)));
        assertFalse(other.isMirrored(2));
    }

    @Test
    void shouldMirrorPeOfAnotherNode()
    {
        final UnsafeBuffer record = new UnsafeBuffer(new byte[]{9, 1, 2, 3});
        final UnsafeBuffer found = new UnsafeBuffer(new byte[ControlFile.RECORD_CAPACITY]);

        assertFalse(other.isMirrored(3));
        control.mirror(3, 12, 34, "far", "/log", PePhase.RECORDED, record, 1, 3);

        assertTrue(other.isMirrored(3));
        assertEquals(12, other.pid(3));
        assertEquals(34, other.startTime(3));
        assertEquals("far", other.hostName(3));
        assertEquals("/log", other.log(3));
        assertEquals("", other.lockName(3));
        assertEquals(PePhase.RECORDED, other.phase(3));
        assertEquals(3, other.record(3, found, 0));
        assertEquals(1, found.getByte(0));

        control.mirror(3, 12, 34, "far", "/log", PePhase.EXCHANGED, record, 0, 0);
        assertEquals(3, other.record(3, found, 0));
        assertEquals(PePhase.EXCHANGED, other.phase(3));
        control.mirror(3, 12, 34, "far", "/log", PePhase.RECORDED, record, 0, 4);
        assertEquals(3, other.record(3, found, 0));
        assertEquals(PePhase.EXCHANGED, other.phase(3));
        control.mirror(3, 12, 34, "far", "/log", PePhase.CLOSED, record, 0, 4);
        assertEquals(4, other.record(3, found, 0));
        assertEquals(PePhase.CLOSED, other.phase(3));
    }

    @Test
    void shouldRefuseToMirrorWhatCannotBe()
    {
        final UnsafeBuffer record = new UnsafeBuffer(new byte[2048]);
        assertThrows(IndexOutOfBoundsException.class, () -> control.mirror(N_PES, 1, 1, "", "", 1, record, 0, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> control.mirror(-1, 1, 1, "", "", 1, record, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> control.mirror(0, 0, 1, "", "", 1, record, 0, 0));
        assertThrows(
            IllegalArgumentException.class,
            () -> control.mirror(0, 1, 1, "", "", PePhase.CLOSED + 1, record, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> control.mirror(0, 1, 1, "", "", 1, record, 0, 1025));
        assertThrows(IllegalArgumentException.class, () -> control.mirror(0, 1, 1, "", "", 1, record, 0, -1));
        assertEquals(0, other.pid(0));

        control.register(0, 1, 1, "proc-pe-0.lock");
        assertThrows(IllegalStateException.class, () -> control.mirror(0, 1, 1, "", "", 1, record, 0, 0));
    }

    @Test
    void shouldRefuseBadRegistration()
    {
        assertThrows(IllegalArgumentException.class, () -> control.register(0, 0, 1, "proc-pe-0.lock"));
        assertThrows(IllegalArgumentException.class, () -> control.register(0, 1, 1, ""));
        assertThrows(IllegalArgumentException.class, () -> control.register(0, 1, 1, "pe-0"));
        assertThrows(IllegalArgumentException.class, () -> control.register(0, 1, 1, "proc-a/b.lock"));
        assertThrows(
            IllegalArgumentException.class, () -> control.register(0, 1, 1, "proc-" + "x".repeat(55) + ".lock"));
        assertThrows(IndexOutOfBoundsException.class, () -> control.register(N_PES, 1, 1, "proc-pe-0.lock"));
        final String longest = "proc-" + "x".repeat(54) + ".lock";
        control.register(0, 1, 1, longest);
        assertEquals(longest, other.lockName(0));
    }

    @Test
    void shouldOnlyMovePhaseForward()
    {
        assertEquals(PePhase.ABSENT, other.phase(1));
        for (int phase = PePhase.RECORDED; phase <= PePhase.CLOSED; phase++)
        {
            control.phase(1, phase);
            assertEquals(phase, other.phase(1));
        }

        assertThrows(IllegalStateException.class, () -> control.phase(1, PePhase.RUNNING));
        assertEquals(PePhase.ABSENT, other.phase(0));
        assertEquals(PePhase.ABSENT, other.phase(2));
        control.phase(control.creatorCell(), PePhase.CLOSED);
        assertEquals(PePhase.CLOSED, other.phase(other.creatorCell()));
    }

    @Test
    void shouldPublishJoinRecordWithThePhase()
    {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[ControlFile.RECORD_CAPACITY + 8]);
        final UnsafeBuffer dest = new UnsafeBuffer(new byte[ControlFile.RECORD_CAPACITY + 8]);
        for (int i = 0; i < source.capacity(); i++)
        {
            source.putByte(i, (byte)i);
        }

        assertEquals(0, other.record(3, dest, 0));
        control.record(3, source, 8, ControlFile.RECORD_CAPACITY);
        assertEquals(0, other.record(3, dest, 0));
        control.phase(3, PePhase.RECORDED);

        assertEquals(ControlFile.RECORD_CAPACITY, other.record(3, dest, 4));
        for (int i = 0; i < ControlFile.RECORD_CAPACITY; i++)
        {
            assertEquals((byte)(i + 8), dest.getByte(4 + i));
        }

        assertThrows(IllegalStateException.class, () -> control.record(3, source, 0, 1));
        assertThrows(
            IllegalArgumentException.class, () -> control.record(2, source, 0, ControlFile.RECORD_CAPACITY + 1));
    }

    @Test
    void shouldKeepHeartbeatsAndCountersApart()
    {
        for (int pe = 0; pe < N_PES; pe++)
        {
            control.heartbeat(pe, 1000 + pe);
            for (final PeCounter counter : PeCounter.values())
            {
                control.counter(pe, counter).set(pe * 100 + counter.ordinal());
            }
        }

        for (int pe = 0; pe < N_PES; pe++)
        {
            assertEquals(1000 + pe, other.heartbeat(pe));
            assertEquals(PePhase.ABSENT, other.phase(pe));
            for (final PeCounter counter : PeCounter.values())
            {
                assertEquals(pe * 100 + counter.ordinal(), other.counter(pe, counter).get());
            }
        }

        assertThrows(IndexOutOfBoundsException.class, () -> control.counter(N_PES, PeCounter.ERRORS));
        assertThrows(IndexOutOfBoundsException.class, () -> control.counter(-1, PeCounter.ERRORS));
        assertTrue(other.toString().contains("frames sent"));
    }

    @Test
    void shouldShowTheCountersOfRegisteredPesToReaders() throws IOException
    {
        control.register(1, 4711, 0, "proc-pe-1.lock");
        control.counter(1, PeCounter.BYTES_SENT).increment();
        final CountersReader[] readers = ControlFile.readCounters(file.getParent());
        assertEquals(N_PES, readers.length);
        readers[0].forEach((id, label) -> fail(label));

        final List<String> labels = new ArrayList<>();
        final Set<Integer> typeIds = new HashSet<>();
        readers[1].forEach((id, typeId, key, label) ->
        {
            assertEquals(PeCounter.values()[id].typeId(), typeId);
            assertTrue(typeId >= 20_000 && typeId < 20_100, label);
            typeIds.add(typeId);
            labels.add(label);
        });
        assertEquals(PeCounter.values().length, labels.size());
        assertEquals(PeCounter.values().length, typeIds.size());
        assertEquals("aeroshmem frames sent: pe=1", labels.get(0));
        assertEquals(1, readers[1].getCounterValue(PeCounter.BYTES_SENT.ordinal()));

        control.counter(1, PeCounter.BYTES_SENT).increment();
        assertEquals(2, readers[1].getCounterValue(PeCounter.BYTES_SENT.ordinal()));
        assertEquals(0, readers[1].getCounterValue(PeCounter.BYTES_RECEIVED.ordinal()));
    }

    @Test
    void shouldWalkThroughDriverStates()
    {
        assertEquals(DriverState.NONE, other.driverState());
        assertTrue(other.requestDriver());
        assertFalse(control.requestDriver());
        assertEquals(DriverState.WANTED, control.driverState());
        assertNull(other.driverMessage());
        control.driverReady();
        assertEquals(DriverState.READY, other.driverState());
        assertFalse(other.requestDriver());
        control.driverFailed("first");
        control.driverFailed("second");
        control.driverReady();
        assertEquals(DriverState.FAILED, other.driverState());
        assertEquals("first", other.driverMessage());
    }

    @Test
    void shouldMakeASuccessorOnlyWhereOneIsOffered()
    {
        other.requestSuccessor();
        assertEquals(SuccessorState.NONE, control.successorState());
        control.offerSuccessor();
        assertEquals(SuccessorState.OFFERED, other.successorState());
        other.requestSuccessor();
        assertEquals(SuccessorState.WANTED, control.successorState());
        control.successorReady("/dev/shm/next");
        other.requestSuccessor();
        assertEquals(SuccessorState.READY, other.successorState());
        assertEquals("/dev/shm/next", other.successor());
    }

    @Test
    void shouldTellWhyThereIsNoSuccessor()
    {
        control.offerSuccessor();
        other.requestSuccessor();
        control.successorFailed("no room");
        assertEquals(SuccessorState.FAILED, other.successorState());
        assertEquals("no room", other.successor());
    }

    @Test
    void shouldKeepFirstFailure()
    {
        assertFalse(other.isFailed());
        assertNull(other.failure());
        assertEquals(0, UnsafeApi.getLongAcquire(null, other.failureWordAddress()));

        final JobFailure failure = new JobFailure(JobFailure.Kind.PE_FAILED, 2, 7, "because \u20ac");
        assertTrue(control.fail(2, failure));
        assertFalse(other.fail(1, new JobFailure(JobFailure.Kind.PE_DIED, 2, -1, "later")));
        assertFalse(control.fail(2, new JobFailure(JobFailure.Kind.PE_DIED, 2, -1, "later")));

        assertTrue(other.isFailed());
        assertEquals(failure, other.failure());
        assertEquals(3, UnsafeApi.getLongAcquire(null, other.failureWordAddress()));
    }

    @Test
    void shouldKeepTheFailureOfThePreviousGenerationApartFromItsOwn()
    {
        assertEquals(0, other.generation());
        assertNull(other.previousFailure());
        final JobFailure previous = new JobFailure(JobFailure.Kind.PE_DIED, 2, 137, "PE 2 died");
        control.generation(3, previous);

        assertEquals(3, other.generation());
        assertEquals(previous, other.previousFailure());
        assertFalse(other.isFailed());
        assertNull(other.failure());

        final JobFailure own = new JobFailure(JobFailure.Kind.RECOVERY_REQUESTED, 0, -1, "again");
        assertTrue(control.fail(0, own));
        assertEquals(own, other.failure());
        assertEquals(previous, other.previousFailure());
    }

    @Test
    void shouldTakeFailureOfTheCreator()
    {
        final JobFailure failure = new JobFailure(JobFailure.Kind.GLOBAL_EXIT, -1, 0, "");
        assertTrue(control.fail(control.creatorCell(), failure));
        assertEquals(failure, other.failure());
        assertThrows(IndexOutOfBoundsException.class, () -> control.fail(N_PES + 1, failure));
    }

    @Test
    @Tag("ci")
    void shouldLetOneOfManyReportersWinAndNeverShowHalfACause() throws Exception
    {
        final int threads = 2;
        final ExecutorService executor = Executors.newFixedThreadPool(threads);
        try
        {
            for (int round = 0; round < 300; round++)
            {
                final Path path = root.resolve("race-" + round);
                final ControlFile[] mappings =
                    { ControlFile.create(path, N_PES, TOKEN, JobDirectory.NO_PE), ControlFile.open(path, uid) };
                final AtomicInteger waiting = new AtomicInteger(threads);
                final List<Callable<Boolean>> reporters = new ArrayList<>();
                for (int i = 0; i < threads; i++)
                {
                    // Now two threads of one PE, now two PEs; each with a cause of its own.
                    final int status = i;
                    final int reporter = 0 == round % 2 ? 0 : i;
                    reporters.add(() -> report(mappings[status], waiting, reporter, status));
                }

                int winners = 0;
                for (final Future<Boolean> won : executor.invokeAll(reporters))
                {
                    winners += won.get() ? 1 : 0;
                }

                assertEquals(1, winners);
                Files.delete(path);
            }
        }
        finally
        {
            executor.shutdownNow();
        }
    }

    private static boolean report(
        final ControlFile control, final AtomicInteger waiting, final int reporter, final int status)
    {
        final JobFailure mine =
            new JobFailure(JobFailure.Kind.PE_FAILED, reporter, status, Integer.toString(status).repeat(2000));
        waiting.decrementAndGet();
        while (waiting.get() > 0)
        {
            Thread.onSpinWait();
        }

        final boolean won = control.fail(reporter, mine);
        final JobFailure failure = control.failure();
        assertNotNull(failure);
        assertEquals(Integer.toString(failure.status()).repeat(2000), failure.message());
        if (won)
        {
            assertEquals(mine, failure);
        }

        return won;
    }

    @Test
    void shouldKnowWhoWasWhoInGenerationsOfOtherSizes() throws IOException
    {
        final ControlFile first = ControlFile.create(root.resolve("first"), 4, TOKEN, JobDirectory.NO_PE);
        assertEquals(-1, first.previousPe(3));
        assertEquals(3, first.memory(3));
        assertEquals(4, first.firstNPes());

        final ControlFile second = ControlFile.create(root.resolve("second"), 3, TOKEN, JobDirectory.NO_PE);
        second.renumber(first, 0, 2, 3);
        second.lost(Map.of(1, 137, 3, 139));
        assertEquals(Map.of(), second.lost());
        second.generation(1, new JobFailure(JobFailure.Kind.PE_DIED, 3, 137, "PE 3 died"));
        assertEquals(3, second.previousFailure().pe(), "it has the number of a larger generation");
        assertEquals(2, second.previousPe(1));
        assertEquals(2, second.memory(1));
        assertEquals(Map.of(1, 137, 3, 139), second.lost());

        final ControlFile third = ControlFile.create(root.resolve("third"), 1, TOKEN, JobDirectory.NO_PE);
        third.renumber(second, 2);
        third.generation(2, new JobFailure(JobFailure.Kind.PE_DIED, 0, 137, "PE 0 died"));
        assertEquals(2, third.previousPe(0));
        assertEquals(3, third.memory(0));
        assertEquals(4, third.firstNPes());

        final ControlFile fourth = ControlFile.create(root.resolve("fourth"), 5, TOKEN, JobDirectory.NO_PE);
        fourth.renumber(third, 0, -1, -1, -1, -1);
        fourth.generation(3, new JobFailure(JobFailure.Kind.RECOVERY_REQUESTED, -1, -1, "more PEs"));
        assertArrayEquals(new int[]{ 0, -1, -1, -1, -1 }, IntStream.range(0, 5).map(fourth::previousPe).toArray());
        assertArrayEquals(new int[]{ 3, 0, 1, 2, 4 }, IntStream.range(0, 5).map(fourth::memory).toArray());
        assertEquals(4, fourth.firstNPes());
    }

    @Test
    void shouldRefuseWhatIsNoControlFile() throws IOException
    {
        assertRefused("magic", ControlDescriptor.MAGIC_OFFSET, 1);
        assertRefused("version", ControlDescriptor.VERSION_OFFSET, ControlDescriptor.VERSION + 1);
        assertRefused("damaged", ControlDescriptor.N_PES_OFFSET, 0x7FFFFFFF);
        assertRefused("damaged", ControlDescriptor.N_PES_OFFSET, 0);

        final Path cut = root.resolve("cut");
        ControlFile.create(cut, 1, TOKEN, JobDirectory.NO_PE);
        try (RandomAccessFile access = new RandomAccessFile(cut.toFile(), "rw"))
        {
            access.setLength(4096);
        }

        assertThrows(TransportException.class, () -> ControlFile.open(cut, uid));
        assertThrows(NoSuchFileException.class, () -> ControlFile.open(root.resolve("absent"), uid));
    }

    @Test
    void shouldRefuseFileThatIsOpenToOthersOrForeignOrALink() throws IOException
    {
        assertThrows(TransportException.class, () -> ControlFile.open(file, uid + 1));
        final Path link = root.resolve("link");
        Files.createSymbolicLink(link, file);
        assertThrows(TransportException.class, () -> ControlFile.open(link, uid));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThrows(TransportException.class, () -> ControlFile.open(file, uid));
    }

    @Test
    void shouldSurviveDamagedFailureWord() throws IOException
    {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw"))
        {
            access.seek(ControlDescriptor.FAILURE_WORD_OFFSET);
            access.writeLong(-1);
        }

        assertTrue(control.isFailed());
        assertEquals(JobFailure.Kind.PROTOCOL, control.failure().kind());
    }

    private void assertRefused(final String expected, final int offset, final int value) throws IOException
    {
        final Path path = root.resolve("damaged");
        ControlFile.create(path, N_PES, TOKEN, JobDirectory.NO_PE);
        try (RandomAccessFile access = new RandomAccessFile(path.toFile(), "rw"))
        {
            access.seek(offset);
            access.writeInt(Integer.reverseBytes(value));
        }

        final TransportException ex = assertThrows(TransportException.class, () -> ControlFile.open(path, uid));
        assertTrue(ex.getMessage().contains(expected), ex.getMessage());
        Files.delete(path);
    }
}
