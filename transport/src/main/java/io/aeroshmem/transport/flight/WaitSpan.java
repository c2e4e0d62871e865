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

/** A wait in progress. It is recorded as a flight-recorder event if it lasts longer than the event's threshold. */
public interface WaitSpan
{
    /**
     * Records that the wait has ended.
     *
     * @param pe    that waited.
     * @param call  name of the blocking call, such as "waitUntil".
     * @param place of the call, such as "on team WORLD", or the empty string.
     */
    void end(int pe, String call, String place);
}
