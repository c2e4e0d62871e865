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
package io.aeroshmem.config;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

import java.util.Locale;
import java.util.function.Supplier;

/**
 * Parses the values of properties, environment variables and command line options. A malformed value causes an
 * {@link IllegalArgumentException}, whose message states the name, the permitted values and the actual value.
 */
public final class PropertyParser
{
    /** Syntax of {@link #size}. */
    static final String SIZE_SYNTAX = "a size such as 4096, 64k, 64m, 1g or 2GiB (units of 1024)";
    /** Syntax of {@link #durationNs}. */
    static final String DURATION_SYNTAX = "a duration such as 500ms, 10s, 2us, 1m, 1h or plain nanoseconds";
    /** Syntax of {@link #idleStrategy}. */
    static final String IDLE_STRATEGY_SYNTAX = "auto, spin, yield, backoff, sleep-ns, sleep-ms or noop";

    private static final String[] DURATION_UNITS = { "ns", "us", "ms", "s" };

    private PropertyParser()
    {
    }

    /**
     * Parses a number of bytes: digits, then nothing, {@code b}, or one of {@code k m g t}, optionally with {@code b}
     * or {@code ib}; any case. Units are powers of 1024.
     */
    public static long size(final String name, final String text)
    {
        final int digits = digits(text);
        final long unit = switch (text.substring(digits).trim().toLowerCase(Locale.ROOT))
        {
            case "", "b" -> 1L;
            case "k", "kb", "kib" -> 1L << 10;
            case "m", "mb", "mib" -> 1L << 20;
            case "g", "gb", "gib" -> 1L << 30;
            case "t", "tb", "tib" -> 1L << 40;
            default -> 0L;
        };

        return product(name, text, digits, unit, SIZE_SYNTAX);
    }

    /**
     * Parses a duration to nanoseconds: digits, then one of {@code ns us ms s m h}, any case. Without a unit they are
     * nanoseconds, as in Aeron's own properties.
     */
    public static long durationNs(final String name, final String text)
    {
        final int digits = digits(text);
        final long unit = switch (text.substring(digits).trim().toLowerCase(Locale.ROOT))
        {
            case "", "ns" -> 1L;
            case "us" -> 1_000L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            default -> 0L;
        };

        return product(name, text, digits, unit, DURATION_SYNTAX);
    }

    /** Parses a number. */
    public static long number(final String name, final String text)
    {
        final int digits = digits(text);
        return product(name, text, digits, digits == text.length() ? 1 : 0, "a whole number");
    }

    /** Parses {@code true} or {@code false}, any case. */
    public static boolean bool(final String name, final String text)
    {
        if ("true".equalsIgnoreCase(text))
        {
            return true;
        }

        if ("false".equalsIgnoreCase(text))
        {
            return false;
        }

        throw rejected(name, text, "true or false");
    }

    /** Parses a constant of an enum by its name, any case. */
    public static <E extends Enum<?>> E choice(final Class<E> type, final String name, final String text)
    {
        for (final E constant : type.getEnumConstants())
        {
            if (constant.name().equalsIgnoreCase(text))
            {
                return constant;
            }
        }

        throw rejected(name, text, choices(type));
    }

    /**
     * Parses the name of an idle strategy, any case, and returns a supplier of new strategies with Agrona's default
     * parameters, or null for {@code auto}, the library's own choice, which depends on whether the host has a processor
     * for each busy thread.
     */
    public static Supplier<IdleStrategy> idleStrategy(final String name, final String text)
    {
        return switch (text.toLowerCase(Locale.ROOT))
        {
            case "auto" -> null;
            case "spin" -> BusySpinIdleStrategy::new;
            case "yield" -> YieldingIdleStrategy::new;
            case "backoff" -> BackoffIdleStrategy::new;
            case "sleep-ns" -> SleepingIdleStrategy::new;
            case "sleep-ms" -> SleepingMillisIdleStrategy::new;
            case "noop" -> NoOpIdleStrategy::new;
            default -> throw rejected(name, text, IDLE_STRATEGY_SYNTAX);
        };
    }

    /** Writes a number of bytes as {@link #size} reads it, with the largest unit that divides it. */
    public static String formatSize(final long bytes)
    {
        final String units = "kmgt";
        long value = bytes;
        int unit = -1;
        while (0 != value && 0 == (value & 1023) && unit < units.length() - 1)
        {
            value >>= 10;
            unit++;
        }

        return unit < 0 ? Long.toString(value) : Long.toString(value) + units.charAt(unit);
    }

    /**
     * Writes a duration as {@link #durationNs} reads it, with the largest unit of {@code ns us ms s} that divides it.
     */
    public static String formatDuration(final long durationNs)
    {
        long value = durationNs;
        int unit = 0;
        while (unit < DURATION_UNITS.length - 1 && 0 == value % 1000)
        {
            value /= 1000;
            unit++;
        }

        return value + DURATION_UNITS[unit];
    }

    static String choices(final Class<? extends Enum<?>> type)
    {
        final StringBuilder names = new StringBuilder();
        final Enum<?>[] constants = type.getEnumConstants();
        for (int i = 0; i < constants.length; i++)
        {
            names.append(0 == i ? "" : i == constants.length - 1 ? " or " : ", ");
            names.append(constants[i].name().toLowerCase(Locale.ROOT));
        }

        return names.toString();
    }

    /** Returns the exception for a value of a property; an environment variable's name has the property appended. */
    static IllegalArgumentException rejected(final String source, final Object value, final String rule)
    {
        final int end = source.indexOf(" (");
        return Arguments.mustBe(-1 == end ? source : source.substring(0, end), rule, -1 == end ? value :
            value + source.substring(end));
    }

    /** Returns the number of leading digits. */
    private static int digits(final String text)
    {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9')
        {
            digits++;
        }

        return digits;
    }

    private static long product(
        final String name, final String text, final int digits, final long unit, final String syntax)
    {
        if (0 == digits || 0 == unit)
        {
            throw rejected(name, text, syntax);
        }

        try
        {
            return Math.multiplyExact(Long.parseLong(text.substring(0, digits)), unit);
        }
        catch (final ArithmeticException | NumberFormatException ex)
        {
            final IllegalArgumentException rejected = rejected(name, text, syntax + ", < 2^63");
            rejected.initCause(ex);
            throw rejected;
        }
    }
}
