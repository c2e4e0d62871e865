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
package io.aeroshmem.bootstrap.environment;

import io.aeroshmem.transport.JdkPackages;
import io.aeroshmem.transport.TransportException;
import org.agrona.UnsafeApi;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Opens a socket that this process inherited from its launcher. The process knows only the number of the socket's file
 * descriptor. No API of Java opens such a socket, so Agrona writes the number to the field {@code fd} of a
 * {@link FileDescriptor}.
 * <p>
 * Without {@code --add-opens} the JVM denies Agrona that access, and the process cannot join a job. The process still
 * needs the socket once, to report this error to the launcher. In this case {@code sun.reflect.ReflectionFactory} of
 * module {@code jdk.unsupported} creates the {@link FileDescriptor}. A program on the module path may run without
 * that module; then the launcher gets no report.
 */
final class InheritedSocket
{
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private InheritedSocket()
    {
    }

    /**
     * Returns an open descriptor for the number in an environment variable. Throws a {@link TransportException} if it
     * is malformed or this process has no such socket.
     */
    static FileDescriptor open(final String variable, final String text)
    {
        final int number = number(variable, text);
        requireSocket(variable, number);
        if (null == JdkPackages.problem())
        {
            final FileDescriptor descriptor = new FileDescriptor();
            UnsafeApi.putInt(descriptor, UnsafeApi.objectFieldOffset(FileDescriptor.class, "fd"), number);
            return descriptor;
        }

        try
        {
            return constructed(number);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new TransportException("the JVM option " + JdkPackages.memoryOption() +
                " is missing, without which the socket " + variable + "=" + text + " cannot be used", ex);
        }
    }

    private static FileDescriptor constructed(final int number) throws ReflectiveOperationException
    {
        final Class<?> type = Class.forName("sun.reflect.ReflectionFactory");
        final Object factory = type.getMethod("getReflectionFactory").invoke(null);
        final Constructor<?> constructor = (Constructor<?>)type
            .getMethod("newConstructorForSerialization", Class.class, Constructor.class)
            .invoke(factory, FileDescriptor.class, FileDescriptor.class.getDeclaredConstructor(int.class));
        return (FileDescriptor)constructor.newInstance(number);
    }

    /** A number that is stale, and by now denotes a file of this JVM, must not be written to. */
    private static void requireSocket(final String variable, final int number)
    {
        final Path link = DESCRIPTORS.resolve(Integer.toString(number));
        try
        {
            if (!Files.isDirectory(DESCRIPTORS) || Files.readSymbolicLink(link).toString().startsWith("socket:"))
            {
                return;
            }
        }
        catch (final IOException ex)
        {
            throw noSocket(variable, number, ex);
        }

        throw noSocket(variable, number, null);
    }

    private static int number(final String variable, final String text)
    {
        try
        {
            final int number = Integer.parseInt(text);
            if (number >= 0)
            {
                return number;
            }
        }
        catch (final NumberFormatException ex)
        {
            throw noNumber(variable, text, ex);
        }

        throw noNumber(variable, text, null);
    }

    private static TransportException noNumber(final String variable, final String text, final Exception cause)
    {
        return new TransportException(variable + " must be the number of an open socket: " + variable + "=" + text,
            cause);
    }

    private static TransportException noSocket(final String variable, final int number, final Exception cause)
    {
        return new TransportException(variable + "=" + number +
            ": this process has no socket of that number, so a process between the launcher and this one closed it;" +
            " start java from the launcher directly, or unset " + variable, cause);
    }
}
