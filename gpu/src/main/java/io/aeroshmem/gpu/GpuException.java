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

import io.aeroshmem.ShmemException;

/**
 * Failure of the GPU module, in one of these cases:
 * <ul>
 *     <li>CUDA cannot be used at all: there is no {@code libcuda.so.1} or no device, or the driver is too old.</li>
 *     <li>A call of CUDA has failed.</li>
 *     <li>The {@link Gpu} of a PE cannot be set up.</li>
 *     <li>The {@link Gpu} of a PE was closed before the program had finalised its modules and freed its
 *     allocations.</li>
 *     <li>An operation on a stream, or a call of the device-side API in a kernel, has failed.</li>
 * </ul>
 * The message names the failed call or operation, the error and, if it is known, the remedy.
 */
public final class GpuException extends ShmemException
{
    private static final long serialVersionUID = 1L;

    /** The CUresult of the call. */
    private final int cuResult;

    /**
     * Constructs the exception of an error that no call of CUDA returned.
     *
     * @param message the error and its remedy.
     * @param cause   of it, or null.
     */
    GpuException(final String message, final Throwable cause)
    {
        super(message, cause);
        cuResult = 0;
    }

    /**
     * Constructs the exception of a call of CUDA.
     *
     * @param call   its name.
     * @param result it returned.
     * @param name   of the result.
     */
    GpuException(final String call, final int result, final String name)
    {
        this(call, result, name, "");
    }

    /**
     * Constructs the exception of a call of CUDA.
     *
     * @param call   its name.
     * @param result it returned.
     * @param name   of the result.
     * @param log    what the driver has said beside the result; may be empty.
     */
    GpuException(final String call, final int result, final String name, final String log)
    {
        super(call + " failed: " + name + " (" + result + ")" + remedy(result) + log);
        cuResult = result;
    }

    /**
     * Returns the error code of the CUDA driver API.
     *
     * @return the CUresult, or 0 if the error is not one of a CUDA call.
     */
    public int cuResult()
    {
        return cuResult;
    }

    /** The remedies of errors that users can meet; most others are errors of a program. */
    private static String remedy(final int result)
    {
        return switch (result)
        {
            case CudaResult.OUT_OF_MEMORY ->
                ": the device has too little free memory; lower aeroshmem.gpu.heap.size, or end other programs";
            case CudaResult.STUB_LIBRARY ->
                ": libcuda.so.1 is the stub of the toolkit; put the driver's library first in LD_LIBRARY_PATH";
            case CudaResult.DEVICE_UNAVAILABLE ->
                ": another process holds the device in exclusive mode, or the device was lost; see nvidia-smi";
            case CudaResult.NO_DEVICE -> ": no device is visible; check nvidia-smi and CUDA_VISIBLE_DEVICES";
            case CudaResult.INVALID_DEVICE -> ": there is no device of that number; see nvidia-smi -L";
            case CudaResult.INVALID_CONTEXT -> ": the CUDA context was destroyed, or none is current";
            case CudaResult.NO_BINARY_FOR_GPU ->
                ": the kernels require a device of compute capability 7.5 or later";
            case CudaResult.UNSUPPORTED_PTX_VERSION ->
                ": nvcc is newer than the driver; use nvcc -cubin or -fatbin for the device, or update the driver";
            case CudaResult.JIT_COMPILER_NOT_FOUND ->
                ": libnvidia-ptxjitcompiler.so.1, a part of the driver, is missing";
            case CudaResult.OPERATING_SYSTEM ->
                ": the operating system refused; check the limit of locked memory (ulimit -l)";
            case CudaResult.ILLEGAL_ADDRESS, CudaResult.LAUNCH_FAILED ->
                ": a kernel failed; the context is unusable until the process ends";
            case CudaResult.LAUNCH_OUT_OF_RESOURCES ->
                ": a block of so many threads lacks registers; use __launch_bounds__(1024) or nvcc -maxrregcount=64";
            case CudaResult.PEER_ACCESS_UNSUPPORTED -> ": the devices have no peer access; see nvidia-smi topo -p2p r";
            case CudaResult.NOT_PERMITTED ->
                ": not allowed here, such as a call of CUDA in a host function of a stream";
            case CudaResult.NOT_SUPPORTED -> ": the device or its driver lacks the function";
            case CudaResult.SYSTEM_DRIVER_MISMATCH ->
                ": the library and the kernel module of the driver differ; reboot after an update of the driver";
            default -> "";
        };
    }
}
