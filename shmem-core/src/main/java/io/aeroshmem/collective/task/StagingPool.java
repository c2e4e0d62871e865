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
package io.aeroshmem.collective.task;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The pool of private working memory for the collectives of a PE's teams. Buffers of closed teams are reused, so the
 * pool grows with the number of teams that are open at a time, not with the number that were ever created. No memory is
 * freed while the PE lives, so a write through an outdated address can corrupt results, but cannot crash the JVM.
 * Thread-safe.
 */
public final class StagingPool
{
    private static final int ALIGNMENT = 64;
    private static final long MIN_LENGTH = 4096;
    private static final long MAX_ROUNDED = 1L << 30;

    private final List<ByteBuffer> unused = new ArrayList<>();

    /** Returns a buffer of at least this length, aligned to 64 bytes. */
    synchronized ByteBuffer take(final long length)
    {
        int shortest = -1;
        for (int i = 0; i < unused.size(); i++)
        {
            final int capacity = unused.get(i).capacity();
            if (capacity >= length && (shortest < 0 || capacity < unused.get(shortest).capacity()))
            {
                shortest = i;
            }
        }

        if (shortest >= 0)
        {
            return unused.remove(shortest);
        }

        final long rounded = length > MAX_ROUNDED ?
            length : BitUtil.findNextPositivePowerOfTwo(Math.max(MIN_LENGTH, length));
        return BufferUtil.allocateDirectAligned(Math.toIntExact(rounded), ALIGNMENT).order(ByteOrder.nativeOrder());
    }

    /** Returns a buffer that is no longer written to. */
    synchronized void giveBack(final ByteBuffer buffer)
    {
        unused.add(buffer);
    }
}
