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

import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUDA_MEMCPY2D;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUipcMemHandle;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import org.agrona.UnsafeApi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Set of reusable JCuda objects. Each thread has a set, so calls of CUDA allocate no such objects. Static methods
 * convert between longs and JCuda's objects.
 * <p>
 * JCuda offers no way to put an address into one of its objects. So this class writes the fields that JCuda's native
 * library reads, by their offsets in the objects. The fields are those of JCuda 12.6.0, the last release. With a
 * version of JCuda that lacks one of these fields, the initialisation of this class fails.
 */
final class JCudaHandles
{
    private static final long NATIVE_POINTER = UnsafeApi.objectFieldOffset(NativePointerObject.class, "nativePointer");
    private static final long BYTE_OFFSET = UnsafeApi.objectFieldOffset(Pointer.class, "byteOffset");
    private static final long IPC_HANDLE = UnsafeApi.objectFieldOffset(CUipcMemHandle.class, "reserved");

    final int[] anInt = new int[1];
    final long[] aLong = new long[1];
    final CUdevice device = new CUdevice();
    final CUdevice peerDevice = new CUdevice();
    final CUcontext context = new CUcontext();
    final CUmodule module = new CUmodule();
    final CUfunction function = new CUfunction();
    final CUstream stream = new CUstream();
    final CUdeviceptr address = new CUdeviceptr();
    final CUdeviceptr source = new CUdeviceptr();
    final Pointer hostAddress = new Pointer();
    final CUipcMemHandle ipcHandle = new CUipcMemHandle();
    final CUDA_MEMCPY2D rows = new CUDA_MEMCPY2D();
    /** Room for an attribute of a pointer. */
    final ByteBuffer attribute = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
    final Pointer attributePointer = Pointer.to(attribute);

    JCudaHandles()
    {
        rows.srcMemoryType = CudaConstants.MEMORY_TYPE_UNIFIED;
        rows.dstMemoryType = CudaConstants.MEMORY_TYPE_UNIFIED;
    }

    /** Returns a new object for a device. */
    static CUdevice deviceOf(final int handle)
    {
        return with(new CUdevice(), handle);
    }

    /** Returns a new object for a context. */
    static CUcontext contextOf(final long handle)
    {
        return with(new CUcontext(), handle);
    }

    /** Returns a new object for an address, or null for 0. */
    static CUdeviceptr pointerOf(final long address)
    {
        return 0 == address ? null : with(new CUdeviceptr(), address);
    }

    /** Returns the handle that an object of JCuda holds, or 0 for null. */
    static long handleOf(final NativePointerObject object)
    {
        return null == object ? 0 : UnsafeApi.getLong(object, NATIVE_POINTER);
    }

    /** Returns the address that a pointer holds, or 0 for null. */
    static long addressOf(final CUdeviceptr pointer)
    {
        return null == pointer ? 0 : handleOf(pointer) + UnsafeApi.getLong(pointer, BYTE_OFFSET);
    }

    /** Puts a handle into an object and returns the object. */
    static <T extends NativePointerObject> T with(final T object, final long handle)
    {
        UnsafeApi.putLong(object, NATIVE_POINTER, handle);
        return object;
    }

    /** Returns the array of the bytes of a handle, not a copy. */
    static byte[] bytesOf(final CUipcMemHandle handle)
    {
        return (byte[])UnsafeApi.getReference(handle, IPC_HANDLE);
    }

    CUdevice device(final long handle)
    {
        return with(device, handle);
    }

    CUdevice peerDevice(final long handle)
    {
        return with(peerDevice, handle);
    }

    CUcontext context(final long handle)
    {
        return with(context, handle);
    }

    CUmodule module(final long handle)
    {
        return with(module, handle);
    }

    CUfunction function(final long handle)
    {
        return with(function, handle);
    }

    CUstream stream(final long handle)
    {
        return with(stream, handle);
    }

    CUdeviceptr address(final long value)
    {
        return with(address, value);
    }

    CUdeviceptr source(final long value)
    {
        return with(source, value);
    }

    Pointer hostAddress(final long value)
    {
        return with(hostAddress, value);
    }

    CUDA_MEMCPY2D rows(
        final long dest,
        final long destPitch,
        final long from,
        final long fromPitch,
        final long widthBytes,
        final long count)
    {
        with(rows.dstDevice, dest);
        with(rows.srcDevice, from);
        rows.dstPitch = destPitch;
        rows.srcPitch = fromPitch;
        rows.WidthInBytes = widthBytes;
        rows.Height = count;
        return rows;
    }
}
