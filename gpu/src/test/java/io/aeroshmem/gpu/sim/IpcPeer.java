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
import static jcuda.driver.JCudaDriver.*;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUipcMemHandle;
import jcuda.driver.CUipcMem_flags;
import jcuda.driver.CUresult;

/**
 * One side of a test of CUDA IPC, as a process of its own: performs commands from its input and answers in lines.
 */
final class IpcPeer
{
    private CUdeviceptr memory = new CUdeviceptr();

    private IpcPeer()
    {
    }

    public static void main(final String[] args) throws IOException, ReflectiveOperationException
    {
        check(load());
        check(cuCtxCreate(new CUcontext(), 0, device(0)));
        final IpcPeer peer = new IpcPeer();
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line = in.readLine(); null != line; line = in.readLine())
        {
            System.out.println("result " + peer.perform(line.split(" ")));
        }
    }

    private String perform(final String[] words) throws ReflectiveOperationException
    {
        switch (words[0])
        {
            case "allocate":
                return name(cuMemAlloc(memory, Integer.parseInt(words[1])));

            case "free":
                return name(cuMemFree(memory));

            case "export":
                return export();

            case "open":
                return open(words[1]);

            case "open-in-another-context":
                final CUcontext another = new CUcontext();
                check(cuCtxCreate(another, 0, device(0)));
                final String opened = open(words[1]);
                check(cuCtxDestroy(another));
                return opened;

            case "close":
                return name(cuIpcCloseMemHandle(memory));

            case "set":
                check(cuMemsetD32(memory.withByteOffset(Long.parseLong(words[1])), Integer.parseInt(words[2]), 1));
                /* The host does not wait for memory to be set. */
                return name(cuCtxSynchronize());

            case "get":
                return get(Long.parseLong(words[1]));

            case "imports":
                return Integer.toString(count(LIVE_IMPORTS));

            default:
                throw new IllegalArgumentException(Arrays.toString(words));
        }
    }

    private String export() throws ReflectiveOperationException
    {
        final CUipcMemHandle handle = new CUipcMemHandle();
        final int result = cuIpcGetMemHandle(handle, memory);
        if (CUresult.CUDA_SUCCESS != result)
        {
            return name(result);
        }

        final StringBuilder text = new StringBuilder();
        for (final byte b : bytes(handle))
        {
            text.append(String.format("%02x", b));
        }

        return text.toString();
    }

    private String open(final String text) throws ReflectiveOperationException
    {
        final CUipcMemHandle handle = new CUipcMemHandle();
        final byte[] bytes = bytes(handle);
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
        }

        /* JCuda changes the pointer even when the call fails. */
        final CUdeviceptr opened = new CUdeviceptr();
        final int result =
            cuIpcOpenMemHandle(opened, handle, CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
        memory = CUresult.CUDA_SUCCESS == result ? opened : memory;
        return name(result);
    }

    private String get(final long offset)
    {
        final ByteBuffer value = ByteBuffer.allocateDirect(4).order(ByteOrder.nativeOrder());
        final int result = cuMemcpyDtoH(Pointer.to(value), memory.withByteOffset(offset), 4);
        return CUresult.CUDA_SUCCESS == result ? Integer.toString(value.getInt(0)) : name(result);
    }

    private static String name(final int result)
    {
        return CUresult.stringFor(result);
    }

    /** JCuda keeps the bytes of a handle to itself. */
    private static byte[] bytes(final CUipcMemHandle handle) throws ReflectiveOperationException
    {
        final Field field = CUipcMemHandle.class.getDeclaredField("reserved");
        field.setAccessible(true);
        return (byte[])field.get(handle);
    }
}
