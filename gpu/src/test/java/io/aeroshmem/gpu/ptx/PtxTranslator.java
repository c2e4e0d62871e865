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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Translates PTX to C++ for the simulated driver: each instruction becomes a statement on
 * {@code cuda-sim/ptx/runtime.h}. So the tests execute the PTX itself. The translator stops at an instruction or a
 * qualifier that it does not know, and at an operation whose result ptxas may change.
 *
 * <pre>java -cp test-classes io.aeroshmem.gpu.ptx.PtxTranslator SOURCE.ptx DEST.cpp</pre>
 */
public final class PtxTranslator
{
    /** By these instructions threads wait for one another, so those of a block have to run at the same time. */
    private static final Pattern MEETING = Pattern.compile("(?:@!?%\\w+\\s+)?(?:bar|vote|shfl|activemask)\\.");
    private static final Pattern CALL = Pattern.compile(
        "(?:@!?%\\w+\\s+)?call\\S*\\s+(?:\\([^)]*\\)\\s*,\\s*)?([\\w$]+)");

    private PtxTranslator()
    {
    }

    /**
     * Translates a file.
     *
     * @param args the names of the PTX and of the C++.
     * @throws IOException if a file cannot be read or written.
     */
    public static void main(final String[] args) throws IOException
    {
        try
        {
            Files.writeString(Path.of(args[1]), translate(Files.readString(Path.of(args[0]))));
        }
        catch (final UntranslatableException ex)
        {
            System.err.println(args[0] + ": cannot be translated: " + ex.getMessage());
            System.exit(1);
        }
    }

    static String translate(final String ptx)
    {
        final PtxModule module = new PtxModule(ptx);
        final StringBuilder cpp = new StringBuilder("#include \"runtime.h\"\n");
        for (final Function function : module.functions)
        {
            cpp.append(FunctionTranslator.signature(function)).append(";\n");
        }

        final Set<String> meeting = meeting(module);
        for (final Function function : module.functions)
        {
            if (null != function.body)
            {
                cpp.append(FunctionTranslator.translate(function, module.variables));
                cpp.append(function.isKernel ? registration(function, meeting.contains(function.name)) : "");
            }
        }

        return cpp.toString();
    }

    /** The functions in which threads wait for one another, or that call such functions. */
    private static Set<String> meeting(final PtxModule module)
    {
        final Set<String> meeting = new HashSet<>();
        final Map<String, Set<String>> callers = new HashMap<>();
        for (final Function function : module.functions)
        {
            for (final String statement : null == function.body ? List.<String>of() : function.body)
            {
                if (MEETING.matcher(statement).lookingAt())
                {
                    meeting.add(function.name);
                }

                final Matcher call = CALL.matcher(statement);
                if (call.lookingAt())
                {
                    callers.computeIfAbsent(call.group(1), name -> new HashSet<>()).add(function.name);
                }
            }
        }

        final Set<String> added = new HashSet<>(meeting);
        while (!added.isEmpty())
        {
            final Set<String> next = added.stream().flatMap(name -> callers.getOrDefault(name, Set.of()).stream())
                .filter(meeting::add).collect(Collectors.toSet());
            added.clear();
            added.addAll(next);
        }

        return meeting;
    }

    private static String registration(final Function kernel, final boolean isConcurrent)
    {
        final String name = Operands.cpp(kernel.name);
        final String sizes = kernel.parameters.stream().map(parameter -> parameter.bytes + ", ")
            .collect(Collectors.joining());
        return "static const size_t sizes_" + name + "[] = {" + sizes + "0};\n" +
            "static const ptx::Kernel<f_" + name + "> kernel_" + name + "(\"" + kernel.name + "\", " +
            kernel.parameters.size() + ", sizes_" + name + ", " + isConcurrent + ");\n";
    }
}
