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

import io.aeroshmem.GlobalExitException;
import io.aeroshmem.Shmem;
import io.aeroshmem.device.DeviceAttachment;
import org.agrona.CloseHelper;

/**
 * The host side of the device-side API of a PE: the program's CUDA modules, the handles of teams, and the errors that
 * kernels report. It also starts and ends the service of the {@link ProxyRing}, through which kernels request
 * operations that the host performs.
 */
final class DeviceInterface
{
    private final DeviceAttachment attachment;
    private final DeviceAbort abort;
    private final StreamErrors errors = new StreamErrors();
    private final DeviceModules modules;
    private final TeamHandles teams;
    private final ProxyRing ring;
    private boolean isServing;

    DeviceInterface(
        final Shmem shmem,
        final DeviceAttachment attachment,
        final DeviceSetup setup,
        final DeviceState state,
        final DeviceAbort abort)
    {
        this.attachment = attachment;
        this.abort = abort;
        final DeviceErrors deviceErrors = new DeviceErrors(errors, state, shmem.myPe());
        errors.kernels(deviceErrors::poll);
        modules = new DeviceModules(setup.device(), state, deviceErrors, shmem.myPe());
        teams = new TeamHandles(shmem, state);
        ring = new ProxyRing(
            attachment.endpoint(),
            setup.heapBase(),
            setup.reachableLength(),
            state,
            deviceErrors,
            attachment.errorHandler(),
            (status) -> attachment.newThread(() -> globalExit(shmem, status)).start());
    }

    private static void globalExit(final Shmem shmem, final int status)
    {
        try
        {
            shmem.globalExit(status);
        }
        catch (final GlobalExitException ex)
        {
            // PEs share the JVM: their calls throw it
        }
    }

    DeviceAbort abort()
    {
        return abort;
    }

    StreamErrors errors()
    {
        return errors;
    }

    TeamHandles teams()
    {
        return teams;
    }

    DeviceModules modules()
    {
        return modules;
    }

    /** Starts the service of the requests of kernels, unless it has been started for an earlier module. */
    synchronized void serve()
    {
        if (!isServing)
        {
            isServing = true;
            abort.start();
            attachment.serve(ring);
        }
    }

    /** Ends the service. Called when no kernel makes requests any more. */
    void endService()
    {
        CloseHelper.closeAll(attachment.errorHandler(), ring::close, errors::endKernels, abort);
    }

    /** Ends the service and the waits of kernels and streams. The {@link #abort()} stays open, for the streams. */
    void abandon()
    {
        abort.abort();
        ring.abort();
    }
}
