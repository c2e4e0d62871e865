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
package io.aeroshmem.transport.retained;

/**
 * A named block of a PE's heap that outlives a generation of the job.
 *
 * @param name          by which the program retains and releases it, 1 to {@value RetainedTable#MAX_NAME_BYTES} bytes
 *                      of UTF-8.
 * @param offset        in the heap, the same on all PEs.
 * @param length        in bytes, as the program requested it.
 * @param layoutVersion of its contents, which the program defines.
 * @param isZeroed      whether the PE has lost the contents, and the program has not retained the block since.
 * @param restores      the number of calls that have replaced the contents by those of a snapshot, or have lost them
 *                      while they did; it includes the call in progress of a block that is RESTORING.
 * @param state         how far a call of the PE has come.
 */
public record RetainedBlock(
    String name, long offset, long length, int layoutVersion, boolean isZeroed, int restores, State state)
{
    /**
     * A block passes from PREPARED to COMMITTED, then any number of times to RESTORING and back, and then to RELEASING.
     * A PE enters a state only after all PEs have entered the one before. So the states of two PEs, or a state and the
     * absence of the block, are at most one step apart.
     */
    public enum State
    {
        /**
         * The PE has taken the block, and has zeroed it or fills it from a snapshot; the allocation does not exist
         * unless a PE has committed it.
         */
        PREPARED,
        /** The allocation exists. */
        COMMITTED,
        /** The allocation exists unless a PE has removed the block. */
        RELEASING,
        /** The allocation exists; once all PEs are in this state, they change its contents. */
        RESTORING
    }

    /** Returns the block in another state. */
    public RetainedBlock in(final State next)
    {
        return new RetainedBlock(name, offset, length, layoutVersion, isZeroed, restores, next);
    }

    /** Returns the block with lost contents, or with those of the program. */
    public RetainedBlock zeroed(final boolean isNowZeroed)
    {
        return new RetainedBlock(name, offset, length, layoutVersion, isNowZeroed, restores, state);
    }

    /** Returns the block of which a PE is about to replace the contents. */
    public RetainedBlock restoring()
    {
        return new RetainedBlock(name, offset, length, layoutVersion, isZeroed, restores + 1, State.RESTORING);
    }

    /** Returns a block that was RESTORING on all PEs, and of which no PE has completed the contents. */
    public RetainedBlock lost()
    {
        return new RetainedBlock(name, offset, length, layoutVersion, true, restores + 1, State.COMMITTED);
    }

    boolean isSameMemory(final RetainedBlock other)
    {
        return offset == other.offset && length == other.length && layoutVersion == other.layoutVersion;
    }

    @Override
    public String toString()
    {
        return name + " (" + length + " bytes at " + offset + ", version " + layoutVersion + ", " + state + ")";
    }
}
