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
 * Thrown when the media driver of the job has died or cannot be used, when the launcher of the job has died, or when a
 * job of {@code aeroshmem run --hosts} has lost a host.
 */
public final class DriverFailureException extends ShmemException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message the error and its remedy.
     */
    public DriverFailureException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message the error and its remedy.
     * @param cause   of it, or null.
     */
    public DriverFailureException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
