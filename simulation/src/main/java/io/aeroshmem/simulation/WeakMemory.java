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

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The operations of a world's PEs that are issued and not performed yet. It performs them in any order that OpenSHMEM
 * permits, by the seed: those of a PE to another as it likes between two fences, and no later than a quiet.
 * <p>
 * A {@link Lane} has those from one PE to another, by communication contexts. The library's own calls have lanes of
 * their own, in which the order of issue is kept, as the messages of a link keep it.
 */
final class WeakMemory implements InFlight
{
    private final World world;
    private final SplittableRandom random;
    private final int nPes;
    /** By source, destination and kind; null before the first operation. */
    private final Lane[] lanes;
    /** Those with operations, in the order in which they got the first. */
    private final List<Lane> busy = new ArrayList<>();

    WeakMemory(final World world, final SplittableRandom random, final int nPes)
    {
        this.world = world;
        this.random = random;
        this.nPes = nPes;
        lanes = new Lane[2 * nPes * nPes];
    }

    /** Waits for a lane to be empty, maybe not for long enough; after a failure of the job, it is emptied only here. */
    void await(final Lane lane)
    {
        if (world.hasFailed())
        {
            lane.performOne();
        }
        else
        {
            world.pauseInVain();
        }
    }

    /** Has a PE look at its memory again, which an operation may have changed. */
    void onPerformed(final int pe)
    {
        world.onStore(pe);
    }

    Lane lane(final int source, final int destination, final boolean isOrdered)
    {
        final int index = 2 * (source * nPes + destination) + (isOrdered ? 1 : 0);
        if (null == lanes[index])
        {
            lanes[index] = new Lane(source, destination, isOrdered);
        }

        return lanes[index];
    }

    /** Returns the length of the first piece of a block, which takes effect apart from the rest. */
    long piece(final long length)
    {
        return length > Long.BYTES && random.nextBoolean() ?
            Long.BYTES * (1 + random.nextLong((length - 1) / Long.BYTES)) : length;
    }

    /** Forgets what a PE that dies has issued, but for some of it. */
    void kill(final int pe)
    {
        for (int destination = 0; destination < nPes; destination++)
        {
            for (final boolean isOrdered : new boolean[]{false, true})
            {
                final Lane lane = lane(pe, destination, isOrdered);
                for (int left = random.nextInt(1 + lane.operations.size()); left > 0 && !lane.isEmpty(); left--)
                {
                    lane.performOne();
                }

                lane.operations.clear();
                busy.remove(lane);
            }
        }
    }

    @Override
    public boolean stepOfSome()
    {
        if (!canMove())
        {
            return false;
        }

        final Lane lane = busy.get(random.nextInt(busy.size()));
        lane.performOne();
        return true;
    }

    @Override
    public boolean hasMoved(final int pe)
    {
        return false;
    }

    /** After a failure of the job nobody waits for an effect, and PEs that leave unmap the memory of others. */
    @Override
    public boolean canMove()
    {
        return !busy.isEmpty() && !world.hasFailed();
    }

    @Override
    public boolean hasRefused(final int pe)
    {
        return false;
    }

    /** The operations from one PE to another. */
    final class Lane
    {
        private final int source;
        private final int destination;
        private final boolean isOrdered;
        private final List<Operation> operations = new ArrayList<>();
        /** Counts the fences. What comes before one is performed before what comes after it. */
        private long epoch;
        private boolean isAwaited;

        Lane(final int source, final int destination, final boolean isOrdered)
        {
            this.source = source;
            this.destination = destination;
            this.isOrdered = isOrdered;
        }

        void add(final Runnable effect)
        {
            add(effect, false);
        }

        /** Adds an operation that returns something to its source. */
        void addReturning(final Runnable effect)
        {
            add(effect, true);
        }

        private void add(final Runnable effect, final boolean isReturning)
        {
            add(new Operation(epoch, true, isReturning, effect));
            if (isOrdered)
            {
                epoch++;
            }
        }

        private void add(final Operation operation)
        {
            if (operations.isEmpty())
            {
                busy.add(this);
            }

            operations.add(operation);
        }

        /** Adds effects in any order, and one after all of them. */
        void add(final List<Runnable> effects, final Runnable last)
        {
            if (effects.isEmpty())
            {
                add(last);
                return;
            }

            final long issued = epoch;
            final int[] left = {effects.size()};
            for (final Runnable effect : effects)
            {
                add(new Operation(issued, false, false, () ->
                {
                    effect.run();
                    if (0 == --left[0])
                    {
                        add(new Operation(issued, true, false, last));
                    }
                }));
            }

            if (isOrdered)
            {
                epoch++;
            }
        }

        void fence()
        {
            epoch++;
        }

        boolean isEmpty()
        {
            return operations.isEmpty();
        }

        /** Returns whether it is empty; if not, its source waits for that. */
        boolean isQuiet()
        {
            isAwaited = !operations.isEmpty();
            return !isAwaited;
        }

        /** Returns whether something is left that a fence has ordered before what is issued now. */
        boolean isAnyBeforeFence()
        {
            return !operations.isEmpty() && first() < epoch;
        }

        private long first()
        {
            long first = Long.MAX_VALUE;
            for (final Operation operation : operations)
            {
                first = Math.min(first, operation.epoch);
            }

            return first;
        }

        /** Performs one of those that no fence holds back. */
        void performOne()
        {
            final long first = first();
            int count = 0;
            Operation chosen = null;
            for (final Operation operation : operations)
            {
                if (operation.epoch == first && 0 == random.nextInt(++count))
                {
                    chosen = operation;
                }
            }

            chosen.effect.run();
            operations.remove(chosen);
            if (chosen.isAwaitable)
            {
                onPerformed(destination);
            }

            if (chosen.isReturning || isAwaited && operations.isEmpty())
            {
                isAwaited = false;
                onPerformed(source);
            }

            if (operations.isEmpty())
            {
                busy.remove(this);
            }
        }
    }

    /**
     * An operation, or a part of one that takes effect at once.
     *
     * @param epoch       number of fences before it.
     * @param isAwaitable whether a PE whose memory it changes may wait for it, and not for one that follows.
     * @param isReturning whether its source may wait for it alone, as for a get.
     * @param effect      on the memory of the destination; for a get, on that of the source.
     */
    private record Operation(long epoch, boolean isAwaitable, boolean isReturning, Runnable effect)
    {
    }
}
