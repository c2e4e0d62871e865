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

import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.endpoint.Endpoint;
import org.agrona.CloseHelper;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Registers with CUDA the host heaps that are mapped into this process: this PE's own heap and those of its peers. PEs
 * of one process map the same memory, which CUDA registers once. The PE that has registered a heap also ends the
 * registration. PEs with another context of the same device may get no address for it.
 */
final class PinnedHostHeaps implements AutoCloseable
{
    private static final int FLAGS = CudaConstants.HOST_REGISTER_PORTABLE | CudaConstants.HOST_REGISTER_DEVICE_MAP;

    private final CudaDevice device;
    private final CudaDriver driver;
    /** Addresses of the device for the heaps, by PE; 0 where it does not reach them. */
    private final long[] deviceAddresses;
    /** The ends of the registrations. */
    private final List<AutoCloseable> registrations = new ArrayList<>();

    PinnedHostHeaps(final CudaDevice device, final Endpoint endpoint)
    {
        this.device = device;
        driver = device.driver();
        deviceAddresses = new long[endpoint.nPes()];
        final long length = endpoint.regionLength(Region.USER);
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            for (int pe = 0; pe < deviceAddresses.length; pe++)
            {
                final long address = endpoint.mappedAddress(Region.USER, pe);
                if (0 != address)
                {
                    deviceAddresses[pe] = register(address, length);
                }
            }
        }
        catch (final RuntimeException | Error ex)
        {
            CloseHelper.quietClose(this);
            throw ex;
        }
    }

    /** Registers a heap; returns the address of the device for it. */
    private long register(final long address, final long length)
    {
        try
        {
            driver.memHostRegister(address, length, FLAGS);
        }
        catch (final GpuException ex)
        {
            if (CudaResult.HOST_MEMORY_ALREADY_REGISTERED != ex.cuResult())
            {
                throw ex;
            }

            return addressOfRegistered(address);
        }

        registrations.add(() -> driver.memHostUnregister(address));
        return driver.memHostGetDevicePointer(address);
    }

    /** Returns the address of the device for a heap that another PE has registered; 0 if the context has none. */
    private long addressOfRegistered(final long address)
    {
        try
        {
            return driver.memHostGetDevicePointer(address);
        }
        catch (final GpuException ex)
        {
            if (CudaResult.INVALID_VALUE != ex.cuResult())
            {
                throw ex;
            }

            return 0;
        }
    }

    /** Returns the address by which the device reaches the host heap of a PE, or 0. */
    long deviceAddress(final int pe)
    {
        return deviceAddresses[pe];
    }

    /** Returns whether the device reaches the host heaps of all PEs. */
    boolean isWorldReachable()
    {
        return LongStream.of(deviceAddresses).noneMatch((address) -> 0 == address);
    }

    @Override
    public void close()
    {
        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            CloseHelper.closeAll(registrations);
        }
        finally
        {
            registrations.clear();
        }
    }
}
