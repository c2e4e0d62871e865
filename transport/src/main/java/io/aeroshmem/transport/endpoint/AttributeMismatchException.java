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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.TransportException;

/**
 * Exception for configuration that must be equal on all PEs of a job but differs. Every PE detects the difference in
 * the {@link JoinRecord}s of all PEs, and throws this exception. The message is the same on all PEs, unless versions of
 * the protocol differ: then it depends on the PE, because each PE compares the others' versions with its own.
 */
public final class AttributeMismatchException extends TransportException
{
    private static final long serialVersionUID = 1L;

    /**
     * @param message the PEs, values and property of the first difference, in the order of PEs, then of attributes.
     */
    public AttributeMismatchException(final String message)
    {
        super(message);
    }
}
