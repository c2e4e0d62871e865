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
package io.aeroshmem.transport.job;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/**
 * The name of this host.
 */
public final class HostName
{
    private static final Path KERNEL_HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private HostName()
    {
    }

    /**
     * Returns the name of this host or container according to the kernel; on systems other than Linux according to the
     * resolver, which may block. Different hosts may have the same name.
     */
    public static String local()
    {
        try
        {
            return KernelFile.read(KERNEL_HOST_NAME).trim();
        }
        catch (final IOException ex)
        {
            return resolved();
        }
    }

    private static String resolved()
    {
        try
        {
            return InetAddress.getLocalHost().getHostName();
        }
        catch (final UnknownHostException ex)
        {
            return "localhost";
        }
    }
}
