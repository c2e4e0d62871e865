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

import java.util.SplittableRandom;

/** A stream is cut for a while, then another: what is sent waits. */
final class CutStreams implements MessageFaults
{
    private static final int LENGTH = 400;
    private static final int RARITY = 100;

    private int left;

    @Override
    public boolean step(final MessageWorld world)
    {
        final SplittableRandom random = world.random;
        if (left > 0)
        {
            if (0 == --left)
            {
                world.network.mend();
            }
        }
        else if (0 == random.nextInt(RARITY))
        {
            world.network.cut();
            left = 1 + random.nextInt(LENGTH);
        }

        return false;
    }
}
