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
 * Thrown on all PEs by {@link Shmem#snapshot} and {@link Shmem#restore} if a PE cannot do its part. The job goes on,
 * and snapshots that were committed before stay. The message of a PE that has failed states the reason, those of the
 * other PEs name such a PE.
 */
public final class SnapshotException extends ShmemException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message the error and its remedy.
     */
    public SnapshotException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message the error and its remedy.
     * @param cause   of it, or null.
     */
    public SnapshotException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
