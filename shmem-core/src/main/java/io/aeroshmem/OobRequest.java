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
 * An exchange outside the library that was started: {@code ucc_oob_coll_t.req_test}.
 */
@FunctionalInterface
public interface OobRequest
{
    /**
     * For exchanges that are complete when the call that started them returns.
     */
    OobRequest DONE = () -> true;

    /**
     * Is it complete? Called again and again by the thread that started it, until it says so; may move the exchange
     * on, and does not block.
     *
     * @return true if the results are there.
     */
    boolean test();
}
