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
package io.aeroshmem.tools;

import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.device.DeviceProvider;
import io.aeroshmem.device.DeviceReport;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.latency.HeapKind;

import java.util.ArrayList;
import java.util.List;

/**
 * JVM options of the PEs for measurements with a device: the number of the device, and the registration of host heaps
 * with CUDA. The device is checked before any PE is started, so the command reports a missing device in one line.
 */
final class DeviceOptions
{
    private DeviceOptions()
    {
    }

    /**
     * Returns the options; none for the memory of the host.
     *
     * @param number     of the device; null for that of the properties, or 0 if they set none.
     * @param jvmOptions given by the user.
     */
    static List<String> of(final HeapKind kind, final Integer number, final List<String> jvmOptions)
    {
        if (HeapKind.HOST == kind)
        {
            if (null != number)
            {
                throw CommandException.usage("--gpu-device requires --heap-kind pinned or device");
            }

            return List.of();
        }

        validate(kind, number, DeviceProvider.find());
        final List<String> options = new ArrayList<>();
        options.add(define(ShmemProperty.GPU_PIN, true));
        if (null != number || !isGiven(jvmOptions))
        {
            options.add(define(ShmemProperty.GPU_DEVICE, null == number ? 0 : number));
        }

        return options;
    }

    /** Returns the option that sets a property. */
    static String define(final ShmemProperty property, final Object value)
    {
        return "-D" + property.propertyName() + "=" + value;
    }

    private static boolean isGiven(final List<String> jvmOptions)
    {
        return null != ShmemProperty.GPU_DEVICE.text() ||
            jvmOptions.stream().anyMatch((option) -> option.startsWith(define(ShmemProperty.GPU_DEVICE, "")));
    }

    private static void validate(final HeapKind kind, final Integer number, final DeviceProvider provider)
    {
        if (null == provider)
        {
            throw CommandException.usage("--heap-kind " + kind.lowerCaseName() +
                " requires a device: aeroshmem-gpu is not on the class path");
        }

        final DeviceReport report = provider.report();
        if (null != report.problem())
        {
            throw CommandException.usage(
                "--heap-kind " + kind.lowerCaseName() + " requires a device: " + report.problem());
        }

        final int count = report.devices().size();
        if (null != number && (number < 0 || number >= count))
        {
            throw CommandException.usage("--gpu-device must be 0 to " + (count - 1) + ": --gpu-device=" + number);
        }
    }
}
