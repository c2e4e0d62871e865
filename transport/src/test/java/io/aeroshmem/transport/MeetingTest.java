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
package io.aeroshmem.transport;

import io.aeroshmem.bootstrap.InProcessGroup;
import io.aeroshmem.bootstrap.PeBootstrap;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PePhase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * PEs know each other before they have memory, and find then what they do not agree on.
 */
@Timeout(60)
class MeetingTest
{
    private static final Map<String, String> ATTRIBUTES = Map.of("aeroshmem.teams.max", "8");

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
    void shouldTellAllPesWhoSpeaksAnotherProtocol()
    {
        final String message = refuse("8", 1);
        assertEquals("PE 1 speaks protocol version 1, others " + JoinRecord.PROTOCOL_VERSION +
            ": all PEs of a job need the same AeroSHMEM", message);
    }

    @Test
    void shouldTellAllPesWhoWasGivenSomethingElse()
    {
        assertEquals("PE 1 was given aeroshmem.teams.max=9, PE 0 aeroshmem.teams.max=8: allowed is the same on all PEs",
            refuse("9", JoinRecord.PROTOCOL_VERSION));
        final String more = refuse("8\n9", JoinRecord.PROTOCOL_VERSION);
        assertTrue(more.startsWith("PE 1 joined with 2 attributes, PE 0 with 1"), more);
        assertTrue(refuse("", JoinRecord.PROTOCOL_VERSION).startsWith("PE 1 joined with 0 attributes"));
    }

    /**
     * PE 1 of three is but a record in the control file.
     */
    private String refuse(final String attributes, final int protocolVersion)
    {
        final PeBootstrap[] group = InProcessGroup.create(3);
        final CompletableFuture<Meeting> first = meeting(group[0]);
        final LocalProcess process = group[1].enter(context(group[1]));
        process.start(context(group[1]));
        process.register(1);
        final Control control = process.control();
        new JoinRecord(1, 0, TransportMode.AUTO, 4096, 4096, "host", "node", "", attributes)
            .publish(control, protocolVersion);
        control.phase(1, PePhase.RECORDED);

        final CompletableFuture<Meeting> last = meeting(group[2]);
        final String message = message(first);
        assertEquals(message, message(last));
        control.phase(1, PePhase.CLOSED);
        process.leave();
        return message;
    }

    private static String message(final CompletableFuture<Meeting> meeting)
    {
        return assertInstanceOf(
            AttributeMismatchException.class,
            assertThrows(ExecutionException.class, meeting::get).getCause()).getMessage();
    }

    @Test
    void shouldHaveNoMemoryBeforeItIsConnectedAndThenAsMuchAsItIsTold() throws Exception
    {
        final PeBootstrap bootstrap = InProcessGroup.create(1)[0];
        final Meeting meeting = Meeting.of(context(bootstrap));
        assertEquals(0, meeting.pe());
        assertTrue(meeting.isSameHost(0, 0));
        assertTrue(meeting.isMutuallyMapped(0, 0));
        assertEquals(0, heaps());
        final Endpoint endpoint = meeting.connect(8192);
        assertEquals(1, heaps());
        assertEquals(8192, endpoint.regionLength(Region.USER));
        assertThrows(IllegalStateException.class, meeting::connect);
        meeting.close(false);
        endpoint.close();
        assertEquals(0, heaps());
    }

    private long heaps() throws IOException
    {
        try (Stream<Path> files = Files.walk(root))
        {
            return files.filter((file) -> file.toString().endsWith(".heap")).count();
        }
    }

    private static CompletableFuture<Meeting> meeting(final PeBootstrap bootstrap)
    {
        return CompletableFuture.supplyAsync(() -> Meeting.of(context(bootstrap)), (task) -> new Thread(task).start());
    }

    private static Endpoint.Context context(final PeBootstrap bootstrap)
    {
        return new Endpoint.Context()
            .bootstrap(bootstrap)
            .heapSize(4096)
            .systemAreaSize(4096)
            .transport(TransportMode.MAPPED)
            .attributes(ATTRIBUTES)
            .exceptions(new PlainExceptions());
    }
}
