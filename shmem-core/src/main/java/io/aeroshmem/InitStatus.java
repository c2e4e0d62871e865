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

/** The state of the set-up of a PE: {@code nvshmemx_init_status}. The constants are in the order of the C interface. */
public enum InitStatus
{
    /**
     * Not initialised: {@code NVSHMEM_STATUS_NOT_INITIALIZED}. Only of a module of kernels; a PE exists only after
     * its {@code init}.
     */
    NOT_INITIALIZED,

    /**
     * All PEs have joined and the set-up of memory and connections is outstanding, or the PE is closed:
     * {@code NVSHMEM_STATUS_IS_BOOTSTRAPPED}.
     */
    BOOTSTRAPPED,

    /** The set-up is complete: {@code NVSHMEM_STATUS_IS_INITIALIZED}. */
    INITIALIZED,

    /**
     * PEs share a device, and it is not certain that their kernels run at the same time:
     * {@code NVSHMEM_STATUS_LIMITED_MPG}.
     */
    LIMITED_MPG,

    /** PEs share a device by MPS, with shares of at most 100 % together: {@code NVSHMEM_STATUS_FULL_MPG}. */
    FULL_MPG
}
