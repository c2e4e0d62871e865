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
package io.aeroshmem.latency;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SizeClassTest
{
    @ParameterizedTest
    @CsvSource({
        "0, NONE",
        "1, TO_8_B", "8, TO_8_B",
        "9, TO_64_B", "64, TO_64_B",
        "65, TO_512_B", "512, TO_512_B",
        "513, TO_4_KIB", "4096, TO_4_KIB",
        "4097, TO_32_KIB", "32768, TO_32_KIB",
        "32769, TO_256_KIB", "262144, TO_256_KIB",
        "262145, TO_2_MIB", "1048576, TO_2_MIB", "2097152, TO_2_MIB",
        "2097153, TO_16_MIB", "16777216, TO_16_MIB",
        "16777217, ABOVE", "9223372036854775807, ABOVE"})
    void shouldHaveEightfoldClasses(final long bytes, final SizeClass expected)
    {
        assertEquals(expected.ordinal(), SizeClass.indexOf(bytes));
    }

    @Test
    void shouldHaveLabelsThatATagMayHold()
    {
        for (final SizeClass sizeClass : SizeClass.values())
        {
            assertTrue(sizeClass.label().matches("[A-Za-z0-9-]+"), sizeClass.label());
        }
    }
}
