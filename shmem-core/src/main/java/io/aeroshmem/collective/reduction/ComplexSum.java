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

/**
 * The sum of complex numbers, computed as the sum of twice as many real numbers.
 */
final class ComplexSum extends Reduction
{
    private final Reduction parts;

    ComplexSum(final ElementType type, final Reduction parts)
    {
        super(ReduceOp.SUM, type);
        this.parts = parts;
    }

    @Override
    public void combine(
        final Object destBase,
        final long destAddress,
        final Object leftBase,
        final long leftAddress,
        final Object rightBase,
        final long rightAddress,
        final long count)
    {
        parts.combine(destBase, destAddress, leftBase, leftAddress, rightBase, rightAddress, 2 * count);
    }

    @Override
    void putIdentity(final Object base, final long address)
    {
        parts.putIdentity(base, address);
        parts.putIdentity(base, address + parts.elementBytes());
    }
}
