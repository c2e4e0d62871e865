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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The options of JVMs. */
class JvmCommandTest
{
    @ParameterizedTest
    @ValueSource(strings = {"../aeroshmem", "../distribution/src/main/bin/aeroshmem"})
    void shouldStartLaunchersAsTheScriptsDo(final String script) throws IOException
    {
        assertEquals(JvmCommand.LAUNCHER_OPTIONS, Files.readAllLines(Path.of(script)).stream()
            .map(String::strip)
            .filter((line) -> line.startsWith("-XX:"))
            .toList());
    }

    /** A JVM does not start if another one is selected by JAVA_TOOL_OPTIONS. */
    @Test
    void shouldSelectNoCollectorForLaunchers()
    {
        assertTrue(JvmCommand.LAUNCHER_OPTIONS.stream().noneMatch((option) -> option.endsWith("GC")));
    }
}
