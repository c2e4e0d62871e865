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
package io.aeroshmem.bootstrap.environment;

import io.aeroshmem.transport.TransportException;

/**
 * Finds the first host of a list in Slurm's compact notation: {@code node[01-04,07],x9} is node01 to node04, node07 and
 * x9, and {@code rack[1-2]n[01-16]} has two ranges. Numbers keep their leading zeros.
 */
final class SlurmNodeList
{
    private SlurmNodeList()
    {
    }

    /**
     * Returns the first host of a list: up to the first comma outside of brackets, with the first number of each
     * bracket.
     */
    static String first(final String variable, final String list)
    {
        final StringBuilder host = new StringBuilder(list.length());
        int index = 0;
        while (index < list.length() && ',' != list.charAt(index))
        {
            final char character = list.charAt(index);
            if ('[' != character)
            {
                host.append(character);
                index++;
                continue;
            }

            final int close = list.indexOf(']', index);
            if (close < 0)
            {
                throw malformed(variable, list);
            }

            host.append(firstNumber(variable, list, list.substring(index + 1, close)));
            index = close + 1;
        }

        if (host.isEmpty() || host.chars().anyMatch((character) -> character <= ' ' || ']' == character))
        {
            throw malformed(variable, list);
        }

        return host.toString();
    }

    private static String firstNumber(final String variable, final String list, final String ranges)
    {
        int length = 0;
        while (length < ranges.length() && Character.isDigit(ranges.charAt(length)))
        {
            length++;
        }

        final boolean isEnd = length == ranges.length() || '-' == ranges.charAt(length) || ',' == ranges.charAt(length);
        if (0 == length || !isEnd)
        {
            throw malformed(variable, list);
        }

        return ranges.substring(0, length);
    }

    private static TransportException malformed(final String variable, final String list)
    {
        return new TransportException("environment variable " + variable + "=" + list +
            ": a list of hosts such as node[01-04,07],x9 is needed");
    }
}
