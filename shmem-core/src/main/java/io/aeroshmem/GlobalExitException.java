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
 * Reports a global exit that does not end the JVM, because PEs share the JVM or the program has set a
 * {@link Shmem.Context#terminationHook}. {@link Shmem#globalExit} throws it, and from then on so do the calls of the
 * PEs in such a JVM.
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
