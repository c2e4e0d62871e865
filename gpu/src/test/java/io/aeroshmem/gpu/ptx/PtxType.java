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
package io.aeroshmem.gpu.ptx;

import java.util.Locale;

/**
 * A fundamental type of PTX, and the type of C++ that stands for it.
 */
enum PtxType
{
    U8("uint8_t", 1), U16("uint16_t", 2), U32("uint32_t", 4), U64("uint64_t", 8),
    S8("int8_t", 1), S16("int16_t", 2), S32("int32_t", 4), S64("int64_t", 8),
    B8("uint8_t", 1), B16("uint16_t", 2), B32("uint32_t", 4), B64("uint64_t", 8),
    F32("float", 4), F64("double", 8),
    PRED("bool", 0);

    final String cpp;
    final int bytes;

    PtxType(final String cpp, final int bytes)
    {
        this.cpp = cpp;
        this.bytes = bytes;
    }

    static PtxType of(final String name)
    {
        for (final PtxType type : values())
        {
            if (type.name().toLowerCase(Locale.ROOT).equals(name))
            {
                return type;
            }
        }

        throw new UntranslatableException("type " + name);
    }

    boolean isFloat()
    {
        return F32 == this || F64 == this;
    }

    boolean isSigned()
    {
        return name().startsWith("S");
    }

    boolean isInteger()
    {
        return !isFloat() && PRED != this;
    }

    /** The type of bits of the same length. */
    PtxType bits()
    {
        return bits(bytes);
    }

    static PtxType bits(final int bytes)
    {
        switch (bytes)
        {
            case 1:
                return B8;
            case 2:
                return B16;
            case 4:
                return B32;
            case 8:
                return B64;
            default:
                throw new UntranslatableException(bytes + " bytes");
        }
    }

    /** The type of twice the length, and the same sign. */
    PtxType twice()
    {
        return valueOf(name().charAt(0) + Integer.toString(16 * bytes));
    }
}
