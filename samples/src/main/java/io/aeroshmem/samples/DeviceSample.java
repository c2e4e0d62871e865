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
import io.aeroshmem.gpu.DeviceReach;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuStream;

/**
 * A sample whose kernels communicate. The static methods are the program of a PE: they set up the GPU, run the sample,
 * and print whether the host computes the same result.
 */
@FunctionalInterface
interface DeviceSample
{
    /**
     * Runs the sample on a PE, and returns whether the result is that of its reference on the host. Collective; buffers
     * of the device heap are freed.
     */
    boolean run(Shmem shmem, Gpu gpu, SampleKernels kernels, GpuStream stream);

    /**
     * Runs a sample as a PE of a job. Ends with exit code 1 if a result differs or a host has no GPU, with 2
     * for a wrong argument.
     */
    static void main(final DeviceSample sample, final String[] args) throws Exception
    {
        int device = 0;
        boolean isByAddress = false;
        for (int i = 0; i < args.length; i++)
        {
            if ("--by-address".equals(args[i]))
            {
                isByAddress = true;
            }
            else if ("--device".equals(args[i]) && i + 1 < args.length && args[i + 1].matches("[0-9]{1,3}"))
            {
                device = Integer.parseInt(args[++i]);
            }
            else
            {
                SampleArguments.end("the arguments must be: [--device N] [--by-address]");
            }
        }

        run(sample, device, isByAddress);
    }

    private static void run(final DeviceSample sample, final int device, final boolean isByAddress) throws Exception
    {
        final boolean[] isRight = { false };
        Shmem.run(new Shmem.Context(), (shmem) ->
        {
            final boolean hasDevice = SampleDevice.isOnAllHosts(shmem, device);
            isRight[0] = hasDevice && run(sample, shmem, new Gpu.Context().device(device), isByAddress);
            if (hasDevice && 0 == shmem.myPe())
            {
                System.out.println(isRight[0] ? "verified: the host computes the same" :
                    "the host computes another result, or kernels reach a PE in another way than by address");
            }
        });
        if (!isRight[0])
        {
            System.exit(1);
        }
    }

    /** Runs a sample on all PEs, and returns whether the results of all are right. */
    static boolean run(
        final DeviceSample sample, final Shmem shmem, final Gpu.Context config, final boolean isByAddress)
        throws Exception
    {
        try (LedgerStream cudaStream = new LedgerStream();
            Gpu gpu = Gpu.init(shmem, config))
        {
            shmem.syncAll();
            try (SampleKernels kernels = new SampleKernels(gpu))
            {
                final GpuStream stream = gpu.stream(cudaStream.open(gpu));
                final boolean isRight = (isByAddress(shmem, gpu, config) || !isByAddress) &
                    sample.run(shmem, gpu, kernels, stream);
                return 1 == shmem.world().reduceLong(ReduceOp.MIN, isRight ? 1 : 0);
            }
        }
    }

    /** Prints how kernels of this PE reach the device memory of the others; returns whether all by address. */
    private static boolean isByAddress(final Shmem shmem, final Gpu gpu, final Gpu.Context config)
    {
        boolean isByAddress = true;
        for (int pe = 0; pe < shmem.nPes(); pe++)
        {
            if (pe != shmem.myPe())
            {
                final DeviceReach reach = gpu.reach(pe);
                isByAddress &= DeviceReach.Way.ADDRESS == reach.way() && !config.proxyAllPeers();
                System.out.println("kernels of PE " + shmem.myPe() + " reach PE " + pe + " " +
                    (config.proxyAllPeers() ? "by requests (aeroshmem.gpu.proxy)" :
                    DeviceReach.Way.ADDRESS == reach.way() ? reach : "by requests, as the host reaches it " + reach));
            }
        }

        return isByAddress;
    }
}
