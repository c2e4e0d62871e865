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
import io.aeroshmem.tools.exit.FileProblem;
import io.aeroshmem.tools.exit.InputFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * List of the hosts of a job. Each host has a number of slots, which is the number of PEs that it can run. PEs fill the
 * hosts in order. The list is parsed from items such as {@code a,b:4}, or from a file with a host per line. The slots
 * of a repeated host are added up.
 */
public final class HostList
{
    /** A name must not begin with a hyphen: ssh would parse it as an option. */
    private static final String NAME = "[A-Za-z0-9_][A-Za-z0-9_.@%-]*";
    private static final String BRACKETED_ADDRESS = "(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?\\[[A-Za-z0-9:.%_-]+]";
    private static final Pattern ITEM =
        Pattern.compile("(?<name>" + NAME + "|" + BRACKETED_ADDRESS + ")(?::(?<slots>\\d{1,6}))?");
    private static final Pattern SLOTS = Pattern.compile("slots\\s*=\\s*(\\d{1,6})");
    private static final int DEFAULT_SLOTS = 1;

    private final Map<String, Integer> slotsByHost = new LinkedHashMap<>();

    private HostList()
    {
    }

    /**
     * PEs of one host.
     *
     * @param host    its name as specified, or its IPv6 address without the brackets.
     * @param firstPe world number of its first PE.
     * @param peCount number of consecutive PEs, at least 1.
     */
    public record Node(String host, int firstPe, int peCount)
    {
        /** Returns whether a world PE, or an invalid number, is one of this host. */
        boolean has(final int pe)
        {
            return pe >= firstPe && pe < firstPe + peCount;
        }

        int[] pes()
        {
            return IntStream.range(firstPe, firstPe + peCount).toArray();
        }

        /** Returns the same PEs on another host. */
        Node on(final String otherHost)
        {
            return new Node(otherHost, firstPe, peCount);
        }

        /** Returns "PE 3" or "PEs 4-7" for messages. */
        public String peText()
        {
            return 1 == peCount ? "PE " + firstPe : "PEs " + firstPe + "-" + (firstPe + peCount - 1);
        }
    }

    /**
     * Parses the items of {@code --hosts}: {@code host}, {@code host:slots} or {@code user@host:slots}, with an IPv6
     * address in brackets.
     */
    public static HostList parse(final List<String> items)
    {
        final HostList hosts = new HostList();
        for (final String item : items)
        {
            final Matcher matcher = ITEM.matcher(item.strip());
            if (!matcher.matches())
            {
                throw CommandException.usage("--hosts must be host, host:slots or user@host:slots, separated by " +
                    "commas, with an IPv6 address in brackets: '" + item + "'");
            }

            hosts.add(matcher.group("name"), slots(matcher.group("slots"), "--hosts", item));
        }

        return hosts;
    }

    /**
     * Reads the file of {@code --hostfile} with lines {@code host}, {@code host slots=4} or {@code host:4}; {@code #}
     * begins a comment.
     */
    public static HostList read(final Path file)
    {
        final HostList hosts = new HostList();
        try
        {
            int number = 0;
            for (final String line : InputFile.lines(file))
            {
                number++;
                hosts.addLine(line.replaceFirst("#.*", "").strip(), file + ":" + number);
            }
        }
        catch (final IOException ex)
        {
            throw CommandException.usage("cannot read the host file " + file + ": " + FileProblem.describe(ex));
        }

        if (hosts.slotsByHost.isEmpty())
        {
            throw CommandException.usage("host file must contain a host: " + file);
        }

        return hosts;
    }

    private void addLine(final String line, final String where)
    {
        if (line.isEmpty())
        {
            return;
        }

        final String[] words = line.split("\\s+", 2);
        final Matcher host = ITEM.matcher(words[0]);
        final Matcher count = SLOTS.matcher(1 == words.length ? "" : words[1]);
        final boolean hasCount = count.matches();
        if (!host.matches() || words.length > 1 && (!hasCount || null != host.group("slots")))
        {
            throw CommandException.usage(where + ": line must be host, host:4 or host slots=4: '" + line + "'");
        }

        add(host.group("name"), slots(hasCount ? count.group(1) : host.group("slots"), where, line));
    }

    private static int slots(final String digits, final String where, final String item)
    {
        final int slots = null == digits ? DEFAULT_SLOTS : Integer.parseInt(digits);
        if (slots < 1)
        {
            throw CommandException.usage(where + ": slots must be >= 1: '" + item + "'");
        }

        return slots;
    }

    private void add(final String name, final int slots)
    {
        slotsByHost.merge(name.replaceAll("[\\[\\]]", ""), slots, Math::addExact);
    }

    /** Returns the sum of the slots of all hosts. */
    public int slots()
    {
        return slotsByHost.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Assigns the PEs of a job to the hosts in order and returns the hosts with PEs. */
    public List<Node> place(final int nPes)
    {
        if (nPes < 1 || nPes > slots())
        {
            throw CommandException.usage(
                "-n must be 1 to " + slots() + ", the sum of the hosts' slots: -n=" + nPes + " (host:slots adds some)");
        }

        final List<Node> nodes = new ArrayList<>();
        int firstPe = 0;
        for (final Map.Entry<String, Integer> host : slotsByHost.entrySet())
        {
            final int count = Math.min(host.getValue(), nPes - firstPe);
            if (count > 0)
            {
                nodes.add(new Node(host.getKey(), firstPe, count));
                firstPe += count;
            }
        }

        return nodes;
    }
}
