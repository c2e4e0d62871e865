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
package io.aeroshmem.tools;

import io.aeroshmem.config.PropertyParser;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.time.Duration;

/**
 * Converts a duration on the command line, written as in the properties: {@code 500ms}, {@code 10s}, {@code 5m}. A
 * number without a unit is in seconds, as for the {@code timeout} command, and not in nanoseconds, as in the
 * properties.
 */
final class DurationConverter implements ITypeConverter<Duration>
{
    @Override
    public Duration convert(final String text)
    {
        final String trimmed = text.trim();
        final boolean hasUnit = trimmed.isEmpty() || !Character.isDigit(trimmed.charAt(trimmed.length() - 1));
        final long ns;
        try
        {
            ns = PropertyParser.durationNs("duration", hasUnit ? trimmed : trimmed + "s");
        }
        catch (final IllegalArgumentException ex)
        {
            throw new TypeConversionException(
                "duration must be such as 500ms, 10s, 5m, 1h or a number of seconds: duration=" + text);
        }

        if (0 == ns)
        {
            throw new TypeConversionException("duration must be > 0: duration=" + text);
        }

        return Duration.ofNanos(ns);
    }
}
