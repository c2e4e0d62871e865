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
 * The bootstraps of jobs that {@code mpirun}, {@code mpiexec}, {@code srun}, Kubernetes or any other scheduler starts.
 * <ul>
 * <li>{@link io.aeroshmem.bootstrap.environment.JobEnvironment} reads the PE of a process and the host of PE 0 from the
 * environment.</li>
 * <li>{@link io.aeroshmem.bootstrap.environment.RendezvousPoint} resolves the address of that host.</li>
 * <li>{@link io.aeroshmem.bootstrap.environment.PmiConnection} exchanges values through a PMI launcher.</li>
 * <li>{@link io.aeroshmem.bootstrap.environment.EnvironmentBootstrap} makes the PE join its job, in most cases through
 * a rendezvous.</li>
 * </ul>
 */
package io.aeroshmem.bootstrap.environment;
