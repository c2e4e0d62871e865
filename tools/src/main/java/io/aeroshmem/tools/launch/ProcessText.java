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
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Formats the line in which {@code --verbose} shows how a PE was started, in the syntax of a POSIX shell: the
 * {@code AEROSHMEM_} variables and the command. The secret of the rendezvous is hidden in both, and so is
 * {@code AEROSHMEM_UNIQUE_ID}, which contains it.
 */
final class ProcessText
{
    private static final String PREFIX = "AEROSHMEM_";
    private static final String HIDDEN = "...";
    private static final Set<String> SECRETS =
        Set.of(ShmemProperty.RENDEZVOUS_SECRET.environmentName(), "AEROSHMEM_UNIQUE_ID");
    private static final String SECRET_OPTION = "-D" + ShmemProperty.RENDEZVOUS_SECRET.propertyName() + '=';
    private static final Pattern PLAIN = Pattern.compile("[\\w./:=,@%+-]+");

    private ProcessText()
    {
    }

    static String of(final Map<String, String> environment, final List<String> command)
    {
        final Stream<String> variables = new TreeMap<>(environment).entrySet().stream()
            .filter((variable) -> variable.getKey().startsWith(PREFIX))
            .map((variable) -> variable.getKey() + '=' + (SECRETS.contains(variable.getKey()) ? HIDDEN :
                quote(variable.getValue())));
        final Stream<String> words =
            command.stream().map((word) -> word.startsWith(SECRET_OPTION) ? SECRET_OPTION + HIDDEN : quote(word));
        return Stream.concat(variables, words).collect(Collectors.joining(" "));
    }

    private static String quote(final String word)
    {
        return PLAIN.matcher(word).matches() ? word : RemoteShell.quote(word);
    }
}
