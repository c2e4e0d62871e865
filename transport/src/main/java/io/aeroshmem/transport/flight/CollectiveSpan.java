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
package io.aeroshmem.transport.flight;

/**
 * A collective call or request in progress, for which an event is recorded when it ends.
 */
public interface CollectiveSpan
{
    /**
     * Records that the call has ended.
     *
     * @param pe      that made it.
     * @param routine name of the collective, such as "reduce".
     * @param team    its name.
     * @param bytes   of this PE's block; 0 for barrier and sync.
     */
    void end(int pe, String routine, String team, long bytes);
}
