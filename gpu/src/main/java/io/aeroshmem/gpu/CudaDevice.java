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

import io.aeroshmem.nvtx.NvtxRanges;
import org.agrona.CloseHelper;

import java.util.ArrayList;
import java.util.List;

/**
 * The device of a PE: its CUDA context, and the library's resources in this context. These resources are a stream, the
 * {@link Kernels kernels}, {@link PinnedMemory pinned memory} and {@link OperandTables operand tables}.
 * <p>
 * The stream is non-blocking: it does not synchronise with the legacy default stream. So operations on this stream
 * never wait for operations that the program has enqueued, on the default stream or on streams of its own. Such a wait
 * could deadlock, because the program's operations may wait for the library. For the same reason the stream has the
 * highest priority: streams of one priority may share a queue of the hardware, in which an operation that waits delays
 * those behind it.
 */
final class CudaDevice implements AutoCloseable
{
    /** Less than the least number of any device, which CUDA takes instead. */
    private static final int HIGHEST_PRIORITY = -1_000;

    private final CudaDriver driver;
    private final int device;
    private final long context;
    private final boolean isPrimary;
    private final long stream;
    private final Kernels kernels;
    private final PinnedMemory pinned;
    private final OperandTables operandTables;
    private final Scope use = this::leave;
    private final Scope operation = this::end;

    /** The time in which the context is current on a thread. */
    @FunctionalInterface
    interface Scope extends AutoCloseable
    {
        @Override
        void close();
    }

    private CudaDevice(
        final CudaDriver driver, final int device, final long context, final boolean isPrimary, final String kernelFile)
    {
        this.driver = driver;
        this.device = device;
        this.context = context;
        this.isPrimary = isPrimary;
        final List<AutoCloseable> opened = new ArrayList<>();
        enter();
        try
        {
            operandTables = new OperandTables(driver);
            opened.add(operandTables);
            stream = driver.streamCreateWithPriority(CudaConstants.STREAM_NON_BLOCKING, HIGHEST_PRIORITY);
            opened.add(() -> driver.streamDestroy(stream));
            kernels = new Kernels(driver, device, kernelFile);
            opened.add(kernels);
            kernels.reserveLocalMemory(stream);
            pinned = new PinnedMemory(driver);
        }
        catch (final RuntimeException | Error ex)
        {
            CloseHelper.quietCloseAll(opened);
            throw ex;
        }
        finally
        {
            leave();
        }
    }

    /**
     * Opens a device by its number, in its primary context.
     *
     * @param kernelFile with the kernels of the library, or null for those of the jar.
     */
    static CudaDevice ofOrdinal(final CudaDriver driver, final int ordinal, final String kernelFile)
    {
        final int device = driver.deviceGet(ordinal);
        final long context = driver.devicePrimaryCtxRetain(device);
        try
        {
            return new CudaDevice(driver, device, context, true, kernelFile);
        }
        catch (final RuntimeException | Error ex)
        {
            CloseHelper.quietClose(() -> driver.devicePrimaryCtxRelease(device));
            throw ex;
        }
    }

    /** As {@link #ofOrdinal}, for the device of the context that is current on this thread; null if none is. */
    static CudaDevice ofCurrentContext(final CudaDriver driver, final String kernelFile)
    {
        final long context = driver.ctxGetCurrent();
        return 0 == context ? null : new CudaDevice(driver, driver.ctxGetDevice(), context, false, kernelFile);
    }

    CudaDriver driver()
    {
        return driver;
    }

    /** Returns CUDA's handle of the device. */
    int handle()
    {
        return device;
    }

    long context()
    {
        return context;
    }

    /** Returns the stream of the library's own operations. */
    long stream()
    {
        return stream;
    }

    /** Returns whether streams can store and await words of 64 bits without a kernel. */
    boolean hasStreamMemoryOperations()
    {
        return 0 != driver.deviceGetAttributeOr(CudaConstants.CAN_USE_64_BIT_STREAM_MEM_OPS, device, 0);
    }

    Kernels kernels()
    {
        return kernels;
    }

    PinnedMemory pinned()
    {
        return pinned;
    }

    OperandTables operandTables()
    {
        return operandTables;
    }

    /** Makes the context current on this thread, until {@link #leave()}, which closing the result is. */
    Scope enter()
    {
        driver.ctxPushCurrent(context);
        return use;
    }

    void leave()
    {
        driver.ctxPopCurrent();
    }

    /** Makes the context current on this thread, for an operation that profilers show, until the result is closed. */
    Scope begin(final String name)
    {
        enter();
        NvtxRanges.begin(name);
        return operation;
    }

    private void end()
    {
        NvtxRanges.end();
        leave();
    }

    /**
     * Allocates memory, which is zero from an offset on. The context is current.
     */
    long allocate(final long length, final long zeroOffset)
    {
        final long address = driver.memAlloc(length);
        try
        {
            driver.memsetD8Async(address + zeroOffset, (byte)0, length - zeroOffset, stream);
            driver.streamSynchronize(stream);
        }
        catch (final RuntimeException | Error ex)
        {
            CloseHelper.quietClose(() -> driver.memFree(address));
            throw ex;
        }

        return address;
    }

    /** Releases everything; nothing is under way. */
    @Override
    public void close()
    {
        enter();
        CloseHelper.closeAll(
            operandTables,
            pinned,
            kernels,
            () -> driver.streamDestroy(stream),
            this::leave,
            isPrimary ? () -> driver.devicePrimaryCtxRelease(device) : null);
    }
}
