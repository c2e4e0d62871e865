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

import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.function.Supplier;

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
    void shouldHaveASetterForEveryGetterAndListAllValues() throws Exception
    {
        final Shmem.Context config = new Shmem.Context();
        final String text = config.toString();
        int setters = 0;
        for (final Method getter : Shmem.Context.class.getDeclaredMethods())
        {
            final boolean isGetter = 0 == getter.getParameterCount() && void.class != getter.getReturnType() &&
                Modifier.isPublic(getter.getModifiers()) && !getter.isSynthetic();
            if (isGetter && !Arrays.asList("clone", "toString").contains(getter.getName()))
            {
                final Method setter = Shmem.Context.class.getMethod(getter.getName(), getter.getReturnType());
                final Object value = getter.invoke(config);
                assertSame(config, setter.invoke(config, value));
                assertEquals(value, getter.invoke(config));
                assertTrue(text.contains("\n    " + getter.getName() + "=" + value), getter.getName());
                setters++;
            }
        }

        assertTrue(setters >= 20, () -> "only few setters in " + text);
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
