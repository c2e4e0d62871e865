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
package io.aeroshmem.tools.launch;

import io.aeroshmem.config.ShmemProperty;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The line in which {@code --verbose} shows how a process was started, in the syntax of a POSIX shell: the
 * {@code AEROSHMEM_} variables, with the value of {@code AEROSHMEM_RENDEZVOUS_SECRET} hidden, and the command.
 */
final class ProcessText
{
    private static final String PREFIX = "AEROSHMEM_";
    private static final String HIDDEN = "...";
    private static final Pattern PLAIN = Pattern.compile("[\\w./:=,@%+-]+");

    private ProcessText()
    {
    }

    static String of(final Map<String, String> environment, final List<String> command)
    {
        final Stream<String> variables = new TreeMap<>(environment).entrySet().stream()
            .filter((variable) -> variable.getKey().startsWith(PREFIX))
            .map((variable) -> variable.getKey() + '=' + (isSecret(variable.getKey()) ? HIDDEN :
                quote(variable.getValue())));
        return Stream.concat(variables, command.stream().map(ProcessText::quote)).collect(Collectors.joining(" "));
    }

    private static boolean isSecret(final String name)
    {
        return ShmemProperty.RENDEZVOUS_SECRET.environmentName().equals(name);
    }

    private static String quote(final String word)
    {
        return PLAIN.matcher(word).matches() ? word : RemoteShell.quote(word);
    }
}
