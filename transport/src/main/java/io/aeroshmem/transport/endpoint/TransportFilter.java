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

import io.aeroshmem.transport.Transport;

/**
 * What a simulation puts in front of a PE's transports: it observes operations, or delays their effects. A job that is
 * not simulated has none.
 */
public interface TransportFilter
{
    /** Returns the transport by which the library's own calls reach a peer: collectives, locks, teams. */
    Transport ofLibrary(Transport transport);

    /** Returns the transport by which communication contexts reach a peer. */
    Transport ofContexts(Transport transport);
}
