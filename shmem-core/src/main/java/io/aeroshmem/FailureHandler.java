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
package io.aeroshmem;

/**
 * The handler of the failure of a job ({@link Shmem.Context#failureHandler}), for programs that compute, or make only
 * calls that do not check for a failure. C has no counterpart: there the processes of a failed job end.
 * <p>
 * The handler is called once for each PE, as soon as the library's threads of its process detect the failure, whichever
 * PE, process or call it comes from. It is called on a thread of the library that serves no other purpose, so it may
 * block, and may call any method of the PE, {@link Shmem#close()} too. Neither {@code close} nor the end of the JVM
 * waits for its end, but it does not begin after {@code close} has returned. It is not called if the PE leaves the job
 * without a failure, or if {@code init} throws.
 */
@FunctionalInterface
public interface FailureHandler
{
    /**
     * Handles the failure. What it throws is passed to {@link Shmem.Context#errorHandler()}.
     *
     * @param shmem   the PE, whose calls now throw.
     * @param failure as {@link Shmem#failure()} returns it.
     */
    void onFailure(Shmem shmem, ShmemException failure);
}
