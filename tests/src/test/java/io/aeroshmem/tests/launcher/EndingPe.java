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
package io.aeroshmem.tests.launcher;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.Comparison;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * A PE that ends without closing its {@link Shmem}, or is blocked in a call until another PE has ended. The threads of
 * its factory are not daemons.
 */
public final class EndingPe
{
    static final String ALL = "all";
    static final int STATUS = 3;

    private EndingPe()
    {
    }

    /**
     * Runs one PE.
     *
     * @param args how PEs end: {@code return}, {@code throw}, {@code exit} with {@link #STATUS}, {@code hook}: a
     *             shutdown hook closes, or {@code threads}: return, having run two PEs on threads; which PE ends, or
     *             {@link #ALL}; and in which call the others are.
     * @throws InterruptedException if it is interrupted.
     */
    public static void main(final String[] args) throws InterruptedException
    {
        if ("threads".equals(args[0]))
        {
            runOnThreads();
            return;
        }

        final Shmem shmem = Shmem.init(new Shmem.Context().threadFactory(Thread::new));
        final SymmetricBuffer word = shmem.calloc(2, Long.BYTES);
        if ("hook".equals(args[0]))
        {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(shmem)));
        }

        meet(shmem, word, args[1]);
        if (ALL.equals(args[1]) || Integer.toString(shmem.myPe()).equals(args[1]))
        {
            System.out.println("ends " + System.currentTimeMillis());
            end(args[0]);
            return;
        }

        try
        {
            call(shmem, word, args[2], Integer.parseInt(args[1]));
        }
        catch (final PeFailureException ex)
        {
            System.out.println("failed " + System.currentTimeMillis() + ' ' + ex.pe() + ' ' + ex.getMessage());
            throw ex;
        }
    }

    /** A PE ends when the others have left the barrier: its failure would overtake its last message. */
    private static void meet(final Shmem shmem, final SymmetricBuffer words, final String ending)
    {
        shmem.barrierAll();
        if (Integer.toString(shmem.myPe()).equals(ending))
        {
            shmem.waitUntilLong(words, Long.BYTES, Comparison.EQ, shmem.nPes() - 1);
        }
        else if (!ALL.equals(ending))
        {
            shmem.defaultContext().atomicIncLong(words, Long.BYTES, Integer.parseInt(ending));
        }
    }

    private static void end(final String how)
    {
        if ("throw".equals(how))
        {
            throw new IllegalStateException("nothing left to trade");
        }

        if ("exit".equals(how))
        {
            System.exit(STATUS);
        }
    }

    private static void call(final Shmem shmem, final SymmetricBuffer word, final String call, final int endingPe)
    {
        switch (call)
        {
            case "barrier":
                shmem.barrierAll();
                break;

            case "wait":
                shmem.waitUntilLong(word, 0, Comparison.NE, 0);
                break;

            case "close":
                shmem.close();
                break;

            case "get":
                while (0 == shmem.defaultContext().getLong(word, 0, endingPe))
                {
                    Thread.onSpinWait();
                }

                break;

            default:
                throw new IllegalArgumentException(call);
        }
    }

    private static void close(final Shmem shmem)
    {
        shmem.close();
        System.out.println("closed " + shmem.initStatus());
    }

    private static void runOnThreads() throws InterruptedException
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(2);
        final Thread[] threads = new Thread[bootstraps.length];
        for (int pe = 0; pe < threads.length; pe++)
        {
            final Bootstrap bootstrap = bootstraps[pe];
            threads[pe] = new Thread(() -> Shmem.init(new Shmem.Context().bootstrap(bootstrap)).barrierAll());
            threads[pe].start();
        }

        for (final Thread thread : threads)
        {
            thread.join();
        }

        System.out.println("ends " + System.currentTimeMillis());
    }
}
