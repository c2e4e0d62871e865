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
 * Detection of calls from threads that may not make them.
 * <p>
 * {@link io.aeroshmem.thread.ThreadGuard} checks the thread level of a PE (property {@code aeroshmem.check.threads}).
 * Calls enter it through {@link io.aeroshmem.lifecycle.PeIdentity}; those of a context through a
 * {@link io.aeroshmem.thread.GuardedProxy}, so that a PE without checks pays nothing for them. The guard also begins
 * and ends the {@link io.aeroshmem.nvtx ranges} that a profiler shows.
 * <p>
 * {@link io.aeroshmem.thread.CallerGuard} admits one thread at a time to the collective calls of a team, with or
 * without these checks.
 */
package io.aeroshmem.thread;
