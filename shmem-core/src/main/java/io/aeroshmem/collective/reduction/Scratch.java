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
package io.aeroshmem.collective.reduction;

import io.aeroshmem.transport.PerThread;
import org.agrona.BufferUtil;

import java.nio.ByteBuffer;

/**
 * Blocks of memory outside the Java heap, for the intermediate results that a thread keeps between its passes over a
 * block. Each thread has one instance, which is created at its first use and collected after the thread's end.
 * Combining blocks allocates nothing else.
 */
final class Scratch
{
    /** Length of a block. A few blocks and those of the operands fit in the first-level cache together. */
    static final int BLOCK_BYTES = 4096;

    /** Indices of the blocks from which 16-bit results are joined: those of even and of odd positions. */
    static final int EVEN = 4;
    static final int ODD = 5;

    private static final int BLOCKS = 8;

    private static final PerThread<Scratch> OF_THREAD = new PerThread<>(Scratch::new);

    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(BLOCKS * BLOCK_BYTES, 64);
    private final long[] blocks = new long[BLOCKS];

    private Scratch()
    {
        for (int i = 0; i < BLOCKS; i++)
        {
            blocks[i] = BufferUtil.address(memory) + i * BLOCK_BYTES;
        }
    }

    static Scratch ofThread()
    {
        return OF_THREAD.get();
    }

    /**
     * Returns the address of one of eight blocks. The addresses are loaded, not computed one from another: JDK 17 does
     * not vectorise loops in which it sees that the addresses have one base.
     */
    long block(final int index)
    {
        return blocks[index];
    }
}
