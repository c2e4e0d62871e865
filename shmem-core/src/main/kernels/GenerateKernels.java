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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The generator of the reduction kernels. It writes a class for each operation and type from a template and the choices
 * below. A signed and an unsigned type share a class if the operation does the same to both. The build runs the
 * generator: {@code java GenerateKernels.java <folder of templates> <output folder>}.
 * <p>
 * A kernel has an expression for one element, an expression for one word of the vectorised loop, and the number of
 * words in a round of that loop. A word is an element, or a long full of elements. The table shows the times that led
 * to the choices. The columns 1, 2, 4 and 8 are for rounds of that many words. The last column is for staged loops,
 * which are described below. The times are in ns per 8 bytes, for loops over 8 KiB blocks, on JDK 17 / 25 on one x86-64
 * machine with AVX-512. A star marks the chosen number of words. Math and BranchFree are the classes whose methods the
 * expression of a word calls. An indented label replaces the last part of the label above it. ReductionBenchmark, in
 * the tests module, measures the kernels as they are.
 * <pre>
 *                                 1             2             4             8             staged in arrays
 * long +                          0.22 / 0.22   0.10 / 0.10  *0.08 / 0.08   0.23 / 0.22   0.24 / 0.22
 * long max, Math                  0.24 / 0.24   0.24 / 0.12  *0.22 / 0.08   0.29 / 0.26   0.38 / 0.23
 * long max, unsigned, Math                      0.40 / 0.17   0.41 / 0.12   0.52 / 0.40   0.55 / 0.29
 *   by BranchFree                              *0.24 / 0.21   0.71 / 0.63   0.70 / 0.66   0.26 / 0.31
 * int +                                         0.21 / 0.20  *0.12 / 0.11   0.47 / 0.47   0.22 / 0.24
 * int *                           0.48 / 0.48   0.25 / 0.25  *0.15 / 0.14   0.48 / 0.50
 * int max, Math                   0.45 / 0.47   0.45 / 0.21   0.45 / 0.12   0.57 / 0.56   0.60 / 0.25
 *   by BranchFree                               0.42 / 0.39   0.26 / 0.27  *0.21 / 0.22   0.25 / 0.34
 * short +                         0.75 / 0.75   0.38 / 0.38   0.23 / 0.21   0.92 / 0.87
 * short, byte + by BranchFree     0.45 / 0.48   0.22 / 0.21  *0.15 / 0.15   0.64 / 0.64
 * short *                         0.98 / 0.98   0.42 / 0.42  *0.24 / 0.23   0.98 / 0.98   0.24 / 0.23
 * byte *                          1.97 / 1.97   1.97 / 1.97  *0.91 / 1.06   1.96 / 1.97   0.51 / 0.36
 * short max, Math                 0.88 / 0.92   0.90 / 0.91   0.89 / 0.91   1.13 / 1.08   1.26 / 1.25
 * byte max, Math                  1.83 / 1.94   1.85 / 1.94   1.85 / 1.89   2.20 / 2.17   2.53 / 2.49
 *   by BranchFree                 0.99 / 0.96  *0.50 / 0.50   1.22 / 1.20   1.28 / 1.28   0.34 / 0.35
 * any integer, logical and, xor                *0.28 / 0.27   0.74 / -
 *   logical or                                  0.22 / -     *0.12 / 0.12
 * float +                         0.38 / 0.37   0.20 / 0.20  *0.11 / 0.11   0.41 / 0.41   0.23 / 0.22
 * float max                       1.77 / 1.76   0.90 / 0.89  *0.48 / 0.48   1.77 / 1.81   0.31 / 0.32
 * double max                      0.89 / 0.88   0.45 / 0.45  *0.24 / 0.24   0.88 / 0.91   0.30 / 0.30
 * </pre>
 * MAXLOC and MINLOC are not vectorised. They take 0.55 / 0.50 for doubles, and 0.48 / 0.41 for longs.
 * Sums of half-precision elements by HalfConversion, on JDK 25 on another machine with AVX-512, take 2.95 with 1
 * element in a round, and 0.56 with 4.
 * <p>
 * A staged loop copies the operands to Java arrays, combines them there and copies the result back. It would be faster
 * for products of bytes, and for maxima of bytes and floats, as long as all data is in the first-level cache. But it
 * would need a second kind of loop, and arrays for each thread.
 * <p>
 * If the body of a round is too long to be unrolled further, the compiler does not vectorise it. So eight words are not
 * the best choice for every kernel.
 */
public final class GenerateKernels
{
    private static final Pattern PASS = Pattern.compile("#pass (\\d) (\\w+) (\\w+)\\((.*)\\)");
    private static final String PACKAGE_FOLDER = "io/aeroshmem/collective/reduction";

    private final Path templates;
    private final Path output;
    /** "OP TYPE" to the expression that makes its reduction. */
    private final Map<String, String> reductions = new TreeMap<>();

    private GenerateKernels(final Path templates, final Path output) throws IOException
    {
        this.templates = templates;
        this.output = output.resolve(PACKAGE_FOLDER);
        Files.createDirectories(this.output);
    }

    /**
     * Writes the kernels.
     *
     * @param args the folder of the templates and that of the generated sources.
     * @throws IOException if a file cannot be read or written.
     */
    public static void main(final String[] args) throws IOException
    {
        final GenerateKernels generate = new GenerateKernels(Path.of(args[0]), Path.of(args[1]));
        for (final Kind type : Kind.values())
        {
            switch (type)
            {
                case BYTE, SHORT, INT, LONG -> generate.integers(type);
                case FLOAT, DOUBLE -> generate.reals(type);
                case HALF, BFLOAT16 -> generate.shortFloats(type);
            }

            generate.locations(type);
        }

        generate.complex(Kind.FLOAT);
        generate.complex(Kind.DOUBLE);
        generate.averages();
        generate.writeTable();
        generate.passes();
    }

    private void integers(final Kind type) throws IOException
    {
        final boolean isPacked = Kind.BYTE == type || Kind.SHORT == type;
        integer("AND", type, "-1", (a, b) -> a + " & " + b, Kind.LONG, (a, b) -> a + " & " + b, 4);
        integer("OR", type, "0", (a, b) -> a + " | " + b, Kind.LONG, (a, b) -> a + " | " + b, 4);
        integer("XOR", type, "0", (a, b) -> a + " ^ " + b, Kind.LONG, (a, b) -> a + " ^ " + b, 4);
        final BinaryOperator<String> sum = (a, b) -> a + " + " + b;
        integer("SUM", type, "0", sum, isPacked ? Kind.LONG : type, isPacked ? packed(type, "packedSum", "") : sum, 4);
        final BinaryOperator<String> product = (a, b) -> a + " * " + b;
        integer("PROD", type, "1", product, type, product, 4);
        ordered("MAX", type);
        ordered("MIN", type);
        logical("LAND", type, "1", (a, b) -> a + " != 0 && " + b + " != 0 ? 1 : 0", "packedLogicalAnd", 2);
        logical("LOR", type, "0", (a, b) -> a + " != 0 || " + b + " != 0 ? 1 : 0", "packedLogicalOr", 4);
        logical("LXOR", type, "0", (a, b) -> a + " != 0 ^ " + b + " != 0 ? 1 : 0", "packedLogicalXor", 2);
    }

    private void logical(
        final String op, final Kind type, final String identity, final BinaryOperator<String> element,
        final String method, final int unroll) throws IOException
    {
        final String shift = ", " + (8 * type.bytes - 1);
        integer(op, type, identity, element, Kind.LONG, packed(type, method, shift), unroll);
    }

    /** Writes the kernels of the signed and the unsigned type. */
    private void integer(
        final String op, final Kind type, final String identity, final BinaryOperator<String> element,
        final Kind word, final BinaryOperator<String> wordExpression, final int unroll) throws IOException
    {
        final Kernel kernel = new Kernel(op, type, cast(type, identity))
            .element((a, b) -> cast(type, element.apply(a, b)))
            .word(word, (a, b) -> cast(word, wordExpression.apply(a, b)), unroll);
        write(kernel, type.name());
        reductions.put(op + " UNSIGNED_" + type, "new " + kernel.name + "(ElementType.UNSIGNED_" + type + ")");
    }

    private void ordered(final String op, final Kind type) throws IOException
    {
        final boolean isMax = "MAX".equals(op);
        final String name = op.toLowerCase(Locale.ROOT);
        final BinaryOperator<String> math = (a, b) -> "Math." + name + "(" + a + ", " + b + ")";
        final Kernel signed = new Kernel(op, type, type.boxed + (isMax ? ".MIN_VALUE" : ".MAX_VALUE"))
            .element((a, b) -> cast(type, math.apply(a, b)));
        // Unsigned order is that of the signed numbers with the highest bits flipped.
        final String flip = " ^ " + type.boxed + ".MIN_VALUE";
        final Kernel unsigned = new Kernel(op, type, cast(type, isMax ? "0" : "-1"))
            .element((a, b) -> cast(type, math.apply(a + flip, b + flip) + flip));
        final String method = capitalised(name);
        switch (type)
        {
            case BYTE, SHORT ->
            {
                final String shift = ", " + (8 * type.bytes - 1);
                signed.word(Kind.LONG, packed(type, "packed" + method, shift), 2);
                unsigned.word(Kind.LONG, packed(type, "packed" + method + "Unsigned", shift), 2);
            }
            case INT ->
            {
                signed.word(type, (a, b) -> "BranchFree." + name + "(" + a + ", " + b + ")", 8);
                unsigned.word(type, (a, b) -> "BranchFree." + name + "Unsigned(" + a + ", " + b + ")", 8);
            }
            default ->
            {
                signed.word(type, math, 4);
                unsigned.word(type, (a, b) -> "BranchFree." + name + "Unsigned(" + a + ", " + b + ")", 2);
            }
        }

        write(signed, type.name());
        write(unsigned, "UNSIGNED_" + type);
    }

    private static BinaryOperator<String> packed(final Kind type, final String method, final String shift)
    {
        return (a, b) -> "BranchFree." + method + "(" + a + ", " + b + ", BranchFree." + type + "_SIGNS" + shift + ")";
    }

    private void reals(final Kind type) throws IOException
    {
        real("MAX", type, type.boxed + ".NEGATIVE_INFINITY", (a, b) -> "Math.max(" + a + ", " + b + ")");
        real("MIN", type, type.boxed + ".POSITIVE_INFINITY", (a, b) -> "Math.min(" + a + ", " + b + ")");
        real("SUM", type, "0", (a, b) -> a + " + " + b);
        real("PROD", type, "1", (a, b) -> a + " * " + b);
    }

    private void real(
        final String op, final Kind type, final String identity, final BinaryOperator<String> expression)
        throws IOException
    {
        final Kernel kernel = new Kernel(op, type, identity)
            .element((a, b) -> "NanSupport.canonical(" + expression.apply(a, b) + ")")
            .word(type, expression, 4);
        kernel.isReal = true;
        write(kernel, type.name());
    }

    private void shortFloats(final Kind type) throws IOException
    {
        shortFloat("MAX", type, "Float.NEGATIVE_INFINITY", (a, b) -> "Math.max(" + a + ", " + b + ")");
        shortFloat("MIN", type, "Float.POSITIVE_INFINITY", (a, b) -> "Math.min(" + a + ", " + b + ")");
        shortFloat("SUM", type, "0", (a, b) -> a + " + " + b);
        shortFloat("PROD", type, "1", (a, b) -> a + " * " + b);
    }

    private void shortFloat(
        final String op, final Kind type, final String identity, final BinaryOperator<String> expression)
        throws IOException
    {
        final String name = type.name().toLowerCase(Locale.ROOT);
        final String from = "Float16.floatTo" + capitalised(name) + "(";
        final String to = "Float16." + name + "ToFloat(";
        final BinaryOperator<String> rounded = (a, b) -> from + expression.apply(to + a + ")", to + b + ")") + ")";
        final Kernel kernel = new Kernel(op, type, from + identity + ")").element(rounded).word(type, rounded, 1);
        if (Kind.HALF == type)
        {
            kernel.converted = (a, b) -> "HalfConversion.toHalf(" +
                expression.apply("HalfConversion.toFloat(" + a + ")", "HalfConversion.toFloat(" + b + ")") + ")";
        }

        write(kernel, type.name());
    }

    private void locations(final Kind type) throws IOException
    {
        switch (type)
        {
            case BYTE, SHORT, INT, LONG ->
            {
                location(type, type.name(), (a, b) -> type.boxed + ".compare(" + a + ", " + b + ")", "");
                location(
                    type, "UNSIGNED_" + type, (a, b) -> type.boxed + ".compareUnsigned(" + a + ", " + b + ")", "");
            }
            case FLOAT, DOUBLE -> location(
                type, type.name(), (a, b) -> type.boxed + ".compare(" + a + ", " + b + ")", "NanSupport.canonical");
            default ->
            {
                final String name = type.name().toLowerCase(Locale.ROOT);
                final String toFloat = "Float16." + name + "ToFloat(";
                location(
                    type,
                    type.name(),
                    (a, b) -> "Float.compare(" + toFloat + a + "), " + toFloat + b + "))",
                    "NanSupport.canonical" + capitalised(name));
            }
        }
    }

    private void location(
        final Kind type, final String typeName, final BinaryOperator<String> comparison, final String canonical)
        throws IOException
    {
        for (final String op : new String[]{"MAXLOC", "MINLOC"})
        {
            final String compare = comparison.apply("a", "b");
            final String isNan = "NanSupport.isNan" + capitalised(type.name().toLowerCase(Locale.ROOT));
            final String order = "MAXLOC".equals(op) ? compare :
                canonical.isEmpty() ? comparison.apply("b", "a") :
                isNan + "(a) || " + isNan + "(b) ? " + compare + " : " + comparison.apply("b", "a");
            final String name = className(op, typeName);
            reductions.put(op + " " + typeName, "new " + name + "()");
            writeClass(name, template("Location")
                .replace("@NAME@", name)
                .replace("@OP@", op)
                .replace("@TYPE@", typeName)
                .replace("@BYTES@", Integer.toString(type.bytes))
                .replace("@CARRIER@", type.carrier)
                .replace("@ACCESS@", capitalised(type.carrier))
                .replace("@ORDER@", order)
                .replace("@ORDER_OF_PLACES@", comparison.apply("aPlace", "bPlace"))
                .replace("@CANONICAL@", canonical));
        }
    }

    private void averages()
    {
        final Map<String, String> averages = new TreeMap<>();
        for (final Map.Entry<String, String> entry : reductions.entrySet())
        {
            if (entry.getKey().startsWith("SUM "))
            {
                final String type = entry.getKey().substring("SUM ".length());
                averages.put("AVG " + type, "new Average(ElementType." + type + ", " + entry.getValue() + ")");
            }
        }

        reductions.putAll(averages);
    }

    private void complex(final Kind part) throws IOException
    {
        final String type = "COMPLEX_" + part;
        final String parts = "new SumOf" + capitalised(part.carrier) + "(ElementType." + part + ")";
        reductions.put("SUM " + type, "new ComplexSum(ElementType." + type + ", " + parts + ")");

        final String name = "ProductOfComplex" + capitalised(part.carrier);
        reductions.put("PROD " + type, "new " + name + "()");
        writeClass(name, template("ComplexProduct")
            .replace("@NAME@", name)
            .replace("@TYPE@", type)
            .replace("@PART_BYTES@", Integer.toString(part.bytes))
            .replace("@CARRIER@", part.carrier)
            .replace("@ACCESS@", capitalised(part.carrier)));
    }

    private void write(final Kernel kernel, final String type) throws IOException
    {
        kernel.name = className(kernel.op, type);
        reductions.put(kernel.op + " " + type, "new " + kernel.name + "(ElementType." + type + ")");
        writeClass(kernel.name, template("Kernel")
            .replace("@NAME@", kernel.name)
            .replace("@OP@", kernel.op)
            .replace("@BYTES@", Integer.toString(kernel.type.bytes))
            .replace("@CARRIER@", kernel.type.carrier)
            .replace("@ACCESS@", capitalised(kernel.type.carrier))
            .replace("@ELEMENT@", kernel.element.apply("a", "b"))
            .replace("@IDENTITY@", kernel.identity)
            .replace("@WORD_BYTES@", Integer.toString(kernel.word.bytes))
            .replace("@WORD_SHIFT@", Integer.toString(Integer.numberOfTrailingZeros(kernel.word.bytes)))
            .replace("@UNROLL@", Integer.toString(kernel.unroll))
            .replace("@ROUND@\n", round(kernel.word, kernel.wordExpression, kernel.unroll))
            .replace("@BLOCK_BYTES@", kernel.isReal ? "Scratch.BLOCK_BYTES" : "8192")
            .replace("@CONSTANTS@", Kind.HALF == kernel.type || Kind.BFLOAT16 == kernel.type ?
                "    private static final int SHORTEST_BY_BLOCKS = 256;\n" +
                "    private static final Float16Vectors VECTORS =\n" +
                "        Float16Vectors.of(ReduceOp." + kernel.op + ", ElementType." + type + ");\n" +
                (isOrdered(kernel) ? "" :
                "    private static final BlockPass[] FLOATS = {" +
                capitalised(kernel.op.toLowerCase(Locale.ROOT)) + "OfFloat::combineBlock};\n") : "")
            .replace("@GROUPS@\n", groups(kernel)));
    }

    /** Returns a name such as SumOfUnsignedInt. */
    private static String className(final String op, final String type)
    {
        final StringBuilder name = new StringBuilder(capitalised(op.toLowerCase(Locale.ROOT))).append("Of");
        for (final String word : type.split("_"))
        {
            name.append(capitalised(word.toLowerCase(Locale.ROOT)));
        }

        return name.toString();
    }

    private String groups(final Kernel kernel) throws IOException
    {
        if (Kind.HALF == kernel.type || Kind.BFLOAT16 == kernel.type)
        {
            final boolean isConverted = null != kernel.converted;
            return template("GroupsOfFloat16")
                .replace("@CONVERT@", isConverted ? """
                    if (HalfConversion.IS_AVAILABLE@AND_SHORT@)
                            {
                                block = length & -Long.BYTES;
                                combineConverted(dest, left, right, block);
                            }
                            else\s""" : "")
                .replace("@AND_SHORT@", isOrdered(kernel) ? " && SHORTEST_BY_BLOCKS > length" :
                    " && (null == VECTORS || SHORTEST_BY_BLOCKS > length)")
                .replace("@CONVERTED@", isConverted ?
                    template("Converted").replace("@ROUND@\n", round(kernel.word, kernel.converted, 4)) : "")
                .replace("@BLOCKWISE@\n", template(isOrdered(kernel) ? "ByOrder" : "ByFloats"))
                .replace("@OP@", kernel.op)
                .replace("@TYPE@", kernel.type.name())
                .replace("@BLOCKS@", Kind.BFLOAT16 == kernel.type ? "Bfloat16Blocks" :
                    "PROD".equals(kernel.op) ? "HalfBlocks" : "ScaledHalfBlocks");
        }

        return kernel.isReal ?
            template("GroupsOfReals").replace("@PLURAL@", capitalised(kernel.type.carrier) + "s") :
            template("Groups");
    }

    /** Returns whether the order of integers serves a kernel of 16-bit floating-point numbers. */
    private static boolean isOrdered(final Kernel kernel)
    {
        return "MAX".equals(kernel.op) || "MIN".equals(kernel.op);
    }

    /** Returns a round: all loads, then all operations, then all stores. */
    private static String round(final Kind word, final BinaryOperator<String> expression, final int unroll)
    {
        final String declare = "            final " + word.carrier + " ";
        final String access = capitalised(word.carrier);
        final StringBuilder loads = new StringBuilder();
        final StringBuilder operations = new StringBuilder();
        final StringBuilder stores = new StringBuilder();
        for (int i = 0; i < unroll; i++)
        {
            final String offset = " + offset" + place(i, word);
            loads.append(declare).append("a" + i + " = UnsafeApi.get" + access + "(left" + offset + ");\n");
            loads.append(declare).append("b" + i + " = UnsafeApi.get" + access + "(right" + offset + ");\n");
            operations.append(declare).append("c" + i + " = " + expression.apply("a" + i, "b" + i) + ";\n");
            stores.append("            UnsafeApi.put" + access + "(dest" + offset + ", c" + i + ");\n");
        }

        return loads.append(operations).append(stores).toString();
    }

    /** Returns what is added to the offset of a round for one of its words. */
    private static String place(final int index, final Kind word)
    {
        return 0 == index ? "" : " + " + index * word.bytes;
    }

    /**
     * Writes the loops over blocks. In their template, assignments follow a line {@code #pass n type name(parameters)},
     * up to an empty line: one for each block that is stored to, and for each value that these have in common. The
     * parameters are blocks, and longs, which have a {@code =}. A round computes n elements of each block.
     */
    private void passes() throws IOException
    {
        final StringBuilder text = new StringBuilder();
        final Iterator<String> lines = template("BlockPasses").lines().iterator();
        while (lines.hasNext())
        {
            final String line = lines.next();
            final Matcher head = PASS.matcher(line);
            if (head.matches())
            {
                final Map<String, String> assignments = new LinkedHashMap<>();
                for (String next = lines.next(); !next.isEmpty(); next = lines.next())
                {
                    final String[] sides = next.strip().split(" = ", 2);
                    assignments.put(sides[0], sides[1]);
                }

                text.append(pass(head, assignments));
            }
            else
            {
                text.append(line).append('\n');
            }
        }

        writeClass("BlockPasses", text.toString());
    }

    /** Returns a loop over blocks, whose rounds are like those of {@link #round}. */
    private String pass(final Matcher head, final Map<String, String> assignments) throws IOException
    {
        final int unroll = Integer.parseInt(head.group(1));
        final Kind type = Kind.valueOf(head.group(2).toUpperCase(Locale.ROOT));
        final List<String> parameters = List.of(head.group(4).split(", "));
        final String expressions = String.join("\n", assignments.values());
        final List<String> loaded = parameters.stream()
            .filter((one) -> Pattern.compile("\\b" + one + "\\b").matcher(expressions).find())
            .toList();
        final String values = Stream.concat(loaded.stream(), assignments.keySet().stream().filter(
            (name) -> !parameters.contains(name))).collect(Collectors.joining("|", "\\b(", ")\\b"));

        final StringBuilder loads = new StringBuilder();
        final StringBuilder operations = new StringBuilder();
        final StringBuilder stores = new StringBuilder();
        final String declare = "            final " + type.carrier + " ";
        final String access = "UnsafeApi.%s" + capitalised(type.carrier) + "(%s + offset%s";
        for (int i = 0; i < unroll; i++)
        {
            for (final String block : loaded)
            {
                loads.append(declare + block + i + " = " + access.formatted("get", block, place(i, type)) + ");\n");
            }
        }

        assignments.forEach((name, value) ->
        {
            for (int i = 0; i < unroll; i++)
            {
                final String result = (parameters.contains(name) ? "new" + capitalised(name) : name) + i;
                operations.append(declare + result + " = ")
                    .append(value.replaceAll(values, "$1" + i) + ";\n");
                if (parameters.contains(name))
                {
                    stores.append("            ")
                        .append(access.formatted("put", name, place(i, type)) + ", " + result + ");\n");
                }
            }
        });

        return template("BlockPass")
            .replace("@NAME@", head.group(3))
            .replace("@PARAMETERS@", "final long " + String.join(", final long ", parameters).replace("=", ""))
            .replace("@TYPE@", type.boxed)
            .replace("@SHIFT@", Integer.toString(Integer.numberOfTrailingZeros(type.bytes)))
            .replace("@UNROLL@", head.group(1))
            .replace("@ROUND@\n", loads.append(operations).append(stores));
    }

    private void writeTable() throws IOException
    {
        final StringBuilder rows = new StringBuilder();
        for (final Map.Entry<String, String> entry : reductions.entrySet())
        {
            final String[] pair = entry.getKey().split(" ");
            rows.append("        table[ReduceOp." + pair[0] + ".ordinal()][ElementType." + pair[1] + ".ordinal()] =\n" +
                "            " + entry.getValue() + ";\n");
        }

        writeClass("Kernels", template("Kernels").replace("@ROWS@\n", rows));
    }

    private String template(final String name) throws IOException
    {
        return Files.readString(templates.resolve(name + ".java.template"), StandardCharsets.UTF_8);
    }

    private void writeClass(final String name, final String text) throws IOException
    {
        Files.writeString(output.resolve(name + ".java"), text, StandardCharsets.UTF_8);
    }

    private static String cast(final Kind type, final String expression)
    {
        return Kind.BYTE == type || Kind.SHORT == type ? "(" + type.carrier + ")(" + expression + ")" : expression;
    }

    private static String capitalised(final String name)
    {
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    }

    /** The element types that have kernels, and the Java type that carries an element. */
    private enum Kind
    {
        BYTE("byte", 1, "Byte"),
        SHORT("short", 2, "Short"),
        INT("int", 4, "Integer"),
        LONG("long", 8, "Long"),
        FLOAT("float", 4, "Float"),
        DOUBLE("double", 8, "Double"),
        HALF("short", 2, "Short"),
        BFLOAT16("short", 2, "Short");

        private final String carrier;
        private final int bytes;
        private final String boxed;

        Kind(final String carrier, final int bytes, final String boxed)
        {
            this.carrier = carrier;
            this.bytes = bytes;
            this.boxed = boxed;
        }
    }

    /** The values of the placeholders in the template. */
    private static final class Kernel
    {
        private final String op;
        private final Kind type;
        private final String identity;
        private BinaryOperator<String> element;
        private Kind word;
        private BinaryOperator<String> wordExpression;
        /** Expression of an element by conversions of the processor, or null. */
        private BinaryOperator<String> converted;
        private int unroll;
        private boolean isReal;
        private String name;

        private Kernel(final String op, final Kind type, final String identity)
        {
            this.op = op;
            this.type = type;
            this.identity = identity;
        }

        private Kernel element(final BinaryOperator<String> expression)
        {
            element = expression;
            return this;
        }

        private Kernel word(final Kind words, final BinaryOperator<String> expression, final int wordsInRound)
        {
            word = words;
            wordExpression = expression;
            unroll = wordsInRound;
            return this;
        }
    }
}
