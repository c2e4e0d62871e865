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

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The calls that take a buffer and a number of elements, with no buffer: malloc(0) returns null. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmptyBufferTest
{
    private static final long SIGNALLED = 7;

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldMoveNothingFromNoBuffer(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            assertNull(shmem.malloc(0));
            final SymmetricBuffer signal = shmem.calloc(1, 8);
            final int other = 1 - shmem.myPe();
            final List<Method> forms = Stream.of(CommunicationContext.class.getMethods())
                .filter((form) -> form.getName().matches("put|putNbi|get|getNbi|ib?put|ib?get|putSignal(Nbi|All)?"))
                .toList();
            assertTrue(forms.size() >= 33, () -> "forms: " + forms);
            for (final Method form : forms)
            {
                final boolean isSignalling = form.getName().startsWith("putSignal");
                shmem.defaultContext().putLong(signal, 0, 0, other);
                shmem.barrierAll();
                call(form, shmem.defaultContext(), moving(form, 0, signal, other));
                shmem.defaultContext().quiet();
                shmem.barrierAll();
                assertEquals(isSignalling ? SIGNALLED : 0, shmem.signalFetch(signal, 0), form::toString);
                assertNullRejected(form, shmem.defaultContext(), moving(form, 1, signal, other));
                shmem.barrierAll();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldTestAndAwaitAnEmptySetWithoutABuffer(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final List<Method> forms = Stream.of(Shmem.class.getMethods())
                .filter((form) -> form.getName().matches("(waitUntil|test).*(All|Any|Some).*"))
                .toList();
            assertTrue(forms.size() >= 24, () -> "forms: " + forms);
            for (final Method form : forms)
            {
                final Object result = call(form, shmem, testing(form, 0));
                if (null != result)
                {
                    final Object expected =
                        boolean.class == form.getReturnType() ? true : form.getName().contains("Any") ? -1 : 0;
                    assertEquals(
                        long.class == form.getReturnType() ? ((Integer)expected).longValue() : expected,
                        result,
                        form::toString);
                }

                assertNullRejected(form, shmem, testing(form, 1));
            }
        });
    }

    private static void assertNullRejected(final Method form, final Object object, final Object[] arguments)
    {
        final Throwable thrown = assertThrows(
            InvocationTargetException.class, () -> form.invoke(object, arguments), form::toString).getCause();
        assertInstanceOf(IllegalArgumentException.class, thrown, form::toString);
        assertTrue(thrown.getMessage().endsWith(" is null"), () -> form + ": " + thrown.getMessage());
    }

    private static Object call(final Method form, final Object object, final Object[] arguments)
        throws ReflectiveOperationException
    {
        try
        {
            return form.invoke(object, arguments);
        }
        catch (final InvocationTargetException ex)
        {
            throw new AssertionError(form.toString(), ex.getCause());
        }
    }

    /** Returns arguments without buffers, but for the signal; the number of elements precedes the signal or pe. */
    private static Object[] moving(final Method form, final int n, final SymmetricBuffer signal, final int pe)
    {
        final Class<?>[] types = form.getParameterTypes();
        final List<Object> arguments = new ArrayList<>();
        final boolean isStrided = form.getName().startsWith("i");
        final boolean isSignalling = form.getName().startsWith("putSignal");
        final int countAt = isSignalling ? 4 : isStrided ? types.length - 3 : types.length - 2;
        for (int i = 0; i < types.length; i++)
        {
            final boolean isLastInt = types.length - 1 == i && int.class == types[i];
            final long value = isLastInt ? pe : countAt == i ? n : isStrided && i > 3 ? 1 : 8 == i || 7 == i ?
                SIGNALLED : 0;
            arguments.add(
                SignalOp.class == types[i] ? SignalOp.SET :
                SymmetricBuffer.class == types[i] && i > 3 ? signal :
                long.class == types[i] ? (Object)value :
                int.class == types[i] ? (Object)(int)value : null);
        }

        return arguments.toArray();
    }

    private static Object[] testing(final Method form, final int n)
    {
        final Class<?>[] types = form.getParameterTypes();
        final List<Object> arguments = new ArrayList<>();
        for (int i = 0; i < types.length; i++)
        {
            arguments.add(
                Comparison.class == types[i] ? Comparison.EQ :
                long.class == types[i] ? (Object)0L :
                int.class == types[i] ? (Object)(2 == i ? n : 0) : null);
        }

        return arguments.toArray();
    }
}
