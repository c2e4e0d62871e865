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
package io.aeroshmem.job;

/**
 * Which PE something belongs to. Buffers and contexts of one PE carry the same object, so that one comparison tells a
 * foreign buffer; it also says whether the PE is closed.
 */
public final class PeIdentity
{
    private final int pe;
    private final boolean isJvmShared;
    private volatile boolean isClosed;
    private volatile String teamOutOfStep;

    /**
     * Construct for an open PE.
     *
     * @param pe          number of the PE in the world.
     * @param isJvmShared whether the PE is one of a group in this JVM, which is not its own to end.
     */
    public PeIdentity(final int pe, final boolean isJvmShared)
    {
        this.pe = pe;
        this.isJvmShared = isJvmShared;
    }

    /**
     * Is the PE one of a group in this JVM?
     *
     * @return true if the JVM is not its own to end.
     */
    public boolean isJvmShared()
    {
        return isJvmShared;
    }

    /**
     * Is the PE closed?
     *
     * @return true if it is.
     */
    public boolean isClosed()
    {
        return isClosed;
    }

    /**
     * Throw if the PE is closed.
     *
     * @throws IllegalStateException if it is.
     */
    public void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException(this + " is closed, allowed is a PE between its init and its close");
        }
    }

    /**
     * Close it. All objects of the PE that ask see it from now on.
     */
    public void close()
    {
        isClosed = true;
    }

    /**
     * A collective call of this PE has ended by an exception after it had begun: other PEs may wait for this one.
     *
     * @param teamName name of the team.
     */
    public void outOfStep(final String teamName)
    {
        teamOutOfStep = teamName;
    }

    /**
     * A team of this PE that is out of step with its other members.
     *
     * @return its name, or null if all are in step.
     */
    public String teamOutOfStep()
    {
        return teamOutOfStep;
    }

    @Override
    public String toString()
    {
        return "PE " + pe;
    }
}
