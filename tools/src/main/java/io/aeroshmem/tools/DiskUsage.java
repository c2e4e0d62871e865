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

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Determines how many bytes job directories occupy on disk, by the command {@code du}. Java provides only the length of
 * a file, and a sparse heap occupies less than its length.
 */
final class DiskUsage
{
    private DiskUsage()
    {
    }

    /**
     * Returns the bytes in use by each job directory. Directories of unknown usage are left out; all are, if {@code du}
     * is missing.
     */
    static Map<Path, Long> of(final List<Path> directories)
    {
        final Map<Path, Long> bytes = new HashMap<>();
        if (directories.isEmpty())
        {
            return bytes;
        }

        final List<String> command = new ArrayList<>(List.of("du", "-sk", "--"));
        directories.forEach((directory) -> command.add(directory.toString()));
        try
        {
            final Process process = new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
            try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8))
            {
                for (String line = lines.readLine(); null != line; line = lines.readLine())
                {
                    final int tab = line.indexOf('\t');
                    bytes.put(Path.of(line.substring(tab + 1)), Long.parseLong(line.substring(0, tab)) << 10);
                }
            }
        }
        catch (final IOException ex)
        {
            return Map.of();
        }

        return bytes;
    }
}
