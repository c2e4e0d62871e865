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
package io.aeroshmem.latency;

/** The kinds of operations whose latencies {@link OperationRecording} keeps apart; they name its histograms. */
public enum Operation
{
    /** Put of an element or a block: until the source may be reused. */
    PUT,
    /** Issue of a nonblocking put. */
    PUT_NBI,
    /** Get of an element or a block. */
    GET,
    /** Issue of a nonblocking get. */
    GET_NBI,
    /** Put with a signal, as PUT. */
    PUT_SIGNAL,
    /** Signal alone. */
    SIGNAL,
    /** Issue of an atomic operation without a result. */
    ATOMIC,
    /** Atomic operation with a result. */
    FETCH_ATOMIC,
    /** Issue of a nonblocking atomic operation with a result. */
    FETCH_ATOMIC_NBI,
    /** Completion of what a context has issued. */
    QUIET,
    /** Wait on words of the PE's own memory, also one whose time has expired. */
    WAIT
}
