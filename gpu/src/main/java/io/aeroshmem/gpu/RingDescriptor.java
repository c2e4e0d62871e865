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
 * Layout of a slot of the ring in which kernels make requests, as {@code aeroshmem_device_state.cuh} defines it. A slot
 * has an entry, which a kernel writes to make a request, and a result. The host writes the result, except for the word
 * <i>acknowledged</i>, which the kernel writes. {@link ProxyRing} describes the protocol.
 * <pre>
 *   entry    0          8           12   16       24       32       40      44      48         64
 *            | sequence | operation | pe | target | source | length | width | flags | reserved |
 *   result   0       8       16             24         32
 *            | state | value | acknowledged | reserved |
 * </pre>
 */
final class RingDescriptor
{
    static final int SEQUENCE_OFFSET = 0;
    static final int OPERATION_OFFSET = 8;
    static final int PE_OFFSET = 12;
    static final int TARGET_OFFSET = 16;
    static final int SOURCE_OFFSET = 24;
    static final int LENGTH_OFFSET = 32;
    static final int WIDTH_OFFSET = 40;
    static final int FLAGS_OFFSET = 44;
    static final int ENTRY_LENGTH = 64;

    static final int STATE_OFFSET = 0;
    static final int VALUE_OFFSET = 8;
    static final int ACKNOWLEDGED_OFFSET = 16;
    static final int RESULT_LENGTH = 32;

    static final int PUT = 1;
    static final int GET = 2;
    static final int PUT_VALUE = 3;
    static final int GET_VALUE = 4;
    /** Atomic with a result: this, plus a code of {@link io.aeroshmem.transport.AtomicOp}. */
    static final int FETCHING = 16;
    /** Atomic without a result: this, plus a code of {@link io.aeroshmem.transport.AtomicOp}. */
    static final int POSTED = 32;
    static final int SIGNAL_SET = 48;
    static final int SIGNAL_ADD = 49;
    static final int QUIET = 64;
    static final int GLOBAL_EXIT = 66;

    /** A thread waits for the result. */
    static final int AWAITED = 1;
    /** The operation is ordered after all before it. */
    static final int FENCED = 2;
    static final int ALL_FLAGS = AWAITED | FENCED;

    /** The bit of a target or source that is set for the host heap. */
    static final int REGION_SHIFT = 63;
    static final long OFFSET_MASK = Long.MAX_VALUE;

    private RingDescriptor()
    {
    }
}
