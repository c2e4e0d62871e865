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
package io.aeroshmem.tools.launch;

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.topology.HostTopology;
import io.aeroshmem.tools.topology.HostTopology.Core;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CpuBindingTest
{
    private static final HostTopology HOST = new HostTopology(
        List.of(0, 1, 2, 3, 4, 5),
        List.of(new Core(0, 0, 0, List.of(0, 3)), new Core(1, 0, 0, List.of(1, 4)), new Core(2, 0, 0, List.of(2, 5))),
        List.of());

    @Test
    void shouldGiveEachPeACoreWithAllItsHardwareThreads()
    {
        assertEquals(List.of(List.of(0, 3), List.of(1, 4)), CpuBinding.parse("core").sets(2, HOST));
    }

    @Test
    void shouldGiveEachPeItsEntryOfTheList()
    {
        assertEquals(List.of(List.of(4), List.of(0, 1, 2)), CpuBinding.parse("4,0-2,5").sets(2, HOST));
    }

    @Test
    void shouldBindNothingByDefault()
    {
        assertEquals(List.of(List.of(), List.of()), CpuBinding.parse(null).commands(2, () -> HOST));
        assertEquals(List.of(List.of()), CpuBinding.parse("none").commands(1, () -> HOST));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value =
        {
            "core | 4 | --bind core requires a core for each PE on this host: PEs=4, cores=3",
            "0,1 | 3 | --bind must have an entry for each PE on this host: PEs=3, --bind=0,1",
            "0,6 | 2 | --bind must name processors that this process may use, 0-5: --bind=0,6",
        })
    void shouldRejectWhatThisHostLacks(final String text, final int peCount, final String expected)
    {
        final CommandException exception =
            assertThrows(CommandException.class, () -> CpuBinding.parse(text).sets(peCount, HOST));
        assertEquals(expected, exception.getMessage());
        assertEquals(ExitCode.USAGE, exception.exitCode());
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "cores", "0,", ",0", "3-1", "-1", "0;1", "1234567", "0 1" })
    void shouldRejectMalformedLists(final String text)
    {
        final String message = assertThrows(CommandException.class, () -> CpuBinding.parse(text)).getMessage();
        assertTrue(message.endsWith("--bind=" + text), message);
    }
}
