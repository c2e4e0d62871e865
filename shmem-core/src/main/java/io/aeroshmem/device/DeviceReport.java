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
package io.aeroshmem.device;

import java.util.List;

/**
 * The report of a {@link DeviceProvider} on the devices of this host.
 *
 * @param driver  version of the API of the driver, such as {@code CUDA 12.4}; null if the driver cannot be used.
 * @param problem the reason why the driver cannot be used, or null.
 * @param devices the devices, in the order of their numbers; empty if the driver cannot be used.
 */
public record DeviceReport(String driver, String problem, List<DeviceDescription> devices)
{
    /** Returns the number of devices that are not simulated. */
    public int count()
    {
        return (int)devices.stream().filter((device) -> !device.isSimulated()).count();
    }
}
