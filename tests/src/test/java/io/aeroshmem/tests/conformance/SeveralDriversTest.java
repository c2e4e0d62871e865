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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.NetworkFaults;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/**
 * PEs behind different media drivers, as on different hosts: messages of two PEs to a third arrive in any order.
 */
@Tag("ci")
class SeveralDriversTest
{
    private static final int PES = 4;
    private static final int DRIVERS = 2;

    /** Either none or all at once; in the nightly run the loss of datagrams alone too. */
    static List<NetworkFaults> faults()
    {
        return Integer.getInteger("aeroshmem.test.volume", 1) > 1 ?
            List.of(NetworkFaults.NONE, NetworkFaults.LOSS_1, NetworkFaults.ALL) :
            List.of(NetworkFaults.NONE, NetworkFaults.ALL);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldKeepOrderWhereTheNetworkDoesNot(final NetworkFaults faults)
    {
        Job.of(PES).transport(TransportKind.UDP).network(faults, DRIVERS).form(JobForm.PROCESSES).inUsedProcesses()
            .run(new OrderRoutines());
    }
}
