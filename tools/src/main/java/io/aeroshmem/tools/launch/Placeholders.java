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

/**
 * Placeholders in JVM options and in the text of {@code --tag}: {@code {pe}} and {@code {host}}. A launcher replaces
 * them by the values of each PE. {@code %p} is not a placeholder of the launcher: the JVM itself replaces it by the
 * process id in the names of its files.
 */
public final class Placeholders
{
    private static final String PE = "{pe}";
    private static final String HOST = "{host}";

    private Placeholders()
    {
    }

    /** Returns whether a text differs from PE to PE. */
    static boolean isOfPe(final String text)
    {
        return text.contains(PE);
    }

    /** Returns a text with {@code {pe}} and {@code {host}} replaced. */
    public static String replace(final String text, final int pe, final String host)
    {
        return text.replace(PE, Integer.toString(pe)).replace(HOST, host);
    }
}
