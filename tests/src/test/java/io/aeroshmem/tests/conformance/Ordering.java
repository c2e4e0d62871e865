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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ContextOption;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Fence, quiet and their limits, barriers, and several contexts.
 */
final class Ordering
{
    private static final int BLOCK = 9_001;

    private Ordering()
    {
    }

    static void shouldOrderPutsByFence(final Pe pe)
    {
        orderByFence(pe, false);
    }

    static void shouldOrderPutsToOnePeByItsFence(final Pe pe)
    {
        orderByFence(pe, true);
    }

    private static void orderByFence(final Pe pe, final boolean onePe)
    {
        final SymmetricBuffer block = pe.malloc(BLOCK);
        final SymmetricBuffer source = pe.malloc(BLOCK);
        final SymmetricBuffer flags = pe.calloc(8, 8);
        final CommunicationContext ctx = pe.ctx();
        for (int round = 1; round <= 60; round++)
        {
            Pattern.fill(pe, source, 0, BLOCK, Pattern.seed(pe.me(), round));
            if (0 == round % 2)
            {
                ctx.put(block, 0, source, 0, BLOCK, pe.right());
            }
            else
            {
                ctx.putNbi(block, 0, source, 0, BLOCK, pe.right());
            }

            fence(ctx, onePe, pe.right());
            switch (round % 3)
            {
                case 0 -> ctx.putLong(flags, 0, round, pe.right());
                case 1 -> ctx.atomicSetLong(flags, 0, round, pe.right());
                default -> ctx.signal(flags, 0, round, SignalOp.SET, pe.right());
            }

            pe.shmem().waitUntilLong(flags, 0, Comparison.EQ, round);
            Pattern.check(pe, "put before the fence, round " + round, block, 0, BLOCK, Pattern.seed(pe.left(), round));
            ctx.quiet();
            ctx.atomicAddLong(flags, 8, 1, pe.left());
            pe.shmem().waitUntilLong(flags, 8, Comparison.GE, round);
        }

        pe.shmem().free(flags);
        pe.shmem().free(source);
        pe.shmem().free(block);
    }

    private static void fence(final CommunicationContext ctx, final boolean onePe, final int pe)
    {
        if (onePe)
        {
            ctx.fence(pe);
        }
        else
        {
            ctx.fence();
        }
    }

    static void shouldCompleteAtQuiet(final Pe pe)
    {
        final SymmetricBuffer words = pe.calloc(pe.n(), 8);
        for (int round = 1; round <= 20; round++)
        {
            for (int target = 0; target < pe.n(); target++)
            {
                pe.ctx().putLong(words, 8L * pe.me(), round, target);
            }

            if (0 == round % 2)
            {
                pe.ctx().quiet();
            }
            else
            {
                for (int target = 0; target < pe.n(); target++)
                {
                    pe.ctx().quiet(target);
                }
            }

            pe.shmem().syncAll();
            for (int source = 0; source < pe.n(); source++)
            {
                assertEquals(round, pe.memory().getLong(words, 8L * source), "put of PE " + source);
            }

            pe.shmem().syncAll();
        }

        pe.shmem().free(words);
    }

    static void shouldTestQuietUntilComplete(final Pe pe)
    {
        final SymmetricBuffer dest = pe.malloc(BLOCK);
        final SymmetricBuffer fetched = pe.malloc(BLOCK);
        final SymmetricBuffer source = pe.malloc(BLOCK);
        for (int round = 0; round < 10; round++)
        {
            Pattern.fill(pe, source, 0, BLOCK, Pattern.seed(pe.me(), round));
            pe.shmem().barrierAll();
            pe.ctx().putNbi(dest, 0, source, 0, BLOCK, pe.right());
            pe.ctx().getNbi(fetched, 0, source, 0, BLOCK, pe.left());
            Pe.await(() -> pe.ctx().testQuiet(), "testQuiet");
            Pattern.check(pe, "getNbi", fetched, 0, BLOCK, Pattern.seed(pe.left(), round));
            pe.shmem().syncAll();
            Pattern.check(pe, "putNbi", dest, 0, BLOCK, Pattern.seed(pe.left(), round));
            pe.shmem().syncAll();
        }

        pe.shmem().free(source);
        pe.shmem().free(fetched);
        pe.shmem().free(dest);
    }

    static void shouldCompletePutsAtBarrier(final Pe pe)
    {
        final SymmetricBuffer words = pe.calloc(2L * pe.n(), 8);
        final SymmetricBuffer source = pe.malloc(8);
        for (int round = 1; round <= 100; round++)
        {
            pe.memory().putLong(source, 0, -round);
            for (int target = 0; target < pe.n(); target++)
            {
                pe.ctx().putLong(words, 16L * pe.me(), round, target);
                pe.ctx().putNbi(words, 16L * pe.me() + 8, source, 0, 8, target);
            }

            pe.shmem().barrierAll();
            for (int other = 0; other < pe.n(); other++)
            {
                assertEquals(
                    round, pe.memory().getLong(words, 16L * other), "put of PE " + other + " before the barrier");
                assertEquals(-round,
                    pe.memory().getLong(words, 16L * other + 8), "putNbi of PE " + other + " before the barrier");
            }

            pe.shmem().syncAll();
        }

        pe.shmem().free(source);
        pe.shmem().free(words);
    }

    static void shouldMeetInBarriersBackToBack(final Pe pe)
    {
        final SymmetricBuffer counter = pe.calloc(1, 8);
        final int rounds = 300;
        for (int round = 1; round <= rounds; round++)
        {
            if (0 == round % 5)
            {
                pe.ctx().atomicAddLong(counter, 0, 1, 0);
                pe.shmem().barrierAll();
                if (0 == pe.me())
                {
                    assertEquals((long)pe.n() * round / 5, pe.memory().getLong(counter, 0));
                }
            }

            pe.shmem().syncAll();
        }

        pe.shmem().free(counter);
    }

    static void shouldKeepContextsApart(final Pe pe)
    {
        final ContextOption[][] options =
        {
            {}, {ContextOption.SERIALIZED}, {ContextOption.PRIVATE}, {ContextOption.NOSTORE},
            {ContextOption.PRIVATE, ContextOption.NOSTORE}
        };
        final CommunicationContext[] contexts = new CommunicationContext[options.length];
        final SymmetricBuffer words = pe.calloc((long)options.length * pe.n(), 8);
        final SymmetricBuffer source = pe.calloc(options.length, 8);
        for (int i = 0; i < contexts.length; i++)
        {
            contexts[i] = pe.createContext(options[i]);
            assertNotSame(pe.ctx(), contexts[i]);
            assertNotNull(contexts[i].team());
            assertEquals(pe.n(), contexts[i].team().nPes());
            pe.memory().putLong(source, 8L * i, 1000 * i + pe.me());
        }

        pe.shmem().barrierAll();
        for (int i = 0; i < contexts.length; i++)
        {
            final long at = 8L * (i * pe.n() + pe.me());
            contexts[i].putNbi(words, at, source, 8L * i, 8, pe.right());
            contexts[i].atomicAddLong(words, at, 0, pe.me());
        }

        for (int i = contexts.length - 1; i >= 0; i--)
        {
            contexts[i].quiet();
            assertEquals(1000L * i + pe.me(), contexts[i].getLong(words, 8L * (i * pe.n() + pe.me()), pe.right()));
        }

        pe.shmem().syncAll();
        for (int i = 0; i < contexts.length; i++)
        {
            assertEquals(1000L * i + pe.left(), pe.memory().getLong(words, 8L * (i * pe.n() + pe.left())));
            contexts[i].close();
            final CommunicationContext closed = contexts[i];
            assertThrows(IllegalStateException.class, () -> closed.putLong(words, 0, 1, pe.me()));
            assertThrows(IllegalStateException.class, closed::quiet);
        }

        assertSame(pe.ctx(), pe.shmem().defaultContext());
        pe.shmem().barrierAll();
        for (int i = 0; i < 300; i++)
        {
            pe.createContext().close();
        }

        pe.shmem().free(source);
        pe.shmem().free(words);
    }

    static void shouldCompleteWhatIsOutstandingWhenAContextIsClosed(final Pe pe)
    {
        final SymmetricBuffer dest = pe.malloc(BLOCK);
        final SymmetricBuffer source = pe.malloc(BLOCK);
        Pattern.fill(pe, source, 0, BLOCK, Pattern.seed(pe.me()));
        pe.shmem().barrierAll();
        try (CommunicationContext ctx = pe.createContext())
        {
            ctx.putNbi(dest, 0, source, 0, BLOCK, pe.right());
        }

        pe.shmem().syncAll();
        Pattern.check(pe, "putNbi before close", dest, 0, BLOCK, Pattern.seed(pe.left()));
        pe.shmem().free(source);
        pe.shmem().free(dest);
    }
}
