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
package io.aeroshmem.tests.bootstrap;

import io.aeroshmem.BootstrapException;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;

import java.util.Locale;

/**
 * A process that receives its job only from its environment. Each argument is a transport, with which it joins the job
 * again. It prints {@code well <transport> <pe> <nPes>} for each, or the reason of its rejection.
 */
public final class ScheduledPe
{
    static final int REFUSED = 3;

    /** Variable with the rendezvous that the program sets. */
    static final String RENDEZVOUS = "SCHEDULED_PE_RENDEZVOUS";
    /** Variable with the secret that the program sets. */
    static final String SECRET = "SCHEDULED_PE_SECRET";

    private ScheduledPe()
    {
    }

    /**
     * Runs one PE.
     *
     * @param args transports; without any, the PE never joins.
     */
    public static void main(final String[] args)
    {
        try
        {
            for (final String transport : args)
            {
                join(TransportKind.valueOf(transport.toUpperCase(Locale.ROOT)));
            }
        }
        catch (final BootstrapException ex)
        {
            System.out.println("refused: " + ex.getMessage());
            System.exit(REFUSED);
        }
    }

    private static void join(final TransportKind transport)
    {
        final Shmem.Context config = new Shmem.Context()
            .transport(transport)
            .errorHandler((ex) -> System.out.println("reported: " + ex.getMessage()));
        if (null != System.getenv(RENDEZVOUS))
        {
            config.rendezvous(System.getenv(RENDEZVOUS)).rendezvousSecret(System.getenv(SECRET));
        }

        try (Shmem shmem = Shmem.init(config))
        {
            exchange(shmem);
            System.out.println("well " + transport.name().toLowerCase(Locale.ROOT) + ' ' + shmem.myPe() + ' ' +
                shmem.nPes());
        }
    }

    /**
     * Every PE writes to every other one, and adds itself to a counter on PE 0.
     */
    private static void exchange(final Shmem shmem)
    {
        final int me = shmem.myPe();
        final int nPes = shmem.nPes();
        final SymmetricBuffer words = shmem.calloc(nPes, Long.BYTES);
        final SymmetricBuffer count = shmem.calloc(1, Long.BYTES);
        for (int pe = 0; pe < nPes; pe++)
        {
            shmem.defaultContext().putLong(words, (long)me * Long.BYTES, 1000 * me + pe, pe);
        }

        shmem.defaultContext().atomicAddLong(count, 0, 1, 0);
        shmem.barrierAll();

        for (int pe = 0; pe < nPes; pe++)
        {
            require(1000 * pe + me, words.getLong((long)pe * Long.BYTES));
        }

        require(nPes, shmem.defaultContext().getLong(count, 0, 0));
        shmem.barrierAll();
    }

    private static void require(final long expected, final long found)
    {
        if (expected != found)
        {
            throw new IllegalStateException("found " + found + " where " + expected + " was written");
        }
    }
}
