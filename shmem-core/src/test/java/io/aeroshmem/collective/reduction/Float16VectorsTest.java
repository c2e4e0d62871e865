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
package io.aeroshmem.collective.reduction;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

@Tag("vector")
class Float16VectorsTest
{
    @ParameterizedTest
    @CsvSource({
        "SUM, HALF", "PROD, HALF", "MAX, HALF", "MIN, HALF",
        "SUM, BFLOAT16", "PROD, BFLOAT16", "MAX, BFLOAT16", "MIN, BFLOAT16"})
    void shouldBeUsedIfTheModuleIsLoaded(final ReduceOp op, final ElementType type)
    {
        assertEquals(
            ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent(), null != Float16Vectors.of(op, type));
    }
}
