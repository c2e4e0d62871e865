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

import io.aeroshmem.bootstrap.InJvmBootstrap;
import io.aeroshmem.transport.endpoint.EndpointContext;
import io.aeroshmem.transport.endpoint.JobProcess;
import io.aeroshmem.transport.endpoint.PeBootstrap;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Calls every public method of the objects of a PE that is closed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallsAfterCloseTest
{
    /** The calls that do not throw: docs/initialisation.md lists them. */
    private static final Map<Class<?>, Set<String>> ANSWERING = Map.of(
        Shmem.class, Set.of(
            "myPe", "nPes", "threadLevel", "context", "initStatus", "failure", "isEnded", "generation", "isClosed",
            "peAccessible", "nanoTime", "world", "shared", "node", "team", "defaultContext", "fail", "close"),
        Team.class, Set.of(
            "myPe", "nPes", "config", "attributes", "endpoint", "peOfEndpoint", "translatePe", "close"),
        CommunicationContext.class, Set.of("team", "close"),
        SymmetricBuffer.class, Set.of(
            "address", "length", "kind", "bytes", "shorts", "ints", "longs", "floats", "doubles"),
        SymmetricLongs.class, Set.of("buffer", "offset", "length"),
        SymmetricBytes.class, Set.of("buffer", "offset", "length"),
        CollectiveRequest.class, Set.of("close"),
        TeamCreation.class, Set.of("poll", "team", "close"),
        TeamDestruction.class, Set.of("poll", "await"));

    /** The first ends the job; the second is for modules of the library. */
    private static final Set<String> EXCEPT = Set.of("globalExit", "attach", "toString");

    private static final Map<Class<?>, IntFunction<Object>> VALUES = Map.of(
        byte.class, (number) -> (byte)number,
        short.class, (number) -> (short)number,
        int.class, (number) -> number,
        long.class, (number) -> (long)number,
        float.class, (number) -> (float)number,
        double.class, (number) -> (double)number,
        Throwable.class, (number) -> new Exception(),
        boolean.class, (number) -> false,
        MutableDirectBuffer.class, (number) -> new UnsafeBuffer(new byte[64]),
        CollectiveArgs.class, (number) -> barrier());

    private final Map<Class<?>, Object> objects = new LinkedHashMap<>();
    private final List<Object> more = new ArrayList<>();

    @Test
    void shouldThrowIllegalStateExceptionButForTheQueriesOfFacts() throws Exception
    {
        LocalJobs.run(1, this::make);
        checkAll();
    }

    /** A survivor of a failure unmaps the job before it joins the next generation. Some calls are under way then. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = { "MAPPED", "IPC" })
    void shouldReachNoMemoryThatIsUnmapped(final TransportKind transport) throws Exception
    {
        final PeBootstrap[] own = InJvmBootstrap.create(2);
        final JobProcess[] process = new JobProcess[1];
        final Thread other = new Thread(() -> fail(Shmem.init(config(transport, own[1], process)), false));
        other.start();
        final Shmem shmem = Shmem.init(config(transport, own[0], process));
        final List<Object> underWay = fail(shmem, true);
        other.join();

        final String job = process[0].directory().path().toString();
        assertTrue(mappings(job).contains("control") && mappings(job).contains(".system"), () -> mappings(job));
        process[0].unmap();
        assertFalse(mappings(job).contains("control") || mappings(job).contains(".system"), () -> mappings(job));

        checkAll();
        assertTrue(shmem.isEnded());
        assertTrue(shmem.failure().getMessage().contains("a bad day"), shmem.failure()::getMessage);
        assertThrows(ShmemException.class, ((TeamDestruction)underWay.get(0))::poll);
        assertThrows(ShmemException.class, ((TeamDestruction)underWay.get(0))::await);
        assertThrows(ShmemException.class, ((CollectiveRequest)underWay.get(2))::test);
        for (int i = 1; i < underWay.size(); i++)
        {
            ((AutoCloseable)underWay.get(i)).close();
        }

        process[0].unmap();
    }

    private static Shmem.Context config(
        final TransportKind transport, final PeBootstrap own, final JobProcess[] process)
    {
        return LocalJobs.config().transport(transport)
            .bootstrap(new Bootstrap(new CapturingBootstrap(own, process), true));
    }

    /** Returns what one PE has begun and the other has not. */
    private List<Object> fail(final Shmem shmem, final boolean isFirst)
    {
        make(shmem);
        final Team destroyed = shmem.world().duplicate();
        final Team creating = shmem.world().duplicate();
        final CollectiveRequest request = shmem.world().request(barrier());
        final SymmetricBuffer buffer = shmem.malloc(64);
        final CommunicationContext ctx = shmem.createContext();
        final Team team = shmem.world().duplicate();
        shmem.barrierAll();
        final List<Object> underWay = new ArrayList<>();
        if (isFirst)
        {
            underWay.add(destroyed.destroy());
            underWay.add(creating.split(0, 0));
            request.post();
            underWay.add(request);
            ctx.putNbi(buffer, 0, buffer, 0, 64, 1);
            underWay.addAll(List.of(ctx, team, creating));
            shmem.fail(new IllegalStateException("a bad day"));
        }

        assertThrows(ShmemException.class, shmem::barrierAll);
        shmem.close();
        return underWay;
    }

    private static String mappings(final String job)
    {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps")))
        {
            return lines.filter((line) -> line.contains(job)).collect(Collectors.joining("\n"));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Keeps the process that joins. */
    private record CapturingBootstrap(PeBootstrap own, JobProcess[] process) implements PeBootstrap
    {
        @Override
        public int pe()
        {
            return own.pe();
        }

        @Override
        public int nPes()
        {
            return own.nPes();
        }

        @Override
        public JobProcess enter(final EndpointContext context)
        {
            process[0] = own.enter(context);
            return process[0];
        }
    }

    private void make(final Shmem shmem)
    {
        final SymmetricBuffer buffer = shmem.malloc(1024);
        final TeamDestruction destruction = shmem.world().duplicate().destroy();
        destruction.await();
        final TeamCreation creation = shmem.world().split(0, 0);
        while (!creation.poll())
        {
            Thread.onSpinWait();
        }

        final Team team = shmem.world().duplicate();
        final CommunicationContext ctx = shmem.createContext();
        final CollectiveRequest request = shmem.world().request(barrier());
        if (0 != shmem.myPe())
        {
            return;
        }

        objects.put(Shmem.class, shmem);
        objects.put(Team.class, team);
        objects.put(CommunicationContext.class, ctx);
        objects.put(SymmetricBuffer.class, buffer);
        objects.put(SymmetricLongs.class, buffer.longs());
        objects.put(SymmetricBytes.class, buffer.bytes());
        objects.put(CollectiveRequest.class, request);
        objects.put(TeamCreation.class, creation);
        objects.put(TeamDestruction.class, destruction);
        more.addAll(List.of(shmem.defaultContext(), buffer.slice(0, 512)));
    }

    private void checkAll() throws ReflectiveOperationException
    {
        for (final Class<?> type : objects.keySet())
        {
            check(type, objects.get(type));
        }

        check(SymmetricBuffer.class, more.get(1));
        final CommunicationContext context = (CommunicationContext)more.get(0);
        assertThrows(IllegalStateException.class, () -> context.fence(0));
        assertThrows(IllegalStateException.class, () -> context.quiet(0));
        assertThrows(IllegalStateException.class, () -> context.put(null, 0, new byte[0], 0, 0, 0));
    }

    private void check(final Class<?> type, final Object object) throws ReflectiveOperationException
    {
        final Method[] methods = type.getMethods();
        Arrays.sort(methods, Comparator.comparing((method) -> "close".equals(method.getName())));
        for (final Method method : methods)
        {
            if (Object.class != method.getDeclaringClass() && !Modifier.isStatic(method.getModifiers()) &&
                !EXCEPT.contains(method.getName()))
            {
                check(method, object, ANSWERING.get(type).contains(method.getName()));
            }
        }
    }

    private void check(final Method method, final Object object, final boolean isAnswer)
        throws ReflectiveOperationException
    {
        try
        {
            method.invoke(object, arguments(method));
            assertTrue(isAnswer, () -> "answers: " + method);
        }
        catch (final InvocationTargetException ex)
        {
            if (isAnswer || !(ex.getCause() instanceof IllegalStateException))
            {
                throw new AssertionError(method.toString(), ex.getCause());
            }
        }
    }

    private Object[] arguments(final Method method)
    {
        final Class<?>[] types = method.getParameterTypes();
        final Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++)
        {
            final boolean isCount = method.getName().matches("ib?(put|get)") && types.length - 1 != i;
            arguments[i] = argument(types[i], isCount ? 1 : 0);
        }

        return arguments;
    }

    private Object argument(final Class<?> type, final int number)
    {
        if (type.isEnum())
        {
            return type.getEnumConstants()[0];
        }

        if (type.isArray())
        {
            return Array.newInstance(type.getComponentType(), 0);
        }

        if (DirectBuffer.class == type)
        {
            return new UnsafeBuffer(new byte[64]);
        }

        if (String.class == type)
        {
            return "text";
        }

        return VALUES.containsKey(type) ? VALUES.get(type).apply(number) : objects.get(type);
    }

    private static CollectiveArgs barrier()
    {
        return new CollectiveArgs().collective(Collective.BARRIER);
    }
}
