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

import io.aeroshmem.ApiSource.DocumentedMethod;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

/**
 * The message of an exception names the argument that is not allowed, of every method that has one.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ArgumentTextTest
{
    private static final int LENGTH = 4096;

    /** Where null is allowed. */
    private static final Set<String> NULLABLE = Set.of(
        "free.buffer",
        "realloc.buffer",
        "splitStrided.config",
        "split2d.xConfig",
        "split2d.yConfig");

    @Test
    void shouldNameAnArgumentThatIsNull() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            final List<String> wrong = new ArrayList<>();
            final SymmetricBuffer memory = shmem.malloc(16 * LENGTH);
            int calls = tryNulls(Shmem.class, shmem, memory, wrong);
            calls += tryNulls(Team.class, shmem.world(), memory, wrong);
            calls += tryNulls(CommunicationContext.class, shmem.defaultContext(), memory, wrong);
            calls += tryNulls(SymmetricBuffer.class, memory, memory, wrong);
            calls += tryNulls(TeamConfig.class, new TeamConfig(), memory, wrong);
            calls += tryNulls(Bootstrap.class, null, memory, wrong);
            calls += tryNulls(UniqueId.class, null, memory, wrong);
            calls += tryNulls(TeamUniqueId.class, null, memory, wrong);
            assertEquals(List.of(), wrong);
            assertTrue(calls > 200, "only " + calls + " calls");
            shmem.barrierAll();
        });
    }

    @Test
    void shouldNameAnElementThatIsNull() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            text("an element of options is null", () -> shmem.createContext(ContextOption.PRIVATE, null));
            text("an element of options is null", () -> shmem.world().createContext((ContextOption)null));
            text("op is null", () -> shmem.world().reduceLong(null, 1));
            text("routine is null", () -> new Shmem.Context().algorithm(null));
            text("routine is null", () -> new Shmem.Context().algorithm(null, "flat"));
            text("algorithm is null", () -> new Shmem.Context().algorithm("reduce", null));
        });
    }

    @Test
    void shouldAllowABufferThatIsNullWhereItHasNoBytes() throws Exception
    {
        LocalJobs.run(1, (shmem) -> shmem.world().broadcast(ElementType.LONG, null, null, 0, 0));
    }

    @Test
    void shouldNameTheRangeThatIsOutOfBounds() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer a = shmem.malloc(64);
            final SymmetricBuffer b = shmem.malloc(128);
            final UnsafeBuffer local = new UnsafeBuffer(new byte[32]);
            final String isA = " is a " + a;
            final String isB = " is a " + b;

            range("offset must be >= 0 and offset + 8 bytes <= 64: offset=57, dest" + isA,
                () -> ctx.putLong(a, 57, 1, 0));
            range("offset must be >= 0 and offset + 4 bytes <= 64: offset=-1, source" + isA,
                () -> ctx.getFloat(a, -1, 0));
            range("destOffset and length must be >= 0 and destOffset + length <= 64: destOffset=60, length=8, dest" +
                isA, () -> ctx.put(a, 60, b, 0, 8, 0));
            range("sourceOffset and length must be >= 0 and sourceOffset + length <= 128: sourceOffset=121, length=8," +
                " source" + isB, () -> ctx.put(a, 0, b, 121, 8, 0));
            range("sourceOffset=-3, length=8, source is a local buffer of 32 bytes",
                () -> ctx.put(a, 0, local, -3, 8, 0));
            range("destOffset=30, length=8, dest is a local buffer of 32 bytes", () -> ctx.get(local, 30, b, 0, 8, 0));
            range("destOffset=0, length=-1, dest" + isA, () -> ctx.putNbi(a, 0, b, 0, -1, 0));
            range("destOffset=61, length=8, dest" + isA, () -> ctx.getNbi(a, 61, b, 0, 8, 0));
            range("destOffset must be >= 0 and destOffset + 72 bytes <= 64: destOffset=0, dest" + isA,
                () -> ctx.iput(a, 0, b, 0, 1, 1, 9, 8, 0));
            range("sourceOffset must be >= 0 and sourceOffset + 136 bytes <= 128: sourceOffset=0, source" + isB,
                () -> ctx.ibget(a, 0, b, 0, 1, 16, 1, 2, 8, 0));
            range("signalOffset must be >= 0 and signalOffset + 8 bytes <= 64: signalOffset=64, signal" + isA,
                () -> ctx.putSignal(b, 0, b, 0, 8, a, 64, 1, SignalOp.SET, 0));
            range("signalOffset=64, signal" + isA, () -> ctx.putSignalAll(b, 0, local, 0, 8, a, 64, 1, SignalOp.SET));
            range("offset=64, signal" + isA, () -> ctx.signal(a, 64, 1, SignalOp.SET, 0));
            range("offset=64, source" + isA, () -> ctx.atomicFetchLong(a, 64, 0));
            range("offset=64, dest" + isA, () -> ctx.atomicFetchAddInt(a, 64, 1, 0));
            range("offset=64, dest" + isA, () -> ctx.atomicIncLong(a, 64, 0));
            range("fetchOffset must be >= 0 and fetchOffset + 8 bytes <= 64: fetchOffset=64, fetch" + isA,
                () -> ctx.atomicSwapLongNbi(a, 64, b, 0, 1, 0));
            range("offset=128, source" + isB, () -> ctx.atomicFetchIntNbi(a, 0, b, 128, 0));
            range("offset=64, ivar" + isA, () -> shmem.waitUntilInt(a, 64, Comparison.EQ, 0));
            range("offset must be >= 0 and offset + 72 bytes <= 64: offset=0, ivars" + isA,
                () -> shmem.testAllLong(a, 0, 9, null, Comparison.EQ, 0));
            range("offset=64, signal" + isA, () -> shmem.signalFetch(a, 64));
            range("offset=64, lock" + isA, () -> shmem.testLock(a, 64));
            range("dest must have >= 72 bytes: dest" + isA,
                () -> shmem.world().broadcast(ElementType.LONG, a, b, 9, 0));
            range("source must have >= 72 bytes: source" + isA,
                () -> shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, b, a, 9));
            range("offset=60, length=8, it" + isA, () -> a.getLong(60));
            range("offset=60, length=8, it" + isA, () -> a.slice(60, 8));
            range("offset=60, length=8, it" + isA, () -> a.view(60, 8));
            shmem.barrierAll();
        });
    }

    @Test
    void shouldNameTheBufferThatIsNotAlignedOrEnded() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer a = shmem.malloc(64);
            final String at = "the address in %s must be a multiple of %d: " + (a.address() + 4) + ", %s=4, %1$s is";
            text(String.format(at, "dest", 8, "offset"), () -> ctx.atomicIncLong(a, 4, 0));
            text(String.format(at, "source", 8, "offset"), () -> ctx.atomicFetchLong(a, 4, 0));
            text(String.format(at, "fetch", 8, "fetchOffset"), () -> ctx.atomicFetchLongNbi(a, 4, a, 0, 0));
            text(String.format(at, "dest", 8, "destOffset"), () -> ctx.iput(a, 4, a, 0, 1, 1, 1, 8, 0));
            text(String.format(at, "ivar", 8, "offset"), () -> shmem.testLong(a, 4, Comparison.EQ, 0));
            text("the address in source must be a multiple of 8: " + (a.address() + 4) + ", source is",
                () -> shmem.world().broadcast(ElementType.LONG, a, a.slice(4, 8), 1, 0));
            final SymmetricBuffer freed = shmem.malloc(64);
            shmem.free(freed);
            final Exception ex = assertThrows(IllegalStateException.class, () -> ctx.put(a, 0, freed, 0, 8, 0));
            assertTrue(ex.getMessage().startsWith("source, a " + freed + ", cannot be used any more"), ex.toString());
        });
    }

    /**
     * Calls every method with arguments that are allowed but for one that is null, each in turn.
     *
     * @return how many calls.
     */
    private static int tryNulls(
        final Class<?> type, final Object target, final SymmetricBuffer memory, final List<String> wrong)
        throws IOException
    {
        int calls = 0;
        for (final DocumentedMethod documented : ApiSource.methods(type))
        {
            final Method method = method(type, documented);
            for (int i = 0; i < method.getParameterCount(); i++)
            {
                final String name = documented.parameterName(i);
                if (!method.getParameterTypes()[i].isPrimitive() && !"status".equals(name) &&
                    !NULLABLE.contains(method.getName() + "." + name))
                {
                    final Object[] arguments = arguments(method, documented, memory);
                    arguments[i] = null;
                    tryNull(method, target, arguments, name, documented, wrong);
                    calls++;
                }
            }
        }

        return calls;
    }

    private static void tryNull(
        final Method method,
        final Object target,
        final Object[] arguments,
        final String name,
        final DocumentedMethod documented,
        final List<String> wrong)
    {
        Throwable thrown = null;
        try
        {
            method.invoke(target, arguments);
        }
        catch (final InvocationTargetException ex)
        {
            thrown = ex.getCause();
        }
        catch (final ReflectiveOperationException ex)
        {
            fail(ex);
        }

        if (!(thrown instanceof IllegalArgumentException) || !(name + " is null").equals(thrown.getMessage()))
        {
            wrong.add(documented + " without " + name + ": " + thrown);
        }
    }

    private static Method method(final Class<?> type, final DocumentedMethod documented)
    {
        for (final Method method : type.getDeclaredMethods())
        {
            final List<String> types = Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).toList();
            final List<String> sourceTypes =
                documented.types().stream().map((name) -> name.replace("...", "[]")).toList();
            if (method.getName().equals(documented.name()) && types.equals(sourceTypes))
            {
                return method;
            }
        }

        return fail("the source of " + type + " has " + documented + ", the class has not");
    }

    private static Object[] arguments(
        final Method method, final DocumentedMethod documented, final SymmetricBuffer memory)
    {
        final Class<?>[] types = method.getParameterTypes();
        final Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++)
        {
            arguments[i] = argument(types[i], documented.parameterName(i), memory.slice(i * LENGTH, LENGTH));
        }

        return arguments;
    }

    private static Object argument(final Class<?> type, final String name, final SymmetricBuffer buffer)
    {
        return switch (type.getSimpleName())
        {
            case "int" -> switch (name)
            {
                case "pe", "root", "rank" -> 0;
                case "nranks", "npes" -> 1;
                default -> 8;
            };
            case "long" -> 8L;
            case "boolean" -> false;
            case "byte" -> (byte)1;
            case "short" -> (short)1;
            case "float" -> 1f;
            case "double" -> 1d;
            case "byte[]" -> new byte[64];
            case "short[]" -> new short[64];
            case "int[]" -> new int[64];
            case "float[]" -> new float[64];
            case "double[]" -> new double[64];
            case "long[]" -> new long[64];
            case "SymmetricBuffer" -> buffer;
            case "DirectBuffer", "MutableDirectBuffer" -> new UnsafeBuffer(new byte[64]);
            case "SignalOp" -> SignalOp.ADD;
            case "ReduceOp" -> ReduceOp.SUM;
            case "ElementType" -> ElementType.LONG;
            case "Comparison" -> Comparison.EQ;
            case "Context" -> LocalJobs.config();
            case "PeTask" -> (PeTask)(pe) -> {};
            case "TeamConfig" -> new TeamConfig();
            default -> null;
        };
    }

    private static void range(final String text, final Executable call)
    {
        contains(text, assertThrows(IndexOutOfBoundsException.class, call));
    }

    private static void text(final String text, final Executable call)
    {
        contains(text, assertThrows(IllegalArgumentException.class, call));
    }

    private static void contains(final String text, final Exception thrown)
    {
        assertTrue(thrown.getMessage().contains(text), () -> "'" + text + "' in: " + thrown);
    }
}
