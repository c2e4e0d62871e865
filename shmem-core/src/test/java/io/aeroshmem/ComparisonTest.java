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
package io.aeroshmem;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ComparisonTest
{
    private static final long[] VALUES = { Long.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE, Long.MAX_VALUE };

    @ParameterizedTest
    @CsvSource({
        "EQ, false, true, false", "NE, true, false, true", "GT, false, false, true", "GE, false, true, true",
        "LT, true, false, false", "LE, true, true, false"
    })
    void shouldCompareSigned(
        final Comparison comparison, final boolean less, final boolean equal, final boolean greater)
    {
        for (int i = 0; i < VALUES.length; i++)
        {
            for (int j = 0; j < VALUES.length; j++)
            {
                final boolean expected = i < j ? less : i == j ? equal : greater;
                assertEquals(expected, comparison.test(VALUES[i], VALUES[j]), VALUES[i] + " and " + VALUES[j]);
            }
        }
    }
}
