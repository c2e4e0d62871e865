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
package io.aeroshmem;

import io.aeron.LogBuffers;
import io.aeron.logbuffer.LogBufferDescriptor;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ShmemContextTest
{
    @AfterEach
    void clear()
    {
        System.clearProperty("aeroshmem.heap.size");
        System.clearProperty("aeroshmem.transport");
    }

    @Test
    void shouldTakePropertiesAndPreferSetters()
    {
        System.setProperty("aeroshmem.heap.size", "1m");
        System.setProperty("aeroshmem.transport", "ipc");
        final Shmem.Context config = new Shmem.Context();
        assertEquals(1 << 20, config.heapSize());
        assertEquals(TransportKind.IPC, config.transport());
        assertEquals(2 << 20, config.heapSize(2 << 20).heapSize());
        assertEquals(TransportKind.UDP, config.transport(TransportKind.UDP).transport());
    }

    @Test
    void shouldRefuseMalformedPropertiesWhenMade()
    {
        System.setProperty("aeroshmem.transport", "pigeon");
        final Exception ex = assertThrows(IllegalArgumentException.class, Shmem.Context::new);
        assertEquals(
            "aeroshmem.transport must be auto, mapped, ipc or udp: aeroshmem.transport=pigeon", ex.getMessage());
    }

    @Test
    void shouldHaveASetterForEveryGetterThatChangesItsValueAlone() throws Exception
    {
        final Shmem.Context config = new Shmem.Context();
        for (final Method getter : getters())
        {
            final Method setter = Shmem.Context.class.getMethod(getter.getName(), getter.getReturnType());
            final Map<String, Object> expected = values(config);
            final Object value = other(getter.getReturnType(), getter.invoke(config));
            expected.put(getter.getName(), value);

            assertSame(config, setter.invoke(config, value));
            assertEquals(expected, values(config));
            final Object printed = value instanceof Duration duration ? duration.toNanos() : value;
            assertTrue(config.toString().contains("=" + printed + "\n"), getter.getName());
        }

        assertTrue(getters().size() >= 40, () -> "only few setters in " + config);
    }

    private static List<Method> getters()
    {
        return Stream.of(Shmem.Context.class.getDeclaredMethods())
            .filter((method) -> 0 == method.getParameterCount() && void.class != method.getReturnType())
            .filter((method) -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
            .filter((method) -> !Set.of("clone", "toString").contains(method.getName()))
            .toList();
    }

    private static Map<String, Object> values(final Shmem.Context config) throws Exception
    {
        final Map<String, Object> values = new HashMap<>();
        for (final Method getter : getters())
        {
            values.put(getter.getName(), getter.invoke(config));
        }

        return values;
    }

    /** Returns another value of those types that properties have; the same of others. */
    private static Object other(final Class<?> type, final Object value)
    {
        if (long.class == type)
        {
            return (long)value + 1;
        }

        if (int.class == type)
        {
            return (int)value + 1;
        }

        if (boolean.class == type)
        {
            return !(boolean)value;
        }

        if (Duration.class == type)
        {
            return ((Duration)value).plusNanos(1);
        }

        if (type.isEnum())
        {
            return type.getEnumConstants()[type.getEnumConstants()[0] == value ? 1 : 0];
        }

        return String.class == type ? "another" :
            Supplier.class == type ? (Supplier<IdleStrategy>)BusySpinIdleStrategy::new : value;
    }

    /** Two jobs at once, whose settings differ, have the files and the streams that each of them asks for. */
    @ParameterizedTest
    @CsvSource({"IPC", "UDP"})
    @Timeout(60)
    void shouldDifferBetweenTwoJobsOfOneJvm(final TransportKind transport, @TempDir final Path root) throws Exception
    {
        final Path first = Files.createDirectory(root.resolve("first"));
        final Path second = Files.createDirectory(root.resolve("second"));
        final CyclicBarrier both = new CyclicBarrier(2);
        final CompletableFuture<Void> other = CompletableFuture.runAsync(
            () -> runJob(
                new Shmem.Context().transport(transport).shmDirectoryName(first.toString()).heapSize(1 << 16)
                    .termLength(64 << 10).ipcMtu(1408).udpMtu(1536).udpInterface("127.0.0.2"),
                () -> verifyStreams(first, transport, 64 << 10, 1408, 1536, "127.0.0.2"),
                both),
            (task) -> new Thread(task).start());
        runJob(
            new Shmem.Context().transport(transport).shmDirectoryName(second.toString()).heapSize(1 << 17)
                .termLength(128 << 10).ipcMtu(4096).udpMtu(2048).udpInterface("127.0.0.3"),
            () -> verifyStreams(second, transport, 128 << 10, 4096, 2048, "127.0.0.3"),
            both);
        other.join();
    }

    private static void runJob(final Shmem.Context config, final Runnable verification, final CyclicBarrier both)
    {
        try
        {
            Shmem.runLocal(2, config, (shmem) ->
            {
                final SymmetricBuffer words = shmem.calloc(1, 8);
                shmem.defaultContext().atomicIncLong(words, 0, 1 - shmem.myPe());
                shmem.barrierAll();
                if (0 == shmem.myPe())
                {
                    both.await(30, TimeUnit.SECONDS);
                    verification.run();
                }

                shmem.barrierAll();
            });
        }
        catch (final Exception ex)
        {
            throw new AssertionError(ex);
        }
    }

    private static void verifyStreams(
        final Path root,
        final TransportKind transport,
        final int termLength,
        final int ipcMtu,
        final int udpMtu,
        final String udpInterface)
    {
        try (Stream<Path> files = Files.walk(root))
        {
            final List<Path> all = files.filter(Files::isRegularFile).toList();
            final List<Path> logs = all.stream().filter((path) -> path.toString().endsWith(".logbuffer")).toList();
            assertTrue(logs.size() >= 2, all::toString);
            for (final Path log : logs)
            {
                try (LogBuffers buffers = new LogBuffers(log.toString()))
                {
                    final int mtu = LogBufferDescriptor.mtuLength(buffers.metaDataBuffer());
                    assertEquals(termLength, buffers.termLength());
                    assertEquals(TransportKind.IPC == transport ? ipcMtu : udpMtu, mtu);
                }
            }

            final Path counters = all.stream().filter((path) -> path.endsWith("cnc.dat")).findFirst().orElseThrow();
            assertEquals(
                TransportKind.UDP == transport,
                Files.readString(counters, StandardCharsets.ISO_8859_1).contains(udpInterface + ":"));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Test
    @Tag("ci")
    @Timeout(30)
    void shouldWaitForOthersAsLongAsTheContextSays()
    {
        final UniqueId id = UniqueId.create();
        final Shmem.Context config =
            new Shmem.Context().bootstrap(Bootstrap.uniqueId(0, 2, id)).joinTimeoutNs(1_500_000_000L);
        final Exception ex = assertThrows(BootstrapException.class, () -> Shmem.init(config));
        assertTrue(ex.getMessage().contains("did not join within 1.5 s"), ex::getMessage);
    }

    @Test
    void shouldConcludeOnceAndCloneAnew()
    {
        final Supplier<IdleStrategy> supplier = BusySpinIdleStrategy::new;
        final Shmem.Context config = new Shmem.Context().idleStrategySupplier(supplier);
        final Shmem.Context copy = config.clone();
        config.conclude();
        assertNotNull(config.threadFactory());
        assertNotNull(config.errorHandler());
        assertTrue(config.threadFactory().newThread(() -> {}).isDaemon());
        assertThrows(IllegalStateException.class, config::conclude);

        assertNotSame(config, copy);
        assertSame(supplier, copy.idleStrategySupplier());
        copy.conclude();
        config.clone().conclude();
    }

    @Test
    void shouldRefuseValuesOutOfRangeWhenConcluded()
    {
        rejected("aeroshmem.heap.size", "5", new Shmem.Context().heapSize(5));
        rejected("aeroshmem.heap.size", "-1", new Shmem.Context().heapSize(-1));
        rejected("aeroshmem.operation.timeout", "-1", new Shmem.Context().operationTimeoutNs(-1));
        rejected("aeroshmem.liveness.timeout", "999999999", new Shmem.Context().livenessTimeoutNs(999_999_999L));
        rejected("aeroshmem.liveness.timeout", "0", new Shmem.Context().livenessTimeoutNs(0));
        rejected("aeroshmem.teams.max", "0", new Shmem.Context().maxTeams(0));
        rejected("aeroshmem.latency.interval", "5", new Shmem.Context().latencyIntervalNs(5));
        rejected("aeroshmem.node.name", " ", new Shmem.Context().nodeName(" "));
        rejected("aeroshmem.node.name", "xxx", new Shmem.Context().nodeName("x".repeat(129)));
        rejected("aeroshmem.transport", "null", new Shmem.Context().transport(null));
        rejected("aeroshmem.thread.level", "null", new Shmem.Context().threadLevel(null));
        rejected("aeroshmem.progress.mode", "null", new Shmem.Context().progressMode(null));
    }

    private static void rejected(final String property, final String value, final Shmem.Context config)
    {
        final Exception ex = assertThrows(IllegalArgumentException.class, config::conclude);
        assertTrue(ex.getMessage().startsWith(property + " must be "), ex.getMessage());
        assertTrue(ex.getMessage().contains(": " + property + "=" + value), ex.getMessage());
    }
}
