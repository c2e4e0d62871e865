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
package io.aeroshmem;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The simulated CUDA driver that module gpu builds for tests, where g++ and make are. */
public final class SimulatedCuda
{
    private static final String HOME = System.getenv("AEROSHMEM_CUDA_SIM_HOME");

    private SimulatedCuda()
    {
    }

    /** Skips the calling test unless the driver was built. */
    public static void assumeAvailable()
    {
        assumeTrue(
            null != HOME && Files.exists(Path.of(HOME, "libcuda.so.1")),
            "the simulated CUDA driver was not built, since g++ or make is missing");
    }
}
