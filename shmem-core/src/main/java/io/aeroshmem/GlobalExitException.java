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
 * Reports a global exit in a JVM that continues to run. A global exit does not end a JVM if several PEs share it, or if
 * the program has set a {@link Shmem.Context#terminationHook}. {@link Shmem#globalExit} then throws this exception.
 * After the global exit, other calls of the PEs in that JVM throw it too.
 */
public final class GlobalExitException extends ShmemException
{
    private static final long serialVersionUID = 1L;

    /** The argument of globalExit. */
    private final int status;

    /**
     * Constructs the exception.
     *
     * @param status  argument of {@link Shmem#globalExit}.
     * @param message naming the PE that called it.
     */
    public GlobalExitException(final int status, final String message)
    {
        super(message);
        this.status = status;
    }

    /**
     * Returns the status of the job.
     *
     * @return the argument of {@link Shmem#globalExit}.
     */
    public int status()
    {
        return status;
    }
}
