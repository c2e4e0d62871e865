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
/**
 * Operations on the memory of devices of any kind. The module for a device, such as {@code gpu}, implements
 * {@link io.aeroshmem.transport.device.DeviceMemory}. There are three ways to the device heap of a peer:
 * <ul>
 * <li>its address, if the heap has one in this process;</li>
 * <li>requests, in a ring in host memory, to the PE that owns the heap;</li>
 * <li>messages.</li>
 * </ul>
 */
package io.aeroshmem.transport.device;
