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

/**
 * How many PEs of a job are on how many hosts: what bounds the sizes of the teams that placement defines.
 *
 * @param nPes         number of PEs.
 * @param maxPesOfHost number of PEs on the host with most.
 * @param hosts        number of hosts.
 */
public record Placement(int nPes, int maxPesOfHost, int hosts)
{
    /** Returns a placement whose bounds hold wherever the PEs are. */
    public static Placement unknown(final int nPes)
    {
        return new Placement(nPes, nPes, nPes);
    }

    /** Returns the placement of PEs whose hosts are numbered as {@link JoinRecord#hosts} does. */
    public static Placement of(final int[] hostOf)
    {
        final int[] counts = new int[hostOf.length];
        int max = 0;
        int hosts = 0;
        for (final int host : hostOf)
        {
            max = Math.max(max, ++counts[host]);
            hosts = Math.max(hosts, host + 1);
        }

        return new Placement(hostOf.length, max, hosts);
    }
}
