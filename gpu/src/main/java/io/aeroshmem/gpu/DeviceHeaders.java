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
package io.aeroshmem.gpu;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The CUDA C++ headers for kernels that communicate: {@code aeroshmem_device.cuh} and the headers that it includes.
 */
final class DeviceHeaders
{
    private static final String HEADER = "aeroshmem_device.cuh";
    private static final Pattern INCLUDE = Pattern.compile("(?m)^#include \"([a-z_]+\\.cuh)\"$");

    private DeviceHeaders()
    {
    }

    /** Returns the texts by name, that of {@code aeroshmem_device.cuh} first. */
    static Map<String, String> read() throws IOException
    {
        final Map<String, String> texts = new LinkedHashMap<>();
        final Set<String> known = new HashSet<>(Set.of(HEADER));
        final Deque<String> names = new ArrayDeque<>(known);
        while (!names.isEmpty())
        {
            final String name = names.remove();
            final String text = read(name);
            texts.put(name, text);
            final Matcher includes = INCLUDE.matcher(text);
            while (includes.find())
            {
                if (known.add(includes.group(1)))
                {
                    names.add(includes.group(1));
                }
            }
        }

        return texts;
    }

    private static String read(final String name) throws IOException
    {
        try (InputStream resource = DeviceHeaders.class.getResourceAsStream(name))
        {
            if (null == resource)
            {
                throw new FileNotFoundException(name + " is not on the class path");
            }

            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
