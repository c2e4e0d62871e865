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
 * Start, supervision and end of the processes of a job of {@code aeroshmem run}.
 * <ul>
 * <li>{@link io.aeroshmem.tools.launch.JobLauncher} runs a job on one host.</li>
 * <li>{@link io.aeroshmem.tools.launch.HostsLauncher} runs a job on several hosts. It starts a
 * {@link io.aeroshmem.tools.launch.NodeLauncher} for each host, through a
 * {@link io.aeroshmem.tools.launch.RemoteShell} unless the host is this one, and sends each node launcher a
 * {@link io.aeroshmem.tools.launch.NodeLaunchSpec}.</li>
 * <li>{@code NodeJob} manages the PEs of one host for {@code JobLauncher} and {@code NodeLauncher}.
 * {@code NodeStateMachine} makes its decisions, as {@code HostsStateMachine} makes those of {@code HostsLauncher}.
 * {@code PeOutput} is the path of the output of a PE, whose stages pass on {@code Line}s.</li>
 * <li>{@code ChildProcess} is any process started here, and {@code ChildProcesses} ends them together.</li>
 * </ul>
 */
package io.aeroshmem.tools.launch;
