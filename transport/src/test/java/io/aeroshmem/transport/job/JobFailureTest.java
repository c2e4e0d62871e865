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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JobFailureTest
{
    @ParameterizedTest
    @ValueSource(strings = {"a", "\u00e9", "\u20ac", "\ud83d\ude00"})
    void shouldCutMessageAtCharacterBorder(final String character)
    {
        for (int shift = 0; shift < 4; shift++)
        {
            final String text = "x".repeat(shift) + character.repeat(JobFailure.MAX_MESSAGE_LENGTH);
            final String message = new JobFailure(JobFailure.Kind.PE_FAILED, 0, -1, text).message();
            final int length = message.getBytes(StandardCharsets.UTF_8).length;

            assertTrue(text.startsWith(message));
            assertTrue(length <= JobFailure.MAX_MESSAGE_LENGTH);
            assertTrue(length > JobFailure.MAX_MESSAGE_LENGTH - character.getBytes(StandardCharsets.UTF_8).length);
        }
    }

    @Test
    void shouldKeepShortMessageAndTakeNullForEmpty()
    {
        assertEquals("short \u20ac", new JobFailure(JobFailure.Kind.PROTOCOL, 1, 0, "short \u20ac").message());
        assertEquals("", new JobFailure(JobFailure.Kind.PROTOCOL, 1, 0, null).message());
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "3, 3", "255, 255", "256, 1", "257, 1", "512, 1", "-1, 255", "-256, 1", "-2147483648, 1"})
    void shouldExitWithEightBitsOfAStatusButNeverAsIfAllWereWell(final int status, final int exitCode)
    {
        assertEquals(exitCode, JobFailure.exitCode(status));
    }

    @Test
    void shouldRefuseMissingKind()
    {
        assertThrows(NullPointerException.class, () -> new JobFailure(null, 0, 0, ""));
    }
}
