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
package io.aeroshmem.tests.collective;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * PEs that call different collectives, or with different arguments, in jobs that check collectives.
 */
@Tag("ci")
class CollectiveMismatchTest
{
    private static final String CHECK = "aeroshmem.check.collectives";

    @ParameterizedTest
    @CsvSource({"MAPPED, THREADS, 2", "MAPPED, THREADS, 5", "MAPPED, PROCESSES, 3", "IPC, THREADS, 3",
        "UDP, THREADS, 2"})
    void shouldReportAMismatchToAll(final TransportKind transport, final JobForm form, final int nPes)
    {
        Job.of(nPes).transport(transport).form(form).inUsedProcesses().heapSize(1 << 20)
            .property(CHECK, "true").run(new Mismatches());
    }
}
