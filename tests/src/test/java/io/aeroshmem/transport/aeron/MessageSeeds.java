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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.job.JobDirectory;

import java.nio.file.Path;

/** Worlds of successive seeds, which test the message engine. */
final class MessageSeeds
{
    private static final int SMALL = 5;

    private MessageSeeds()
    {
    }

    /** Returns the faults that the seed chooses, of a world whose job does not fail. */
    static MessageFaults harmless(final long seed)
    {
        return 0 == (seed & 1) ? MessageFaults.NONE : new CutStreams();
    }

    /** Returns the number of PEs that the seed chooses. */
    static int nPes(final long seed)
    {
        return 2 + Math.floorMod(seed, SMALL - 1);
    }

    /** Runs a world whose job may not fail, and returns its trace. */
    static long run(final Path root, final long seed, final int nPes, final MessageFaults faults)
    {
        final MessageWorld world = end(root, seed, nPes, faults);
        if (world.hasFailed())
        {
            throw world.wrong("the job has failed");
        }

        return world.trace().hash();
    }

    /** Runs a world to its end. */
    static MessageWorld end(final Path root, final long seed, final int nPes, final MessageFaults faults)
    {
        try (JobDirectory directory = JobDirectory.create(root, nPes))
        {
            try
            {
                final MessageWorld world = new MessageWorld(seed, directory, faults);
                world.run();
                return world;
            }
            catch (final RuntimeException ex)
            {
                throw new AssertionError("seed " + seed + ": " + ex, ex);
            }
            finally
            {
                directory.delete();
            }
        }
    }

    /** Returns how many seeds, from the first, have been run when one has found an error; one more if none has. */
    static int search(final Path root, final long first, final int limit)
    {
        for (int i = 0; i < limit; i++)
        {
            try
            {
                run(root, first + i, nPes(first + i), harmless(first + i));
            }
            catch (final AssertionError ex)
            {
                return i + 1;
            }
        }

        return limit + 1;
    }
}
