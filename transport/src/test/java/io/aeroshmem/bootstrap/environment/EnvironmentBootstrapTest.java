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
package io.aeroshmem.bootstrap.environment;

import io.aeroshmem.transport.ShmDirectory;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.endpoint.TestSettings;
import io.aeroshmem.transport.progress.PlainExceptions;
import org.agrona.ErrorHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Processes that have nothing but their environment, each a thread here.
 */
@Timeout(60)
class EnvironmentBootstrapTest extends ShmDirectory
{
    private static final String SECRET = "0123456789abcdef";

    /** At the first host of the step, and a port that follows from the job. PE 0 reports a process that is refused. */
    @Test
    void shouldMeetWhereTheVariablesOfSlurmLead()
    {
        final List<Throwable> errors = new CopyOnWriteArrayList<>();
        final CompletableFuture<Endpoint> first = CompletableFuture.supplyAsync(
            () -> join(0, SECRET, errors::add), (task) -> new Thread(task).start());
        final String refused = assertThrows(
            TransportException.class, () -> join(1, "another, " + SECRET, errors::add)).getMessage();
        assertTrue(refused.contains("the secret differs"), refused);
        assertEquals(1, errors.size(), errors::toString);
        final String reported = errors.get(0).getMessage();
        assertTrue(reported.contains("does not know the secret of this job"), reported);

        final Endpoint second = join(1, SECRET, errors::add);
        assertEquals(2, first.join().nPes());
        final CompletableFuture<Void> closed =
            CompletableFuture.runAsync(second::close, (task) -> new Thread(task).start());
        first.join().close();
        closed.join();
    }

    private static Endpoint join(final int pe, final String secret, final ErrorHandler errorHandler)
    {
        final LaunchedProcess process = new LaunchedProcess(Map.of(
            "SLURM_JOB_ID", Long.toString(ProcessHandle.current().pid()),
            "SLURM_STEP_ID", "0",
            "SLURM_PROCID", Integer.toString(pe),
            "SLURM_STEP_NUM_TASKS", "2",
            "SLURM_STEP_NUM_NODES", "1",
            "SLURM_STEP_NODELIST", "127.0.0.[1,7-9]"));
        return Endpoint.join(TestSettings.context(4096)
            .bootstrap(EnvironmentBootstrap.of(process, new RendezvousSettings(null, secret, null)))
            .errorHandler(errorHandler)
            .exceptions(new PlainExceptions()));
    }
}
