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
package io.aeroshmem.samples;

import java.util.List;

/**
 * Arguments of a sample. One that is not right ends the process with a line on standard error and exit code 2, before
 * it joins a job.
 */
final class SampleArguments
{
    private static final int USAGE = 2;

    private SampleArguments()
    {
    }

    /** Rejects more arguments than the sample has. */
    static void atMost(final String[] args, final int count)
    {
        if (args.length > count)
        {
            end("unexpected argument '" + args[count] + "'");
        }
    }

    /** Rejects arguments that are neither among the names nor begin as one of the options. */
    static void require(final String[] args, final List<String> names, final List<String> options)
    {
        for (final String arg : args)
        {
            if (!names.contains(arg) && options.stream().noneMatch(arg::startsWith))
            {
                end("unexpected argument '" + arg + "', none of " + names + " and " + options);
            }
        }
    }

    /** Returns the argument at this index as a number from 1 to {@code max}, or {@code otherwise} if there is none. */
    static int number(final String[] args, final int index, final String name, final int otherwise, final int max)
    {
        return number(args, index, name, otherwise, 1, max);
    }

    /** Returns the argument at this index as a number in a range, or {@code otherwise} if there is none. */
    static int number(
        final String[] args, final int index, final String name, final int otherwise, final int min, final int max)
    {
        return index < args.length ? parse(args[index], name, min, max) : otherwise;
    }

    /** Returns the number from 1 to {@code max} of the argument {@code --name=number}, or {@code otherwise}. */
    static int option(final String[] args, final String name, final int otherwise, final int max)
    {
        for (final String arg : args)
        {
            if (arg.startsWith(name + "="))
            {
                return parse(arg.substring(name.length() + 1), name, 1, max);
            }
        }

        return otherwise;
    }

    private static int parse(final String text, final String name, final int min, final int max)
    {
        final long value = text.matches("[0-9]{1,10}") ? Long.parseLong(text) : -1;
        if (value < min || value > max)
        {
            end(name + " must be " + min + " to " + max + ": '" + text + "'");
        }

        return (int)value;
    }

    /** Ends the process. */
    static void end(final String reason)
    {
        System.err.println(reason);
        System.exit(USAGE);
    }
}
