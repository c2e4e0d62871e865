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
package io.aeroshmem.gpu.ptx;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * PTX that tests read, relative to the folder of the module.
 */
enum PtxFile
{
    KERNELS("src/main/resources/io/aeroshmem/gpu/aeroshmem_kernels.ptx"),
    RING("src/test/resources/io/aeroshmem/gpu/proxy_ring_kernels.ptx"),
    SIMULATION("src/test/resources/io/aeroshmem/gpu/sim/simulation_test_kernels.ptx"),
    SAMPLES("../samples/src/main/resources/io/aeroshmem/samples/device_samples.ptx");

    final Path path;

    PtxFile(final String path)
    {
        this.path = Path.of(path);
    }

    String read() throws IOException
    {
        return Files.readString(path);
    }
}
