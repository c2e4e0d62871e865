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
 * The rule by which the members of a team match their nonblocking collectives: {@code ucc_post_ordering_t}, the field
 * {@code ordering} of {@code ucc_team_params_t}. Predefined teams are {@link #POST_ORDERED}. On every team, blocking
 * collectives are matched by the order of the calls.
 * <p>
 * <b>Threads.</b> One thread at a time may post to a team, or make blocking calls on it: a second thread gets an
 * {@link IllegalStateException}. With {@link ThreadLevel#MULTIPLE}, threads may post to different teams at once. Where
 * requests are matched by tag, they may also post different requests to one team at once, and beside a blocking call of
 * another thread on it.
 */
public enum Ordering
{
    /** Matched by the order of the posts: {@code UCC_COLLECTIVE_POST_ORDERED}. */
    POST_ORDERED,

    /** Matched by tag, unique from post to completion: {@code UCC_COLLECTIVE_POST_UNORDERED}. */
    POST_UNORDERED,

    /** Matched by the order in which requests are made: {@code UCC_COLLECTIVE_INIT_ORDERED}. */
    INIT_ORDERED,

    /** Matched by tag, unique from the making of a request to its close: {@code UCC_COLLECTIVE_INIT_UNORDERED}. */
    INIT_UNORDERED,

    /**
     * Requests are made and posted in the same order on all members, and both orders are checked against each other:
     * {@code UCC_COLLECTIVE_INIT_AND_POST_ORDERED}.
     */
    INIT_AND_POST_ORDERED,

    /**
     * Matched by tag, unique from the making of a request to its close and from post to completion:
     * {@code UCC_COLLECTIVE_INIT_AND_POST_UNORDERED}.
     */
    INIT_AND_POST_UNORDERED
}
