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
import io.aeroshmem.device.DeviceProvider;
import io.aeroshmem.device.DeviceReport;

/** Check for a GPU: a job without one ends with one sentence, instead of an exception of each PE. */
final class SampleDevice
{
    private SampleDevice()
    {
    }

    /** Returns whether the hosts of all PEs have a device of this number; prints why if one has not. Collective. */
    static boolean isOnAllHosts(final Shmem shmem, final int device)
    {
        final String problem = problem(device);
        final long lacking = shmem.world().reduceLong(ReduceOp.MIN, null == problem ? shmem.nPes() : shmem.myPe());
        if (lacking == shmem.myPe())
        {
            System.err.println("PE " + lacking + " has no GPU " + device + ": " + problem);
        }

        return lacking == shmem.nPes();
    }

    private static String problem(final int device)
    {
        final DeviceReport report = DeviceProvider.find().report();
        return null != report.problem() ? report.problem() :
            device >= report.devices().size() ? "the host has " + report.devices().size() : null;
    }
}
