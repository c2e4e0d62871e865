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
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.ShmDirectory;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.progress.PlainExceptions;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * PEs that have joined before they have memory, and then detect differences in their configuration.
 */
@Timeout(60)
class BootstrappedEndpointTest extends ShmDirectory
{
    private static final Map<String, String> ATTRIBUTES = Map.of("aeroshmem.teams.max", "8");

    @Test
    void shouldReportAnotherProtocolVersionToAllPes()
    {
        final String message = join("8", 1);
        assertEquals("protocol version must be " + JoinRecord.PROTOCOL_VERSION +
            " on all PEs (the same AeroSHMEM): PE 1 has 1", message);
    }

    @Test
    void shouldReportDifferentAttributesToAllPes()
    {
        assertEquals("aeroshmem.teams.max must be equal on all PEs: PE 1 has 9, PE 0 has 8",
            join("9", JoinRecord.PROTOCOL_VERSION));
        final String more = join("8\n9", JoinRecord.PROTOCOL_VERSION);
        assertTrue(more.endsWith("PE 1 has 2, PE 0 1"), more);
        assertTrue(join("", JoinRecord.PROTOCOL_VERSION).endsWith("PE 1 has 0, PE 0 1"));
    }

    @Test
    void shouldReportTheNumberOfAttributesAlikeOnEachPe()
    {
        final Attributes fewer = new Attributes(ATTRIBUTES);
        final Attributes more = new Attributes(Map.of("a", "1", "b", "2"));
        final JoinRecord[] records = {joinRecord(0, fewer.values()), joinRecord(1, more.values())};
        for (final Attributes own : List.of(fewer, more))
        {
            final String message =
                assertThrows(AttributeMismatchException.class, () -> own.check(records)).getMessage();
            assertTrue(message.endsWith("PE 1 has 2, PE 0 1"), message);
        }
    }

    private static JoinRecord joinRecord(final int pe, final String attributes)
    {
        return new JoinRecord(pe, 0, TransportMode.AUTO, 4096, 4096, "host", "node", "", "", attributes, 0);
    }

    /**
     * Joins three PEs, of which PE 1 is only a record in the control file, and returns the message of the others.
     */
    private String join(final String attributes, final int protocolVersion)
    {
        final PeBootstrap[] group = InJvmBootstrap.create(3);
        final CompletableFuture<BootstrappedEndpoint> first = bootstrap(group[0]);
        final JobProcess process = group[1].enter(context(group[1]));
        process.start(context(group[1]));
        process.register(1);
        final ControlFile control = process.control();
        joinRecord(1, attributes).publish(control, protocolVersion);
        control.phase(1, PePhase.RECORDED);

        final CompletableFuture<BootstrappedEndpoint> last = bootstrap(group[2]);
        final String message = message(first);
        assertEquals(message, message(last));
        control.phase(1, PePhase.CLOSED);
        process.leave();
        return message;
    }

    private static String message(final CompletableFuture<BootstrappedEndpoint> future)
    {
        return assertInstanceOf(
            AttributeMismatchException.class,
            assertThrows(ExecutionException.class, future::get).getCause()).getMessage();
    }

    @Test
    void shouldHaveNoMemoryBeforeItIsConnectedAndThenTheSpecifiedHeap() throws Exception
    {
        final PeBootstrap bootstrap = InJvmBootstrap.create(1)[0];
        final BootstrappedEndpoint bootstrapped = BootstrappedEndpoint.of(context(bootstrap));
        assertEquals(0, bootstrapped.pe());
        assertEquals(0, bootstrapped.host(0));
        assertTrue(bootstrapped.isMutuallyMapped(0, 0));
        assertEquals(0, heaps());
        final Endpoint endpoint = bootstrapped.connect(8192);
        assertEquals(1, heaps());
        assertEquals(8192, endpoint.regionLength(Region.USER));
        assertEquals(endpoint.localAddress(Region.USER), endpoint.view(0, Region.USER, 0, 8).addressOffset());
        assertEquals(endpoint.localAddress(Region.SYSTEM), endpoint.view(0, Region.SYSTEM, 0, 8).addressOffset());
        assertThrows(IllegalStateException.class, bootstrapped::connect);
        bootstrapped.close(false);
        endpoint.close();
        assertEquals(0, heaps());
    }

    @Test
    void shouldRejectRegionsWithoutMemory()
    {
        try (Endpoint endpoint = Endpoint.join(context(InJvmBootstrap.create(1)[0])))
        {
            final Transport transport = endpoint.transport(0);
            for (final int region : new int[]{Region.DEVICE, 3, -1})
            {
                assertThrows(IllegalStateException.class, () -> endpoint.localAddress(region));
                assertThrows(IllegalStateException.class, () -> endpoint.regionLength(region));
                assertThrows(IllegalStateException.class, () -> endpoint.view(0, region, 0, 8));
                assertThrows(IllegalStateException.class, () -> endpoint.byteBuffer(region, 0, 8));
                assertThrows(IllegalStateException.class, () -> transport.getLong(0, region, 0));
                assertThrows(IllegalStateException.class, () -> transport.putLong(0, region, 0, 1));
            }
        }
    }

    @Test
    void shouldCountErrorsInTheControlFile() throws IOException
    {
        final List<Throwable> errors = new ArrayList<>();
        final Exception error = new Exception("for the handler");
        final BootstrappedEndpoint bootstrapped =
            BootstrappedEndpoint.of(context(InJvmBootstrap.create(1)[0]).errorHandler(errors::add));
        bootstrapped.errorHandler().onError(error);
        assertEquals(List.of(error), errors);
        try (Stream<Path> files = Files.walk(root))
        {
            final Path control = files.filter((file) -> file.endsWith("control")).findFirst().orElseThrow();
            final CountersReader counters = ControlFile.readCounters(control.getParent())[0];
            assertEquals("aeroshmem errors: pe=0", counters.getCounterLabel(PeCounter.ERRORS.ordinal()));
            assertEquals(1, counters.getCounterValue(PeCounter.ERRORS.ordinal()));
        }

        bootstrapped.close(false);
    }

    @Test
    void shouldReleaseTheRestAfterAProblemWithOnePart() throws IOException
    {
        final AtomicBoolean isClosing = new AtomicBoolean();
        final Endpoint endpoint = Endpoint.join(context(InJvmBootstrap.create(1)[0]));
        endpoint.gauge(
            PeCounter.COLLECTIVES,
            () ->
            {
                if (isClosing.get())
                {
                    throw new IllegalStateException("gauge");
                }

                return 0;
            });
        isClosing.set(true);
        assertEquals("gauge", assertThrows(IllegalStateException.class, endpoint::close).getMessage());
        try (Stream<Path> files = Files.walk(root))
        {
            assertEquals(List.of(), files.filter(Files::isRegularFile).toList());
        }
    }

    private long heaps() throws IOException
    {
        try (Stream<Path> files = Files.walk(root))
        {
            return files.filter((file) -> file.toString().endsWith(".heap")).count();
        }
    }

    private static CompletableFuture<BootstrappedEndpoint> bootstrap(final PeBootstrap bootstrap)
    {
        return CompletableFuture.supplyAsync(
            () -> BootstrappedEndpoint.of(context(bootstrap)), (task) -> new Thread(task).start());
    }

    private static EndpointContext context(final PeBootstrap bootstrap)
    {
        return TestSettings.context(4096, ATTRIBUTES)
            .bootstrap(bootstrap)
            .systemAreaSize((placement) -> 4096)
            .exceptions(new PlainExceptions());
    }
}
