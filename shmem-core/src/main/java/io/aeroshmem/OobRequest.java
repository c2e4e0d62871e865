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
 * The handle by which the library polls an {@link OobCollective#allgather} that it has started:
 * {@code ucc_oob_coll_t.req_test}.
 */
@FunctionalInterface
public interface OobRequest
{
    /** The request of an exchange that is complete when the call that started it returns. */
    OobRequest DONE = () -> true;

    /**
     * Polls the exchange. Called repeatedly until it returns true, by one thread at a time: that of init, which started
     * it, or any that polls a {@link TeamCreation}. May make progress on the exchange, and does not block.
     *
     * @return true if the results are available.
     */
    boolean test();
}
