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
package io.aeroshmem.tests.fault;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.Team;
import io.aeroshmem.TeamCreation;
import io.aeroshmem.TeamParams;

import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The state of the PEs of a job at the time of a fault. All but one, the idle PE, make a call that cannot end before
 * the idle one takes part.
 */
enum Situation
{
    INIT
    {
        @Override
        void run(final Scene scene)
        {
            // all of them wait in init for a PE that joins late or never
            scene.shmem.barrierAll();
        }
    },

    BARRIER
    {
        @Override
        void run(final Scene scene)
        {
            scene.hold();
            scene.shmem.barrierAll();
        }
    },

    REDUCE
    {
        @Override
        void run(final Scene scene)
        {
            final int n = scene.shmem.nPes();
            scene.hold();
            final long sum = scene.shmem.world().reduceLong(ReduceOp.SUM, scene.shmem.myPe() + 1);
            scene.check(n * (n + 1) / 2, sum);
        }
    },

    BROADCAST
    {
        @Override
        void run(final Scene scene)
        {
            scene.hold();
            scene.check(77, scene.shmem.world().broadcastLong(scene.isIdle() ? 77 : 0, scene.idlePe));
        }
    },

    GET
    {
        @Override
        void run(final Scene scene)
        {
            scene.hold();
            if (scene.isIdle())
            {
                scene.buffer.putLong(0, 5);
                return;
            }

            final CommunicationContext ctx = scene.shmem.defaultContext();
            while (5 != ctx.getLong(scene.buffer, 0, scene.idlePe))
            {
                scene.loop();
            }
        }
    },

    FETCH
    {
        @Override
        void run(final Scene scene)
        {
            scene.hold();
            long count = 0;
            if (scene.isIdle())
            {
                scene.buffer.putLong(0, 5);
            }
            else
            {
                final CommunicationContext ctx = scene.shmem.defaultContext();
                while (5 != ctx.atomicFetchLong(scene.buffer, 0, scene.idlePe))
                {
                    ctx.atomicFetchAddLong(scene.buffer, 64, 1, scene.idlePe);
                    count++;
                    scene.loop();
                }
            }

            final long total = scene.shmem.world().reduceLong(ReduceOp.SUM, count);
            if (scene.isIdle())
            {
                scene.check(total, scene.buffer.getLong(64));
            }
        }
    },

    WAIT
    {
        @Override
        void run(final Scene scene)
        {
            scene.hold();
            if (!scene.isIdle())
            {
                scene.shmem.waitUntilLong(scene.buffer, 0, Comparison.EQ, 7);
                return;
            }

            for (int pe = 0; pe < scene.shmem.nPes(); pe++)
            {
                scene.shmem.defaultContext().putLong(scene.buffer, 0, 7, pe);
            }

            scene.shmem.defaultContext().quiet();
        }
    },

    MALLOC
    {
        @Override
        void run(final Scene scene)
        {
            scene.hold();
            scene.shmem.free(scene.shmem.malloc(64));
        }
    },

    SPLIT
    {
        @Override
        void run(final Scene scene)
        {
            scene.hold();
            try (Team team = scene.shmem.world().splitStrided(0, 1, scene.shmem.nPes()))
            {
                scene.check(scene.shmem.myPe(), team.myPe());
            }
        }
    },

    CREATE
    {
        @Override
        void run(final Scene scene)
        {
            scene.hold();
            poll(scene, scene.shmem.createTeam(new TeamParams()));
        }
    },

    COLOUR
    {
        @Override
        void run(final Scene scene)
        {
            final TeamCreation creation = scene.shmem.world().split(scene.shmem.myPe() & 1, 0);
            scene.hold();
            poll(scene, creation);
        }
    },

    LOCK
    {
        @Override
        void run(final Scene scene)
        {
            if (scene.isIdle())
            {
                scene.shmem.lock(scene.buffer, 128);
            }

            scene.shmem.barrierAll();
            for (int i = 0; i < 20 && !scene.isIdle(); i++)
            {
                scene.shmem.tryLock(scene.buffer, 128, 1_000);
            }

            scene.hold();
            if (!scene.isIdle())
            {
                scene.shmem.lock(scene.buffer, 128);
            }

            scene.shmem.unlock(scene.buffer, 128);
        }
    },

    CLOSE
    {
        @Override
        void run(final Scene scene)
        {
            scene.hold();
            scene.shmem.close();
        }
    },

    /**
     * All PEs do the same, chosen at random, indefinitely.
     */
    ANYTHING
    {
        @Override
        void run(final Scene scene)
        {
            final SplittableRandom random = new SplittableRandom(scene.seed);
            scene.ready();
            while (true)
            {
                anything(scene, random.nextInt(9));
                scene.loop();
            }
        }
    };

    /** All in which PEs wait for the idle one. */
    static final Set<Situation> WAITS = EnumSet.complementOf(EnumSet.of(ANYTHING));

    abstract void run(Scene scene);

    private static void poll(final Scene scene, final TeamCreation creation)
    {
        while (!creation.poll())
        {
            scene.loop();
        }

        try (Team team = creation.team())
        {
            scene.check(team.nPes(), team.reduceLong(ReduceOp.SUM, 1));
        }
    }

    private static void anything(final Scene scene, final int what)
    {
        final Shmem shmem = scene.shmem;
        final CommunicationContext ctx = shmem.defaultContext();
        final int next = (shmem.myPe() + 1) % shmem.nPes();
        switch (what)
        {
            case 0:
                shmem.barrierAll();
                break;

            case 1:
                shmem.world().reduceLong(ReduceOp.MAX, shmem.myPe());
                break;

            case 2:
                ctx.getLong(scene.buffer, 0, next);
                break;

            case 3:
                ctx.atomicFetchAddLong(scene.buffer, 64, 1, next);
                break;

            case 4:
                ctx.atomicIncLong(scene.buffer, 192, next);
                ctx.quiet();
                shmem.waitUntilLong(scene.buffer, 192, Comparison.GE, ++scene.signals);
                break;

            case 5:
                shmem.free(shmem.malloc(4096));
                break;

            case 6:
                try (Team team = shmem.world().splitStrided(0, 1, shmem.nPes()))
                {
                    team.sync();
                }

                break;

            case 7:
                shmem.lock(scene.buffer, 128);
                shmem.unlock(scene.buffer, 128);
                break;

            default:
                shmem.world().broadcastLong(1, 0);
                break;
        }
    }
}
