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

import java.nio.ByteBuffer;
import java.util.Arrays;

import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUdevice_P2PAttribute;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUuuid;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a test observes in a process of its own, since it ends the process or needs settings of its own.
 */
final class DriverScenario
{
    private DriverScenario()
    {
    }

    public static void main(final String[] args)
    {
        switch (args[0])
        {
            case "init":
                System.out.println("before " + name(cuCtxSynchronize()));
                System.out.println("init " + name(load()));
                final int[] version = new int[1];
                check(cuDriverGetVersion(version));
                System.out.println("version " + version[0]);
                break;

            case "host-access":
                accessByHost(args[1]);
                break;

            case "primary":
                usePrimaryContext();
                break;

            case "peers":
                usePeers();
                break;

            case "devices":
                listDevices();
                break;

            case "fault":
                fault(args[1]);
                break;

            default:
                throw new IllegalArgumentException(Arrays.toString(args));
        }
    }

    private static void usePrimaryContext()
    {
        check(load());
        final int[] flags = new int[1];
        final int[] active = new int[1];
        final CUcontext primary = new CUcontext();
        final CUcontext again = new CUcontext();
        expect(CUresult.CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(device(0)));
        check(cuDevicePrimaryCtxRetain(primary, device(0)));
        check(cuDevicePrimaryCtxRetain(again, device(0)));
        verify(primary.equals(again));
        expect(CUresult.CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(primary));
        check(cuCtxPushCurrent(primary));
        SimulatedContext.allocate(100);
        check(cuDevicePrimaryCtxRelease(device(0)));
        check(cuDevicePrimaryCtxGetState(device(0), flags, active));
        verify(1 == active[0]);
        check(cuDevicePrimaryCtxRelease(device(0)));
        check(cuDevicePrimaryCtxGetState(device(0), flags, active));
        verify(0 == active[0]);
        verify(0 == count(LIVE_ALLOCATIONS));
        expect(CUresult.CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(new CUdeviceptr(), 4));
        check(cuCtxPopCurrent(again));
        System.out.println("passed");
    }

    private static void accessByHost(final String access)
    {
        check(load());
        check(cuCtxCreate(new CUcontext(), 0, device(0)));
        final CUdeviceptr memory = new CUdeviceptr();
        check(cuMemAlloc(memory, 64));
        final long address = SimulatedContext.address(memory);
        System.out.println("address " + address);
        final UnsafeBuffer host = new UnsafeBuffer(address, Long.BYTES);
        if ("load".equals(access))
        {
            System.out.println("loaded " + host.getLong(0));
        }
        else
        {
            host.putLong(0, 1);
        }

        System.out.println("survived");
    }

    /** Prints the visible devices, and what each reaches: 1 by loads and stores, 2 by atomic operations too. */
    private static void listDevices()
    {
        check(load());
        final int[] value = new int[1];
        check(cuDeviceGetCount(value));
        final int count = value[0];
        for (int i = 0; i < count; i++)
        {
            final CUuuid uuid = new CUuuid();
            check(cuDeviceGetUuid(uuid, device(i)));
            final String[] bus = new String[1];
            check(cuDeviceGetPCIBusId(bus, 13, device(i)));
            final StringBuilder reached = new StringBuilder();
            for (int j = 0; j < count; j++)
            {
                check(cuDeviceCanAccessPeer(value, device(i), device(j)));
                int sum = value[0];
                if (i != j)
                {
                    check(cuDeviceGetP2PAttribute(
                        value, CUdevice_P2PAttribute.CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, device(i),
                        device(j)));
                    sum += value[0];
                }

                reached.append(' ').append(sum);
            }

            System.out.println("device " + (char)uuid.bytes[15] + " " + bus[0].charAt(6) + reached);
        }

        System.out.println("end");
    }

    /** Launches a kernel that faults, and prints the results of calls after it. */
    private static void fault(final String kernel)
    {
        check(load());
        final CUcontext context = new CUcontext();
        final CUcontext other = new CUcontext();
        check(cuCtxCreate(other, 0, device(0)));
        check(cuCtxCreate(context, 0, device(0)));
        final CUmodule module = SimulatedContext.loadTestKernels();
        final CUfunction add = SimulatedContext.function(module, "sim_test_add");
        final CUdeviceptr freed = SimulatedContext.allocateInts(0);
        check(cuMemFree(freed));
        final CUdeviceptr live = SimulatedContext.allocateInts(0, 0);
        final Pointer one = Pointer.to(new int[]{1});
        switch (kernel)
        {
            case "not-concurrent":
                final CUfunction barrier = SimulatedContext.function(module, "sim_test_not_concurrent");
                check(SimulatedContext.launch(barrier, 1, 1, null));
                check(cuCtxSynchronize());
                check(SimulatedContext.launch(barrier, 1, 2, null));
                break;

            case "freed":
                check(SimulatedContext.launch(add, 1, 1, null, Pointer.to(freed), one));
                break;

            case "not-registered":
                final Pointer host = Pointer.to(ByteBuffer.allocateDirect(Integer.BYTES));
                check(SimulatedContext.launch(add, 1, 1, null, Pointer.to(host), one));
                break;

            default:
                check(SimulatedContext.launch(add, 1, 1, null, Pointer.to(live.withByteOffset(2)), one));
                break;
        }

        System.out.println("synchronised " + name(cuCtxSynchronize()));
        System.out.println("copied " + name(cuMemcpyDtoH(Pointer.to(new int[1]), live, 4)));
        System.out.println("allocated " + name(cuMemAlloc(new CUdeviceptr(), 4)));
        System.out.println("launched " + name(SimulatedContext.launch(add, 1, 1, null, Pointer.to(live), one)));
        check(cuCtxDestroy(context));
        check(cuCtxSetCurrent(other));
        System.out.println("other context " + name(cuCtxSynchronize()));
        System.out.println("new context " + name(cuCtxCreate(new CUcontext(), 0, device(0))));
        System.out.println("primary context " + name(cuDevicePrimaryCtxRetain(new CUcontext(), device(0))));
        System.out.println("faults " + count(KERNEL_FAULTS));
    }

    private static void usePeers()
    {
        check(load());
        final CUcontext[] contexts = {new CUcontext(), new CUcontext()};
        final CUdeviceptr[] memory = {new CUdeviceptr(), new CUdeviceptr()};
        for (int i = 0; i < 2; i++)
        {
            check(cuCtxCreate(contexts[i], 0, device(i)));
            check(cuMemAlloc(memory[i], 64));
            check(cuMemsetD32(memory[i], 10 + i, 1));
            // a copy in the other context does not wait for it
            check(cuCtxSynchronize());
        }

        final int[] access = new int[1];
        check(cuDeviceCanAccessPeer(access, device(0), device(1)));
        System.out.println("access " + access[0]);
        check(cuDeviceCanAccessPeer(access, device(0), device(0)));
        System.out.println("self " + access[0]);
        check(cuDeviceGetP2PAttribute(
            access, CUdevice_P2PAttribute.CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, device(0), device(1)));
        System.out.println("atomics " + access[0]);
        System.out.println("unknown " + name(cuDeviceGet(new CUdevice(), 2)));

        check(cuCtxSetCurrent(contexts[0]));
        check(cuMemcpyDtoD(memory[0], memory[1], 4));
        System.out.println("copied " + SimulatedContext.readInts(memory[0], 1)[0]);

        final CUmodule module = SimulatedContext.loadTestKernels();
        final CUfunction add = SimulatedContext.function(module, "sim_test_add");
        System.out.println("disable " + name(cuCtxDisablePeerAccess(contexts[1])));
        System.out.println("enable " + name(cuCtxEnablePeerAccess(contexts[1], 0)));
        System.out.println("again " + name(cuCtxEnablePeerAccess(contexts[1], 0)));
        check(SimulatedContext.launch(add, 1, 1, null, Pointer.to(memory[1]), Pointer.to(new int[]{5})));
        System.out.println("kernel " + name(cuCtxSynchronize()));
        System.out.println("added " + SimulatedContext.readInts(memory[1], 1)[0]);
        check(cuCtxDisablePeerAccess(contexts[1]));
        check(SimulatedContext.launch(add, 1, 1, null, Pointer.to(memory[1]), Pointer.to(new int[]{5})));
        System.out.println("denied " + name(cuCtxSynchronize()));
    }

    private static void verify(final boolean condition)
    {
        if (!condition)
        {
            throw new AssertionError();
        }
    }

    private static String name(final int result)
    {
        return CUresult.stringFor(result);
    }
}
