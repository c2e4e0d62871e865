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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An instruction: {@code @!%p1 ld.global.u32 %r1, [%rd1+8]}. Its opcode consists of a name, qualifiers and, in most
 * families, a type. A translation has to use each qualifier: {@link #end} stops at one that is left.
 */
final class Instruction
{
    private static final Pattern SYNTAX =
        Pattern.compile("(?:@(!?)(%\\w+)\\s+)?([a-z][\\w.:]*)\\s*(.*)", Pattern.DOTALL);

    final String text;
    final String guard;
    final boolean isGuardNegated;
    final String name;
    final List<String> operands;
    private final List<String> qualifiers;

    Instruction(final String text)
    {
        final Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches())
        {
            throw new UntranslatableException("syntax");
        }

        this.text = text;
        isGuardNegated = "!".equals(matcher.group(1));
        guard = matcher.group(2);
        final List<String> parts = new ArrayList<>(Arrays.asList(matcher.group(3).split("\\.")));
        name = parts.remove(0);
        qualifiers = parts;
        operands = split(matcher.group(4));
    }

    /** Splits at the commas that stand in no brackets. */
    static List<String> split(final String list)
    {
        final List<String> items = new ArrayList<>();
        int depth = 0;
        int begin = 0;
        for (int i = 0; i < list.length(); i++)
        {
            final char c = list.charAt(i);
            depth += 0 <= "{[(".indexOf(c) ? 1 : 0 <= "}])".indexOf(c) ? -1 : 0;
            if (',' == c && 0 == depth)
            {
                items.add(list.substring(begin, i).trim());
                begin = i + 1;
            }
        }

        if (!list.substring(begin).isBlank())
        {
            items.add(list.substring(begin).trim());
        }

        return items;
    }

    /** The items in brackets: those of a vector, or of a list of arguments. */
    static List<String> items(final String operand)
    {
        return split(operand.substring(1, operand.length() - 1));
    }

    String operand(final int index)
    {
        if (index >= operands.size())
        {
            throw new UntranslatableException("too few operands");
        }

        return operands.get(index);
    }

    /** The type, which is the last qualifier. */
    PtxType type()
    {
        return qualifiers.isEmpty() ? missing("type") : PtxType.of(qualifiers.remove(qualifiers.size() - 1));
    }

    /** Uses a qualifier; whether it is there. */
    boolean has(final String qualifier)
    {
        return qualifiers.remove(qualifier);
    }

    /** Uses the one of these qualifiers that is there; null: none is. */
    String oneOf(final String... choice)
    {
        for (final String qualifier : choice)
        {
            if (has(qualifier))
            {
                return qualifier;
            }
        }

        return null;
    }

    /** Uses the one of these qualifiers that is there; one has to be. */
    String required(final String... choice)
    {
        final String qualifier = oneOf(choice);
        return null == qualifier ? missing("one of " + String.join(", ", choice)) : qualifier;
    }

    /** Stops if a qualifier has not been used, or if the number of operands is another one. */
    void end(final int operandCount)
    {
        if (!qualifiers.isEmpty())
        {
            throw new UntranslatableException("qualifier " + String.join(".", qualifiers));
        }

        if (operandCount != operands.size())
        {
            throw new UntranslatableException("number of operands");
        }
    }

    private static <T> T missing(final String what)
    {
        throw new UntranslatableException("no " + what);
    }
}
