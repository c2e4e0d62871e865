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

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tables of operand addresses, for reduction kernels that the host starts. A table serves one reduction at a time. Any
 * thread may make calls.
 * <p>
 * The tables are in device memory, because a kernel would read them slowly from host memory. They are allocated by the
 * constructor, because a later allocation may wait for running kernels, which may wait for this PE.
 */
final class OperandTables implements AutoCloseable
{
    /** The host combines the operands of larger teams. */
    static final int MAX_OPERANDS = 1_024;

    static final long NONE = 0;

    private static final int TABLES = 8;
    private static final long TABLE_LENGTH = (long)MAX_OPERANDS * Long.BYTES;

    private final CudaDriver driver;
    private final long base;
    private final AtomicInteger free = new AtomicInteger((1 << TABLES) - 1);

    OperandTables(final CudaDriver driver)
    {
        this.driver = driver;
        base = driver.memAlloc(TABLES * TABLE_LENGTH);
    }

    /** Returns the address of a table, or {@link #NONE} if all are in use. */
    long acquire()
    {
        while (true)
        {
            final int tables = free.get();
            if (0 == tables)
            {
                return NONE;
            }

            final int table = Integer.numberOfTrailingZeros(tables);
            if (free.compareAndSet(tables, tables & ~(1 << table)))
            {
                return base + table * TABLE_LENGTH;
            }
        }
    }

    /** Releases a table that no kernel reads any more. */
    void release(final long table)
    {
        final int number = (int)((table - base) / TABLE_LENGTH);
        free.getAndUpdate((tables) -> tables | 1 << number);
    }

    @Override
    public void close()
    {
        driver.memFree(base);
    }
}
