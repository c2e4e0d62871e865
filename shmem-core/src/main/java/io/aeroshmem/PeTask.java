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

/** The body of one PE of a job, run by {@link Shmem#run} and {@link Shmem#runLocal}. */
@FunctionalInterface
public interface PeTask
{
    /**
     * Runs on the PE's own thread, between its initialisation and its close.
     *
     * @param shmem the PE.
     * @throws Exception to fail the whole job with this cause.
     */
    void run(Shmem shmem) throws Exception;
}
