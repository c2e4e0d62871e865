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
package io.aeroshmem.tests;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ProgressMode;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * An operation over messages is complete when its target has performed it, and not before: here the target is inactive
 * until it is released, and the completing call must not return before that.
 */
class CompletionTest
{
    private static final long HELD_MS = 30;
    private static final int BLOCK = 50_000;

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldCompleteOnlyWhenTheTargetHasPerformedIt(final TransportKind transport)
    {
        final Trial[] trials =
        {
            new Trial((ctx, block, words) -> ctx.putLong(words, 0, 1, 1), CommunicationContext::quiet),
            new Trial((ctx, block, words) -> ctx.putLong(words, 0, 2, 1), (ctx) -> ctx.quiet(1)),
            new Trial((ctx, block, words) -> ctx.atomicAddLong(words, 0, 1, 1), CommunicationContext::quiet),
            new Trial((ctx, block, words) -> ctx.signal(words, 0, 4, SignalOp.SET, 1), CommunicationContext::quiet),
            new Trial((ctx, block, words) -> ctx.putNbi(words, 0, words, 64 + 5 * 8, 8, 1), (ctx) -> ctx.quiet(1)),
            new Trial(CompletionTest::putArray, CommunicationContext::quiet),
            new Trial((ctx, block, words) -> ctx.getNbi(block, 0, block, BLOCK, BLOCK, 1), CommunicationContext::quiet),
            new Trial((ctx, block, words) -> ctx.atomicFetchIncLongNbi(words, 32, words, 0, 1), (ctx) -> ctx.quiet(1))
        };
        final long[] expected = {1, 2, 3, 4, 5, 6, 6, 7};
        Job.of(2).transport(transport).setup((config) -> config.progressMode(ProgressMode.INVOKER))
            .run("completion", (pe) -> runTrials(pe, trials, expected));
    }

    private static void putArray(
        final CommunicationContext ctx, final SymmetricBuffer block, final SymmetricBuffer words)
    {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[64]);
        source.putLong(0, 6);
        ctx.put(words, 0, source, 0, 64, 1);
    }

    private static void runTrials(final Pe pe, final Trial[] trials, final long[] expected) throws InterruptedException
    {
        final SymmetricBuffer block = pe.shmem().malloc(2 * BLOCK);
        final SymmetricBuffer words = pe.shmem().calloc(32, 8);
        words.putLong(64 + 5 * 8, 5);
        Pattern.fill(block, BLOCK, BLOCK, pe.me());
        for (int i = 0; i < trials.length; i++)
        {
            final Trial trial = trials[i];
            pe.shmem().barrierAll();
            if (0 == pe.me())
            {
                trial.issue(pe, block, words);
            }
            else
            {
                trial.holdBack(pe);
                assertEquals(expected[i], words.getLong(0), "word after trial " + i);
            }
        }

        pe.shmem().barrierAll();
        if (0 == pe.me())
        {
            Pattern.check("getNbi", block, 0, BLOCK, 1);
        }

        pe.shmem().barrierAll();
    }

    /**
     * One operation and the call that completes it.
     */
    private static final class Trial
    {
        private final Operation operation;
        private final Completion completion;
        private final CountDownLatch idle = new CountDownLatch(1);
        private final CountDownLatch issued = new CountDownLatch(1);
        private final CountDownLatch returned = new CountDownLatch(1);

        Trial(final Operation operation, final Completion completion)
        {
            this.operation = operation;
            this.completion = completion;
        }

        void issue(final Pe pe, final SymmetricBuffer block, final SymmetricBuffer words) throws InterruptedException
        {
            idle.await();
            operation.run(pe.ctx(), block, words);
            for (int i = 0; i < 100; i++)
            {
                assertFalse(pe.ctx().testQuiet(), "the target has done nothing yet");
            }

            issued.countDown();
            completion.run(pe.ctx());
            returned.countDown();
        }

        void holdBack(final Pe pe) throws InterruptedException
        {
            idle.countDown();
            issued.await();
            assertFalse(returned.await(HELD_MS, TimeUnit.MILLISECONDS), "complete before the target has done it");
            Pe.await(
                () ->
                {
                    pe.shmem().progress();
                    return 0 == returned.getCount();
                },
                "completion");
        }
    }

    /**
     * An operation of PE 0 on PE 1.
     */
    @FunctionalInterface
    private interface Operation
    {
        void run(CommunicationContext ctx, SymmetricBuffer block, SymmetricBuffer words);
    }

    /**
     * The call that has to wait for the operation.
     */
    @FunctionalInterface
    private interface Completion
    {
        void run(CommunicationContext ctx);
    }
}
