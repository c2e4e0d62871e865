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
package io.aeroshmem.tools;

import io.aeroshmem.tools.exit.ExitCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Arguments of samples that are not right: a line, no stack trace. */
@Timeout(120)
@Tag("ci")
class SampleArgumentsTest
{
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value =
        {
            "MarketData 10 10 each | unexpected argument 'each'",
            "MarketData many | quotes must be 1 to 10000000: 'many'",
            "HeatStencil 10 2147483647 | side must be 1 to 1024: '2147483647'",
            "SequenceNumbers -1 | numbers must be 1 to 1000000: '-1'",
            "Workloads --updates=0 | --updates must be 1 to 16777216: '0'",
            "ParallelKernels cooking | unexpected argument 'cooking', none of [stencil, wavefront, transposition]",
            "RiskLedger /dev/zero | /dev/zero must be a regular file",
            "OrderBook 1 2 | unexpected argument '2'"
        })
    void shouldBeRejectedInALine(final String sample, final String expected) throws Exception
    {
        final List<String> arguments = new ArrayList<>(List.of("run", "-n", "1"));
        arguments.addAll(CommandJvm.BRIEF_PES);
        arguments.addAll(List.of(("io.aeroshmem.samples." + sample).split(" ")));
        final CommandJvm run = new CommandJvm(directory).run(arguments.toArray(new String[0]));
        assertEquals(ExitCode.USAGE, run.exitCode(), run::toString);
        assertTrue(run.error().get(0).startsWith(expected), run::toString);
        assertEquals(List.of(), run.error().stream().filter((line) -> line.startsWith("\t")).toList());
        assertTrue(run.error().size() <= 2, run::toString);
    }
}
