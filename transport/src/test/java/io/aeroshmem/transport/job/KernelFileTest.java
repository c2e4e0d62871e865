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
package io.aeroshmem.transport.job;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

@Tag("jdk")
class KernelFileTest
{
    private static final int LARGER_THAN_A_NUMBER = 64;

    /** The kernel gives a number to the first read only; Files.readString returns its first digit. */
    @Test
    void shouldReadAllDigitsOfAKernelSetting() throws IOException
    {
        final String file = "/proc/sys/kernel/pid_max";
        final byte[] bytes = new byte[LARGER_THAN_A_NUMBER];
        try (FileInputStream input = new FileInputStream(file))
        {
            assertEquals(new String(bytes, 0, input.read(bytes), UTF_8), KernelFile.read(Path.of(file)));
        }
    }
}
