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
 * CUDA for AeroSHMEM: pinned and device heaps, streams, and the device-side API.
 * <p>
 * This module uses the GPU through the CUDA driver API only. Nothing of CUDA is loaded before a program creates a
 * {@link io.aeroshmem.gpu.Gpu}, or requests a report on the devices of the host. The operations of
 * {@link io.aeroshmem.gpu.GpuStream} that differ by the type of their elements alone are generated from a template in
 * {@code src/main/typed}.
 */
package io.aeroshmem.gpu;
