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

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The words in which commands pass from one process to another. */
class JobCommandTest
{
    @Test
    void shouldBeTheCommandThatWasSent()
    {
        for (final JobCommand command : List.of(
            new JobCommand.Replace(3, "a.jar:/b", List.of("-Xmx1g", "-Dx={pe}")),
            new JobCommand.Replace(0, null, List.of()),
            new JobCommand.Resize(7)))
        {
            assertEquals(command, JobCommand.parse(command.words()));
        }
    }

    @Test
    void shouldRejectOtherWords()
    {
        for (final List<String> words : List.of(
            List.of(""), List.of("replace", "1"), List.of("resize"), List.of("resize", "1", "2"),
            List.of("resize", "x"), List.of("remove", "1", "2")))
        {
            assertThrows(IllegalArgumentException.class, () -> JobCommand.parse(words));
        }
    }
}
