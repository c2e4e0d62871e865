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
 * The last generation of a recoverable job that a process knows of.
 *
 * @param number  of the generation, or -1 if there was none.
 * @param failure that ended it; null if there was none, or if it is unknown.
 */
public record PreviousGeneration(int number, JobFailure failure)
{
    /** There was none: the next one is generation 0. */
    public static final PreviousGeneration NONE = new PreviousGeneration(-1, null);

    /** Throws if the number is below -1, or there is a failure of no generation. */
    public PreviousGeneration
    {
        if (number < -1 || number < 0 && null != failure)
        {
            throw new IllegalArgumentException("number must be >= -1, and >= 0 with a failure: number=" + number);
        }
    }

    /** Returns the later one of both; of the same one, what is known of its failure. */
    public PreviousGeneration or(final PreviousGeneration other)
    {
        return other.number > number || other.number == number && null == failure ? other : this;
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
