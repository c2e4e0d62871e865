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
package io.aeroshmem.transport.device;

import org.agrona.BitUtil;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Layout of the memory by which one PE receives requests for operations on its device heap, and sends such requests to
 * other PEs. It is symmetric host memory, at the same offset on all PEs. The owner of a device heap is the PE that the
 * heap belongs to. {@link DeviceRequests} describes the protocol.
 * <pre>
 *   ring of requests to this PE, written by all PEs of the node, read by one thread of this PE at a time
 *   8 cells, one for each request of this PE that may be under way at a time:
 *            +0  state, written by this PE up to the submission, then by the owner
 *            +8  result, written by the owner
 *   pieces, one of 256 KiB for each cell: the bytes that the request moves
 *
 *   request: +0  PE that requests      +4  cell
 *            +8  operation             +12 width of the element or word in bytes
 *            +16 offset in the device heap
 *            +24 length, or value      +32 condition of a compare-and-swap
 * </pre>
 */
final class DeviceRequestDescriptor
{
    static final int PUT = 1;
    static final int GET = 2;
    static final int PUT_ELEMENT = 3;
    static final int GET_ELEMENT = 4;
    /** In the order of {@link io.aeroshmem.transport.SignalOperation}. */
    static final int SIGNAL_SET = 5;
    static final int SIGNAL_ADD = 6;
    /** Plus the number of the atomic operation. */
    static final int ATOMIC = 16;

    /** Type of the messages in the ring. */
    static final int REQUEST = 1;
    static final int REQUEST_PE = 0;
    static final int REQUEST_CELL = 4;
    static final int REQUEST_OPERATION = 8;
    static final int REQUEST_WIDTH = 12;
    static final int REQUEST_OFFSET = 16;
    static final int REQUEST_VALUE = 24;
    static final int REQUEST_CONDITION = 32;
    static final int REQUEST_LENGTH = 40;

    static final int CELLS = 8;
    static final int CELL_LENGTH = 2 * BitUtil.CACHE_LINE_LENGTH;
    static final int CELL_RESULT = 8;
    static final long NO_REQUEST = 0;
    static final long UNDER_WAY = 1;
    static final long DONE = 2;
    static final long FAILED = 3;

    static final int PIECE_LENGTH = 256 << 10;

    /** Length of the data of a ring, a power of two with room for all requests that can be under way on a node. */
    static int ringLength(final int nPes)
    {
        return BitUtil.findNextPositivePowerOfTwo(Math.max(4096, nPes * CELLS * 64));
    }

    static long cellsOffset(final int nPes)
    {
        return BitUtil.align(ringLength(nPes) + RingBufferDescriptor.TRAILER_LENGTH, BitUtil.CACHE_LINE_LENGTH * 2);
    }

    static long piecesOffset(final int nPes)
    {
        return cellsOffset(nPes) + CELLS * (long)CELL_LENGTH;
    }

    private DeviceRequestDescriptor()
    {
    }
}
