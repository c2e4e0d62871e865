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
package io.aeroshmem.simulation;

/** What is on its way between the PEs of a world, and moves between the steps of its actors. */
interface InFlight
{
    /** Has one of some things move on; returns true if something has moved. */
    boolean stepOfSome();

    /** Returns whether the last step, if something has moved, may concern a PE. */
    boolean hasMoved(int pe);

    /** Returns whether a step may move something, now or when what holds it up has ended. */
    boolean canMove();

    /** Returns whether a PE has attempted something in vain since this was last called, though it might have worked. */
    boolean hasRefused(int pe);
}
