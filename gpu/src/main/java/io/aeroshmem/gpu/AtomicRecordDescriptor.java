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
 * Layout of the record of one atomic operation, as {@code AtomicRecord} of {@code aeroshmem_synchronization.cuh}
 * defines it. One launch of {@link Kernels#atomicBatch} performs the operations of an array of such records.
 * <pre>
 *   0        8        16       24        32          40       48
 *   | op     | bytes  | target | operand | comparand | result |
 * </pre>
 */
final class AtomicRecordDescriptor
{
    /** Ordinal of {@link DeviceAtomic}. */
    static final int OP_OFFSET = 0;
    /** Length of the target: 4 or 8. */
    static final int BYTES_OFFSET = 8;
    static final int TARGET_OFFSET = 16;
    static final int OPERAND_OFFSET = 24;
    static final int COMPARAND_OFFSET = 32;
    /** Address at which the old value is stored, or 0. */
    static final int RESULT_OFFSET = 40;
    static final int LENGTH = 48;

    private AtomicRecordDescriptor()
    {
    }
}
