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

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class NodeLaunchSpecTest
{
    private static final List<String> ARGUMENTS =
        List.of("", "a b", "it's", "\"$HOME\"", "line\nline\n", "=x=", "arg=y", "ümläut", "-n");

    @Test
    void shouldArriveUnchangedAndLeaveTheRest() throws IOException
    {
        final Map<String, String> environment = Map.of("AEROSHMEM_A", "1=2", "AEROSHMEM_B", "");
        final LaunchContext ctx = new LaunchContext().nPes(7).classPath("a.jar:/b/*").mainClass("com.x.Main")
            .jvmOptions(List.of("-Dx=y z", "-Xmx1g")).arguments(ARGUMENTS).tag("{host}: ")
            .binding(CpuBinding.parse("0,2-3")).debuggedPes(List.of(new DebuggedPe(6, 5006)))
            .logDirectory(Path.of("logs")).verbose(true).spares(2)
            .keepGoing(true).timeout(Duration.ofMillis(1_500));
        final byte[] id = { 1, 2, -1, 0, 10 };
        final ByteArrayOutputStream output = new ByteArrayOutputStream();
        NodeLaunchSpec.of("v 1", id, new HostList.Node("b", 3, 4), ctx, environment).write(output);
        output.write("for PE 0".getBytes(StandardCharsets.UTF_8));
        final ByteArrayInputStream input = new ByteArrayInputStream(output.toByteArray());

        final NodeLaunchSpec spec = NodeLaunchSpec.read(input);

        assertEquals("for PE 0", new String(input.readAllBytes(), StandardCharsets.UTF_8));
        assertEquals("v 1", spec.version());
        assertArrayEquals(id, spec.id());
        assertEquals(7, spec.nPes());
        assertEquals(new HostList.Node("b", 3, 4), spec.node());
        assertEquals(List.of("-Dx=y z", "-Xmx1g"), spec.jvmOptions());
        assertEquals(environment, spec.environment());
        final LaunchContext applied = spec.applyTo(new LaunchContext());
        assertEquals(ARGUMENTS, applied.arguments());
        assertEquals("com.x.Main", applied.mainClass());
        assertEquals(Path.of("a.jar").toAbsolutePath() + ":/b/*", applied.classPath());
        assertEquals("{host}: ", applied.tag());
        assertEquals("0,2-3", applied.binding().toString());
        assertEquals(List.of(new DebuggedPe(6, 5006)), applied.debuggedPes());
        assertEquals(Path.of("logs").toAbsolutePath(), applied.logDirectory());
        assertEquals(2, applied.spares());
        assertTrue(applied.isVerbose());
        assertTrue(applied.isKeepingGoing());
        assertEquals(Duration.ofMillis(1_500), applied.timeout());
        assertEquals(Path.of("").toAbsolutePath().toFile(), applied.directory());
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "hello\n", "\n", "12", "-1\n", "99999999\n", "123456789\n", "5\nabc" })
    void shouldRejectMalformedSpecs(final String text)
    {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);

        assertThrows(IOException.class, () -> NodeLaunchSpec.read(new ByteArrayInputStream(bytes)));
    }

    @Test
    void shouldRejectASpecWithAMissingField() throws IOException
    {
        final NodeLaunchSpec spec =
            NodeLaunchSpec.read(new ByteArrayInputStream("0\n".getBytes(StandardCharsets.UTF_8)));

        assertTrue(assertThrows(IllegalArgumentException.class, spec::nPes).getMessage().contains("pes"));
    }
}
