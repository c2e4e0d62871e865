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
package io.aeroshmem.tests.init;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.BootstrapException;
import io.aeroshmem.Shmem;
import io.aeroshmem.UniqueId;

import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;

/**
 * A program in a JVM without the options that the library requires.
 */
public final class ClosedJvm
{
    /**
     * The ways to start a PE.
     */
    enum Way
    {
        INIT(() -> Shmem.init()),
        INIT_OF_A_CONTEXT(() -> Shmem.init(new Shmem.Context().heapSize(1 << 16))),
        RUN(() -> Shmem.run(new Shmem.Context(), (shmem) -> System.out.println("runs"))),
        RUN_LOCAL(() -> Shmem.runLocal(2, new Shmem.Context(), (shmem) -> System.out.println("runs"))),
        FROM_ENVIRONMENT(() -> Bootstrap.fromEnvironment()),
        IN_PROCESS(() -> Bootstrap.inProcess(2)),
        UNIQUE_ID(() -> Bootstrap.uniqueId(0, 2, UniqueId.fromBytes(HexFormat.of().parseHex(System.getenv("ID"))))),
        OUT_OF_BAND(() -> Bootstrap.outOfBand(0, 2, (source, dest, length) -> () -> true)),
        CREATE_ID(() -> UniqueId.create());

        private final Call call;

        Way(final Call call)
        {
            this.call = call;
        }
    }

    @FunctionalInterface
    private interface Call
    {
        void run() throws Exception;
    }

    private ClosedJvm()
    {
    }

    /**
     * Starts a PE in one way, prints the exception and the threads that are left.
     *
     * @param args the way.
     */
    public static void main(final String[] args) throws Exception
    {
        final Set<String> before = threads();
        try
        {
            Way.valueOf(args[0]).call.run();
        }
        catch (final BootstrapException ex)
        {
            System.out.println("refused: " + ex.getMessage());
        }

        final Set<String> left = threads();
        left.removeAll(before);
        System.out.println("threads: " + left);
    }

    private static Set<String> threads()
    {
        final Set<String> names = new TreeSet<>();
        Thread.getAllStackTraces().keySet().forEach((thread) -> names.add(thread.getName()));
        return names;
    }
}
