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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The variables and functions of a PTX file.
 */
final class PtxModule
{
    private static final Pattern COMMENT = Pattern.compile("//[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern IGNORED = Pattern.compile("\\.(version|target|address_size)[^\n]*\n");
    private static final Pattern LINKAGE = Pattern.compile("^(\\.(visible|weak|extern)\\s+)+");
    private static final Pattern LABEL = Pattern.compile("\\s*([\\w$]+):");
    private static final Pattern FUNCTION = Pattern.compile(
        "\\.(entry|func)\\s*(?:\\(([^)]*)\\))?\\s*([\\w$]+)\\s*(?:\\(([^)]*)\\))?((?:\\s*\\.(?:maxntid|minnctapersm)" +
        "\\s+\\d+(?:\\s*,\\s*\\d+)*)*)\\s*", Pattern.DOTALL);

    final Map<String, Variable> variables = new LinkedHashMap<>();
    final List<Function> functions = new ArrayList<>();

    private final String text;
    private int at;

    PtxModule(final String ptx)
    {
        text = IGNORED.matcher(COMMENT.matcher(ptx).replaceAll(" ")).replaceAll("\n");
        skipSpace();
        while (at < text.length())
        {
            parseDeclaration();
            skipSpace();
        }
    }

    private void parseDeclaration()
    {
        final int begin = at;
        while (at < text.length() && ';' != text.charAt(at) && '{' != text.charAt(at))
        {
            at++;
        }

        final String head = LINKAGE.matcher(text.substring(begin, at).trim()).replaceAll("");
        if (head.startsWith(".entry") || head.startsWith(".func"))
        {
            parseFunction(head);
        }
        else
        {
            at = text.indexOf(';', at) + 1;
            if (0 == at)
            {
                throw new UntranslatableException(head);
            }

            final Variable variable = Variable.parse(head);
            variables.put(variable.name, variable);
        }
    }

    private void parseFunction(final String head)
    {
        final Matcher matcher = FUNCTION.matcher(head);
        if (!matcher.matches())
        {
            throw new UntranslatableException("function " + head);
        }

        final List<Variable> parameters = new ArrayList<>();
        for (final String parameter : Instruction.split(null == matcher.group(4) ? "" : matcher.group(4)))
        {
            parameters.add(Variable.parse(parameter));
        }

        final boolean hasBody = '{' == text.charAt(at++);
        functions.add(new Function(
            "entry".equals(matcher.group(1)), matcher.group(3),
            null == matcher.group(2) ? null : Variable.parse(matcher.group(2)), parameters,
            hasBody ? parseBody() : null));
    }

    /** A brace at the beginning of a statement is that of a block; elsewhere it is that of a vector. */
    private List<String> parseBody()
    {
        final List<String> statements = new ArrayList<>();
        final Matcher label = LABEL.matcher(text);
        int depth = 1;
        while (true)
        {
            skipSpace();
            if (at >= text.length())
            {
                throw new UntranslatableException("a body without end");
            }

            final char c = text.charAt(at);
            if ('{' == c || '}' == c)
            {
                at++;
                depth += '{' == c ? 1 : -1;
                if (0 == depth)
                {
                    return statements;
                }

                statements.add(String.valueOf(c));
            }
            else if (label.region(at, text.length()).lookingAt())
            {
                at = label.end();
                statements.add(label.group(1) + ":");
            }
            else
            {
                final int end = text.indexOf(';', at);
                if (end < 0)
                {
                    throw new UntranslatableException("a statement without end");
                }

                statements.add(text.substring(at, end).trim());
                at = end + 1;
            }
        }
    }

    private void skipSpace()
    {
        while (at < text.length() && Character.isWhitespace(text.charAt(at)))
        {
            at++;
        }
    }
}
