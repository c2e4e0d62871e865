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

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/**
 * PE 0 ends the job when a line arrives on its standard input, while PE 1 is blocked in a barrier, PE 2 computes, with
 * a shutdown hook that never ends, and PE 3 sleeps, or ends the job at the same time. All have printed text that is not
 * flushed.
 */
public final class GlobalExitPe
{
    private GlobalExitPe()
    {
    }

    /**
     * Runs one PE.
     *
     * @param args "main" or "other", the thread that calls; the status; and perhaps the status of PE 3.
     */
    public static void main(final String[] args)
    {
        System.setOut(new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16)));
        final Shmem shmem = Shmem.init(new Shmem.Context());
        final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
        System.out.println("ready " + shmem.myPe() + " " + ProcessHandle.current().pid());
        System.out.flush();
        System.out.println("last words of " + shmem.myPe());
        try
        {
            play(shmem, word, args);
        }
        catch (final Exception ex)
        {
            ex.printStackTrace();
        }
    }

    private static void play(final Shmem shmem, final SymmetricBuffer word, final String[] args) throws Exception
    {
        final int status = Integer.parseInt(args[1]);
        switch (shmem.myPe())
        {
            case 0:
                System.in.read();
                shmem.defaultContext().putLong(word, 0, 1, 3);
                shmem.defaultContext().quiet();
                end(shmem, status, "other".equals(args[0]));
                break;

            case 1:
                shmem.barrierAll();
                break;

            case 2:
                Runtime.getRuntime().addShutdownHook(new Thread(GlobalExitPe::compute));
                compute();
                break;

            default:
                if (args.length > 2)
                {
                    shmem.waitUntilLong(word, 0, Comparison.EQ, 1);
                    end(shmem, Integer.parseInt(args[2]), false);
                }

                TimeUnit.HOURS.sleep(1);
                break;
        }
    }

    private static void end(final Shmem shmem, final int status, final boolean isOtherThread) throws Exception
    {
        if (isOtherThread)
        {
            final Thread thread = new Thread(() -> shmem.globalExit(status));
            thread.start();
            thread.join();
        }

        shmem.globalExit(status);
    }

    private static void compute()
    {
        double value = 0;
        while (value >= 0)
        {
            value = Math.sqrt(value + 2);
        }

        System.err.println(value);
    }
}
