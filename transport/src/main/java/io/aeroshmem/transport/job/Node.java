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
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Computes the key that identifies a node. A node is a set of processes that can map each other's memory: they run
 * under one kernel for one user, and share the file system of the job directories. Containers of one host that do not
 * share that file system are different nodes. Processes with different configured node names also belong to different
 * nodes.
 */
public final class Node
{
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private static final char SEPARATOR = '/';

    private Node()
    {
    }

    /**
     * Returns the key of the node of this process, equal for processes of one node. A name given by the user splits
     * the processes of a host into several nodes; it may be null.
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
            throw new TransportException("cannot read the root of the job directories: " + root + ": " +
                ex + " (" + JobDirectory.SHM_DIR_PROP_NAME + ")", ex);
        }
    }

    /** Returns whether two node keys are of one machine, that is, one kernel. */
    public static boolean isSameMachine(final String key, final String other)
    {
        return machine(key).equals(machine(other));
    }

    private static String machine(final String key)
    {
        return key.substring(0, Math.max(0, key.indexOf(SEPARATOR)));
    }

    /** Falls back to the host name where there is no boot id (not Linux). */
    static String bootId() throws IOException
    {
        return Files.exists(BOOT_ID) ? KernelFile.read(BOOT_ID).trim() : HostName.local();
    }
}
