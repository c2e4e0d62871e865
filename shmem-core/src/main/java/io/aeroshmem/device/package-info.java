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
 * The interface between a PE and a module for the memory of devices. Nothing here depends on a particular kind of
 * device.
 * <ul>
 *     <li>{@link io.aeroshmem.device.DeviceModule} has the methods of the module that the PE calls.</li>
 *     <li>{@link io.aeroshmem.device.DeviceAttachment} has the methods of the PE that the module calls.</li>
 *     <li>{@link io.aeroshmem.device.DeviceProvider} is the entry point for programs that also run without a
 *     module.</li>
 * </ul>
 */
package io.aeroshmem.device;
