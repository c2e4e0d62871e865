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
package io.aeroshmem.transport.heap;

import io.aeroshmem.transport.JdkPackages;
import io.aeroshmem.transport.TransportException;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/**
 * Mapping of a file of more than 2 GiB - 1 bytes, for which Java 17 has no public method. Internal methods of the JDK
 * have no such limit and are called by reflection: {@code FileChannelImpl.map0} up to Java 19,
 * {@code FileDispatcher.map} from Java 20 on. Both need the JVM option {@link JdkPackages#mappingOption()}.
 * <p>
 * The memory is unmapped when this object is no longer reachable.
 */
final class LongMapping
{
    private static final int MAP_READ_WRITE = 1;

    /** Serves all mappings of the process; it holds no state of any job. */
    private static final Cleaner CLEANER = Cleaner.create();

    private final long address;
    private final Cleaner.Cleanable cleanable;

    private LongMapping(final long address, final Unmapper unmapper)
    {
        this.address = address;
        cleanable = CLEANER.register(this, unmapper);
    }

    /**
     * Maps a file from its start for reading and writing, and makes the channel {@linkplain #makeUninterruptible
     * uninterruptible}.
     *
     * @throws IOException        if the kernel rejects the mapping.
     * @throws TransportException if the JVM option is missing or the JDK is unsupported.
     */
    static LongMapping map(final FileChannel channel, final long length) throws IOException
    {
        try
        {
            makeUninterruptible(channel);
            final Method map0 = find(channel.getClass(), "map0", int.class, long.class, long.class, boolean.class);
            if (null != map0)
            {
                final Method unmap0 = find(channel.getClass(), "unmap0", long.class, long.class);
                final long address = (Long)map0.invoke(channel, MAP_READ_WRITE, 0L, length, false);

                return new LongMapping(address, new Unmapper(null, unmap0, address, length));
            }

            final Object dispatcher = field(channel, "nd");
            final Class<?> type = Class.forName("sun.nio.ch.FileDispatcher");
            final Method map = open(type.getDeclaredMethod(
                "map", FileDescriptor.class, int.class, long.class, long.class, boolean.class));
            final Method unmap = open(type.getDeclaredMethod("unmap", long.class, long.class));
            final long address = (Long)map.invoke(dispatcher, field(channel, "fd"), MAP_READ_WRITE, 0L, length, false);

            return new LongMapping(address, new Unmapper(dispatcher, unmap, address, length));
        }
        catch (final InvocationTargetException ex)
        {
            throw new IOException("the kernel rejected a mapping of " + length + " bytes: " + ex.getCause(),
                ex.getCause());
        }
        catch (final ReflectiveOperationException | RuntimeException ex)
        {
            throw new TransportException("heapSize must be <= " + Integer.MAX_VALUE +
                " bytes without the JVM option " + JdkPackages.mappingOption() +
                " (JDK 17 or later): heapSize=" + length + " (aeroshmem.heap.size, --heap)", ex);
        }
    }

    /**
     * Makes a channel uninterruptible, so that an interrupted thread which later maps a view does not close it.
     *
     * @throws IllegalStateException if the JVM option is missing.
     */
    static void makeUninterruptible(final FileChannel channel)
    {
        try
        {
            open(channel.getClass().getMethod("setUninterruptible")).invoke(channel);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException("cannot make a channel uninterruptible", ex);
        }
    }

    long address()
    {
        return address;
    }

    /** Ends the mapping; nothing may access it any more. */
    void unmap()
    {
        cleanable.clean();
    }

    private static Method find(final Class<?> type, final String name, final Class<?>... parameterTypes)
    {
        for (final Method method : type.getDeclaredMethods())
        {
            if (method.getName().equals(name) && Arrays.equals(method.getParameterTypes(), parameterTypes))
            {
                return open(method);
            }
        }

        return null;
    }

    private static Object field(final Object object, final String name) throws ReflectiveOperationException
    {
        return open(object.getClass().getDeclaredField(name)).get(object);
    }

    private static <T extends AccessibleObject> T open(final T member)
    {
        member.setAccessible(true);

        return member;
    }

    private record Unmapper(Object target, Method unmap, long address, long length) implements Runnable
    {
        @Override
        public void run()
        {
            try
            {
                unmap.invoke(target, address, length);
            }
            catch (final ReflectiveOperationException ex)
            {
                throw new IllegalStateException("cannot unmap " + length + " bytes at " + address, ex);
            }
        }
    }
}
