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
package io.aeroshmem.tests.collective;

import io.aeroshmem.ElementType;

import java.nio.ByteBuffer;

/**
 * One element as its bits; those of a complex one are those of its two parts.
 *
 * @param bits          of an integer, extended with its sign if it has one; of a number as it is stored.
 * @param imaginaryBits of the imaginary part, 0 for what is not complex.
 */
record Value(long bits, long imaginaryBits)
{
    static Value of(final long bits)
    {
        return new Value(bits, 0);
    }

    void store(final ElementType type, final ByteBuffer buffer, final int index)
    {
        switch (type.bytes() / (type.isComplex() ? 2 : 1))
        {
            case 1 -> buffer.put(index, (byte)bits);
            case 2 -> buffer.putShort(index, (short)bits);
            case 4 ->
            {
                buffer.putInt(index, (int)bits);
                if (type.isComplex())
                {
                    buffer.putInt(index + 4, (int)imaginaryBits);
                }
            }
            default ->
            {
                buffer.putLong(index, bits);
                if (type.isComplex())
                {
                    buffer.putLong(index + 8, imaginaryBits);
                }
            }
        }
    }
}
