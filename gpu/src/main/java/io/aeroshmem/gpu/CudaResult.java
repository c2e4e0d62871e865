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

/**
 * Values of CUresult that the GPU module handles specially, or for which {@link GpuException} states a remedy.
 */
final class CudaResult
{
    static final int SUCCESS = 0;
    static final int INVALID_VALUE = 1;
    static final int OUT_OF_MEMORY = 2;
    static final int STUB_LIBRARY = 34;
    static final int DEVICE_UNAVAILABLE = 46;
    static final int NO_DEVICE = 100;
    static final int INVALID_DEVICE = 101;
    static final int INVALID_CONTEXT = 201;
    static final int NO_BINARY_FOR_GPU = 209;
    static final int PEER_ACCESS_UNSUPPORTED = 217;
    static final int JIT_COMPILER_NOT_FOUND = 221;
    static final int UNSUPPORTED_PTX_VERSION = 222;
    static final int OPERATING_SYSTEM = 304;
    static final int NOT_FOUND = 500;
    static final int NOT_READY = 600;
    static final int ILLEGAL_ADDRESS = 700;
    static final int LAUNCH_OUT_OF_RESOURCES = 701;
    static final int PEER_ACCESS_ALREADY_ENABLED = 704;
    static final int HOST_MEMORY_ALREADY_REGISTERED = 712;
    static final int HOST_MEMORY_NOT_REGISTERED = 713;
    static final int LAUNCH_FAILED = 719;
    static final int NOT_PERMITTED = 800;
    static final int NOT_SUPPORTED = 801;
    static final int SYSTEM_DRIVER_MISMATCH = 803;
    static final int UNKNOWN = 999;

    private CudaResult()
    {
    }
}
