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
 * Operations on the memory of devices: what a driver of a device provides
 * ({@link io.aeroshmem.transport.device.DeviceMemory}), the three ways to the device heap of a peer, and the ring of
 * requests to the PE that owns it. Nothing here knows a particular kind of device.
 */
package io.aeroshmem.transport.device;
