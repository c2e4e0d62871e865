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
 * Thrown on every surviving PE when the job has failed because of one PE. For example, that PE has died, has called
 * {@link Shmem#fail}, or has closed while others wait for it.
 */
public final class PeFailureException extends ShmemException
{
    private static final long serialVersionUID = 1L;

    /** Rank in the world of the PE that failed. */
    private final int pe;

    /**
     * Constructs the exception.
     *
     * @param pe      rank in the world of the PE that failed.
     * @param message describing the failure.
     */
    public PeFailureException(final int pe, final String message)
    {
        this(pe, message, null);
    }

    /**
     * Constructs the exception.
     *
     * @param pe      rank in the world of the PE that failed.
     * @param message describing the failure.
     * @param cause   of it, or null: known only in the process of the PE that failed.
     */
    public PeFailureException(final int pe, final String message, final Throwable cause)
    {
        super(message, cause);
        this.pe = pe;
    }

    /**
     * Returns the PE that failed.
     *
     * @return its rank in the world.
     */
    public int pe()
    {
        return pe;
    }
}
