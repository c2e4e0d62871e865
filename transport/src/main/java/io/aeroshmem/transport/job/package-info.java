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
 * The directory of a job on one host, and the state that its processes share without messages:
 * <ul>
 * <li>{@link io.aeroshmem.transport.job.JobDirectory} creates, opens and removes the directory.</li>
 * <li>{@link io.aeroshmem.transport.job.ControlFile} is the mapped file through which PEs register, exchange join
 * records and report failures.</li>
 * <li>{@link io.aeroshmem.transport.job.ProcessLock} is released by the kernel when its process ends.</li>
 * <li>{@link io.aeroshmem.transport.job.Liveness} polls the locks and so detects the end of processes.</li>
 * <li>{@link io.aeroshmem.transport.job.JobCleaner} removes the directories of dead jobs.</li>
 * <li>{@link io.aeroshmem.transport.job.JobView} reads the state of a job for viewers.</li>
 * </ul>
 */
package io.aeroshmem.transport.job;
