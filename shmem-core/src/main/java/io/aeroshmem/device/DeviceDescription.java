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
 * The description of one device of this host in a {@link DeviceReport}.
 *
 * @param name         name of the device.
 * @param architecture architecture for which programs of the device are compiled.
 * @param memory       length of the memory of the device, in bytes.
 * @param status       whether a PE can use the device, and if not, why.
 * @param isSimulated  whether a test simulates the device.
 * @param peerAccess   how the device reaches the memory of each device of the host, in the order of device numbers;
 *                     empty if the host has only this device.
 */
public record DeviceDescription(
    String name,
    String architecture,
    long memory,
    String status,
    boolean isSimulated,
    List<String> peerAccess)
{
}
