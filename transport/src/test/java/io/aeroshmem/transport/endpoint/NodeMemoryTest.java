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
import io.aeroshmem.transport.job.SmallFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class NodeMemoryTest
{
    private static final long HEAP = 8 << 20;
    private static final int LIBRARY = 48 << 10;
    private static final int TERM = 1 << 20;

    @TempDir
    private Path root;

    @Test
    void shouldFitTwoPesIntoTheSharedMemoryOfAContainer() throws IOException
    {
        try (SmallFileSystem small = SmallFileSystem.mount(root, 64 << 20))
        {
            new NodeMemory(2).heaps(HEAP, LIBRARY).check(small.path());
            new NodeMemory(2).heaps(HEAP, LIBRARY).messages(false, null, TERM).check(small.path());
            new NodeMemory(2).heaps(HEAP, LIBRARY).messages(true, null, TERM).check(small.path());
        }
    }

    @Test
    void shouldNameThePartsAndWhatIsFree() throws IOException
    {
        try (SmallFileSystem small = SmallFileSystem.mount(root, 16 << 20))
        {
            assertEquals(
                "2 PEs need 40.2 MiB of shared memory (heaps of 8.1 MiB, 4 log buffers of 3.1 MiB, a media driver of " +
                "12.1 MiB): " + small.path() + " has 16.0 MiB of 16.0 MiB free; enlarge it (docker run --shm-size), " +
                "set another aeroshmem.shm.dir, or reduce aeroshmem.heap.size (--heap) or aeroshmem.term.length",
                messageOf(new NodeMemory(2).heaps(HEAP, LIBRARY).messages(true, null, TERM), small.path()));
            assertEquals(
                "1 PE needs 17.0 MiB of shared memory (heaps of 17.0 MiB): " + small.path() +
                " has 16.0 MiB of 16.0 MiB free; enlarge it (docker run --shm-size), " +
                "set another aeroshmem.shm.dir, or reduce aeroshmem.heap.size (--heap)",
                messageOf(new NodeMemory(1).heaps(17 << 20, 0).messages(true, null, TERM), small.path()));
        }
    }

    @Test
    void shouldAddTheJobsThatTrainEachPe() throws IOException
    {
        final TrainingJobs training = new TrainingJobs(4, 2, 192 << 10);
        try (SmallFileSystem small = SmallFileSystem.mount(root, 64 << 20))
        {
            final String message = messageOf(
                new NodeMemory(2).charged(1).heaps(HEAP, LIBRARY).messages(true, null, TERM)
                    .training(training, 4, TERM),
                small.path());
            assertTrue(message.startsWith("2 PEs need 139.3 MiB of shared memory (heaps of 8.1 MiB, 4 log buffers of " +
                "3.1 MiB, a media driver of 12.1 MiB, warm-ups of 99.2 MiB): "), message);
            new NodeMemory(2).charged(1).heaps(HEAP, LIBRARY).messages(true, null, TERM)
                .training(training, 4, TrainingJobs.SHORT_TERM_LENGTH).check(small.path());
        }
    }

    @Test
    void shouldAddTheStreamsOfAnExternalDriverWhereItsDirectoryIs() throws IOException
    {
        final Path directory = Files.createDirectory(root.resolve("jobs"));
        try (SmallFileSystem small = SmallFileSystem.mount(directory, 7 << 20))
        {
            final String driver = small.path().resolve("driver").toString();
            new NodeMemory(2).heaps(HEAP, LIBRARY).messages(false, driver, TERM).check(root);
            assertThrows(TransportException.class,
                () -> new NodeMemory(2).heaps(HEAP, LIBRARY).messages(true, driver, TERM).check(root));
            assertThrows(TransportException.class,
                () -> new NodeMemory(2).heaps(1 << 20, 0).messages(false, driver, TERM).check(small.path()));
        }
    }

    @Test
    void shouldRejectHeapsThatCannotBeAdded()
    {
        assertThrows(TransportException.class, () -> new NodeMemory(3).heaps(Long.MAX_VALUE, LIBRARY));
        assertThrows(TransportException.class, () -> new NodeMemory(3).heaps(Long.MAX_VALUE / 3, LIBRARY));
    }

    private static String messageOf(final NodeMemory memory, final Path path)
    {
        return assertThrows(TransportException.class, () -> memory.check(path)).getMessage();
    }
}
