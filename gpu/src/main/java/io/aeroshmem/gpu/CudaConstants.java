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
 * Constants of the CUDA driver API. The comment above a group of constants gives the prefix, or the whole name, that
 * they have in {@code cuda.h}. Where a name without its prefix would be unclear, a word such as {@code POINTER}
 * replaces the prefix.
 */
final class CudaConstants
{
    /** Device attributes: CU_DEVICE_ATTRIBUTE_…. */
    static final int MAX_PITCH = 11;
    static final int MULTIPROCESSOR_COUNT = 16;
    static final int COMPUTE_CAPABILITY_MAJOR = 75;
    static final int COMPUTE_CAPABILITY_MINOR = 76;
    static final int HOST_NATIVE_ATOMIC_SUPPORTED = 86;
    static final int CAN_USE_64_BIT_STREAM_MEM_OPS = 122;
    static final int MPS_ENABLED = 133;

    /** Attributes of a pair of devices: CU_DEVICE_P2P_ATTRIBUTE_…. */
    static final int P2P_NATIVE_ATOMIC_SUPPORTED = 3;

    /** Pointer attributes: CU_POINTER_ATTRIBUTE_…. */
    static final int POINTER_CONTEXT = 1;
    static final int POINTER_MEMORY_TYPE = 2;

    /** CU_MEMORYTYPE_…. */
    static final int MEMORY_TYPE_DEVICE = 2;
    static final int MEMORY_TYPE_UNIFIED = 4;

    /** CU_MEMHOSTREGISTER_…. */
    static final int HOST_REGISTER_PORTABLE = 1;
    static final int HOST_REGISTER_DEVICE_MAP = 2;

    /** CU_…. */
    static final int STREAM_NON_BLOCKING = 1;
    static final int IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1;

    /** CU_…. */
    static final int STREAM_WAIT_VALUE_GEQ = 0;
    static final int STREAM_WAIT_VALUE_EQ = 1;
    static final int STREAM_WRITE_VALUE_DEFAULT = 0;
    static final int STREAM_CAPTURE_STATUS_NONE = 0;

    /** CU_IPC_HANDLE_SIZE. */
    static final int IPC_MEM_HANDLE_BYTES = 64;

    /** CU_FUNC_ATTRIBUTE_…. */
    static final int FUNCTION_NUM_REGS = 4;

    private CudaConstants()
    {
    }
}
