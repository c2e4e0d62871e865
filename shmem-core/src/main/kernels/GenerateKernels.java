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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes the reduction kernels, one class per operation and representation, from one template and the table below. Run
 * by the build: {@code java GenerateKernels.java <template> <output folder>}.
 */
public final class GenerateKernels
{
    private static final String PACKAGE_FOLDER = "io/aeroshmem/collective/reduction";

    private final String template;
    private final Path output;
    /** "OP TYPE" to the expression that makes its reduction. */
    private final Map<String, String> reductions = new TreeMap<>();

    private GenerateKernels(final Path template, final Path output) throws IOException
    {
        this.template = Files.readString(template, StandardCharsets.UTF_8);
        this.output = output.resolve(PACKAGE_FOLDER);
        Files.createDirectories(this.output);
    }

    /**
     * Writes the kernels.
     *
     * @param args the template and the folder of the generated sources.
     * @throws IOException if one cannot be read or written.
     */
    public static void main(final String[] args) throws IOException
    {
        final GenerateKernels generate = new GenerateKernels(Path.of(args[0]), Path.of(args[1]));
        generate.integers();
        generate.reals();
        generate.shortFloats();
        generate.complex();
        generate.writeTable();
    }

    private void integers() throws IOException
    {
        for (final String type : List.of("byte", "short", "int", "long"))
        {
            final String boxed = "int".equals(type) ? "Integer" : capitalised(type);
            final String cast = "byte".equals(type) || "short".equals(type) ? "(" + type + ")" : "";
            final String signed = upper(type);
            final String unsigned = "UNSIGNED_" + signed;
            both("AND", type, cast + "(a & b)", cast + "-1");
            both("OR", type, cast + "(a | b)", cast + "0");
            both("XOR", type, cast + "(a ^ b)", cast + "0");
            both("SUM", type, cast + "(a + b)", cast + "0");
            both("PROD", type, cast + "(a * b)", cast + "1");
            kernel("MAX", signed, type, cast + "Math.max(a, b)", boxed + ".MIN_VALUE");
            kernel("MIN", signed, type, cast + "Math.min(a, b)", boxed + ".MAX_VALUE");
            // Unsigned order is that of the signed numbers after the highest bit of both was turned.
            final String turned = boxed + ".MIN_VALUE";
            final String order = "Math.%s(a ^ " + turned + ", b ^ " + turned + ") ^ " + turned;
            kernel("MAX", unsigned, type, cast + "(" + String.format(order, "max") + ")", cast + "0");
            kernel("MIN", unsigned, type, cast + "(" + String.format(order, "min") + ")", cast + "-1");
        }
    }

    private void both(final String op, final String type, final String expression, final String identity)
        throws IOException
    {
        final String name = kernel(op, upper(type), type, expression, identity);
        reductions.put(op + " UNSIGNED_" + upper(type), "new " + name + "(ElementType.UNSIGNED_" + upper(type) + ")");
    }

    private void reals() throws IOException
    {
        for (final String type : List.of("float", "double"))
        {
            final String boxed = capitalised(type);
            kernel("MAX", upper(type), type, canonical(type, "Math.max(a, b)"), boxed + ".NEGATIVE_INFINITY");
            kernel("MIN", upper(type), type, canonical(type, "Math.min(a, b)"), boxed + ".POSITIVE_INFINITY");
            kernel("SUM", upper(type), type, canonical(type, "a + b"), "0");
            kernel("PROD", upper(type), type, canonical(type, "a * b"), "1");
        }
    }

    private void shortFloats() throws IOException
    {
        for (final String name : List.of("half", "bfloat16"))
        {
            final String from = "ShortFloats.floatTo" + capitalised(name);
            final String a = "ShortFloats." + name + "ToFloat(a)";
            final String b = "ShortFloats." + name + "ToFloat(b)";
            final String infinity = from + "(Float.POSITIVE_INFINITY)";
            final String negativeInfinity = from + "(Float.NEGATIVE_INFINITY)";
            final String type = upper(name);
            kernel("MAX", type, "short", from + "(Math.max(" + a + ", " + b + "))", negativeInfinity);
            kernel("MIN", type, "short", from + "(Math.min(" + a + ", " + b + "))", infinity);
            kernel("SUM", type, "short", from + "(" + a + " + " + b + ")", from + "(0)");
            kernel("PROD", type, "short", from + "(" + a + " * " + b + ")", from + "(1)");
        }
    }

    private void complex() throws IOException
    {
        for (final String part : List.of("float", "double"))
        {
            final String type = "COMPLEX_" + upper(part);
            final int bytes = bytes(part);
            final String put = "UnsafeApi.put" + capitalised(part);
            final String get = "UnsafeApi.get" + capitalised(part);
            final String canonical = boxedNan(part);
            for (final String op : List.of("SUM", "PROD"))
            {
                final boolean isSum = "SUM".equals(op);
                final String element = String.join("\n",
                    "            final " + part + " a = " + get + "(leftBase, leftAddress + i);",
                    "            final " + part + " b = " + get + "(leftBase, leftAddress + i + " + bytes + ");",
                    "            final " + part + " c = " + get + "(rightBase, rightAddress + i);",
                    "            final " + part + " d = " + get + "(rightBase, rightAddress + i + " + bytes + ");",
                    "            final " + part + " real = " + (isSum ? "a + c" : "a * c - b * d") + ";",
                    "            final " + part + " imaginary = " + (isSum ? "b + d" : "a * d + b * c") + ";",
                    "            " + put + "(destBase, destAddress + i, real == real ? real : " + canonical + ");",
                    "            " + put + "(destBase, destAddress + i + " + bytes +
                    ", imaginary == imaginary ? imaginary : " + canonical + ");");
                final String identity = String.join("\n",
                    "        " + put + "(base, address, " + (isSum ? 0 : 1) + ");",
                    "        " + put + "(base, address + " + bytes + ", 0);");
                write(op, type, 2 * bytes, element, identity);
            }
        }
    }

    private static String canonical(final String type, final String expression)
    {
        return "canonical(" + expression + ")";
    }

    private static String boxedNan(final String type)
    {
        return capitalised(type) + ".NaN";
    }

    private String kernel(
        final String op, final String type, final String carrier, final String expression, final String identity)
        throws IOException
    {
        final String accessor = capitalised(carrier);
        String element = String.join("\n",
            "            final " + carrier + " a = UnsafeApi.get" + accessor + "(leftBase, leftAddress + i);",
            "            final " + carrier + " b = UnsafeApi.get" + accessor + "(rightBase, rightAddress + i);");
        if (expression.startsWith("canonical("))
        {
            element += "\n            final " + carrier + " c = " +
                expression.substring("canonical(".length(), expression.length() - 1) + ";" +
                "\n            UnsafeApi.put" + accessor + "(destBase, destAddress + i, c == c ? c : " +
                boxedNan(carrier) + ");";
        }
        else
        {
            element += "\n            UnsafeApi.put" + accessor + "(destBase, destAddress + i, " + expression + ");";
        }
        return write(op, type, bytes(carrier), element,
            "        UnsafeApi.put" + accessor + "(base, address, " + identity + ");");
    }

    private String write(
        final String op, final String type, final int bytes, final String element, final String identity)
        throws IOException
    {
        final StringBuilder name = new StringBuilder(capitalised(op.toLowerCase(Locale.ROOT)));
        for (final String word : type.split("_"))
        {
            name.append(capitalised(word.toLowerCase(Locale.ROOT)));
        }
        final String text = template
            .replace("@NAME@", name)
            .replace("@OP@", op)
            .replace("@BYTES@", Integer.toString(bytes))
            .replace("@ELEMENT@", element)
            .replace("@IDENTITY@", identity);
        Files.writeString(output.resolve(name + ".java"), text, StandardCharsets.UTF_8);
        reductions.put(op + " " + type, "new " + name + "(ElementType." + type + ")");
        return name.toString();
    }

    private void writeTable() throws IOException
    {
        final List<String> lines = new ArrayList<>(List.of(
            "package io.aeroshmem.collective.reduction;",
            "",
            "import io.aeroshmem.ElementType;",
            "import io.aeroshmem.ReduceOp;",
            "",
            "/**",
            " * Generated: all reductions, by the ordinals of operation and type.",
            " */",
            "final class Kernels",
            "{",
            "    private Kernels()",
            "    {",
            "    }",
            "",
            "    static Reduction[][] create()",
            "    {",
            "        final Reduction[][] table = new Reduction[ReduceOp.values().length][ElementType.values().length];"));
        for (final Map.Entry<String, String> entry : reductions.entrySet())
        {
            final String[] pair = entry.getKey().split(" ");
            lines.add("        table[ReduceOp." + pair[0] + ".ordinal()][ElementType." + pair[1] + ".ordinal()] = " +
                entry.getValue() + ";");
        }
        lines.addAll(List.of("        return table;", "    }", "}", ""));
        Files.writeString(output.resolve("Kernels.java"), String.join("\n", lines), StandardCharsets.UTF_8);
    }

    private static int bytes(final String carrier)
    {
        return switch (carrier)
        {
            case "byte" -> 1;
            case "short" -> 2;
            case "int", "float" -> 4;
            default -> 8;
        };
    }

    private static String upper(final String name)
    {
        return name.toUpperCase(Locale.ROOT);
    }

    private static String capitalised(final String name)
    {
        return upper(name.substring(0, 1)) + name.substring(1);
    }
}
