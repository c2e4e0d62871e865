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
 * The handler of the completion of a {@link CollectiveRequest}: {@code ucc_coll_callback_t}. The handler runs once for
 * each post of the request, on one of these threads:
 * <ul>
 *     <li>the background agent;</li>
 *     <li>a thread in a blocking call or in {@link Shmem#progress()};</li>
 *     <li>a thread that calls {@link CollectiveRequest#test()} on this request, or {@link CollectiveRequest#post()} to
 *     post it again.</li>
 * </ul>
 * It never runs in a test or a post of another request. The thread that runs a handler is never in the middle of work
 * on a request: it first polls the requests that are under way, and then runs the handlers of those that are complete.
 * When {@code test} returns true, the handler has returned. What the handler throws is passed to
 * {@link Shmem.Context#errorHandler()}.
 */
@FunctionalInterface
public interface CompletionHandler
{
    /**
     * Handles the completion.
     *
     * @param request     which is complete, and may be posted again if it is persistent.
     * @param errorOrNull null if it succeeded.
     */
    void onComplete(CollectiveRequest request, ShmemException errorOrNull);
}
