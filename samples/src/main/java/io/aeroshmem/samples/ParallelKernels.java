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
package io.aeroshmem.samples;

import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Sample of three of the Parallel Research Kernels (PRK). The result of each kernel is compared with its closed form,
 * as in the original. PE 0 prints the rate of each kernel as the original defines it. The first iteration is not timed.
 * <ul>
 *     <li>{@code stencil}: a star of radius 2 on a square grid, whose rows are divided between the PEs;</li>
 *     <li>{@code wavefront}: a pipeline, called {@code Synch_p2p} in the PRK, in which each row of a PE waits for the
 *     same row of the PE to its left;</li>
 *     <li>{@code transposition}: the transpose of a square matrix, whose columns are divided between the PEs.</li>
 * </ul>
 * <pre>
 * aeroshmem run -n 4 io.aeroshmem.samples.ParallelKernels [--iterations=N] [--side=N] [NAME ...]
 * </pre>
 */
public final class ParallelKernels
{
    private static final List<String> NAMES = List.of("stencil", "wavefront", "transposition");
    private static final String ITERATIONS_OPTION = "--iterations";
    private static final String SIDE_OPTION = "--side";
    private static final int ITERATIONS = 200;
    private static final int SIDE = 1024;
    private static final double EPSILON = 1e-8;

    /** One kernel on one PE. */
    interface Kernel
    {
        /** Performs an iteration, from 0. Collective over the job, and not necessarily complete on other PEs. */
        void iterate(int iteration);

        /** Returns the work of an iteration of all PEs: floating-point operations, or bytes. */
        double work();

        /** Returns the relative error of this PE after so many iterations. */
        double error(int iterations);

        /** Frees the memory of the kernel. Collective over the job. */
        void free();
    }

    private ParallelKernels()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        final List<String> names = Arrays.stream(args).filter((arg) -> !arg.startsWith("--")).toList();
        SampleArguments.require(args, NAMES, List.of(ITERATIONS_OPTION + "=", SIDE_OPTION + "="));
        final int iterations = SampleArguments.option(args, ITERATIONS_OPTION, ITERATIONS, 1_000_000);
        final int side = SampleArguments.option(args, SIDE_OPTION, SIDE, 1 << 14);
        final Shmem.Context context = new Shmem.Context();
        context.heapSize(Math.max(context.heapSize(), heapSize(side)));
        Shmem.run(context, (shmem) ->
        {
            for (final String name : names.isEmpty() ? NAMES : names)
            {
                final String report = run(shmem, name, iterations, side);
                if (0 == shmem.myPe())
                {
                    System.out.println(report);
                }
            }
        });
    }

    /** Returns the size in bytes of a heap that suffices for each number of PEs. */
    static long heapSize(final int side)
    {
        return 4L * side * side * Double.BYTES + (16L << 20);
    }

    /**
     * Runs a kernel, and returns its rate. Collective over the job.
     *
     * @param iterations that are timed.
     * @param side       of the grid or matrix, rounded up to a multiple of the number of PEs.
     * @throws IllegalStateException if a result is wrong.
     */
    static String run(final Shmem shmem, final String name, final int iterations, final int side)
    {
        final int width = (side + shmem.nPes() - 1) / shmem.nPes();
        final Kernel kernel = kernel(shmem, name, width);
        kernel.iterate(0);
        shmem.barrierAll();
        final long startNs = System.nanoTime();
        for (int i = 1; i <= iterations; i++)
        {
            kernel.iterate(i);
        }

        shmem.barrierAll();
        final double iterationNs = (double)(System.nanoTime() - startNs) / iterations;

        final double error = shmem.world().reduceDouble(ReduceOp.MAX, kernel.error(iterations + 1));
        if (!(error < EPSILON))
        {
            throw new IllegalStateException(name + " has a wrong result: relative error " + error);
        }

        kernel.free();
        return String.format(
            Locale.ROOT,
            "%s: %d iterations of %d x %d on %d PEs, %.3f ms each, %.1f %s",
            name,
            iterations,
            width * shmem.nPes(),
            width * shmem.nPes(),
            shmem.nPes(),
            iterationNs / 1e6,
            kernel.work() / iterationNs * 1e3,
            "transposition".equals(name) ? "MB/s" : "MFlop/s");
    }

    private static Kernel kernel(final Shmem shmem, final String name, final int width)
    {
        return switch (name)
        {
            case "stencil" -> new StencilKernel(shmem, width);
            case "wavefront" -> new WavefrontKernel(shmem, width);
            case "transposition" -> new TranspositionKernel(shmem, width);
            default -> throw new IllegalArgumentException("NAME must be one of " + NAMES + ": '" + name + "'");
        };
    }
}
