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
 * Start, supervision and end of the processes of a job of {@code aeroshmem run}. On one host:
 * {@link io.aeroshmem.tools.launch.JobLauncher}. On several: {@link io.aeroshmem.tools.launch.HostsLauncher} starts,
 * through a {@link io.aeroshmem.tools.launch.RemoteShell}, a {@link io.aeroshmem.tools.launch.NodeLauncher} on each,
 * and sends it a {@link io.aeroshmem.tools.launch.NodeLaunchSpec}. Both use {@code NodeJob}, the PEs of a host; each
 * process is a {@code ChildProcess}, and {@code ChildProcesses} ends them together.
 */
package io.aeroshmem.tools.launch;
