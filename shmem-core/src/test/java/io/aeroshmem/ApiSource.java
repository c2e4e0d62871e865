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
package io.aeroshmem;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The documented methods of a class of the API, read from its source: reflection knows neither names nor Javadoc.
 */
final class ApiSource
{
    private static final Path ROOT = Path.of("src/main/java/io/aeroshmem");
    private static final Pattern DOCUMENTED =
        Pattern.compile("(?s)\\n    /\\*\\*(.*?)\\*/\\s*((?:@\\w+\\s+)*)([^;{=]*?)\\s*[;{=]");
    private static final Pattern SIGNATURE = Pattern.compile("(?s)([^(]*?)(\\w+)\\(([^)]*)\\).*");

    private ApiSource()
    {
    }

    /**
     * Reads the public methods that have Javadoc, those of nested classes left out.
     *
     * @param type a class or interface of the API.
     * @return in the order of the source.
     */
    static List<DocumentedMethod> methods(final Class<?> type) throws IOException
    {
        final List<DocumentedMethod> methods = new ArrayList<>();
        final Matcher matcher = DOCUMENTED.matcher(Files.readString(ROOT.resolve(type.getSimpleName() + ".java")));
        while (matcher.find())
        {
            final Matcher signature = SIGNATURE.matcher(matcher.group(3));
            final boolean isPublic = type.isInterface() || matcher.group(3).startsWith("public");
            if (isPublic && signature.matches() && Character.isLowerCase(signature.group(2).charAt(0)))
            {
                methods.add(new DocumentedMethod(signature.group(2), parameters(signature.group(3)), matcher.group(1)));
            }
        }

        return methods;
    }

    private static List<String> parameters(final String list)
    {
        final List<String> parameters = new ArrayList<>();
        for (final String parameter : list.isBlank() ? new String[0] : list.split(","))
        {
            parameters.add(parameter.strip().replaceFirst("^final\\s+", "").replace("Shmem.Context", "Context"));
        }

        return parameters;
    }

    /**
     * One of them.
     *
     * @param name       of the method.
     * @param parameters as type and name.
     * @param javadoc    text of the comment.
     */
    record DocumentedMethod(String name, List<String> parameters, String javadoc)
    {
        List<String> types()
        {
            return parameters.stream().map((parameter) -> parameter.split("\\s+")[0]).toList();
        }

        String parameterName(final int index)
        {
            return parameters.get(index).split("\\s+")[1];
        }

        @Override
        public String toString()
        {
            return name + parameters;
        }
    }
}
