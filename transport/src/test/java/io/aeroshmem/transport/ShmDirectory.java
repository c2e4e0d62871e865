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
package io.aeroshmem.transport;

import io.aeroshmem.transport.job.JobDirectory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The base of tests whose processes find the shared memory by its property: each test has a folder of its own. */
public abstract class ShmDirectory
{
    @TempDir
    protected Path root;

    @BeforeEach
    void setProperty()
    {
        System.setProperty(JobDirectory.SHM_DIR_PROP_NAME, root.toString());
    }

    @AfterEach
    void clearProperty()
    {
        System.clearProperty(JobDirectory.SHM_DIR_PROP_NAME);
    }
}
