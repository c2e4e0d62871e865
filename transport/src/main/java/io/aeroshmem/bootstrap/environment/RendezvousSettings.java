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
package io.aeroshmem.bootstrap.environment;

/**
 * User settings of the rendezvous of a job that a scheduler starts.
 *
 * @param rendezvous       where PE 0 listens, as {@code host} or {@code host:port}; null if not set.
 * @param secret           known only to the processes of the job; null if not set.
 * @param networkInterface address, host name or subnet on which PE 0 listens under PMI if {@code rendezvous} is null;
 *                         null if not set.
 */
public record RendezvousSettings(String rendezvous, String secret, String networkInterface)
{
    /** Property with the address of PE 0. */
    public static final String RENDEZVOUS_PROP_NAME = "aeroshmem.rendezvous";

    /** Property with the secret. */
    public static final String SECRET_PROP_NAME = "aeroshmem.rendezvous.secret";

    /** Property with the interface on which PE 0 listens. */
    public static final String INTERFACE_PROP_NAME = "aeroshmem.rendezvous.interface";

    /** Omits the secret, as in "rendezvous node1:5000, secret set, interface null". */
    @Override
    public String toString()
    {
        return "rendezvous " + rendezvous + ", secret " + (null == secret ? "unset" : "set") + ", interface " +
            networkInterface;
    }
}
