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
import java.util.regex.Pattern;

/**
 * Chooses which of the actors that can go on does. Seeds are spent in thirds: one actor is starved for a while, then
 * another; priorities, which change a few times; all alike.
 */
abstract class Schedule
{
    private static final int MAX_BURST = 7;
    private static final int MEAN_STEPS = 2;

    final SplittableRandom random;
    private int burst;
    private Actor last;

    Schedule(final SplittableRandom random)
    {
        this.random = random;
    }

    static Schedule of(final long seed, final SplittableRandom random)
    {
        return switch ((int)Long.remainderUnsigned(seed, 3))
        {
            case 0 -> new Starving(random);
            case 1 -> new Prioritised(random);
            default -> new Uniform(random);
        };
    }

    /**
     * Returns the actor that goes on.
     *
     * @param runnable   at least one.
     * @param paused     the actor that has just paused in vain, or null.
     * @param areAllIdle whether only time can end their waits: they then poll in bursts.
     */
    Actor next(final List<Actor> runnable, final Actor paused, final boolean areAllIdle)
    {
        if (areAllIdle && --burst > 0 && runnable.contains(paused))
        {
            return paused;
        }

        burst = areAllIdle ? 1 << random.nextInt(MAX_BURST) : 0;
        return next(runnable, paused);
    }

    /** Returns one of them, in half of the choices the last one: to change threads costs more than a step. */
    final Actor any(final List<Actor> runnable)
    {
        if (0 == random.nextInt(MEAN_STEPS) || !runnable.contains(last))
        {
            last = runnable.get(random.nextInt(runnable.size()));
        }

        return last;
    }

    /** Returns the actor that goes on, outside bursts. */
    abstract Actor next(List<Actor> runnable, Actor paused);

    /**
     * Returns the schedule of a script: pairs of an actor's number and how often in turn it goes on, as in
     * {@code 0*3 2*1}. When the script has ended, or its actor cannot go on, the seed decides.
     */
    static Schedule of(final String script, final Schedule otherwise)
    {
        return new Scripted(script, otherwise);
    }

    /** Returns a schedule in which a PE goes on in one of so many of its turns, while others can. */
    static Schedule slowing(final int pe, final int factor, final Schedule schedule)
    {
        return new Slowing(pe, factor, schedule);
    }

    /** One PE is slow. */
    private static final class Slowing extends Schedule
    {
        private final int pe;
        private final int factor;
        private final Schedule schedule;
        private final List<Actor> others = new ArrayList<>();

        Slowing(final int pe, final int factor, final Schedule schedule)
        {
            super(schedule.random);
            this.pe = pe;
            this.factor = factor;
            this.schedule = schedule;
        }

        @Override
        Actor next(final List<Actor> runnable, final Actor paused, final boolean areAllIdle)
        {
            final Actor next = schedule.next(runnable, paused, areAllIdle);
            if (areAllIdle || pe != next.pe || 0 == random.nextInt(factor))
            {
                return next;
            }

            others.clear();
            for (final Actor actor : runnable)
            {
                if (pe != actor.pe)
                {
                    others.add(actor);
                }
            }

            return others.isEmpty() ? next : schedule.next(others, paused, false);
        }

        @Override
        Actor next(final List<Actor> runnable, final Actor paused)
        {
            return schedule.next(runnable, paused);
        }
    }

    /** What a script says. */
    private static final class Scripted extends Schedule
    {
        private static final Pattern TURN = Pattern.compile("\\d{1,9}\\*\\d{1,9}");

        private final Schedule otherwise;
        private final String[] turns;
        private int turn = -1;
        private int number;
        private int left;

        Scripted(final String script, final Schedule otherwise)
        {
            super(otherwise.random);
            this.otherwise = otherwise;
            turns = script.split(" ");
            for (final String name : turns)
            {
                if (!TURN.matcher(name).matches())
                {
                    throw new IllegalArgumentException("not a script of a failure: " + name);
                }
            }
        }

        @Override
        Actor next(final List<Actor> runnable, final Actor paused, final boolean areAllIdle)
        {
            while (0 == left && ++turn < turns.length)
            {
                final String[] parts = turns[turn].split("\\*");
                number = Integer.parseInt(parts[0]);
                left = Integer.parseInt(parts[1]);
            }

            left = Math.max(0, left - 1);
            for (final Actor actor : runnable)
            {
                if (turn < turns.length && number == actor.number)
                {
                    return actor;
                }
            }

            return otherwise.next(runnable, paused, areAllIdle);
        }

        @Override
        Actor next(final List<Actor> runnable, final Actor paused)
        {
            return otherwise.next(runnable, paused);
        }
    }

    /** All alike. */
    private static final class Uniform extends Schedule
    {
        Uniform(final SplittableRandom random)
        {
            super(random);
        }

        @Override
        Actor next(final List<Actor> runnable, final Actor paused)
        {
            return any(runnable);
        }
    }

    /** A victim does nothing while others can: they run ahead of it, or it lags behind them. */
    private static final class Starving extends Schedule
    {
        private static final int MAX_CHOICES = 3_000;
        private static final int MAX_IDLE = 200;

        private int victim = -1;
        private int choicesLeft;
        private int idle;

        Starving(final SplittableRandom random)
        {
            super(random);
        }

        @Override
        Actor next(final List<Actor> runnable, final Actor paused)
        {
            if (choicesLeft-- <= 0)
            {
                choicesLeft = random.nextInt(MAX_CHOICES);
                idle = 0;
                victim = random.nextInt(3) > 0 ? runnable.get(random.nextInt(runnable.size())).pe : -1;
            }

            idle += null == paused ? 0 : 1;
            Actor chosen = any(runnable);
            if (victim == chosen.pe && idle < MAX_IDLE)
            {
                chosen = runnable.get(random.nextInt(runnable.size()));
            }

            if (idle >= MAX_IDLE)
            {
                choicesLeft = 0;
            }

            return chosen;
        }
    }

    /** The highest priority goes on; who pauses in vain has the lowest from then on, as does one now and then. */
    private static final class Prioritised extends Schedule
    {
        private static final int MEAN_CHOICES = 400;

        private long lowest;
        private long highest;

        Prioritised(final SplittableRandom random)
        {
            super(random);
        }

        @Override
        Actor next(final List<Actor> runnable, final Actor paused)
        {
            if (null != paused)
            {
                paused.priority = --lowest;
            }

            if (0 == random.nextInt(MEAN_CHOICES))
            {
                runnable.get(random.nextInt(runnable.size())).priority = random.nextBoolean() ? ++highest : --lowest;
            }

            Actor best = runnable.get(0);
            for (final Actor actor : runnable)
            {
                if (0 == actor.priority)
                {
                    actor.priority = random.nextBoolean() ? ++highest : --lowest;
                }

                best = actor.priority > best.priority ? actor : best;
            }

            return best;
        }
    }
}
