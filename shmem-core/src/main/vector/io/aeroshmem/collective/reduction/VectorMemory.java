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
package io.aeroshmem.collective.reduction;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import static java.lang.invoke.MethodType.methodType;

/**
 * Loads vectors from memory outside the Java heap, and stores them there. The memory is the window of a direct byte
 * buffer, whose address {@link #move} sets. In Java 17 and 18 the Vector API accesses byte buffers. Since Java 19 it
 * accesses memory segments; then only the address is taken from the buffer. As this class is compiled for Java 17, it
 * looks the methods up at run time. The method handles are constants, so that the compiler inlines them
 * ({@link Float16VectorLoops}).
 */
final class VectorMemory
{
    /** The preferred vectors; their length is at most 64 bytes. */
    static final VectorSpecies<Integer> LANES =
        IntVector.SPECIES_512.length() < IntVector.SPECIES_PREFERRED.length() ?
        IntVector.SPECIES_512 : IntVector.SPECIES_PREFERRED;

    /** Takes a window and an offset in it in bytes, and returns an {@link IntVector}. */
    static final MethodHandle LOAD;
    /** Takes an {@link IntVector}, a window and an offset in it in bytes. */
    static final MethodHandle STORE;

    private static final int FIRST_JAVA_WITHOUT_BUFFERS = 19;
    private static final long ADDRESS = BufferUtil.BYTE_BUFFER_ADDRESS_FIELD_OFFSET;

    static
    {
        try
        {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            if (FIRST_JAVA_WITHOUT_BUFFERS > Runtime.version().feature())
            {
                LOAD = load(lookup, "fromByteBuffer", ByteBuffer.class, int.class);
                STORE = store(lookup, "intoByteBuffer", ByteBuffer.class, int.class);
            }
            else
            {
                final Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
                final Object memory = lookup.findVirtual(segment, "reinterpret", methodType(segment, long.class))
                    .invoke(lookup.findStaticVarHandle(segment, "NULL", segment).get(), Long.MAX_VALUE);
                final MethodHandle address = lookup.findStatic(
                    VectorMemory.class, "address", methodType(long.class, ByteBuffer.class, int.class));
                LOAD = MethodHandles.collectArguments(
                    load(lookup, "fromMemorySegment", segment, long.class).bindTo(memory), 0, address);
                STORE = MethodHandles.collectArguments(MethodHandles.insertArguments(
                    store(lookup, "intoMemorySegment", segment, long.class), 1, memory), 1, address);
            }
        }
        catch (final Throwable ex)
        {
            throw new LinkageError("the Vector API of this Java is another one", ex);
        }
    }

    private VectorMemory()
    {
    }

    /** Moves the window of a direct buffer to an address. The caller keeps to the buffer's capacity. */
    static void move(final ByteBuffer window, final long address)
    {
        UnsafeApi.putLong(window, ADDRESS, address);
    }

    private static MethodHandle load(
        final MethodHandles.Lookup lookup, final String name, final Class<?> memory, final Class<?> offset)
        throws ReflectiveOperationException
    {
        final MethodHandle load = lookup.findStatic(
            IntVector.class, name, methodType(IntVector.class, VectorSpecies.class, memory, offset, ByteOrder.class));
        return MethodHandles.insertArguments(load, 3, ByteOrder.nativeOrder()).bindTo(LANES);
    }

    private static MethodHandle store(
        final MethodHandles.Lookup lookup, final String name, final Class<?> memory, final Class<?> offset)
        throws ReflectiveOperationException
    {
        final MethodHandle store =
            lookup.findVirtual(IntVector.class, name, methodType(void.class, memory, offset, ByteOrder.class));
        return MethodHandles.insertArguments(store, 3, ByteOrder.nativeOrder());
    }

    private static long address(final ByteBuffer window, final int offset)
    {
        return UnsafeApi.getLong(window, ADDRESS) + offset;
    }
}
