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

import jcuda.Pointer;

/**
 * The GPU module's only access to CUDA: the functions of the driver API that the module calls. A method has the name of
 * its function, without {@code cu}. {@link #deviceGetAttributeOr} and {@link #moduleGetGlobalSize} are variants of such
 * functions.
 * <ul>
 *     <li>A device is an int. Handles of contexts, streams, modules and functions, and addresses of host and device
 *     memory, are longs.</li>
 *     <li>0 is the null handle. As the handle of a stream, 0 is the legacy default stream.</li>
 *     <li>The source and the destination of a copy may each be in host memory or in device memory.</li>
 *     <li>A method throws {@link GpuException} if its call fails. A result code that answers a query, such as that of
 *     {@link #streamQuery}, is not a failure.</li>
 *     <li>Methods are thread-safe, as CUDA's calls are. Calls that need a context use the context that is current on
 *     the calling thread.</li>
 * </ul>
 */
interface CudaDriver
{
    /** Returns the version of CUDA that the driver supports: 1000 times the major plus 10 times the minor one. */
    int driverGetVersion();

    int deviceGetCount();

    int deviceGet(int ordinal);

    String deviceGetName(int device);

    /** Returns 16 bytes. */
    byte[] deviceGetUuid(int device);

    int deviceGetAttribute(int attribute, int device);

    /** Returns the value of an attribute, or {@code otherwise} if the driver does not know the attribute. */
    int deviceGetAttributeOr(int attribute, int device, int otherwise);

    /** Returns bytes. */
    long deviceTotalMem(int device);

    boolean deviceCanAccessPeer(int device, int peerDevice);

    int deviceGetP2pAttribute(int attribute, int device, int peerDevice);

    /** Returns the context. */
    long devicePrimaryCtxRetain(int device);

    void devicePrimaryCtxRelease(int device);

    void ctxPushCurrent(long context);

    /** Returns the context that was current. */
    long ctxPopCurrent();

    /** Returns 0 if there is none. */
    long ctxGetCurrent();

    /** Returns the device of the current context. */
    int ctxGetDevice();

    void ctxSynchronize();

    /** Enables access to allocations of a context of another device; no effect if it is enabled already. */
    void ctxEnablePeerAccess(long peerContext);

    /** Returns the address. */
    long memAlloc(long bytes);

    void memFree(long address);

    void memHostRegister(long address, long bytes, int flags);

    void memHostUnregister(long address);

    /** Returns the address by which the device reaches registered host memory. */
    long memHostGetDevicePointer(long address);

    void memcpy(long dest, long source, long bytes);

    void memcpyAsync(long dest, long source, long bytes, long stream);

    /**
     * Copies rows.
     *
     * @param destPitch   bytes from one row to the next, at least the width.
     * @param sourcePitch the same.
     */
    void memcpy2dAsync(
        long dest, long destPitch, long source, long sourcePitch, long widthBytes, long rows, long stream);

    /** Enqueued on the legacy default stream, with which non-blocking streams must be synchronised explicitly. */
    void memsetD8(long dest, byte value, long bytes);

    void memsetD8Async(long dest, byte value, long bytes, long stream);

    /** Stores 16-bit values at a multiple of 2. */
    void memsetD16Async(long dest, short value, long count, long stream);

    /** Stores 32-bit values at a multiple of 4. */
    void memsetD32Async(long dest, int value, long count, long stream);

    /** Returns an attribute that is at most 64 bits wide, such as an address or an ordinal. */
    long pointerGetAttribute(int attribute, long address);

    /** Returns the stream. */
    long streamCreate(int flags);

    /**
     * Returns the stream.
     *
     * @param priority lower numbers take precedence; one out of the device's range stands for the nearest in it.
     */
    long streamCreateWithPriority(int flags, int priority);

    void streamDestroy(long stream);

    void streamSynchronize(long stream);

    /** Returns whether all operations of the stream are complete. */
    boolean streamQuery(long stream);

    /** Returns whether operations are captured into a graph, or would be if the capture had not become invalid. */
    boolean streamIsCapturing(long stream);

    /** Makes the stream store a value, after a fence at system scope that covers its earlier operations. */
    void streamWriteValue64(long stream, long address, long value);

    /**
     * Makes the stream wait until a word compares with a value.
     *
     * @param comparison one of {@link CudaConstants#STREAM_WAIT_VALUE_EQ} and
     *                   {@link CudaConstants#STREAM_WAIT_VALUE_GEQ}, which is cyclic: (word - value) >= 0.
     */
    void streamWaitValue64(long stream, long address, long value, int comparison);

    /** Copies the handle, of {@link CudaConstants#IPC_MEM_HANDLE_BYTES} bytes, of the allocation at an address. */
    void ipcGetMemHandle(byte[] handle, long address);

    /** Returns the address of an allocation of another process. */
    long ipcOpenMemHandle(byte[] handle, int flags);

    void ipcCloseMemHandle(long address);

    /** Loads a module: PTX that ends with a zero byte, or a cubin. Returns the module. */
    long moduleLoadData(byte[] image);

    void moduleUnload(long module);

    /** Returns the function. */
    long moduleGetFunction(long module, String name);

    /** Returns the address of a global variable, or 0 if the module has none of the name. */
    long moduleGetGlobal(long module, String name);

    /** Returns the length in bytes of a global variable, which the module has. */
    long moduleGetGlobalSize(long module, String name);

    int funcGetAttribute(int attribute, long function);

    int occupancyMaxActiveBlocksPerMultiprocessor(long function, int blockThreads, long sharedBytes);

    /**
     * Launches a kernel in a grid of one dimension.
     *
     * @param parameters address of an array of the addresses of the parameters, which the call reads.
     */
    void launchKernel(long function, int blocks, int blockThreads, int sharedBytes, long stream, long parameters);

    /** Launches a kernel of a user, all blocks of which run at the same time. */
    void launchCooperativeKernel(
        long function,
        int gridX,
        int gridY,
        int gridZ,
        int blockX,
        int blockY,
        int blockZ,
        int sharedBytes,
        long stream,
        Pointer parameters);
}
