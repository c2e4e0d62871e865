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
package io.aeroshmem.tools.histogram;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Identity of a histogram: the PE and the calls whose times it contains. Parts that a file does not name are empty.
 *
 * @param pe         PE that recorded the histogram.
 * @param team       team of the collective; in a file of {@code aeroshmem latency}, a row's transport and parameters.
 * @param collective name of the collective or other operation; in a file of another program, the tag or the file name.
 * @param size       size of a block, such as {@code 8B}, or its size class, such as {@code to-4KiB}.
 */
public record HistogramKey(String pe, String team, String collective, String size) implements Comparable<HistogramKey>
{
    private static final Pattern PE = Pattern.compile("aeroshmem-pe(\\d+)\\..*");
    private static final String ANY = "*";
    /** Tag that names the parts team, collective and size, of which some may be {@link #ANY}, and perhaps the PE. */
    private static final Pattern TAG =
        Pattern.compile("(.+)\\.([a-z_]+|\\*)\\.((?!pe\\d+$)[^.]+)(?:\\.pe(\\d+))?");
    private static final Pattern MEASURED = Pattern.compile("([a-z-]+)_([^_]+_.+)_bytes=(\\d+)-report");
    private static final String EXTENSION = "\\.(hlog|hgrm)$";
    private static final Pattern DIGITS = Pattern.compile("\\d+");

    /** A part of the key. */
    public enum Part
    {
        PE, TEAM, COLLECTIVE, SIZE;

        /** Returns the name on the command line. */
        @Override
        public String toString()
        {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns the key of a tag in an interval log; null for none. */
    static HistogramKey of(final Path log, final String tagOrNull)
    {
        final String name = log.getFileName().toString();
        final Matcher pe = PE.matcher(name);
        final String number = pe.matches() ? pe.group(1) : "";
        final Matcher tag = TAG.matcher(null == tagOrNull ? "" : tagOrNull);
        return tag.matches() ?
            new HistogramKey(
                null == tag.group(4) ? number : tag.group(4),
                part(tag.group(1)),
                part(tag.group(2)),
                part(tag.group(3))) :
            new HistogramKey(number, "", null == tagOrNull ? name.replaceFirst(EXTENSION, "") : tagOrNull, "");
    }

    /** Returns the key of a tag that a PE has published. */
    public static HistogramKey of(final int pe, final String tag)
    {
        return of(Path.of("aeroshmem-pe" + pe + ".hlog"), tag);
    }

    private static String part(final String inTag)
    {
        return ANY.equals(inTag) ? "" : inTag;
    }

    /** Returns the key of a percentile distribution, whose tag is in its name. */
    static HistogramKey of(final Path distribution)
    {
        final String name = distribution.getFileName().toString().replaceFirst(EXTENSION, "");
        final Matcher pe = PE.matcher(name + ".");
        final Matcher measured = MEASURED.matcher(name);
        if (measured.matches())
        {
            return new HistogramKey(
                "", measured.group(2), measured.group(1).replace('-', '_'), measured.group(3) + "B");
        }

        return pe.matches() ? of(distribution, name.substring(name.indexOf('.') + 1)) :
            new HistogramKey("", "", name, "");
    }

    /** Returns this key with the given parts only. */
    HistogramKey of(final Set<Part> parts)
    {
        return new HistogramKey(
            parts.contains(Part.PE) ? pe : "",
            parts.contains(Part.TEAM) ? team : "",
            parts.contains(Part.COLLECTIVE) ? collective : "",
            parts.contains(Part.SIZE) ? size : "");
    }

    @Override
    public int compareTo(final HistogramKey other)
    {
        final int byTeam = team.compareTo(other.team);
        final int byCollective = 0 != byTeam ? byTeam : collective.compareTo(other.collective);
        final int bySize = 0 != byCollective ? byCollective : Long.compare(bytes(), other.bytes());
        return 0 != bySize ? bySize : Integer.compare(number(), other.number());
    }

    private int number()
    {
        return pe.isEmpty() ? -1 : Integer.parseInt(pe);
    }

    /** Returns a number that orders the classes of sizes. */
    private long bytes()
    {
        final Matcher digits = DIGITS.matcher(size);
        if (!digits.find())
        {
            return -1;
        }

        final int shift = size.endsWith("KiB") ? 10 : size.endsWith("MiB") ? 20 : 0;
        return (Long.parseLong(digits.group()) << shift) + (size.startsWith("above") ? 1 : 0);
    }

    /**
     * Returns the tag of a log from which {@link #of(Path, String)} reads this key. It is the tag that a PE writes if
     * the key has all parts of such a tag.
     */
    String tag()
    {
        if (team.isEmpty() && size.isEmpty() && pe.isEmpty() && !collective.isEmpty())
        {
            return collective;
        }

        final String tag = Stream.of(team, collective, size).map((part) -> part.isEmpty() ? ANY : part)
            .collect(Collectors.joining("."));
        return pe.isEmpty() ? tag : tag + ".pe" + pe;
    }

    /** Returns the parts that are there, in the order of a tag. */
    @Override
    public String toString()
    {
        final List<String> parts = new ArrayList<>(List.of(team, collective, size));
        parts.add(pe.isEmpty() ? "" : "pe" + pe);
        parts.removeIf(String::isEmpty);
        return parts.isEmpty() ? "all" : String.join(".", parts);
    }
}
