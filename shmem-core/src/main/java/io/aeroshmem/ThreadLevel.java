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
 * Which threads may make calls on a PE, and whether at the same time: {@code SHMEM_THREAD_*}. The most restrictive
 * level comes first. The property {@code aeroshmem.thread.level} specifies the default.
 */
public enum ThreadLevel
{
    /** The process has one thread. */
    SINGLE,

    /** Only the thread that initialised the PE makes calls. */
    FUNNELED,

    /** Any thread makes calls, never two at once. */
    SERIALIZED,

    /** Any thread makes calls at any time. */
    MULTIPLE
}
