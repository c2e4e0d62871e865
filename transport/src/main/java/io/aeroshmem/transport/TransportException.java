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
package io.aeroshmem.transport;

/**
 * The transport cannot do what was asked: a job directory, a heap file, a channel or a peer is not as it must be. The
 * message says what was found, what is needed and which property changes it.
 */
public class TransportException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /**
     * An exception without a cause below it.
     *
     * @param message what was found, what is allowed, which property to set.
     */
    public TransportException(final String message)
    {
        super(message);
    }

    /**
     * An exception caused by another, most often an {@link java.io.IOException}.
     *
     * @param message what was found, what is allowed, which property to set.
     * @param cause   what the JDK or the operating system said.
     */
    public TransportException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
