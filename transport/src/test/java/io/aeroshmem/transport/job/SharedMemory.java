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

import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Factory of a test's temporary directory, on the file system of job directories.
 */
public final class SharedMemory implements TempDirFactory
{
    /**
     * Made by JUnit.
     */
    public SharedMemory()
    {
    }

    @Override
    public Path createTempDirectory(final AnnotatedElementContext element, final ExtensionContext extension)
        throws Exception
    {
        return Files.createTempDirectory(JobDirectory.defaultRoot(), "aeroshmem-test-");
    }
}
