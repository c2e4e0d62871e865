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
package io.aeroshmem.tests.hostile;

import io.aeroshmem.ReduceOp;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestDriver;
import io.aeroshmem.tests.fixture.TestMemory;

import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** A job of two PEs, with a driver of its own, that works in rounds until an attack is over. */
final class AttackedJob
{
    static final int PES = 2;

    private static final int MIN_ROUNDS = 20;

    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private final TestDriver driver;

    @FunctionalInterface
    interface Attack
    {
        void run(UnauthenticatedSender sender, String driverDirectory, Random random) throws Exception;
    }

    private AttackedJob(final TestDriver driver)
    {
        this.driver = driver;
    }

    /**
     * Runs a job.
     *
     * @param job    of {@link #PES} PEs, to be configured further.
     * @param work   called on each PE; returns what it does in a round, whose number it receives.
     * @param attack on a thread of PE 0's process. What it throws is thrown here.
     */
    static void run(
        final Function<Job, Job> job,
        final TransportKind transport,
        final Function<Pe, LongConsumer> work,
        final Attack attack)
    {
        TestMemory.root();
        try (TestDriver driver = TestDriver.launch())
        {
            final AttackedJob attacked = new AttackedJob(driver);
            job.apply(Job.of(PES).transport(transport).property(TestDriver.PROPERTY, driver.directory()))
                .run("work under attack", (pe) -> attacked.work(pe, work.apply(pe), attack));
            if (null != attacked.thrown.get())
            {
                throw new AssertionError("in the attack", attacked.thrown.get());
            }
        }
    }

    private void work(final Pe pe, final LongConsumer round, final Attack attack)
    {
        pe.shmem().barrierAll();
        if (0 == pe.me())
        {
            final Thread thread = new Thread(() -> attack(attack, new Random(pe.seed())), "attack");
            thread.setDaemon(true);
            thread.start();
        }

        long rounds = 0;
        long over = 0;
        while (0 == over || rounds < MIN_ROUNDS)
        {
            rounds++;
            round.accept(rounds);
            over = pe.shmem().world().reduceLong(ReduceOp.MAX, isOver.get() ? 1 : 0);
        }
    }

    private void attack(final Attack attack, final Random random)
    {
        try (UnauthenticatedSender sender = new UnauthenticatedSender(driver.directory()))
        {
            attack.run(sender, driver.directory(), random);
        }
        catch (final Exception | Error ex)
        {
            thrown.set(ex);
        }
        finally
        {
            isOver.set(true);
        }
    }
}
