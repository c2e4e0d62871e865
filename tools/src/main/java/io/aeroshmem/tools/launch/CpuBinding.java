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

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.topology.CpuList;
import io.aeroshmem.tools.topology.HostTopology;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Binding, if any, of the PEs on one host to processors. A bound PE is started through {@code taskset}, a command of
 * Linux that restricts a process to some of the processors. All threads of the PE inherit the restriction.
 */
public final class CpuBinding
{
    private static final String NONE = "none";
    private static final String CORE = "core";
    private static final Pattern LIST = Pattern.compile("\\d{1,5}(-\\d{1,5})?(,\\d{1,5}(-\\d{1,5})?)*");
    private static final String TASKSET = "taskset";

    private final String text;

    private CpuBinding(final String text)
    {
        this.text = text;
    }

    /**
     * Parses the value of {@code --bind}: none, core (a core for each PE), or the processors of each PE in order, such
     * as {@code 0,2} or {@code 0-3,4-7}. Null is none.
     */
    public static CpuBinding parse(final String text)
    {
        if (null == text || NONE.equals(text) || CORE.equals(text))
        {
            return new CpuBinding(null == text ? NONE : text);
        }

        if (!LIST.matcher(text).matches() || entries(text).stream().anyMatch(List::isEmpty))
        {
            throw CommandException.usage(
                "--bind must be none, core, or the processors of each PE such as 0,2 or 0-3,4-7: --bind=" + text);
        }

        return new CpuBinding(text);
    }

    /** Returns whether PEs are bound. */
    boolean isAny()
    {
        return !NONE.equals(text);
    }

    /**
     * Returns the command that starts each of the PEs on this host, without the command of the PE itself: empty without
     * binding.
     */
    List<List<String>> commands(final int peCount, final Supplier<HostTopology> topology)
    {
        final List<List<String>> commands = new ArrayList<>();
        if (NONE.equals(text))
        {
            for (int i = 0; i < peCount; i++)
            {
                commands.add(List.of());
            }

            return commands;
        }

        final List<List<Integer>> sets = sets(peCount, topology.get());
        if (null == HostTopology.command(TASKSET))
        {
            throw CommandException.usage("--bind requires the command taskset (util-linux) on the PATH");
        }

        sets.forEach((cpus) -> commands.add(List.of(TASKSET, "-c", CpuList.format(cpus))));
        return commands;
    }

    List<List<Integer>> sets(final int peCount, final HostTopology topology)
    {
        final boolean isByCore = CORE.equals(text);
        final List<List<Integer>> sets =
            isByCore ? topology.cores().stream().map(HostTopology.Core::cpus).toList() : entries(text);
        if (sets.size() < peCount)
        {
            throw CommandException.usage(isByCore ?
                "--bind core requires a core for each PE on this host: PEs=" + peCount + ", cores=" + sets.size() :
                "--bind must have an entry for each PE on this host: PEs=" + peCount + ", --bind=" + text);
        }

        final List<Integer> missing = new ArrayList<>();
        sets.subList(0, peCount).forEach(missing::addAll);
        missing.removeAll(topology.allowed());
        if (!missing.isEmpty())
        {
            throw CommandException.usage("--bind must name processors that this process may use, " +
                CpuList.format(topology.allowed()) + ": --bind=" + text);
        }

        return sets.subList(0, peCount);
    }

    @Override
    public String toString()
    {
        return text;
    }

    private static List<List<Integer>> entries(final String list)
    {
        final List<List<Integer>> entries = new ArrayList<>();
        for (final String entry : list.split(","))
        {
            entries.add(CpuList.parse(entry));
        }

        return entries;
    }
}
