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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Translates a function to C++: registers become variables, local memory an array, and each instruction a statement.
 */
final class FunctionTranslator
{
    /** Where dynamic shared memory begins; static shared memory begins at 0. */
    static final long DYNAMIC_SHARED = 1 << 30;

    private static final Pattern REGISTERS = Pattern.compile("\\.reg\\s+\\.(\\w+)\\s+(.*)", Pattern.DOTALL);
    private static final Pattern REGISTER_RANGE = Pattern.compile("(%\\w+)<(\\d+)>");
    private static final Pattern USED_NAME = Pattern.compile("[A-Za-z_$][\\w$]*");
    private static final int MAX_ALIGNMENT = 16;

    private final Function function;
    private final Operands operands = new Operands();
    private final InstructionTranslator instructions = new InstructionTranslator(operands);
    private final List<String> declarations = new ArrayList<>();
    private final List<String> statements = new ArrayList<>();
    private long sharedBytes;

    private FunctionTranslator(final Function function)
    {
        this.function = function;
    }

    static String translate(final Function function, final Map<String, Variable> variables)
    {
        try
        {
            return new FunctionTranslator(function).translate(variables);
        }
        catch (final UntranslatableException ex)
        {
            throw new UntranslatableException(function.name + ": " + ex.getMessage());
        }
    }

    static String signature(final Function function)
    {
        return "static void f_" + Operands.cpp(function.name) +
            "(unsigned char *result, const unsigned char *const *parameters)";
    }

    private String translate(final Map<String, Variable> variables)
    {
        for (int i = 0; i < function.parameters.size(); i++)
        {
            operands.addPlace(function.parameters.get(i).name, "parameters[" + i + "]");
        }

        if (null != function.result)
        {
            operands.addPlace(function.result.name, "result");
        }

        declareVariables(variables);
        for (final String statement : function.body)
        {
            statements.add(translateStatement(statement));
        }

        final String shared = 0 == sharedBytes ? "" :
            "static char key;\nconst ptx::Shared shared(&key, " + sharedBytes + ", " + DYNAMIC_SHARED + ");\n";
        return signature(function) + "\n{\n(void)result;\n(void)parameters;\n" + shared +
            String.join("\n", declarations) + "\n" + String.join("\n", statements) + "\n}\n";
    }

    /** The module's variables that the function names, whose memory is looked up once per call. */
    private void declareVariables(final Map<String, Variable> variables)
    {
        final Set<String> used = new HashSet<>();
        for (final String statement : function.body)
        {
            final Matcher name = USED_NAME.matcher(statement);
            while (name.find())
            {
                used.add(name.group());
            }
        }

        for (final Variable variable : variables.values())
        {
            if (used.contains(variable.name) && "shared".equals(variable.space))
            {
                addShared(variable);
            }
            else if (used.contains(variable.name))
            {
                operands.addPlace(variable.name, "v_" + Operands.cpp(variable.name));
                declarations.add(
                    "void *const v_" + Operands.cpp(variable.name) + " = aeroshmem_sim_module_global(\"" +
                    variable.name + "\", " + variable.bytes + ");");
            }
        }
    }

    private void addShared(final Variable variable)
    {
        operands.addShared(variable.name, variable.isDynamic ? DYNAMIC_SHARED : sharedBytes);
        sharedBytes += variable.bytes + MAX_ALIGNMENT - 1 & -MAX_ALIGNMENT;
    }

    private String translateStatement(final String statement)
    {
        if (statement.endsWith(":"))
        {
            return Operands.cpp(statement) + " ;";
        }

        if ("{".equals(statement) || "}".equals(statement))
        {
            return statement;
        }

        if (!statement.startsWith("."))
        {
            return instructions.translate(statement);
        }

        return translateDirective(statement);
    }

    private String translateDirective(final String statement)
    {
        if (statement.startsWith(".pragma"))
        {
            return "";
        }

        if (statement.startsWith(".reg"))
        {
            declareRegisters(statement);
            return "";
        }

        final Variable variable = Variable.parse(statement);
        final String array = "alignas(" + MAX_ALIGNMENT + ") unsigned char " + Operands.cpp(variable.name) +
            "[" + variable.bytes + "]";
        switch (variable.space)
        {
            case "shared":
                addShared(variable);
                return "";
            case "local":
                operands.addPlace(variable.name, Operands.cpp(variable.name));
                declarations.add(
                    array + ";\nmemset(" + Operands.cpp(variable.name) + ", 0xA5, " + variable.bytes + ");");
                return "";
            case "param":
                operands.addPlace(variable.name, Operands.cpp(variable.name));
                return array + ";";
            default:
                throw new UntranslatableException(statement);
        }
    }

    private void declareRegisters(final String statement)
    {
        final Matcher matcher = REGISTERS.matcher(statement);
        if (!matcher.matches())
        {
            throw new UntranslatableException(statement);
        }

        final PtxType type = PtxType.of(matcher.group(1));
        for (final String register : Instruction.split(matcher.group(2)))
        {
            final Matcher range = REGISTER_RANGE.matcher(register);
            if (!range.matches())
            {
                declareRegister(register, type);
                continue;
            }

            for (int i = 0; i < Integer.parseInt(range.group(2)); i++)
            {
                declareRegister(range.group(1) + i, type);
            }
        }
    }

    private void declareRegister(final String register, final PtxType type)
    {
        if (operands.addRegister(register, type))
        {
            declarations.add(type.cpp + " " + Operands.cpp(register) + " = 0;");
        }
    }
}
