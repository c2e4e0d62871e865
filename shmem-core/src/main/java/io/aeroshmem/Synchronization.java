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
 * The way in which the members of a team synchronise in its collectives: {@code ucc_coll_sync_type_t}, the field
 * {@code sync_type} of {@code ucc_team_params_t}. If the property {@code aeroshmem.collectives.synchronization} has the
 * value {@link #SYNCHRONIZED}, every team is synchronised, whichever value it was created with.
 */
public enum Synchronization
{
    /**
     * No member's buffers are read or written by other members before all members have entered, and no member returns
     * before all are done: {@code UCC_SYNC_COLLECTIVES}.
     */
    SYNCHRONIZED,

    /**
     * A member's buffers may be read and written as soon as it has entered, and it returns when its own part is done:
     * {@code UCC_NO_SYNC_COLLECTIVES}.
     */
    NON_SYNCHRONIZED
}
