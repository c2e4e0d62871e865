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
 * Thrown when the members of a team call different collectives, or the same collective with different arguments. It is
 * thrown on every PE that made one of these calls or, if the mismatch has failed the job, on all PEs.
 */
public final class CollectiveMismatchException extends ShmemException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message the error and its remedy.
     */
    public CollectiveMismatchException(final String message)
    {
        super(message);
    }
}
