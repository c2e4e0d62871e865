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
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Probe of the lock of one file, for repeated use. It keeps the file open. So each use costs only two system calls, and
 * still detects the lock after the file was unlinked. {@link ProcessLock} does all the work, under the monitor of its
 * table of held locks.
 */
final class LockProbe implements AutoCloseable
{
    final Path path;

    /** Device and inode of the file; null until it was found. Guarded by the monitor of the table in ProcessLock. */
    Object key;

    /** Null until this process first had to ask the kernel. Guarded by the monitor of the table in ProcessLock. */
    FileChannel channel;

    LockProbe(final Path path)
    {
        this.path = path;
    }

    /** Returns whether a live process, this one included, holds the lock; false if the file does not exist. */
    boolean isHeld() throws IOException
    {
        return ProcessLock.probe(this);
    }

    @Override
    public void close() throws IOException
    {
        ProcessLock.close(this);
    }
}
