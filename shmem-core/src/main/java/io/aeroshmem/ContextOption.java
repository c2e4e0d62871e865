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

/** A promise of the program about its use of a {@link CommunicationContext}: {@code SHMEM_CTX_*}. */
public enum ContextOption
{
    /** Several threads may use the context, never two at once. */
    SERIALIZED,

    /** Only the thread that created the context uses it. */
    PRIVATE,

    /** Fence and quiet on the context need not order or complete plain stores into peers' memory. */
    NOSTORE
}
