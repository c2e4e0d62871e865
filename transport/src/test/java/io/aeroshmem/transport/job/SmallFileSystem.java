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

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A memory file system of a few bytes, where this user may mount one; elsewhere the test is skipped.
 */
public final class SmallFileSystem implements AutoCloseable
{
    private final Path path;

    private SmallFileSystem(final Path path)
    {
        this.path = path;
    }

    /**
     * Mounts one.
     *
     * @param under directory in which the mount point is made.
     * @param bytes size.
     * @return the mounted file system.
     * @throws IOException if the mount point cannot be made.
     */
    public static SmallFileSystem mount(final Path under, final long bytes) throws IOException
    {
        final Path path = Files.createDirectory(under.resolve("small"));
        Assumptions.assumeTrue(
            0 == run("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + bytes, "tmpfs", path.toString()),
            "no right to mount a tmpfs");

        return new SmallFileSystem(path);
    }

    /**
     * Where it is mounted.
     *
     * @return the mount point.
     */
    public Path path()
    {
        return path;
    }

    @Override
    public void close() throws IOException
    {
        // Mappings keep it busy until the garbage collector unmaps them, so it is unmounted lazily.
        if (0 != run("umount", "-l", path.toString()))
        {
            throw new IOException("cannot unmount " + path);
        }
    }

    private static int run(final String... command)
    {
        final Process process;
        try
        {
            process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        }
        catch (final IOException ex)
        {
            // No such command here.
            return -1;
        }

        return process.onExit().orTimeout(30, TimeUnit.SECONDS).join().exitValue();
    }
}
