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
package io.aeroshmem.gpu;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

/**
 * Installs the file of JCuda's native library.
 * <p>
 * If the file does not exist, JCuda itself extracts it to {@code java.io.tmpdir}, under the same name in all processes.
 * So a process might load a file that another process has not finished writing, which can crash the JVM. Therefore
 * this class installs the complete file by a rename before JCuda loads it. An existing file with different content is
 * replaced.
 */
final class JCudaLibrary
{
    private static final String FILE_NAME = "libJCudaDriver-12.6.0-linux-x86_64.so";

    private JCudaLibrary()
    {
    }

    /**
     * Puts the file in its place.
     *
     * @throws GpuException if JCuda has no library for this machine, or the file cannot be written.
     */
    static void extract()
    {
        final Path file = Path.of(System.getProperty("java.io.tmpdir"), FILE_NAME);
        try (InputStream resource = JCudaLibrary.class.getResourceAsStream("/lib/" + FILE_NAME))
        {
            if (null == resource)
            {
                throw new GpuException(
                    FILE_NAME + " is not on the class path: add org.jcuda:jcuda-natives:12.6.0:linux-x86_64", null);
            }

            final byte[] content = resource.readAllBytes();
            if (!contains(file, content))
            {
                replace(file, content);
            }
        }
        catch (final IOException ex)
        {
            throw new GpuException(file + " must be a writable place for JCuda's library: " + ex, ex);
        }
    }

    private static boolean contains(final Path file, final byte[] content) throws IOException
    {
        return Files.isRegularFile(file) && content.length == Files.size(file) &&
            Arrays.equals(content, Files.readAllBytes(file));
    }

    private static void replace(final Path file, final byte[] content) throws IOException
    {
        final Path complete = Files.createTempFile(file.getParent(), FILE_NAME, null);
        try
        {
            Files.write(complete, content);
            Files.setPosixFilePermissions(complete, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(complete, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        catch (final AtomicMoveNotSupportedException ex)
        {
            throw new IOException(ex);
        }
        finally
        {
            Files.deleteIfExists(complete);
        }
    }
}
