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
 * Jobs that somebody else's launcher starts: {@code mpirun}, {@code mpiexec}, {@code srun}, Kubernetes, any scheduler.
 * {@link io.aeroshmem.bootstrap.environment.JobEnvironment} reads from the environment who a process is and where PE 0
 * is, {@link io.aeroshmem.bootstrap.environment.MeetingPoint} makes an address of it,
 * {@link io.aeroshmem.bootstrap.environment.PmiConnection} asks the launcher where there is one to ask, and
 * {@link io.aeroshmem.bootstrap.environment.EnvironmentBootstrap} brings the PE to the rendezvous.
 */
package io.aeroshmem.bootstrap.environment;
