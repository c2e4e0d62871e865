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
package io.aeroshmem.simulation;

/**
 * The failure of a simulated job: a PE has failed, an assertion of its program too, all PEs wait for each other, or one
 * is between two steps for a minute. The message has the seed, what has failed, and the last steps. A test that does
 * not catch it fails.
 */
public final class SimulationFailure extends AssertionError
{
    private static final long serialVersionUID = 1L;

    private final long seed;
    private final String script;
    private final transient Trace trace;

    SimulationFailure(final World world, final int nPes, final String reason, final Throwable cause)
    {
        super("seed " + world.seed() + ", " + nPes + " PEs: " + reason + "\n" + world.trace(), cause);
        seed = world.seed();
        script = world.script();
        trace = world.trace();
    }

    /**
     * Returns the seed of the job: the same program fails the same way with it, in the same version of the library.
     *
     * @return the seed.
     */
    public long seed()
    {
        return seed;
    }

    /**
     * Returns the order in which the PEs have gone on, for {@link Simulation.Context#script(String)}: unlike a seed, it
     * keeps its meaning when the library changes.
     *
     * @return the script.
     */
    public String script()
    {
        return script;
    }

    /**
     * Returns what has happened.
     *
     * @return the trace; null if the failure was deserialised.
     */
    public Trace trace()
    {
        return trace;
    }
}
