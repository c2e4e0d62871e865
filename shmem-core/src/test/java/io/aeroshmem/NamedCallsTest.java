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
package io.aeroshmem;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The exception of a call that does not end names the call of the program. */
@Tag("waits")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NamedCallsTest
{
    private static final Map<String, BiConsumer<Shmem, SymmetricBuffer>> CALLS = Map.of(
        "barrier", (shmem, buffer) -> shmem.barrierAll(),
        "sync", (shmem, buffer) -> shmem.syncAll(),
        "malloc", (shmem, buffer) -> shmem.malloc(8),
        "realloc", (shmem, buffer) -> shmem.realloc(buffer, 8),
        "free", Shmem::free,
        "close", (shmem, buffer) -> shmem.close());

    @Test
    void shouldDistinguishTheSamePeOfAnotherJob() throws Exception
    {
        final AtomicReference<SymmetricBuffer> other = new AtomicReference<>();
        LocalJobs.run(1, (first) ->
        {
            other.set(first.malloc(8));
            LocalJobs.run(1, (shmem) ->
            {
                final String message = assertThrows(
                    IllegalArgumentException.class,
                    () -> shmem.defaultContext().putLong(other.get(), 0, 1, 0)).getMessage();
                assertTrue(message.endsWith("PE 0 of another job"), message);
            });
        });
        LocalJobs.run(1, (shmem) ->
        {
            final String message = assertThrows(
                IllegalStateException.class,
                () -> shmem.defaultContext().putLong(other.get(), 0, 1, 0)).getMessage();
            assertTrue(message.endsWith("cannot be used any more: its job is closed"), message);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "IPC, false, barrier", "IPC, false, free", "IPC, false, realloc", "IPC, false, close", "IPC, true, barrier",
        "IPC, true, free", "IPC, true, malloc", "MAPPED, false, free", "MAPPED, true, barrier", "MAPPED, true, malloc",
        "MAPPED, true, sync"})
    @Tag("ci")
    void shouldNameTheCallThatTakesTooLong(final TransportKind transport, final boolean isChecked, final String name)
        throws Exception
    {
        final CyclicBarrier start = new CyclicBarrier(2);
        final CountDownLatch idle = new CountDownLatch(1);
        final CountDownLatch done = new CountDownLatch(1);
        final AtomicReference<String> message = new AtomicReference<>();
        final Shmem.Context config = LocalJobs.config()
            .transport(transport)
            .progressMode(ProgressMode.INVOKER)
            .checkCollectives(isChecked)
            .operationTimeoutNs(TimeUnit.MILLISECONDS.toNanos(300));
        assertThrows(Exception.class, () -> Shmem.runLocal(2, config, (shmem) ->
        {
            // so that the first call does not take too long
            start.await(30, TimeUnit.SECONDS);
            final SymmetricBuffer buffer = shmem.calloc(2, 8);
            if (0 == shmem.myPe())
            {
                // The other PE makes no calls from here on, so it does not acknowledge the put.
                assertTrue(idle.await(30, TimeUnit.SECONDS));
                shmem.defaultContext().putLong(buffer, 0, 1, 1);
                try
                {
                    CALLS.get(name).accept(shmem, buffer);
                }
                catch (final ShmemException ex)
                {
                    message.set(ex.getMessage());
                    throw ex;
                }
                finally
                {
                    done.countDown();
                }
            }
            else
            {
                idle.countDown();
                assertTrue(done.await(30, TimeUnit.SECONDS));
                throw new IllegalStateException("end of the job");
            }
        }));
        assertTrue(
            message.get().matches("(?s)" + name + "\\b[^:.]* did not end within .*"),
            () -> name + ": " + message.get());
    }
}
