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

import io.aeroshmem.transport.TransportException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a node is: the processes that can map each other's memory. They run under one kernel and see one file system
 * for jobs, which two containers of one host need not, whatever their host names.
 */
public final class Node
{
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private static final char SEPARATOR = '/';

    private Node()
    {
    }

    /**
     * Names the node of this process; equal for two processes if they are on one.
     *
     * @param root directory under which jobs live.
     * @param name that the user gave to the node, so that processes of one node count as on several; null for none.
     * @return in characters that need no escaping, unless those of the name do.
     */
    public static String key(final Path root, final String name)
    {
        try
        {
            final Object device = Files.getAttribute(root.toRealPath(), "unix:dev");
            final String key = bootId() + SEPARATOR + device + SEPARATOR + PrivateFiles.currentUid();
            return null == name ? key : key + SEPARATOR + name;
        }
        catch (final IOException ex)
        {
            throw new TransportException(root + ", where the directories of jobs are made, cannot be looked at: " +
                ex + " (property " + JobDirectory.SHM_DIR_PROP_NAME + ")", ex);
        }
    }

    /**
     * Whether two nodes are on one machine.
     *
     * @param key   of a node.
     * @param other of a node.
     * @return true if they run under one kernel.
     */
    public static boolean isSameMachine(final String key, final String other)
    {
        return machine(key).equals(machine(other));
    }

    private static String machine(final String key)
    {
        return key.substring(0, Math.max(0, key.indexOf(SEPARATOR)));
    }

    /**
     * Elsewhere than on Linux the name of the host has to do.
     */
    private static String bootId() throws IOException
    {
        return Files.exists(BOOT_ID) ?
            Files.readString(BOOT_ID, StandardCharsets.US_ASCII).trim() : HostName.local();
    }
}
