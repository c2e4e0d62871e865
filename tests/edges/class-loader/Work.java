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

import io.aeroshmem.Bootstrap;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;

import java.nio.file.Path;

/**
 * Two PEs, of which the calling thread is one, use what keeps state per thread or per process. Then two threads of
 * {@code runLocal} do the same.
 */
public final class Work
{
    private static final int COUNT = 3_000;
    private static final long HEAP_SIZE = 4 << 20;

    private Work()
    {
    }

    public static void run(final String mode) throws Exception
    {
        final TransportKind transport = TransportKind.valueOf(mode);
        runHere(transport);
        Shmem.runLocal(2, context(transport), Work::use);
    }

    private static Shmem.Context context(final TransportKind transport)
    {
        return new Shmem.Context()
            .transport(transport)
            .heapSize(HEAP_SIZE)
            .recordLatency(true)
            .latencyDirectoryName(Path.of(System.getProperty("work"), transport.name()).toString());
    }

    private static void runHere(final TransportKind transport) throws Exception
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(2);
        final Thread other = new Thread(() -> init(context(transport).bootstrap(bootstraps[1])));
        other.start();
        init(context(transport).bootstrap(bootstraps[0]));
        other.join();
    }

    private static void init(final Shmem.Context context)
    {
        try (Shmem shmem = Shmem.init(context))
        {
            use(shmem);
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static void use(final Shmem shmem) throws InterruptedException
    {
        final SymmetricBuffer dest = shmem.calloc(COUNT, Long.BYTES);
        final SymmetricBuffer source = shmem.calloc(COUNT, Long.BYTES);
        final CommunicationContext ctx = shmem.defaultContext();
        final int peer = 1 - shmem.myPe();

        shmem.world().reduce(ReduceOp.SUM, ElementType.HALF, dest, source, COUNT);
        shmem.world().reduce(ReduceOp.PROD, ElementType.BFLOAT16, dest, source, COUNT);
        shmem.world().reduce(ReduceOp.MAX, ElementType.DOUBLE, dest, source, COUNT);
        shmem.world().alltoall(ElementType.LONG, dest, source, 10);
        ctx.iget(dest, 0, source, 0, 2, 3, 20, Long.BYTES, peer);
        shmem.lock(source, 0);
        shmem.unlock(source, 0);
        shmem.barrierAll();
        if (0 == shmem.myPe())
        {
            shmem.waitUntilLong(dest, 0, Comparison.EQ, 7);
        }
        else
        {
            Thread.sleep(100);
            ctx.putLong(dest, 0, 7, peer);
        }

        shmem.barrierAll();
    }
}
