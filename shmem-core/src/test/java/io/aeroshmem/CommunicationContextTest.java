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
import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CommunicationContextTest
{
    private final List<String> calls = new ArrayList<>();
    private final CommunicationContext context = recorder();
    private long result;

    @Test
    void shouldCarryFloatsAsInts()
    {
        final int nan = 0x7fc12345;
        context.putFloat(null, 8, Float.intBitsToFloat(nan), 1);
        context.atomicSetFloat(null, 16, -0.0f, 2);
        context.atomicFetchFloatNbi(null, 1, null, 2, 3);
        context.atomicSwapFloatNbi(null, 1, null, 2, 1.5f, 3);
        result = Float.floatToRawIntBits(2.5f);
        assertEquals(2.5f, context.getFloat(null, 24, 3));
        assertEquals(2.5f, context.atomicFetchFloat(null, 24, 3));
        assertEquals(2.5f, context.atomicSwapFloat(null, 24, 3.5f, 3));

        assertEquals(
            List.of(
                "putInt[null, 8, " + nan + ", 1]",
                "atomicSetInt[null, 16, " + Integer.MIN_VALUE + ", 2]",
                "atomicFetchIntNbi[null, 1, null, 2, 3]",
                "atomicSwapIntNbi[null, 1, null, 2, " + Float.floatToRawIntBits(1.5f) + ", 3]",
                "getInt[null, 24, 3]",
                "atomicFetchInt[null, 24, 3]",
                "atomicSwapInt[null, 24, " + Float.floatToRawIntBits(3.5f) + ", 3]"),
            calls);
    }

    @Test
    void shouldCarryDoublesAsLongs()
    {
        context.putDouble(null, 8, -0.0, 1);
        context.atomicSetDouble(null, 16, 1.5, 2);
        context.atomicFetchDoubleNbi(null, 1, null, 2, 3);
        context.atomicSwapDoubleNbi(null, 1, null, 2, 1.5, 3);
        result = Double.doubleToRawLongBits(2.5);
        assertEquals(2.5, context.getDouble(null, 24, 3));
        assertEquals(2.5, context.atomicFetchDouble(null, 24, 3));
        assertEquals(2.5, context.atomicSwapDouble(null, 24, 3.5, 3));

        final long bits = Double.doubleToRawLongBits(1.5);
        assertEquals(
            List.of(
                "putLong[null, 8, " + Long.MIN_VALUE + ", 1]",
                "atomicSetLong[null, 16, " + bits + ", 2]",
                "atomicFetchLongNbi[null, 1, null, 2, 3]",
                "atomicSwapLongNbi[null, 1, null, 2, " + bits + ", 3]",
                "getLong[null, 24, 3]",
                "atomicFetchLong[null, 24, 3]",
                "atomicSwapLong[null, 24, " + Double.doubleToRawLongBits(3.5) + ", 3]"),
            calls);
    }

    @Test
    void shouldHaveEveryAtomicInEveryForm() throws Exception
    {
        final Class<SymmetricBuffer> buffer = SymmetricBuffer.class;
        for (final Class<?> type : new Class<?>[]{ int.class, long.class })
        {
            final String name = int.class == type ? "Int" : "Long";
            for (final String op : List.of("Add", "And", "Or", "Xor"))
            {
                find(type, "atomicFetch" + op + name, buffer, long.class, type, int.class);
                find(void.class, "atomic" + op + name, buffer, long.class, type, int.class);
                find(void.class, "atomicFetch" + op + name + "Nbi",
                    buffer, long.class, buffer, long.class, type, int.class);
            }

            find(type, "atomicFetchInc" + name, buffer, long.class, int.class);
            find(void.class, "atomicInc" + name, buffer, long.class, int.class);
            find(void.class, "atomicFetchInc" + name + "Nbi", buffer, long.class, buffer, long.class, int.class);
            find(type, "atomicCompareSwap" + name, buffer, long.class, type, type, int.class);
            find(void.class, "atomicCompareSwap" + name + "Nbi",
                buffer, long.class, buffer, long.class, type, type, int.class);
        }

        for (final String name : List.of("Int", "Long", "Float", "Double"))
        {
            final Class<?> type = SymmetricBuffer.class.getMethod("get" + name, long.class).getReturnType();
            find(type, "atomicFetch" + name, buffer, long.class, int.class);
            find(void.class, "atomicSet" + name, buffer, long.class, type, int.class);
            find(type, "atomicSwap" + name, buffer, long.class, type, int.class);
            find(void.class, "atomicFetch" + name + "Nbi", buffer, long.class, buffer, long.class, int.class);
            find(void.class, "atomicSwap" + name + "Nbi", buffer, long.class, buffer, long.class, type, int.class);
        }
    }

    @Test
    void shouldTakeNoTypeThatMakesOverloadsAmbiguous()
    {
        assertTrue(Modifier.isFinal(SymmetricBuffer.class.getModifiers()));
        assertFalse(DirectBuffer.class.isAssignableFrom(SymmetricBuffer.class));
    }

    private static void find(final Class<?> type, final String name, final Class<?>... parameters) throws Exception
    {
        final Method method = CommunicationContext.class.getMethod(name, parameters);
        assertEquals(type, method.getReturnType(), name);
    }

    private CommunicationContext recorder()
    {
        final InvocationHandler handler = (proxy, method, args) ->
        {
            if (method.isDefault())
            {
                return InvocationHandler.invokeDefault(proxy, method, args);
            }

            calls.add(method.getName() + Arrays.toString(args));
            final Class<?> type = method.getReturnType();
            return int.class == type ? (Object)(int)result : long.class == type ? (Object)result : null;
        };

        return (CommunicationContext)Proxy.newProxyInstance(
            CommunicationContext.class.getClassLoader(), new Class<?>[]{ CommunicationContext.class }, handler);
    }
}
