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
package io.aeroshmem.tools.latency;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a reduction combines, and how.
 */
public record ReducedValue(ElementType type, ReduceOp op)
{
    /** A sum of longs. */
    public static final ReducedValue SUM_OF_LONGS = new ReducedValue(ElementType.LONG, ReduceOp.SUM);

    /** Returns each operation of a list with each type of a list for which it is defined. */
    public static List<ReducedValue> all(final List<ElementType> types, final List<ReduceOp> ops)
    {
        final List<ReducedValue> values = new ArrayList<>();
        for (final ReduceOp op : ops)
        {
            for (final ElementType type : types)
            {
                if (isDefined(op, type))
                {
                    values.add(new ReducedValue(type, op));
                }
            }
        }

        return values;
    }

    /** Returns the table of {@link ReduceOp} for the operations of all collectives. */
    private static boolean isDefined(final ReduceOp op, final ElementType type)
    {
        return switch (op)
        {
            case AND, OR, XOR -> type.isInteger();
            case MAX, MIN -> !type.isComplex();
            case SUM, PROD -> true;
            default -> false;
        };
    }

    static ReducedValue parse(final String text)
    {
        final String[] parts = text.split(":");
        return new ReducedValue(ElementType.valueOf(parts[0]), ReduceOp.valueOf(parts[1]));
    }

    /** Returns the end of the name of a row. */
    String suffix()
    {
        return ("_" + op + "_" + type).toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString()
    {
        return type + ":" + op;
    }
}
