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
 * Determines what drives one-sided operations and nonblocking collectives while no call of the library is blocked. The
 * property {@code aeroshmem.progress.mode} sets it.
 */
public enum ProgressMode
{
    /** A background thread of the library. */
    AGENT,

    /** The application, by calling {@link Shmem#progress}. Blocked calls make progress in any case. */
    INVOKER
}
