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
package io.aeroshmem.collective;

/**
 * The collective routines of a team.
 */
public enum Routine
{
    /** {@link io.aeroshmem.Team#barrier()}. */
    BARRIER("barrier"),
    /** {@link io.aeroshmem.Team#sync()}. */
    SYNC("sync"),
    /** {@link io.aeroshmem.Team#broadcast}. */
    BROADCAST("broadcast"),
    /** {@link io.aeroshmem.Team#collect}. */
    COLLECT("collect"),
    /** {@link io.aeroshmem.Team#fcollect}. */
    FCOLLECT("fcollect"),
    /** {@link io.aeroshmem.Team#alltoall}. */
    ALLTOALL("alltoall"),
    /** {@link io.aeroshmem.Team#alltoalls}. */
    ALLTOALLS("alltoalls"),
    /** {@link io.aeroshmem.Team#reduce}. */
    REDUCE("reduce"),
    /** {@link io.aeroshmem.Team#reduceScatter}. */
    REDUCE_SCATTER("reduceScatter"),
    /** {@link io.aeroshmem.Team#inclusiveScan}. */
    INCLUSIVE_SCAN("inclusiveScan"),
    /** {@link io.aeroshmem.Team#exclusiveScan}. */
    EXCLUSIVE_SCAN("exclusiveScan");

    private final String methodName;

    Routine(final String methodName)
    {
        this.methodName = methodName;
    }

    /**
     * The name of the method.
     *
     * @return such as {@code reduceScatter}.
     */
    public String methodName()
    {
        return methodName;
    }
}
