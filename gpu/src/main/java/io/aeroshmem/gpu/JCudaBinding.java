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

import io.aeroshmem.transport.PerThread;
import jcuda.CudaException;
import jcuda.Pointer;
import jcuda.driver.CUjit_option;
import jcuda.driver.CUresult;
import jcuda.driver.CUuuid;
import jcuda.driver.JCudaDriver;
import jcuda.driver.JITOptions;

import java.nio.charset.StandardCharsets;

/**
 * The binding of {@link CudaDriver} to JCuda's driver API. It is loaded when the JVM creates its first {@code Gpu}, or
 * first reports on the devices of the host. The library loads no class of JCuda earlier.
 * <p>
 * The binding checks result codes. It does not change JCuda's process-wide settings. If a program has enabled JCuda's
 * exceptions, the binding recovers the code from the exception.
 * <p>
 * A call reuses the {@link JCudaHandles} of its thread, and passes its arguments to JCuda through a lambda that
 * captures nothing. So only a few calls allocate Java objects: those that query the name or the UUID of a device, load
 * a module, look up a name in a module, or launch a cooperative kernel.
 */
final class JCudaBinding implements CudaDriver
{
    /** The oldest supported version of CUDA: that of the PTX of the kernels and of the functions that are called. */
    private static final int OLDEST_VERSION = 12_000;
    private static final int MAX_NAME_BYTES = 256;
    private static final int LAST_RESULT = 1_000;
    /** Length of each log of the compiler of PTX. */
    private static final int LOG_BYTES = 8 << 10;
    private static final String LIBRARY = "libcuda.so.1";

    private static final PerThread<JCudaHandles> HANDLES = new PerThread<>(JCudaHandles::new);

    private static JCudaBinding instance;
    /** Reason of the first failure to load the library; the JVM does not report it again. */
    private static String reason;

    private JCudaBinding()
    {
    }

    /**
     * Returns the binding, after it has initialised CUDA.
     *
     * @throws GpuException if there is no driver or no device, or the driver is too old.
     */
    static synchronized CudaDriver load()
    {
        if (null == instance)
        {
            JCudaLibrary.extract();
            try
            {
                final JCudaBinding binding = new JCudaBinding();
                // Before any other function: an older library lacks some, and to call one of them ends the process.
                checkVersion(binding.driverGetVersion());
                call("cuInit", (handles, a, b, c) -> JCudaDriver.cuInit(0));
                instance = binding;
            }
            catch (final LinkageError ex)
            {
                reason = null == reason ? reason(ex) : reason;
                throw new GpuException(
                    "the CUDA driver cannot be loaded; install the driver of NVIDIA, or run without a GPU: " +
                    reason, ex);
            }
        }

        return instance;
    }

    private static void checkVersion(final int version)
    {
        if (version < OLDEST_VERSION)
        {
            throw new GpuException(
                "the driver must support CUDA >= 12.0: " + version / 1000 + "." + version % 1000 / 10, null);
        }
    }

    /** Returns the line of the dynamic linker from the message of JCuda, which contains stack traces. */
    private static String reason(final LinkageError error)
    {
        for (Throwable cause = error; null != cause; cause = cause.getCause())
        {
            for (final String line : String.valueOf(cause.getMessage()).split("\n"))
            {
                final int start = line.indexOf(LIBRARY);
                if (start >= 0)
                {
                    return line.substring(start).trim();
                }
            }
        }

        return String.valueOf(error.getMessage()).split("\n")[0];
    }

    @Override
    public int driverGetVersion()
    {
        return call("cuDriverGetVersion", (handles, a, b, c) -> JCudaDriver.cuDriverGetVersion(handles.anInt)).anInt[0];
    }

    @Override
    public int deviceGetCount()
    {
        return call("cuDeviceGetCount", (handles, a, b, c) -> JCudaDriver.cuDeviceGetCount(handles.anInt)).anInt[0];
    }

    @Override
    public int deviceGet(final int ordinal)
    {
        return (int)JCudaHandles.handleOf(call(
            "cuDeviceGet", (handles, a, b, c) -> JCudaDriver.cuDeviceGet(handles.device, (int)a), ordinal).device);
    }

    @Override
    public String deviceGetName(final int device)
    {
        final byte[] name = new byte[MAX_NAME_BYTES];
        call(
            "cuDeviceGetName",
            (handles, a, b, c) -> JCudaDriver.cuDeviceGetName(name, name.length, handles.device(a)),
            device);
        int length = 0;
        while (length < name.length && 0 != name[length])
        {
            length++;
        }

        return new String(name, 0, length, StandardCharsets.UTF_8);
    }

    @Override
    public byte[] deviceGetUuid(final int device)
    {
        final CUuuid uuid = new CUuuid();
        call("cuDeviceGetUuid", (handles, a, b, c) -> JCudaDriver.cuDeviceGetUuid(uuid, handles.device(a)), device);
        return uuid.bytes;
    }

    @Override
    public int deviceGetAttribute(final int attribute, final int device)
    {
        return call("cuDeviceGetAttribute", JCudaBinding::attributeOf, attribute, device).anInt[0];
    }

    @Override
    public int deviceGetAttributeOr(final int attribute, final int device, final int otherwise)
    {
        final JCudaHandles handles = HANDLES.get();
        final int result = invoke(JCudaBinding::attributeOf, handles, attribute, device, 0);
        if (CudaResult.INVALID_VALUE == result)
        {
            return otherwise;
        }

        check("cuDeviceGetAttribute", result);
        return handles.anInt[0];
    }

    private static int attributeOf(final JCudaHandles handles, final long attribute, final long device, final long c)
    {
        return JCudaDriver.cuDeviceGetAttribute(handles.anInt, (int)attribute, handles.device(device));
    }

    @Override
    public long deviceTotalMem(final int device)
    {
        return call(
            "cuDeviceTotalMem",
            (handles, a, b, c) -> JCudaDriver.cuDeviceTotalMem(handles.aLong, handles.device(a)),
            device).aLong[0];
    }

    @Override
    public boolean deviceCanAccessPeer(final int device, final int peerDevice)
    {
        return 0 != call(
            "cuDeviceCanAccessPeer",
            (handles, a, b, c) ->
                JCudaDriver.cuDeviceCanAccessPeer(handles.anInt, handles.device(a), handles.peerDevice(b)),
            device,
            peerDevice).anInt[0];
    }

    @Override
    public int deviceGetP2pAttribute(final int attribute, final int device, final int peerDevice)
    {
        return call(
            "cuDeviceGetP2PAttribute",
            (handles, a, b, c) -> JCudaDriver.cuDeviceGetP2PAttribute(
                handles.anInt, (int)a, handles.device(b), handles.peerDevice(c)),
            attribute,
            device,
            peerDevice).anInt[0];
    }

    @Override
    public long devicePrimaryCtxRetain(final int device)
    {
        return JCudaHandles.handleOf(call(
            "cuDevicePrimaryCtxRetain",
            (handles, a, b, c) -> JCudaDriver.cuDevicePrimaryCtxRetain(handles.context, handles.device(a)),
            device).context);
    }

    @Override
    public void devicePrimaryCtxRelease(final int device)
    {
        call(
            "cuDevicePrimaryCtxRelease",
            (handles, a, b, c) -> JCudaDriver.cuDevicePrimaryCtxRelease(handles.device(a)),
            device);
    }

    @Override
    public void ctxPushCurrent(final long context)
    {
        call(
            "cuCtxPushCurrent", (handles, a, b, c) -> JCudaDriver.cuCtxPushCurrent(handles.context(a)), context);
    }

    @Override
    public long ctxPopCurrent()
    {
        return JCudaHandles.handleOf(call(
            "cuCtxPopCurrent", (handles, a, b, c) -> JCudaDriver.cuCtxPopCurrent(handles.context(0))).context);
    }

    @Override
    public long ctxGetCurrent()
    {
        return JCudaHandles.handleOf(call(
            "cuCtxGetCurrent", (handles, a, b, c) -> JCudaDriver.cuCtxGetCurrent(handles.context(0))).context);
    }

    @Override
    public int ctxGetDevice()
    {
        return (int)JCudaHandles.handleOf(call(
            "cuCtxGetDevice", (handles, a, b, c) -> JCudaDriver.cuCtxGetDevice(handles.device)).device);
    }

    @Override
    public void ctxSynchronize()
    {
        call("cuCtxSynchronize", (handles, a, b, c) -> JCudaDriver.cuCtxSynchronize());
    }

    @Override
    public void ctxEnablePeerAccess(final long peerContext)
    {
        final int result = invoke(
            (handles, a, b, c) -> JCudaDriver.cuCtxEnablePeerAccess(handles.context(a), 0),
            HANDLES.get(),
            peerContext,
            0,
            0);
        if (CudaResult.PEER_ACCESS_ALREADY_ENABLED != result)
        {
            check("cuCtxEnablePeerAccess", result);
        }
    }

    @Override
    public long memAlloc(final long bytes)
    {
        return JCudaHandles.handleOf(call(
            "cuMemAlloc", (handles, a, b, c) -> JCudaDriver.cuMemAlloc(handles.address, a), bytes).address);
    }

    @Override
    public void memFree(final long address)
    {
        call("cuMemFree", (handles, a, b, c) -> JCudaDriver.cuMemFree(handles.address(a)), address);
    }

    @Override
    public void memHostRegister(final long address, final long bytes, final int flags)
    {
        call(
            "cuMemHostRegister",
            (handles, a, b, c) -> JCudaDriver.cuMemHostRegister(handles.hostAddress(a), b, (int)c),
            address,
            bytes,
            flags);
    }

    @Override
    public void memHostUnregister(final long address)
    {
        call(
            "cuMemHostUnregister",
            (handles, a, b, c) -> JCudaDriver.cuMemHostUnregister(handles.hostAddress(a)),
            address);
    }

    @Override
    public long memHostGetDevicePointer(final long address)
    {
        return JCudaHandles.handleOf(call(
            "cuMemHostGetDevicePointer",
            (handles, a, b, c) -> JCudaDriver.cuMemHostGetDevicePointer(handles.address, handles.hostAddress(a), 0),
            address).address);
    }

    @Override
    public void memcpy(final long dest, final long source, final long bytes)
    {
        call(
            "cuMemcpy",
            (handles, a, b, c) -> JCudaDriver.cuMemcpy(handles.address(a), handles.source(b), c),
            dest,
            source,
            bytes);
    }

    @Override
    public void memcpyAsync(final long dest, final long source, final long bytes, final long stream)
    {
        HANDLES.get().stream(stream);
        call(
            "cuMemcpyAsync",
            (handles, a, b, c) -> JCudaDriver.cuMemcpyAsync(handles.address(a), handles.source(b), c, handles.stream),
            dest,
            source,
            bytes);
    }

    @Override
    public void memcpy2dAsync(
        final long dest,
        final long destPitch,
        final long source,
        final long sourcePitch,
        final long widthBytes,
        final long rows,
        final long stream)
    {
        HANDLES.get().rows(dest, destPitch, source, sourcePitch, widthBytes, rows);
        call(
            "cuMemcpy2DAsync",
            (handles, a, b, c) -> JCudaDriver.cuMemcpy2DAsync(handles.rows, handles.stream(a)),
            stream);
    }

    @Override
    public void memsetD8(final long dest, final byte value, final long bytes)
    {
        call(
            "cuMemsetD8",
            (handles, a, b, c) -> JCudaDriver.cuMemsetD8(handles.address(a), (byte)b, c),
            dest,
            value,
            bytes);
    }

    @Override
    public void memsetD8Async(final long dest, final byte value, final long bytes, final long stream)
    {
        HANDLES.get().stream(stream);
        call(
            "cuMemsetD8Async",
            (handles, a, b, c) -> JCudaDriver.cuMemsetD8Async(handles.address(a), (byte)b, c, handles.stream),
            dest,
            value,
            bytes);
    }

    @Override
    public void memsetD16Async(final long dest, final short value, final long count, final long stream)
    {
        HANDLES.get().stream(stream);
        call(
            "cuMemsetD16Async",
            (handles, a, b, c) -> JCudaDriver.cuMemsetD16Async(handles.address(a), (short)b, c, handles.stream),
            dest,
            value,
            count);
    }

    @Override
    public void memsetD32Async(final long dest, final int value, final long count, final long stream)
    {
        HANDLES.get().stream(stream);
        call(
            "cuMemsetD32Async",
            (handles, a, b, c) -> JCudaDriver.cuMemsetD32Async(handles.address(a), (int)b, c, handles.stream),
            dest,
            value,
            count);
    }

    @Override
    public long pointerGetAttribute(final int attribute, final long address)
    {
        return call("cuPointerGetAttribute", JCudaBinding::pointerAttributeOf, attribute, address).attribute.getLong(0);
    }

    private static int pointerAttributeOf(
        final JCudaHandles handles, final long attribute, final long address, final long c)
    {
        handles.attribute.putLong(0, 0);
        return JCudaDriver.cuPointerGetAttribute(handles.attributePointer, (int)attribute, handles.address(address));
    }

    @Override
    public long streamCreate(final int flags)
    {
        return JCudaHandles.handleOf(call(
            "cuStreamCreate", (handles, a, b, c) -> JCudaDriver.cuStreamCreate(handles.stream, (int)a), flags).stream);
    }

    @Override
    public long streamCreateWithPriority(final int flags, final int priority)
    {
        return JCudaHandles.handleOf(call(
            "cuStreamCreateWithPriority",
            (handles, a, b, c) -> JCudaDriver.cuStreamCreateWithPriority(handles.stream, (int)a, (int)b),
            flags,
            priority).stream);
    }

    @Override
    public void streamDestroy(final long stream)
    {
        call("cuStreamDestroy", (handles, a, b, c) -> JCudaDriver.cuStreamDestroy(handles.stream(a)), stream);
    }

    @Override
    public void streamSynchronize(final long stream)
    {
        call("cuStreamSynchronize", (handles, a, b, c) -> JCudaDriver.cuStreamSynchronize(handles.stream(a)), stream);
    }

    @Override
    public boolean streamQuery(final long stream)
    {
        final int result = invoke(
            (handles, a, b, c) -> JCudaDriver.cuStreamQuery(handles.stream(a)), HANDLES.get(), stream, 0, 0);
        if (CudaResult.NOT_READY == result)
        {
            return false;
        }

        check("cuStreamQuery", result);
        return true;
    }

    @Override
    public boolean streamIsCapturing(final long stream)
    {
        return CudaConstants.STREAM_CAPTURE_STATUS_NONE != call(
            "cuStreamIsCapturing",
            (handles, a, b, c) -> JCudaDriver.cuStreamIsCapturing(handles.stream(a), handles.anInt),
            stream).anInt[0];
    }

    @Override
    public void streamWriteValue64(final long stream, final long address, final long value)
    {
        call(
            "cuStreamWriteValue64",
            (handles, a, b, c) -> JCudaDriver.cuStreamWriteValue64(
                handles.stream(a), handles.address(b), c, CudaConstants.STREAM_WRITE_VALUE_DEFAULT),
            stream,
            address,
            value);
    }

    @Override
    public void streamWaitValue64(final long stream, final long address, final long value, final int comparison)
    {
        HANDLES.get().stream(stream);
        call(
            "cuStreamWaitValue64",
            (handles, a, b, c) -> JCudaDriver.cuStreamWaitValue64(handles.stream, handles.address(a), b, (int)c),
            address,
            value,
            comparison);
    }

    @Override
    public void ipcGetMemHandle(final byte[] handle, final long address)
    {
        final JCudaHandles handles = call(
            "cuIpcGetMemHandle",
            (own, a, b, c) -> JCudaDriver.cuIpcGetMemHandle(own.ipcHandle, own.address(a)),
            address);
        System.arraycopy(JCudaHandles.bytesOf(handles.ipcHandle), 0, handle, 0, CudaConstants.IPC_MEM_HANDLE_BYTES);
    }

    @Override
    public long ipcOpenMemHandle(final byte[] handle, final int flags)
    {
        final byte[] bytes = JCudaHandles.bytesOf(HANDLES.get().ipcHandle);
        System.arraycopy(handle, 0, bytes, 0, CudaConstants.IPC_MEM_HANDLE_BYTES);
        return JCudaHandles.handleOf(call(
            "cuIpcOpenMemHandle",
            (handles, a, b, c) -> JCudaDriver.cuIpcOpenMemHandle(handles.address, handles.ipcHandle, (int)a),
            flags).address);
    }

    @Override
    public void ipcCloseMemHandle(final long address)
    {
        call("cuIpcCloseMemHandle", (handles, a, b, c) -> JCudaDriver.cuIpcCloseMemHandle(handles.address(a)), address);
    }

    @Override
    public long moduleLoadData(final byte[] image)
    {
        final JITOptions log = new JITOptions();
        log.putInt(CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, LOG_BYTES);
        log.putBytes(CUjit_option.CU_JIT_ERROR_LOG_BUFFER, new byte[LOG_BYTES]);
        log.putInt(CUjit_option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, LOG_BYTES);
        log.putBytes(CUjit_option.CU_JIT_INFO_LOG_BUFFER, new byte[LOG_BYTES]);
        final JCudaHandles own = HANDLES.get();
        final int result = invoke((handles, a, b, c) ->
            JCudaDriver.cuModuleLoadDataJIT(handles.module, Pointer.to(image), log), own, 0, 0, 0);
        if (CudaResult.SUCCESS != result)
        {
            throw new GpuException("cuModuleLoadDataEx", result, CUresult.stringFor(result),
                line(log.getBytes(CUjit_option.CU_JIT_ERROR_LOG_BUFFER)) +
                line(log.getBytes(CUjit_option.CU_JIT_INFO_LOG_BUFFER)));
        }

        return JCudaHandles.handleOf(own.module);
    }

    /** Returns the text of a log, which a zero byte ends, in one line. */
    private static String line(final byte[] log)
    {
        int length = 0;
        while (length < log.length && 0 != log[length])
        {
            length++;
        }

        final String text = new String(log, 0, length, StandardCharsets.UTF_8).strip();
        return text.isEmpty() ? "" : "; log of the driver's compiler: " + text.replaceAll("\\s*\n\\s*", "; ");
    }

    @Override
    public void moduleUnload(final long module)
    {
        call("cuModuleUnload", (handles, a, b, c) -> JCudaDriver.cuModuleUnload(handles.module(a)), module);
    }

    @Override
    public long moduleGetFunction(final long module, final String name)
    {
        return JCudaHandles.handleOf(call(
            "cuModuleGetFunction",
            (handles, a, b, c) -> JCudaDriver.cuModuleGetFunction(handles.function, handles.module(a), name),
            module).function);
    }

    @Override
    public long moduleGetGlobal(final long module, final String name)
    {
        final JCudaHandles own = HANDLES.get();
        final int result = invoke((handles, a, b, c) -> globalOf(handles, a, name), own, module, 0, 0);
        if (CudaResult.NOT_FOUND == result)
        {
            return 0;
        }

        check("cuModuleGetGlobal", result);
        return JCudaHandles.handleOf(own.address);
    }

    @Override
    public long moduleGetGlobalSize(final long module, final String name)
    {
        return call("cuModuleGetGlobal", (handles, a, b, c) -> globalOf(handles, a, name), module).aLong[0];
    }

    private static int globalOf(final JCudaHandles handles, final long module, final String name)
    {
        return JCudaDriver.cuModuleGetGlobal(handles.address, handles.aLong, handles.module(module), name);
    }

    @Override
    public int funcGetAttribute(final int attribute, final long function)
    {
        return call(
            "cuFuncGetAttribute",
            (handles, a, b, c) -> JCudaDriver.cuFuncGetAttribute(handles.anInt, (int)a, handles.function(b)),
            attribute,
            function).anInt[0];
    }

    @Override
    public int occupancyMaxActiveBlocksPerMultiprocessor(
        final long function, final int blockThreads, final long sharedBytes)
    {
        return call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            (handles, a, b, c) -> JCudaDriver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                handles.anInt, handles.function(a), (int)b, c),
            function,
            blockThreads,
            sharedBytes).anInt[0];
    }

    @Override
    public void launchKernel(
        final long function,
        final int blocks,
        final int blockThreads,
        final int sharedBytes,
        final long stream,
        final long parameters)
    {
        final JCudaHandles own = HANDLES.get();
        own.function(function);
        own.stream(stream);
        own.hostAddress(parameters);
        call(
            "cuLaunchKernel",
            (handles, a, b, c) -> JCudaDriver.cuLaunchKernel(
                handles.function,
                (int)a,
                1,
                1,
                (int)b,
                1,
                1,
                (int)c,
                handles.stream,
                handles.hostAddress,
                null),
            blocks,
            blockThreads,
            sharedBytes);
    }

    @Override
    public void launchCooperativeKernel(
        final long function,
        final int gridX,
        final int gridY,
        final int gridZ,
        final int blockX,
        final int blockY,
        final int blockZ,
        final int sharedBytes,
        final long stream,
        final Pointer parameters)
    {
        call(
            "cuLaunchCooperativeKernel",
            (handles, a, b, c) -> JCudaDriver.cuLaunchCooperativeKernel(
                handles.function(a),
                gridX,
                gridY,
                gridZ,
                blockX,
                blockY,
                blockZ,
                sharedBytes,
                handles.stream(b),
                parameters),
            function,
            stream);
    }

    private static JCudaHandles call(final String name, final Call call)
    {
        return call(name, call, 0, 0, 0);
    }

    private static JCudaHandles call(final String name, final Call call, final long a)
    {
        return call(name, call, a, 0, 0);
    }

    private static JCudaHandles call(final String name, final Call call, final long a, final long b)
    {
        return call(name, call, a, b, 0);
    }

    private static JCudaHandles call(
        final String name, final Call call, final long a, final long b, final long c)
    {
        final JCudaHandles handles = HANDLES.get();
        check(name, invoke(call, handles, a, b, c));
        return handles;
    }

    /** Returns the result code of a call, whether or not the program has enabled JCuda's exceptions. */
    private static int invoke(
        final Call call, final JCudaHandles handles, final long a, final long b, final long c)
    {
        try
        {
            return call.invoke(handles, a, b, c);
        }
        catch (final CudaException ex)
        {
            return resultOf(ex);
        }
    }

    /** The message of such an exception is the name of the code. */
    private static int resultOf(final CudaException exception)
    {
        for (int result = 1; result < LAST_RESULT; result++)
        {
            if (CUresult.stringFor(result).equals(exception.getMessage()))
            {
                return result;
            }
        }

        return CudaResult.UNKNOWN;
    }

    private static void check(final String name, final int result)
    {
        if (CudaResult.SUCCESS != result)
        {
            throw new GpuException(name, result, CUresult.stringFor(result));
        }
    }

    /** A call of JCuda. Its parameters are the {@link JCudaHandles} of the calling thread, and up to three values. */
    @FunctionalInterface
    private interface Call
    {
        int invoke(JCudaHandles handles, long a, long b, long c);
    }
}
