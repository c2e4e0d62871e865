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

import io.aeroshmem.BootstrapException;
import io.aeroshmem.InitStatus;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.ThreadLevel;
import io.aeroshmem.TransportKind;

/**
 * A program that joins one job after the other, under any launcher, and prints {@code job <i> <pe> <nPes>} in each.
 * Its first argument is the number of jobs, the optional second the action after them.
 */
public final class AgainPe
{
    private static final TransportKind[] TRANSPORTS = {
        TransportKind.AUTO, TransportKind.UDP, TransportKind.MAPPED, TransportKind.IPC, TransportKind.UDP};

    private AgainPe()
    {
    }

    /**
     * Runs one process.
     *
     * @param args number of jobs, the action after them, and the PE that performs it.
     */
    public static void main(final String[] args)
    {
        final int jobs = Integer.parseInt(args[0]);
        Shmem shmem = null;
        for (int i = 0; i < jobs; i++)
        {
            shmem = join(i);
        }

        if (args.length > 1)
        {
            end(shmem, args[1], Integer.parseInt(args[2]));
        }
    }

    private static Shmem.Context config(final int job)
    {
        return new Shmem.Context()
            .heapSize((job + 1) * 65536L)
            .transport(TRANSPORTS[job % TRANSPORTS.length])
            .threadLevel(ThreadLevel.values()[job % ThreadLevel.values().length])
            .maxTeams(8 + job)
            .checkCollectives(0 == job % 3)
            .delayedInit(1 == job % 2);
    }

    private static Shmem join(final int job)
    {
        final Shmem shmem = Shmem.init(config(job));
        work(shmem, job);
        refuseAnother();
        shmem.barrierAll();
        shmem.close();
        require(InitStatus.BOOTSTRAPPED == shmem.initStatus() && shmem.isClosed(), shmem.toString());
        System.out.println("job " + job + ' ' + shmem.myPe() + ' ' + shmem.nPes());
        System.out.flush();
        return shmem;
    }

    private static void work(final Shmem shmem, final int job)
    {
        final int nPes = shmem.nPes();
        final SymmetricBuffer word = shmem.calloc(1, 8);
        for (int pe = 0; pe < nPes; pe++)
        {
            shmem.defaultContext().atomicAddLong(word, 0, job + shmem.myPe(), pe);
        }

        shmem.barrierAll();
        require(nPes * job + nPes * (nPes - 1) / 2 == word.getLong(0), "sum " + word.getLong(0));
        require(nPes == shmem.world().reduceLong(ReduceOp.SUM, 1), "reduction");
        require((job + 1) * 65536L == shmem.context().heapSize(), "heap size");
        shmem.free(word);
    }

    /**
     * A process is one PE of one job at a time.
     */
    private static void refuseAnother()
    {
        try
        {
            Shmem.init(new Shmem.Context().heapSize(65536));
            throw new IllegalStateException("set up twice");
        }
        catch (final BootstrapException ex)
        {
            require(
                ex.getMessage().matches("PE \\d+ of this job is open in this process: close it before init"),
                ex.getMessage());
        }
    }

    private static void end(final Shmem last, final String what, final int pe)
    {
        final boolean isChosen = pe == last.myPe();
        switch (what)
        {
            case "globalExit":
                if (isChosen)
                {
                    last.globalExit(9);
                }

                refused();
                break;

            case "fail":
                failAndContinue(isChosen);
                break;

            case "wait":
                await();
                break;

            default:
                throw new IllegalArgumentException(what);
        }
    }

    private static void await()
    {
        final Shmem shmem = Shmem.init(config(6));
        System.out.println("ready " + shmem.myPe() + ' ' + ProcessHandle.current().pid());
        System.out.flush();
        while (true)
        {
            shmem.barrierAll();
        }
    }

    /**
     * A process that does not join fails the job for the others.
     */
    private static void refused()
    {
        final long startNs = System.nanoTime();
        try
        {
            Shmem.init(config(0));
        }
        catch (final BootstrapException ex)
        {
            System.out.println("refused after " + (System.nanoTime() - startNs) / 1_000_000_000 + " s: " +
                ex.getMessage());
            throw ex;
        }
    }

    /**
     * A failed job does not affect the next, as long as all processes are alive.
     */
    private static void failAndContinue(final boolean isChosen)
    {
        final Shmem shmem = Shmem.init(config(1));
        try
        {
            shmem.barrierAll();
            if (isChosen)
            {
                shmem.fail(new ArithmeticException("no more"));
            }
            while (true)
            {
                shmem.barrierAll();
            }
        }
        catch (final PeFailureException ex)
        {
            require(ex.getMessage().contains("no more"), ex.getMessage());
        }

        shmem.close();
        join(2);
    }

    private static void require(final boolean isTrue, final String found)
    {
        if (!isTrue)
        {
            throw new IllegalStateException(found);
        }
    }
}
