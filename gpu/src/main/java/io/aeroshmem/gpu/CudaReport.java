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

import io.aeroshmem.device.DeviceDescription;
import io.aeroshmem.device.DeviceReport;

import java.util.ArrayList;
import java.util.List;

/** Produces the report on the CUDA devices of this host: their properties, and whether the library can use them. */
final class CudaReport
{
    /** The name that the simulated driver of the tests gives to its devices. */
    private static final String SIMULATED = "AeroSHMEM simulated device";

    private static final int OLDEST_CAPABILITY = 75;

    private final CudaDriver driver;
    private final int count;

    private CudaReport(final CudaDriver driver)
    {
        this.driver = driver;
        count = driver.deviceGetCount();
    }

    static DeviceReport ofThisHost()
    {
        try
        {
            return new CudaReport(JCudaBinding.load()).report();
        }
        catch (final GpuException ex)
        {
            return new DeviceReport(null, ex.getMessage(), List.of());
        }
    }

    /** Returns whether a device of this name is one of the simulated driver. */
    static boolean isSimulated(final String name)
    {
        return name.startsWith(SIMULATED);
    }

    private DeviceReport report()
    {
        final List<DeviceDescription> devices = new ArrayList<>();
        for (int number = 0; number < count; number++)
        {
            devices.add(describe(driver.deviceGet(number)));
        }

        final int version = driver.driverGetVersion();
        return new DeviceReport("CUDA " + version / 1000 + "." + version % 1000 / 10, null, devices);
    }

    private DeviceDescription describe(final int device)
    {
        final String name = driver.deviceGetName(device);
        final int major = driver.deviceGetAttribute(CudaConstants.COMPUTE_CAPABILITY_MAJOR, device);
        final int minor = driver.deviceGetAttribute(CudaConstants.COMPUTE_CAPABILITY_MINOR, device);
        final String status = tryOut(device, 10 * major + minor);
        return new DeviceDescription(
            name,
            "compute capability " + major + "." + minor,
            driver.deviceTotalMem(device),
            isSimulated(name) ? "simulated, not a device" : status,
            isSimulated(name),
            peerAccess(device));
    }

    /** Creates a context, as a PE would: the attributes of a device do not say whether it works. */
    private String tryOut(final int device, final int capability)
    {
        if (capability < OLDEST_CAPABILITY)
        {
            return "not usable: its compute capability must be >= 7.5";
        }

        try
        {
            driver.devicePrimaryCtxRetain(device);
            driver.devicePrimaryCtxRelease(device);
            return "usable";
        }
        catch (final GpuException ex)
        {
            return "not usable: " + ex.getMessage();
        }
    }

    /** Returns how processes share a device; starts one with a command. */
    static List<String> sharing(final int number, final List<String> java)
    {
        try
        {
            final CudaDriver driver = JCudaBinding.load();
            final int device = driver.deviceGet(number);
            final String problem = IpcTrial.problem(driver, number, java);
            return List.of(
                null == problem ? "CUDA IPC between processes, tried out" :
                "no CUDA IPC (" + problem + "): the owner of a device heap performs the operations of other processes",
                mps(driver, device));
        }
        catch (final GpuException ex)
        {
            return List.of("not known: " + ex.getMessage());
        }
    }

    private static String mps(final CudaDriver driver, final int device)
    {
        final int share = DeviceHeap.mpsShare(driver, device);
        return 0 == share ? "no MPS: PEs that share the device are LIMITED_MPG" :
            "MPS with " + share + " % for each process: PEs that share the device are FULL_MPG up to 100 %";
    }

    private List<String> peerAccess(final int device)
    {
        final List<String> access = new ArrayList<>();
        for (int number = 0; count > 1 && number < count; number++)
        {
            final int peer = driver.deviceGet(number);
            access.add(peer == device ? "itself" : !driver.deviceCanAccessPeer(device, peer) ? "none" :
                0 == driver.deviceGetP2pAttribute(CudaConstants.P2P_NATIVE_ATOMIC_SUPPORTED, device, peer) ?
                "loads and stores" : "loads, stores and atomics");
        }

        return access;
    }
}
