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
package io.aeroshmem.nvtx;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The injection library of a tool, to which this class is what NVTX's headers are for a program in C
 * ({@code nvtx3/nvtxDetail/nvtxTypes.h}). The library's function {@code InitializeInjectionNvtx2} gets a function that
 * returns export tables. One of them has a function that returns, for a module of NVTX, a table of the addresses of
 * slots. The tool stores its functions to the slots of those that it implements.
 * <p>
 * The library is called by {@code java.lang.foreign}, which the Java version that this class is compiled for does not
 * have, hence by reflection. The method handles that it returns take addresses as longs, so that calls are ordinary
 * ones. Memory that the tool may keep is never freed.
 */
final class NvtxTool
{
    private static final int EXPORT_TABLE_CALLBACKS = 1;
    private static final int EXPORT_TABLE_VERSION_INFO = 3;
    private static final int NVTX_VERSION = 3;
    private static final int MESSAGE_TYPE_ASCII = 1;

    /** The numbers of functions of each module: CORE, CUDA, OPENCL, CUDART, CORE2, SYNC. Number 0 stands for none. */
    private static final int[] MODULE_SIZES = {0, 16, 9, 15, 7, 16, 7};
    private static final int MODULE_CORE2 = 5;
    private static final int RANGE_PUSH = 4;
    private static final int RANGE_POP = 5;
    private static final int DOMAIN_CREATE = 12;

    /** nvtxEventAttributes_t: version and size of 16 bits, the type of the message, and its address. */
    private static final int ATTRIBUTES_LENGTH = 48;
    private static final int SIZE_OFFSET = 2;
    private static final int MESSAGE_TYPE_OFFSET = 32;
    private static final int MESSAGE_OFFSET = 40;

    /** Keeps the memory that the tool may read. */
    private final List<ByteBuffer> memory = new ArrayList<>();
    private final Map<String, Long> attributes = new ConcurrentHashMap<>();
    private final long[] slots = new long[MODULE_SIZES.length];
    private final long[] tables = new long[MODULE_SIZES.length];
    private long callbacks;
    private long versionInfo;
    private MethodHandle push;
    private MethodHandle pop;
    private long domain;

    private NvtxTool()
    {
        for (int module = 1; module < MODULE_SIZES.length; module++)
        {
            final int size = MODULE_SIZES[module];
            slots[module] = allocate(size * Long.BYTES);
            tables[module] = allocate((size + 1) * Long.BYTES);
            for (int i = 1; i < size; i++)
            {
                UnsafeApi.putLong(tables[module] + (long)i * Long.BYTES, slots[module] + (long)i * Long.BYTES);
            }
        }
    }

    /** Loads a tool and creates a domain. Returns null if the tool refuses, or cannot be loaded, as NVTX does. */
    static NvtxTool loadOrNull(final String library, final String domainName)
    {
        try
        {
            final NvtxTool tool = new NvtxTool();
            return tool.open(new ForeignFunctions(), library, domainName) ? tool : null;
        }
        catch (final Throwable ex)
        {
            // Ranges are a help to those who profile, and no reason to fail.
            return null;
        }
    }

    private boolean open(final ForeignFunctions functions, final String library, final String domainName)
        throws Throwable
    {
        final MethodHandles.Lookup lookup = MethodHandles.lookup();
        callbacks = table(functions.upcall(lookup.bind(
            this, "moduleFunctionTable", MethodType.methodType(int.class, int.class, long.class, long.class))), 0);
        versionInfo = table(NVTX_VERSION, functions.upcall(lookup.findStatic(
            NvtxTool.class, "setInjectionVersion", MethodType.methodType(void.class, int.class))));
        final long exportTable = functions.upcall(
            lookup.bind(this, "exportTable", MethodType.methodType(long.class, int.class)));

        final MethodHandle initialise = functions.downcall(
            functions.symbol(library, "InitializeInjectionNvtx2"), MethodType.methodType(int.class, long.class));
        if (0 == (int)initialise.invokeExact(exportTable) ||
            0 == slot(DOMAIN_CREATE) || 0 == slot(RANGE_PUSH) || 0 == slot(RANGE_POP))
        {
            return false;
        }

        final MethodHandle create =
            functions.downcall(slot(DOMAIN_CREATE), MethodType.methodType(long.class, long.class));
        push = functions.downcall(slot(RANGE_PUSH), MethodType.methodType(int.class, long.class, long.class));
        pop = functions.downcall(slot(RANGE_POP), MethodType.methodType(int.class, long.class));
        domain = (long)create.invokeExact(text(domainName));
        return true;
    }

    private long slot(final int function)
    {
        return UnsafeApi.getLong(slots[MODULE_CORE2] + (long)function * Long.BYTES);
    }

    /** An export table: its length, and two words, the last of which may be missing. */
    private long table(final long first, final long second)
    {
        final int length = (0 == second ? 2 : 3) * Long.BYTES;
        final long address = allocate(length);
        UnsafeApi.putLong(address, length);
        UnsafeApi.putLong(address + Long.BYTES, first);
        if (0 != second)
        {
            UnsafeApi.putLong(address + 2 * Long.BYTES, second);
        }

        return address;
    }

    private synchronized long allocate(final int length)
    {
        final ByteBuffer block = BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH)
            .order(ByteOrder.nativeOrder());
        memory.add(block);
        return BufferUtil.address(block);
    }

    private long text(final String text)
    {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final long address = allocate(bytes.length + 1);
        for (int i = 0; i < bytes.length; i++)
        {
            UnsafeApi.putByte(address + i, bytes[i]);
        }

        return address;
    }

    /** Called by the tool: const void *(uint32_t). */
    private long exportTable(final int id)
    {
        return EXPORT_TABLE_CALLBACKS == id ? callbacks : EXPORT_TABLE_VERSION_INFO == id ? versionInfo : 0;
    }

    /** Called by the tool: int (int module, NvtxFunctionTable *table, unsigned *size); both results may be null. */
    private int moduleFunctionTable(final int module, final long table, final long size)
    {
        if (module <= 0 || module >= MODULE_SIZES.length)
        {
            return 0;
        }

        if (0 != table)
        {
            UnsafeApi.putLong(table, tables[module]);
        }

        if (0 != size)
        {
            UnsafeApi.putInt(size, MODULE_SIZES[module]);
        }

        return 1;
    }

    /** Called by the tool: void (uint32_t). */
    private static void setInjectionVersion(final int version)
    {
        // NVTX itself does nothing with it.
    }

    void push(final String name)
    {
        try
        {
            final Long known = attributes.get(name);
            final int level = (int)push.invokeExact(
                domain, (long)(null == known ? attributes.computeIfAbsent(name, this::attributesOf) : known));
        }
        catch (final Throwable ex)
        {
            throw new IllegalStateException("NVTX: " + ex, ex);
        }
    }

    private Long attributesOf(final String name)
    {
        final long address = allocate(ATTRIBUTES_LENGTH);
        UnsafeApi.putShort(address, (short)NVTX_VERSION);
        UnsafeApi.putShort(address + SIZE_OFFSET, (short)ATTRIBUTES_LENGTH);
        UnsafeApi.putInt(address + MESSAGE_TYPE_OFFSET, MESSAGE_TYPE_ASCII);
        UnsafeApi.putLong(address + MESSAGE_OFFSET, text(name));
        return address;
    }

    void pop()
    {
        try
        {
            final int level = (int)pop.invokeExact(domain);
        }
        catch (final Throwable ex)
        {
            throw new IllegalStateException("NVTX: " + ex, ex);
        }
    }

    /** The part of {@code java.lang.foreign} that is needed. */
    private static final class ForeignFunctions
    {
        private final Class<?> layoutType = Class.forName("java.lang.foreign.MemoryLayout");
        private final Class<?> segmentType = Class.forName("java.lang.foreign.MemorySegment");
        private final Class<?> arenaType = Class.forName("java.lang.foreign.Arena");
        private final Class<?> descriptorType = Class.forName("java.lang.foreign.FunctionDescriptor");
        private final Class<?> linkerType = Class.forName("java.lang.foreign.Linker");
        private final Class<?> optionsType = Class.forName("[Ljava.lang.foreign.Linker$Option;");
        private final Object arena = arenaType.getMethod("global").invoke(null);
        private final Object linker = linkerType.getMethod("nativeLinker").invoke(null);
        private final Object noOptions = Array.newInstance(optionsType.getComponentType(), 0);

        ForeignFunctions() throws ReflectiveOperationException
        {
        }

        long symbol(final String library, final String name) throws ReflectiveOperationException
        {
            final Class<?> lookupType = Class.forName("java.lang.foreign.SymbolLookup");
            final Object lookup = lookupType.getMethod("libraryLookup", String.class, arenaType)
                .invoke(null, library, arena);
            final Optional<?> found = (Optional<?>)lookupType.getMethod("find", String.class).invoke(lookup, name);
            return addressOf(found.orElseThrow());
        }

        MethodHandle downcall(final long address, final MethodType type) throws ReflectiveOperationException
        {
            final Object segment = segmentType.getMethod("ofAddress", long.class).invoke(null, address);
            final Method method =
                linkerType.getMethod("downcallHandle", segmentType, descriptorType, optionsType);
            return (MethodHandle)method.invoke(linker, segment, descriptor(type), noOptions);
        }

        long upcall(final MethodHandle target) throws ReflectiveOperationException
        {
            final Method method =
                linkerType.getMethod("upcallStub", MethodHandle.class, descriptorType, arenaType, optionsType);
            return addressOf(method.invoke(linker, target, descriptor(target.type()), arena, noOptions));
        }

        private long addressOf(final Object segment) throws ReflectiveOperationException
        {
            return (long)segmentType.getMethod("address").invoke(segment);
        }

        /** Addresses are longs, which the calling convention passes alike. */
        private Object descriptor(final MethodType type) throws ReflectiveOperationException
        {
            final Object parameters = Array.newInstance(layoutType, type.parameterCount());
            for (int i = 0; i < type.parameterCount(); i++)
            {
                Array.set(parameters, i, layout(type.parameterType(i)));
            }

            return void.class == type.returnType() ?
                descriptorType.getMethod("ofVoid", parameters.getClass()).invoke(null, parameters) :
                descriptorType.getMethod("of", layoutType, parameters.getClass())
                    .invoke(null, layout(type.returnType()), parameters);
        }

        private static Object layout(final Class<?> type) throws ReflectiveOperationException
        {
            return Class.forName("java.lang.foreign.ValueLayout")
                .getField(long.class == type ? "JAVA_LONG" : "JAVA_INT").get(null);
        }
    }
}
