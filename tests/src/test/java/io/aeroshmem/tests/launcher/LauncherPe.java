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

import io.aeroshmem.Comparison;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tools.topology.CpuList;
import io.aeroshmem.tools.topology.HostTopology;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The program that the launcher tests run. Its first argument is the action after all PEs have joined and printed
 * {@code ready <pe> <pid>}.
 */
public final class LauncherPe
{
    private LauncherPe()
    {
    }

    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * Runs one PE.
     *
     * @param args what to do, then its parameters.
     * @throws Exception if the job failed.
     */
    public static void main(final String[] args) throws Exception
    {
        final int pe = Integer.parseInt(System.getenv("AEROSHMEM_PE"));
        if ("abandon".equals(args[0]) && pe == Integer.parseInt(args[1]))
        {
            return;
        }

        Shmem.run(new Shmem.Context(), (shmem) -> run(shmem, args));
    }

    private static void run(final Shmem shmem, final String[] args)
    {
        final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
        System.out.println("ready " + shmem.myPe() + " " + ProcessHandle.current().pid());
        System.out.flush();
        final boolean isChosen = args.length > 1 && Integer.toString(shmem.myPe()).equals(args[1]);
        switch (args[0])
        {
            case "exit":
                if (isChosen)
                {
                    System.exit(Integer.parseInt(args[2]));
                }

                await(shmem, word);
                break;

            case "throw":
                printInTurn(shmem, isChosen, Path.of(args[2]));
                if (isChosen)
                {
                    throw new IllegalStateException("nothing left to trade");
                }

                await(shmem, word);
                break;

            case "failLate":
                if (isChosen)
                {
                    Runtime.getRuntime().addShutdownHook(new Thread(() -> haltLast(Integer.parseInt(args[2]))));
                    throw new IllegalStateException("nothing left to trade");
                }

                await(shmem, word);
                break;

            case "wait":
                await(shmem, word);
                break;

            case "globalExit":
                if (isChosen)
                {
                    shmem.globalExit(Integer.parseInt(args[2]));
                }

                compute();
                break;

            case "compute":
                if (isChosen)
                {
                    throw new IllegalStateException("nothing left to compute");
                }

                compute();
                break;

            case "stubborn":
                // an orderly exit waits for its hooks, and this one never ends
                Runtime.getRuntime().addShutdownHook(new Thread(LauncherPe::sleep));
                await(shmem, word);
                break;

            case "stdin":
                echo(shmem);
                break;

            case "arguments":
                printArguments(shmem, args);
                break;

            case "checks":
                final Shmem.Context config = new Shmem.Context();
                System.out.println("checks " + config.checkCollectives() + " " + config.checkThreads());
                break;

            case "flood":
                for (int i = 0; i < Integer.parseInt(args[1]); i++)
                {
                    System.err.println("x".repeat(1023));
                }

                await(shmem, word);
                break;

            case "place":
                printPlace(shmem);
                break;

            default:
                throw new IllegalArgumentException(args[0]);
        }
    }

    /**
     * The trace that ends PE 0 is printed at once, that of the chosen PE when the process of PE 0 has ended, and that
     * of another PE after that of the chosen one, which then makes a file. SIGTERM cuts none of them.
     */
    private static void printInTurn(final Shmem shmem, final boolean isChosen, final Path printed)
    {
        if (0 == shmem.myPe())
        {
            return;
        }

        final Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> haltAfter(main)));
        final int nPes = shmem.nPes();
        final ProcessHandle launcher = ProcessHandle.current().parent().orElseThrow();
        main.setUncaughtExceptionHandler((thread, ex) ->
        {
            while (isChosen ? nPes == launcher.children().count() : !Files.exists(printed))
            {
                LockSupport.parkNanos(POLL_NS);
            }

            thread.getThreadGroup().uncaughtException(thread, ex);
            if (isChosen)
            {
                make(printed);
            }
        });
    }

    private static void haltAfter(final Thread main)
    {
        try
        {
            main.join();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }

        Runtime.getRuntime().halt(1);
    }

    private static void make(final Path file)
    {
        try
        {
            Files.createFile(file);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Ends this process once no other PE is left. */
    private static void haltLast(final int exitCode)
    {
        final ProcessHandle launcher = ProcessHandle.current().parent().orElseThrow();
        while (launcher.children().count() > 1)
        {
            Thread.onSpinWait();
        }

        Runtime.getRuntime().halt(exitCode);
    }

    private static void await(final Shmem shmem, final SymmetricBuffer word)
    {
        shmem.waitUntilLong(word, 0, Comparison.NE, 0);
    }

    /** Prints this PE's arguments and a sum over all PEs; PE 0 also prints its input. */
    private static void printArguments(final Shmem shmem, final String[] args)
    {
        for (int i = 1; i < args.length; i++)
        {
            System.out.println("argument '" + args[i].replace("\n", "\\n") + "'");
        }

        if (0 == shmem.myPe())
        {
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).lines()
                .forEach((line) -> System.out.println("input " + line));
        }

        final SymmetricBuffer sum = shmem.calloc(1, Long.BYTES);
        for (int pe = 0; pe < shmem.nPes(); pe++)
        {
            shmem.defaultContext().atomicAddLong(sum, 0, shmem.myPe(), pe);
        }

        shmem.barrierAll();
        System.out.println("sum " + sum.getLong(0) + ", node team of " + shmem.node().nPes());
    }

    /** Prints the processors that this PE may use and a property of its JVM, to both streams. */
    private static void printPlace(final Shmem shmem)
    {
        final String text = "place of " + shmem.myPe() + ": processors " +
            CpuList.format(HostTopology.allowedCpus()) + ", option " + System.getProperty("launcher.option");
        System.out.println(text);
        System.err.println(text);
        shmem.barrierAll();
    }

    /** Never calls the library, never ends. */
    private static void compute()
    {
        double value = 0;
        while (value >= 0)
        {
            value = Math.sqrt(value + 2);
        }

        System.out.println(value);
    }

    private static void sleep()
    {
        while (true)
        {
            LockSupport.park();
        }
    }

    /** PE 0 prints what it reads; the others wait for it. */
    private static void echo(final Shmem shmem)
    {
        final Scanner scanner = new Scanner(System.in, "UTF-8");
        while (scanner.hasNextLine())
        {
            System.out.println("PE " + shmem.myPe() + " read " + scanner.nextLine());
            System.out.flush();
        }

        shmem.barrierAll();
    }
}
