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
 * What the memory of a PE in an allocation of {@link Shmem#retain} was when this generation of the job began, or when
 * {@link Shmem#restore} last replaced it in this generation.
 */
public enum MemoryState
{
    /** What the program had stored there before. */
    RETAINED,
    /**
     * That of a snapshot: restored in this generation, or at the very end of the one before, so that the call may not
     * have returned on all PEs.
     */
    RESTORED,
    /** Zero: the allocation is new, or what this PE had stored is lost. */
    ZEROED
}
