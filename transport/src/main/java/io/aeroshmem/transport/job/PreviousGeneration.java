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
package io.aeroshmem.transport.job;

/**
 * What a process knows of the generations of its recoverable job before the next one.
 *
 * @param number  of the last one that began, or -1 if there was none.
 * @param running number of the last one that all PEs had joined, or -1: its retained memory is the one to go on with,
 *                which the process has; a launcher that keeps none passes -1.
 * @param failure that ended the last one; null if there was none, or if it is unknown.
 */
public record PreviousGeneration(int number, int running, JobFailure failure)
{
    /** There was none: the next one is generation 0. */
    public static final PreviousGeneration NONE = new PreviousGeneration(-1, -1, null);

    /** Throws if the numbers are not in order, or there is a failure of no generation. */
    public PreviousGeneration
    {
        if (number < -1 || running < -1 || running > number || number < 0 && null != failure)
        {
            throw new IllegalArgumentException("-1 <= running <= number, and 0 <= number with a failure, expected: " +
                "number=" + number + " running=" + running);
        }
    }

    /** Returns the generation after one that all PEs had joined. */
    public static PreviousGeneration of(final int number, final JobFailure failure)
    {
        return new PreviousGeneration(number, number, failure);
    }

    /** Returns what two processes know. */
    public PreviousGeneration and(final PreviousGeneration other)
    {
        final PreviousGeneration later =
            other.number > number || other.number == number && null == failure ? other : this;
        return new PreviousGeneration(
            later.number, Math.max(running, other.running), null != later.failure ? later.failure :
            null != failure ? failure : other.failure);
    }

    /** Publishes, in the control file of the next generation, that it follows this one; creator only. */
    public void publish(final ControlFile control)
    {
        if (number >= 0)
        {
            control.generation(number + 1, null != failure ? failure : new JobFailure(JobFailure.Kind.PE_FAILED, -1, -1,
                "generation " + number + " of the job has ended, and no process is left that knows why"));
        }
    }
}
