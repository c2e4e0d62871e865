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

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;

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
            "peAccessible", "world", "shared", "node", "team", "defaultContext", "fail", "close"),
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

    @Test
    void shouldThrowIllegalStateExceptionButForTheQueriesOfFacts() throws Exception
    {
        final List<Object> more = new ArrayList<>();
        LocalJobs.run(1, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(1024);
            final TeamDestruction destruction = shmem.world().duplicate().destroy();
            destruction.await();
            final TeamCreation creation = shmem.world().split(0, 0);
            while (!creation.poll())
            {
                Thread.onSpinWait();
            }

            objects.put(Shmem.class, shmem);
            objects.put(Team.class, shmem.world().duplicate());
            objects.put(CommunicationContext.class, shmem.createContext());
            objects.put(SymmetricBuffer.class, buffer);
            objects.put(SymmetricLongs.class, buffer.longs());
            objects.put(SymmetricBytes.class, buffer.bytes());
            objects.put(CollectiveRequest.class, shmem.world().request(barrier()));
            objects.put(TeamCreation.class, creation);
            objects.put(TeamDestruction.class, destruction);
            more.addAll(List.of(shmem.defaultContext(), buffer.slice(0, 512)));
        });

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
