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

import picocli.CommandLine.ITypeConverter;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * Converts a number of bytes as {@link SizeConverter}, or {@code osu} to the sizes of the OSU benchmarks.
 */
final class SizesConverter implements ITypeConverter<long[]>
{
    private static final String OSU = "osu";
    private static final long[] OSU_SIZES = LongStream.rangeClosed(0, 20).map((power) -> 1L << power).toArray();

    /** Returns all sizes of the elements of an option. */
    static List<Long> all(final List<long[]> elements)
    {
        return elements.stream().flatMapToLong(Arrays::stream).boxed().collect(Collectors.toList());
    }

    /** Returns whether an element is the name of several sizes. */
    static boolean isNamed(final long[] element)
    {
        return element.length > 1;
    }

    @Override
    public long[] convert(final String text)
    {
        if (OSU.equalsIgnoreCase(text.trim()))
        {
            return OSU_SIZES.clone();
        }

        return new long[]{new SizeConverter().convert(text)};
    }
}
