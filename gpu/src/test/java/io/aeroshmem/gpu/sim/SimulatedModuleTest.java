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
package io.aeroshmem.gpu.sim;

import static io.aeroshmem.gpu.sim.SimulatedDriver.*;
import static jcuda.driver.CUresult.*;
import static jcuda.driver.JCudaDriver.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;

import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("kernels")
class SimulatedModuleTest extends SimulatedContext
{
    private static final String HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n";

    private CUmodule module;

    @BeforeEach
    void loadKernels()
    {
        module = loadTestKernels();
    }

    @Test
    void shouldExecuteEachThreadOfAGridOnce()
    {
        final int[] zeros = new int[2 * 3 * 4 * 5 * 6 * 7];
        final CUdeviceptr memory = allocateInts(zeros);
        final Pointer values = Pointer.to(Pointer.to(memory));
        check(cuLaunchKernel(function("sim_test_indexes"), 2, 3, 4, 5, 6, 7, 0, null, values, null));
        final int[] ones = new int[zeros.length];
        Arrays.fill(ones, 1);
        assertArrayEquals(ones, readInts(memory, ones.length));
    }

    @Test
    void shouldPassParametersOfAllSizes()
    {
        final CUdeviceptr memory = allocate(6 * Double.BYTES);
        final ByteBuffer point = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        point.putInt(0, -5).putDouble(8, 0.25);
        check(launch(function("sim_test_parameters"), 1, 1, null, Pointer.to(memory), Pointer.to(new byte[]{-3}),
            Pointer.to(new short[]{-300}), Pointer.to(new float[]{1.5f}), Pointer.to(new double[]{-2.5}),
            Pointer.to(point)));
        final double[] values = new double[6];
        check(cuMemcpyDtoH(Pointer.to(values), memory, 6 * Double.BYTES));
        assertArrayEquals(new double[]{-3, -300, 1.5, -2.5, -5, 0.25}, values);
    }

    @Test
    void shouldPassParametersInABuffer()
    {
        final CUdeviceptr memory = allocateInts(0, 0);
        final ByteBuffer buffer = ByteBuffer.allocateDirect(24).order(ByteOrder.nativeOrder());
        buffer.putLong(0, address(memory)).putInt(8, 3).putLong(16, 2);
        final Pointer extra = Pointer.to(
            CU_LAUNCH_PARAM_BUFFER_POINTER, Pointer.to(buffer), CU_LAUNCH_PARAM_BUFFER_SIZE,
            Pointer.to(new long[]{24}), CU_LAUNCH_PARAM_END);
        check(cuLaunchKernel(function("sim_test_fill"), 1, 1, 1, 2, 1, 1, 0, null, null, extra));
        assertArrayEquals(new int[]{3, 4}, readInts(memory, 2));
    }

    @Test
    void shouldRunThreadsOfABlockConcurrently()
    {
        final int[] values = IntStream.range(0, 4 * 256).toArray();
        final CUdeviceptr source = allocateInts(values);
        final CUdeviceptr dest = allocateInts(0, 0, 0, 0);
        check(launch(function("sim_test_block_sum"), 4, 256, null, Pointer.to(dest), Pointer.to(source)));
        final int[] sums = IntStream.range(0, 4)
            .map((block) -> IntStream.range(256 * block, 256 * (block + 1)).sum()).toArray();
        assertArrayEquals(sums, readInts(dest, 4));
    }

    @Test
    void shouldGiveABlockDynamicSharedMemory()
    {
        final CUdeviceptr memory = allocateInts(IntStream.range(0, 100).toArray());
        check(cuLaunchKernel(function("sim_test_reverse"), 1, 1, 1, 100, 1, 1, 400, null,
            Pointer.to(Pointer.to(memory)), null));
        assertArrayEquals(IntStream.range(0, 100).map((i) -> 99 - i).toArray(), readInts(memory, 100));
    }

    @Test
    void shouldExchangeValuesWithinAWarp()
    {
        final CUdeviceptr memory = allocate(64 * 16);
        check(launch(function("sim_test_warp"), 1, 64, null, Pointer.to(memory)));
        final int[] values = readInts(memory, 64 * 4);
        for (int thread = 0; thread < 64; thread++)
        {
            final int lane = thread % 32;
            assertArrayEquals(new int[]{31 * 32 / 2, 0xaaaaaaaa, 50, Math.min(lane + 1, 31)},
                Arrays.copyOfRange(values, 4 * thread, 4 * thread + 4), "thread " + thread);
        }
    }

    @Test
    void shouldAggregateOverTheActiveLanes()
    {
        final CUdeviceptr counter = allocateInts(0);
        final CUdeviceptr places = allocateInts(new int[4 * 100]);
        check(launch(function("sim_test_aggregate"), 4, 100, null, Pointer.to(counter), Pointer.to(places)));
        assertEquals(400, readInts(counter, 1)[0]);
        final int[] ones = new int[400];
        Arrays.fill(ones, 1);
        assertArrayEquals(ones, readInts(places, 400));
    }

    @Test
    void shouldRunBlocksOfACooperativeLaunchConcurrently()
    {
        final CUfunction function = function("sim_test_grid_barrier");
        final int[] blocks = new int[1];
        check(cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, 64, 0));
        assertEquals(16, blocks[0]);
        final CUdeviceptr words = allocateInts(0, 0);
        final Pointer values = Pointer.to(Pointer.to(words), Pointer.to(words.withByteOffset(4)));
        check(cuLaunchCooperativeKernel(function, 8, 1, 1, 64, 1, 1, 0, null, values));
        assertArrayEquals(new int[]{8, 8 * 64}, readInts(words, 2));
        expect(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            cuLaunchCooperativeKernel(function, 33, 1, 1, 64, 1, 1, 0, null, values));
    }

    /** PTX has no kernels that are not concurrent: where it has a barrier, the threads run at the same time. */
    @Test
    void shouldPassABarrierInAKernelThatIsNotConcurrent()
    {
        final CUfunction barrier = function("sim_test_not_concurrent");
        for (int threads = 1; threads <= (isOfPtx() ? 2 : 1); threads++)
        {
            check(launch(barrier, 1, threads, null));
            check(cuCtxSynchronize());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "not-concurrent, CUDA_ERROR_LAUNCH_FAILED",
        "freed, CUDA_ERROR_ILLEGAL_ADDRESS",
        "not-registered, CUDA_ERROR_ILLEGAL_ADDRESS",
        "misaligned, CUDA_ERROR_MISALIGNED_ADDRESS"})
    void shouldEndAllContextsOfTheProcessByAFault(final String kernel, final String error)
    {
        assumeFalse(isOfPtx() && "not-concurrent".equals(kernel));
        try (ChildJvm child = ChildJvm.start(DriverScenario.class, Map.of(), "fault", kernel))
        {
            for (final String call : new String[]{
                "synchronised", "copied", "allocated", "launched", "other context", "new context", "primary context"})
            {
                assertEquals(error, child.await(call), call);
            }

            assertEquals("1", child.await("faults"));
            assertEquals(0, child.exitCode());
        }
    }

    @Test
    void shouldCountAtomicOperationsOnHostMemory()
    {
        final CUfunction add = function("sim_test_add");
        final Pointer host = new Pointer();
        check(cuMemAllocHost(host, 4));
        ints(host, 1).put(0, 10);
        final CUdeviceptr device = new CUdeviceptr();
        check(cuMemHostGetDevicePointer(device, host, 0));
        check(launch(add, 1, 5, null, Pointer.to(device), Pointer.to(new int[]{2})));
        check(launch(add, 1, 5, null, Pointer.to(allocateInts(0)), Pointer.to(new int[]{2})));
        check(cuCtxSynchronize());
        assertEquals(20, ints(host, 1).get(0));
        assertEquals(5, count(HOST_ATOMICS));
    }

    @Test
    void shouldKeepAVariablePerModule()
    {
        final CUmodule other = loadTestKernels();
        check(launch(function("sim_test_count_in_module"), 1, 3, null));
        check(launch(function(other, "sim_test_count_in_module"), 1, 5, null));
        assertEquals(3, counter(module));
        assertEquals(5, counter(other));
        expect(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(new CUdeviceptr(), new long[1], module, "another"));
        check(cuModuleUnload(other));
        expect(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(other));
    }

    @Test
    void shouldRejectInvalidLaunches()
    {
        final CUfunction fill = function("sim_test_fill");
        final Pointer values =
            Pointer.to(Pointer.to(allocateInts(0)), Pointer.to(new int[1]), Pointer.to(new long[1]));
        expect(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(fill, 0, 1, 1, 1, 1, 1, 0, null, values, null));
        expect(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(fill, 1, 1, 1, 1025, 1, 1, 0, null, values, null));
        expect(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(fill, 1, 65536, 1, 1, 1, 1, 0, null, values, null));
        expect(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 49153, null, values, null));
        expect(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, null, null, null));
        expect(CUDA_ERROR_INVALID_HANDLE,
            cuLaunchKernel(new CUfunction(), 1, 1, 1, 1, 1, 1, 0, null, values, null));

        final CUcontext other = new CUcontext();
        check(cuCtxCreate(other, 0, device(0)));
        final CUstream stream = createStream();
        expect(CUDA_ERROR_INVALID_CONTEXT, cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, null, values, null));
        check(cuCtxSetCurrent(context));
        expect(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, stream, values, null));
        check(cuCtxDestroy(other));
    }

    @Test
    void shouldRejectInvalidImages()
    {
        expect(CUDA_ERROR_INVALID_IMAGE, load("neither PTX nor a binary"));
        expect(CUDA_ERROR_INVALID_PTX, load(".version 8.0\n.visible .entry f("));
        expect(CUDA_ERROR_INVALID_PTX, load(".version 8.0\n"));
        check(load(HEAD.replace("8.0", "9.0")));
        expect(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, load(HEAD.replace("8.0", "9.1")));
        expect(CUDA_ERROR_NO_BINARY_FOR_GPU, load(HEAD.replace("sm_75", "sm_100")));
        expect(CUDA_ERROR_NO_BINARY_FOR_GPU, load("\u007fELF"));
        expect(CUDA_SUCCESS, load(HEAD));
    }

    @Test
    void shouldFindFunctionsOfBothPtxAndKernelLibrary()
    {
        expect(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(new CUfunction(), module, "absent"));
        final CUmodule handmade = new CUmodule();
        check(cuModuleLoadData(handmade, HEAD +
            ".visible .entry not_compiled(.param .u64 a) { ret; }\n" +
            ".visible .entry sim_test_add(.param .u64 .ptr .global .align 4 a) { ret; }\n" +
            ".visible .entry sim_test_wait(.param .u64 a, .param .u64 b) .maxntid 8, 4, 1 { ret; }\n" +
            ".global .align 4 .u32 hidden = 5;\n" +
            ".visible .global .align 2 .b8 bytes[5] = {1, 2, 255};\n"));
        expect(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(new CUfunction(), handmade, "not_compiled"));
        expect(CUDA_ERROR_INVALID_IMAGE, cuModuleGetFunction(new CUfunction(), handmade, "sim_test_add"));
        final CUfunction wait = function(handmade, "sim_test_wait");
        final int[] threads = new int[1];
        check(cuFuncGetAttribute(
            threads, CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, wait));
        assertEquals(32, threads[0]);

        final CUdeviceptr address = new CUdeviceptr();
        final long[] size = new long[1];
        expect(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(address, size, handmade, "hidden"));
        check(cuModuleGetGlobal(address, size, handmade, "bytes"));
        assertEquals(5, size[0]);
        final byte[] bytes = new byte[5];
        check(cuMemcpyDtoH(Pointer.to(bytes), address, 5));
        assertArrayEquals(new byte[]{1, 2, -1, 0, 0}, bytes);
    }

    @Test
    void shouldLimitOccupancy()
    {
        final CUfunction fill = function("sim_test_fill");
        assertEquals(1, activeBlocks(fill, 1024, 0));
        assertEquals(4, activeBlocks(fill, 256, 0));
        assertEquals(16, activeBlocks(fill, 1, 0));
        assertEquals(3, activeBlocks(fill, 32, 16 << 10));
        final int[] grid = new int[1];
        final int[] block = new int[1];
        check(cuOccupancyMaxPotentialBlockSize(grid, block, fill, null, 0, 0));
        assertEquals(1024, block[0]);
        assertEquals(2, grid[0]);
    }

    private CUfunction function(final String name)
    {
        return function(module, name);
    }

    private static int activeBlocks(final CUfunction function, final int threads, final long sharedBytes)
    {
        final int[] blocks = new int[1];
        check(cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, sharedBytes));
        return blocks[0];
    }

    private static long counter(final CUmodule module)
    {
        final CUdeviceptr address = new CUdeviceptr();
        final long[] size = new long[1];
        check(cuModuleGetGlobal(address, size, module, "sim_test_counter"));
        assertEquals(Long.BYTES, size[0]);
        final long[] value = new long[1];
        check(cuMemcpyDtoH(Pointer.to(value), address, Long.BYTES));
        return value[0];
    }

    private static int load(final String text)
    {
        return cuModuleLoadData(new CUmodule(), (text + '\0').getBytes(StandardCharsets.ISO_8859_1));
    }
}
