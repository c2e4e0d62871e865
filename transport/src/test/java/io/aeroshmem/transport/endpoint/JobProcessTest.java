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

import io.aeroshmem.bootstrap.InJvmBootstrap;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.progress.BlockingWait;
import io.aeroshmem.transport.progress.PlainExceptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What a process holds for a job is released, also after failures.
 */
@Timeout(60)
class JobProcessTest
{
    @TempDir
    private Path root;

    @BeforeEach
    void before()
    {
        System.setProperty(JobDirectory.SHM_DIR_PROP_NAME, root.toString());
    }

    @AfterEach
    void after()
    {
        System.clearProperty(JobDirectory.SHM_DIR_PROP_NAME);
    }

    @Test
    void shouldRemoveTheJobEvenIfAHeapFileCannotBeUnlinked() throws IOException
    {
        final Endpoint endpoint = Endpoint.join(new Endpoint.Context()
            .bootstrap(InJvmBootstrap.create(1)[0])
            .heapSize(4096)
            .transport(TransportMode.MAPPED)
            .exceptions(new PlainExceptions()));
        final Path heap = files("pe-0.heap").get(0);
        Files.delete(heap);
        Files.createDirectory(heap);
        Files.createFile(heap.resolve("file"));

        assertThrows(TransportException.class, endpoint::close);
        assertEquals(List.of(), files(""));
        endpoint.close();
    }

    @Test
    void shouldThrowToEveryPeWhenItCannotStart()
    {
        try (JobDirectory directory = JobDirectory.create(root, 2))
        {
            directory.lockProcess("pid-1");
            final JobProcess process = new JobProcess(directory, "pid-1", new int[]{0, 1});
            for (int pe = 0; pe < 2; pe++)
            {
                assertThrows(TransportException.class, () -> process.start(new Endpoint.Context()));
            }
            directory.delete();
        }
    }

    @Test
    void shouldEndTheCallOfAnotherThreadWhenThePeIsClosed() throws Exception
    {
        final Endpoint endpoint = Endpoint.join(new Endpoint.Context()
            .bootstrap(InJvmBootstrap.create(1)[0])
            .heapSize(4096)
            .transport(TransportMode.MAPPED)
            .exceptions(new PlainExceptions()));
        final CompletableFuture<Object> blocked = CompletableFuture.supplyAsync(() ->
        {
            int round = 0;
            while (true)
            {
                round = endpoint.blockingWait().idle(round, BlockingWait.NO_DEADLINE, "lock");
            }
        });
        endpoint.close();

        final ExecutionException ex = assertThrows(ExecutionException.class, blocked::get);
        assertInstanceOf(IllegalStateException.class, ex.getCause());
        assertTrue(ex.getCause().getMessage().contains("lock"), ex.getCause().getMessage());
    }

    private List<Path> files(final String suffix) throws IOException
    {
        try (Stream<Path> files = Files.walk(root))
        {
            return files
                .filter((file) -> Files.isRegularFile(file) && file.toString().endsWith(suffix))
                .collect(Collectors.toList());
        }
    }
}
