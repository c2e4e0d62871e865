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
package io.aeroshmem.tools.latency;

import java.util.List;

/**
 * Environment of a measurement, without which its figures cannot be interpreted.
 *
 * @param version    name and version of this library.
 * @param transport  how the peer is reached.
 * @param pes        number of PEs.
 * @param heap       kind of the memory of all buffers, with the name of the device unless it is the host's.
 * @param jdk        name and version of the virtual machine.
 * @param jvmOptions options of the PEs' JVMs.
 * @param system     operating system and processor architecture.
 * @param processors number available to the JVM.
 * @param pinning    description of the pinned threads.
 */
public record LatencyEnvironment(
    String version,
    String transport,
    int pes,
    String heap,
    String jdk,
    List<String> jvmOptions,
    String system,
    int processors,
    String pinning)
{
}
