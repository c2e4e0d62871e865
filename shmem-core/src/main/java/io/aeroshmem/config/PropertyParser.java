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
 * Parses the text of properties, environment variables and command line options. What cannot be parsed is an
 * {@link IllegalArgumentException} that says who was given what, and what is allowed.
 */
public final class PropertyParser
{
    /** What {@link #size} reads. */
    static final String SIZE_SYNTAX = "bytes such as 4096, 64k, 64m, 1g or 2GiB (units of 1024)";
    /** What {@link #durationNs} reads. */
    static final String DURATION_SYNTAX = "a duration such as 500ms, 10s, 2us, 1m, 1h or plain nanoseconds";
    /** What {@link #idleStrategy} reads. */
    static final String IDLE_STRATEGY_SYNTAX = "auto, spin, yield, backoff, sleep-ns, sleep-ms or noop";

    private static final String[] DURATION_UNITS = { "ns", "us", "ms", "s" };

    private PropertyParser()
    {
    }

    /**
     * Parses a number of bytes: digits, then nothing, {@code b}, or one of {@code k m g t}, which may go on with
     * {@code b} or {@code ib}; any case. Units are powers of 1024.
     *
     * @param name of what is parsed, for the message.
     * @param text to parse.
     * @return bytes, 0 or more.
     * @throws IllegalArgumentException if the text is no size, or does not fit a {@code long}.
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
     * Parses a duration: digits, then one of {@code ns us ms s m h}, any case. Without a unit they are nanoseconds, as
     * in Aeron's own properties.
     *
     * @param name of what is parsed, for the message.
     * @param text to parse.
     * @return nanoseconds, 0 or more.
     * @throws IllegalArgumentException if the text is no duration, or does not fit a {@code long}.
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

    /**
     * Parses a number.
     *
     * @param name of what is parsed, for the message.
     * @param text to parse.
     * @return the number, 0 or more.
     * @throws IllegalArgumentException if the text is no number, or does not fit a {@code long}.
     */
    public static long number(final String name, final String text)
    {
        final int digits = digits(text);
        return product(name, text, digits, digits == text.length() ? 1 : 0, "a whole number");
    }

    /**
     * Parses {@code true} or {@code false}, any case.
     *
     * @param name of what is parsed, for the message.
     * @param text to parse.
     * @return the value.
     * @throws IllegalArgumentException if the text is neither.
     */
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

        throw refused(name, text, "true or false");
    }

    /**
     * Parses a constant of an enum by its name, any case.
     *
     * @param <E>  the enum.
     * @param type the enum.
     * @param name of what is parsed, for the message.
     * @param text to parse.
     * @return the constant.
     * @throws IllegalArgumentException if no constant has that name.
     */
    public static <E extends Enum<E>> E choice(final Class<E> type, final String name, final String text)
    {
        for (final E constant : type.getEnumConstants())
        {
            if (constant.name().equalsIgnoreCase(text))
            {
                return constant;
            }
        }

        throw refused(name, text, choices(type));
    }

    /**
     * Parses the name of an idle strategy, any case. Each strategy has Agrona's default parameters; {@code auto} is the
     * library's own choice, which knows whether the host has a processor for each busy thread.
     *
     * @param name of what is parsed, for the message.
     * @param text to parse.
     * @return a supplier of new strategies, or null for {@code auto}.
     * @throws IllegalArgumentException if no strategy has that name.
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
            default -> throw refused(name, text, IDLE_STRATEGY_SYNTAX);
        };
    }

    /**
     * Writes a number of bytes as {@link #size} reads it, with the largest unit that divides it.
     *
     * @param bytes 0 or more.
     * @return such as {@code 64m}.
     */
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
     *
     * @param durationNs in nanoseconds, 0 or more.
     * @return such as {@code 10s}.
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

    static IllegalArgumentException refused(final String name, final Object given, final String allowed)
    {
        return new IllegalArgumentException(name + ": given '" + given + "', allowed is " + allowed);
    }

    /** How many digits the text starts with. */
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
        final String name, final String text, final int digits, final long unit, final String allowed)
    {
        if (0 == digits || 0 == unit)
        {
            throw refused(name, text, allowed);
        }

        try
        {
            return Math.multiplyExact(Long.parseLong(text.substring(0, digits)), unit);
        }
        catch (final ArithmeticException | NumberFormatException ex)
        {
            final IllegalArgumentException refusal = refused(name, text, allowed + ", below 2^63");
            refusal.initCause(ex);
            throw refusal;
        }
    }
}
