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

import java.util.List;

/**
 * One generation of a job ({@link Shmem#generation()}). A job with {@link Recovery} is a row of generations 0, 1, 2, …:
 * a failure ends one and begins the next, in which the task runs again on all PEs. Each generation has objects of its
 * own: buffers, teams, contexts and requests of one are of no use in another. A job without recovery is generation 0.
 * No counterpart in OpenSHMEM, NVSHMEM and UCC.
 */
public interface Generation
{
    /**
     * Returns the number of the generation.
     *
     * @return 0 or more.
     */
    int number();

    /**
     * Returns the number that a PE had in the previous generation.
     *
     * @param pe of this generation.
     * @return its previous number, or -1 if it had none: in generation 0, no PE has one; later, one that
     * {@code aeroshmem resize} has added has none.
     * @throws IndexOutOfBoundsException if there is no such PE.
     */
    int previousPe(int pe);

    /**
     * Returns whether a PE has a process that was started in place of another one, and runs the task for the first
     * time: what the PE had in its Java heap is lost.
     *
     * @param pe of this generation.
     * @return true for all PEs with {@link Recovery#RESTART}, except in generation 0; with {@link Recovery#REPLACE} for
     * those that were lost.
     * @throws IndexOutOfBoundsException if there is no such PE.
     */
    boolean isReplacement(int pe);

    /**
     * Returns the PEs whose failure ended the previous generation, by their numbers in it: first the one that
     * {@link #cause} is attributed to. Under {@code aeroshmem run} on one host, those follow that were killed with it
     * or soon after, at most 127.
     *
     * @return none in generation 0, and after a failure that is attributed to no PE or was
     * {@linkplain Shmem#requestRecovery requested}.
     */
    List<Lost> lost();

    /**
     * Returns what ended the previous generation.
     *
     * @return the exception that its PEs received, without their stack traces; null in generation 0.
     */
    Throwable cause();
}
