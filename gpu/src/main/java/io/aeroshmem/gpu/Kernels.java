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

import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SignalOp;
import io.aeroshmem.config.ShmemProperty;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * The kernels of {@code aeroshmem_kernels.cu} in a CUDA context. The constructor loads the module and looks up its
 * functions. {@link #reserveLocalMemory} launches one of them on zero elements, only to make CUDA reserve the local
 * memory that the kernels need. The method of a kernel enqueues a launch and returns. It allocates nothing, and
 * launches nothing if it is called for zero elements.
 * <p>
 * Callers ensure that
 * <ul>
 *     <li>the context is current on the calling thread;</li>
 *     <li>addresses are those at which the device reaches the memory;</li>
 *     <li>{@link io.aeroshmem.collective.reduction.Reduction} allows the pair of operation and type.</li>
 * </ul>
 */
final class Kernels implements AutoCloseable
{
    private static final String RESOURCE = "aeroshmem_kernels.ptx";
    private static final int BLOCK_THREADS = 256;
    /** Blocks that fit on a multiprocessor at a time; loops over elements serve the rest. */
    private static final int BLOCKS_PER_MULTIPROCESSOR = 8;
    /** Flags of a barrier: a thread waits for one of them, as long as there are no more. */
    private static final int MAX_FLAG_THREADS = 1_024;
    private static final int LARGEST_UNIT = 16;
    private static final int REDUCE_ARGUMENTS = 6;

    private static final ElementType[] TYPES = ElementType.values();

    /*
     * Ordering. A kernel starts after the earlier operations of its stream and ends before the later ones. Signals and
     * the flags of barriers are stored with release, and words that are waited for are loaded with acquire, at system
     * scope. So whatever precedes a signal in its stream is visible to whatever follows the wait for that signal, be it
     * in another stream of this device, on another device, or on the host.
     */
    private final CudaDriver driver;
    private final int maxBlocks;
    private final long module;
    private final long[] combine = new long[TYPES.length];
    private final long[] reduce = new long[TYPES.length];
    private final long[] finish = new long[TYPES.length];
    /** By the binary logarithm of the unit's size. */
    private final long[] stridedCopy = new long[Integer.numberOfTrailingZeros(LARGEST_UNIT) + 1];
    private final long atomic32;
    private final long atomic64;
    private final long signal;
    private final long waitUntil32;
    private final long waitUntil64;
    private final long barrier;

    /** As {@link #Kernels(CudaDriver, int, String)}, with the kernels of the jar. */
    Kernels(final CudaDriver driver, final int device)
    {
        this(driver, device, null);
    }

    /**
     * Loads the kernels into the current context.
     *
     * @param file with the kernels as a cubin, a fatbin or PTX, or null. If the driver rejects it, a warning is logged
     *             and the PTX of the jar is loaded.
     * @throws GpuException if the driver rejects the kernels, or the file cannot be read.
     */
    Kernels(final CudaDriver driver, final int device, final String file)
    {
        this.driver = driver;
        maxBlocks = BLOCKS_PER_MULTIPROCESSOR *
            driver.deviceGetAttribute(CudaConstants.MULTIPROCESSOR_COUNT, device);
        module = null == file ? driver.moduleLoadData(image()) : load(driver, file);
        for (final ElementType type : TYPES)
        {
            final String name = type.name().toLowerCase(Locale.ROOT);
            combine[type.ordinal()] = function("combine_" + name);
            reduce[type.ordinal()] = function("reduce_" + name);
            finish[type.ordinal()] = function("finish_" + name);
        }

        for (int i = 0; i < stridedCopy.length; i++)
        {
            stridedCopy[i] = function("strided_copy_" + (1 << i));
        }

        atomic32 = function("atomic_32");
        atomic64 = function("atomic_64");
        signal = function("signal");
        waitUntil32 = function("wait_until_32");
        waitUntil64 = function("wait_until_64");
        barrier = function("barrier");
    }

    /**
     * Launches the kernel with the largest local memory, on no elements. CUDA may enlarge the local memory of the
     * context at the first launch of such a kernel; it then waits for all running kernels, which may wait for this one.
     */
    void reserveLocalMemory(final long stream)
    {
        final KernelArguments arguments = KernelArguments.begin();
        for (int i = 0; i < REDUCE_ARGUMENTS; i++)
        {
            arguments.add(0);
        }

        driver.launchKernel(
            reduce[ElementType.COMPLEX_DOUBLE.ordinal()], 1, BLOCK_THREADS, 0, stream, arguments.address());
        driver.streamSynchronize(stream);
    }

    private static long load(final CudaDriver driver, final String file)
    {
        final byte[] image;
        try
        {
            image = terminated(Files.readAllBytes(Path.of(file)));
        }
        catch (final IOException | InvalidPathException ex)
        {
            throw new GpuException(
                ShmemProperty.GPU_KERNELS.propertyName() + " must be a readable file: " + ex, ex);
        }

        try
        {
            return driver.moduleLoadData(image);
        }
        catch (final GpuException ex)
        {
            System.getLogger("io.aeroshmem").log(System.Logger.Level.WARNING,
                "the PTX of the jar is loaded instead of " + file + ": " + ex.getMessage());
            return driver.moduleLoadData(image());
        }
    }

    /** Returns a copy that ends with a zero byte, as PTX has to. */
    static byte[] terminated(final byte[] image)
    {
        return Arrays.copyOf(image, image.length + 1);
    }

    /** Returns the PTX, and the zero byte that ends it. */
    private static byte[] image()
    {
        try (InputStream resource = Kernels.class.getResourceAsStream(RESOURCE))
        {
            if (null == resource)
            {
                throw new IllegalStateException(RESOURCE + " is not on the class path");
            }

            return terminated(resource.readAllBytes());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Looks a function up and has it loaded now. Loaded at its first launch it might wait for the kernels that run, and
     * those may wait for it.
     */
    private long function(final String name)
    {
        final long function = driver.moduleGetFunction(module, "aeroshmem_" + name);
        driver.funcGetAttribute(CudaConstants.FUNCTION_NUM_REGS, function);
        return function;
    }

    /** Unloads the kernels. None of them may be running. */
    @Override
    public void close()
    {
        driver.moduleUnload(module);
    }

    /** dest[i] = left[i] op right[i]; dest may be left or right. */
    void combine(
        final ReduceOp op,
        final ElementType type,
        final long dest,
        final long left,
        final long right,
        final long count,
        final long stream)
    {
        final KernelArguments arguments = KernelArguments.begin()
            .add(op.ordinal())
            .add(dest)
            .add(left)
            .add(right)
            .add(count);
        launch(combine[type.ordinal()], count, stream, arguments);
    }

    /**
     * Combines the blocks of all members in the order of {@link io.aeroshmem.collective.task.CanonicalTree}, and
     * finishes the result.
     *
     * @param dest   one of the blocks, or none of their elements.
     * @param table  address of the addresses of the blocks, in the order of ranks.
     * @param offset that is added to each of them.
     */
    void reduce(
        final ReduceOp op,
        final ElementType type,
        final long dest,
        final long table,
        final long offset,
        final long count,
        final int members,
        final long stream)
    {
        final KernelArguments arguments = KernelArguments.begin()
            .add(op.ordinal())
            .add(dest)
            .add(table)
            .add(offset)
            .add(count)
            .add(members);
        launch(reduce[type.ordinal()], count, stream, arguments);
    }

    /** Turns a combination of the elements of all members into the result, in place, as Reduction.finish does. */
    void finish(
        final ReduceOp op,
        final ElementType type,
        final long address,
        final long count,
        final int members,
        final long stream)
    {
        final KernelArguments arguments = KernelArguments.begin()
            .add(op.ordinal())
            .add(address)
            .add(count)
            .add(members);
        launch(finish[type.ordinal()], count, stream, arguments);
    }

    /**
     * Performs an atomic operation on an int or a long.
     *
     * @param width     in bytes.
     * @param comparand of COMPARE_SWAP.
     * @param result    address at which the old value is stored, or 0.
     */
    void atomic(
        final DeviceAtomic op,
        final int width,
        final long target,
        final long operand,
        final long comparand,
        final long result,
        final long stream)
    {
        final KernelArguments arguments = KernelArguments.begin()
            .add(op.ordinal())
            .add(target)
            .add(operand)
            .add(comparand)
            .add(result);
        driver.launchKernel(Long.BYTES == width ? atomic64 : atomic32, 1, 1, 0, stream, arguments.address());
    }

    /** Sets a signal, or adds to it, after all earlier operations of the stream. */
    void signal(final SignalOp op, final long address, final long value, final long stream)
    {
        final DeviceAtomic atomic = SignalOp.ADD == op ? DeviceAtomic.ADD : DeviceAtomic.SET;
        final KernelArguments arguments = KernelArguments.begin().add(atomic.ordinal()).add(address).add(value);
        driver.launchKernel(signal, 1, 1, 0, stream, arguments.address());
    }

    /**
     * Makes the stream wait until an int or a long compares with a value.
     *
     * @param width in bytes.
     * @param abort address of a long that ends the wait when it is not 0, or 0.
     */
    void waitUntil(
        final int width,
        final long word,
        final Comparison comparison,
        final long value,
        final long abort,
        final long stream)
    {
        final KernelArguments arguments = KernelArguments.begin()
            .add(word)
            .add(comparison.ordinal())
            .add(value)
            .add(abort);
        driver.launchKernel(Long.BYTES == width ? waitUntil64 : waitUntil32, 1, 1, 0, stream, arguments.address());
    }

    /**
     * Performs a round of a barrier, after all earlier operations of the stream: sets a flag of each peer to the number
     * of the round, and then makes the stream wait until all own flags have reached this number, compared with signs.
     *
     * @param peers  address of the addresses of the peers' flags, which are longs.
     * @param flags  address of the addresses of the own flags.
     * @param rounds address of the number of the last round, once for each peer, which the kernel counts up.
     * @param abort  as in {@link #waitUntilInt}.
     */
    void barrier(
        final long peers,
        final long flags,
        final long rounds,
        final int count,
        final long abort,
        final long stream)
    {
        if (0 == count)
        {
            return;
        }

        final KernelArguments arguments = KernelArguments.begin()
            .add(peers)
            .add(flags)
            .add(rounds)
            .add(count)
            .add(abort);
        driver.launchKernel(barrier, 1, Math.min(count, MAX_FLAG_THREADS), 0, stream, arguments.address());
    }

    /**
     * Copies elements at strides: element e of block b from {@code source + b * sourceBlock + e * sourceElement} to
     * {@code dest + b * destBlock + e * destElement}.
     *
     * @param destBlock     stride of blocks in bytes, like all strides; negative ones are allowed.
     * @param sourceElement may be 0, which repeats the element.
     * @param elementBytes  any length; addresses need no alignment.
     */
    void stridedCopy(
        final long dest,
        final long destBlock,
        final long destElement,
        final long source,
        final long sourceBlock,
        final long sourceElement,
        final long blocks,
        final long elements,
        final int elementBytes,
        final long stream)
    {
        // The largest power of two that divides all of them: a unit is copied in one access, which must be aligned.
        final long all = dest | destBlock | destElement | source | sourceBlock | sourceElement | elementBytes;
        final int unitShift = Long.numberOfTrailingZeros(all | LARGEST_UNIT);
        final long units = elementBytes >> unitShift;
        final KernelArguments arguments = KernelArguments.begin()
            .add(dest)
            .add(destBlock)
            .add(destElement)
            .add(source)
            .add(sourceBlock)
            .add(sourceElement)
            .add(blocks)
            .add(elements)
            .add(units);
        launch(stridedCopy[unitShift], blocks * elements * units, stream, arguments);
    }

    private void launch(final long function, final long items, final long stream, final KernelArguments arguments)
    {
        if (0 != items)
        {
            final long blocks = Math.min((items + BLOCK_THREADS - 1) / BLOCK_THREADS, maxBlocks);
            driver.launchKernel(function, (int)blocks, BLOCK_THREADS, 0, stream, arguments.address());
        }
    }
}
