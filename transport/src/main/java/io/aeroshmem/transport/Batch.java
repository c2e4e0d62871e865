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
package io.aeroshmem.transport;

/**
 * Transport of a communication context during a session with the option {@code BATCH}
 * ({@code shmem_ctx_session_start}). It gathers the small operations of the thread that began the session, until they
 * are submitted. If an operation of this thread is not gathered, the operations gathered for the same PE are submitted
 * before it.
 */
public interface Batch extends Transport
{
    /** Submits what has gathered; completes nothing. Called by any thread, like {@link #isSubmitted()}. */
    void submit();

    /** Returns true if all that has gathered was submitted. */
    boolean isSubmitted();

    /** Ends the session: submits what has gathered. Called, if possible, by the thread that has begun the session. */
    void end();
}
