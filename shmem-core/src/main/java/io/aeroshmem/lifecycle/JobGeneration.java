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
package io.aeroshmem.lifecycle;

import io.aeroshmem.Generation;
import io.aeroshmem.Lost;
import io.aeroshmem.transport.job.JobFailure;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A generation whose PEs are on the hosts of the previous one.
 */
public final class JobGeneration implements Generation
{
    private final int[] previousPes;
    private final int number;
    private final BitSet replacements;
    private final List<Lost> lost;
    private final Throwable cause;

    /**
     * Creates the generation with a number.
     *
     * @param previousPes     numbers of the PEs in the previous generation, -1 in generation 0.
     * @param previousFailure that ended the previous generation; null for generation 0.
     * @param died            PEs that died with the one that the failure is attributed to, with their exit codes.
     * @param replacements    PEs whose processes have not run an earlier generation.
     */
    public JobGeneration(
        final int[] previousPes,
        final int number,
        final JobFailure previousFailure,
        final Map<Integer, Integer> died,
        final BitSet replacements)
    {
        this.previousPes = previousPes.clone();
        this.number = number;
        this.replacements = replacements;
        this.lost = null == previousFailure ? List.of() : lost(previousFailure, died);
        this.cause = null == previousFailure ? null : FailureExceptions.of(previousFailure);
    }

    private static List<Lost> lost(final JobFailure failure, final Map<Integer, Integer> died)
    {
        final List<Lost> lost = new ArrayList<>();
        if (failure.pe() >= 0 && isLoss(failure.kind()))
        {
            lost.add(new Lost(failure.pe(), failure.message()));
        }

        died.forEach((pe, exitCode) ->
        {
            if (lost.isEmpty() || pe != lost.get(0).pe())
            {
                lost.add(new Lost(pe, "PE " + pe + " died: its process ended with exit code " + exitCode));
            }
        });
        return List.copyOf(lost);
    }

    private static boolean isLoss(final JobFailure.Kind kind)
    {
        return JobFailure.Kind.PE_DIED == kind || JobFailure.Kind.PE_FAILED == kind;
    }

    @Override
    public int number()
    {
        return number;
    }

    @Override
    public int previousPe(final int pe)
    {
        Objects.checkIndex(pe, previousPes.length);
        return previousPes[pe];
    }

    @Override
    public boolean isReplacement(final int pe)
    {
        Objects.checkIndex(pe, previousPes.length);
        return 0 != number && replacements.get(pe);
    }

    @Override
    public List<Lost> lost()
    {
        return lost;
    }

    @Override
    public Throwable cause()
    {
        return cause;
    }

    @Override
    public String toString()
    {
        return "Generation{" + number + ", lost=" + lost + '}';
    }
}
