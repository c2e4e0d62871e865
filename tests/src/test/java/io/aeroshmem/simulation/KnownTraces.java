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
package io.aeroshmem.simulation;

import io.aeroshmem.Shmem;
import io.aeroshmem.transport.Pause;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The hashes of the traces that earlier runs of the same class files had, maybe on another JDK: files in
 * {@code target/traces}.
 */
public final class KnownTraces
{
    private static final Path FOLDER = Path.of("target", "traces", checksum());

    private KnownTraces()
    {
    }

    /** Checks that a trace is that of the earlier runs of this name, if there were any. */
    public static void check(final String name, final Trace trace)
    {
        final String text = trace.length() + " " + Long.toHexString(trace.hash());
        try
        {
            final Path file = FOLDER.resolve(name);
            if (Files.exists(file))
            {
                assertEquals(Files.readString(file), text, () -> "another trace than that in " + file);
            }
            else
            {
                Files.createDirectories(FOLDER);
                Files.writeString(file, text);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static String checksum()
    {
        final CRC32 checksum = new CRC32();
        for (final Class<?> member : List.of(Shmem.class, Pause.class, World.class, KnownTraces.class))
        {
            try (Stream<Path> files = Files.walk(Path.of(
                member.getProtectionDomain().getCodeSource().getLocation().toURI())))
            {
                for (final Path file : files.filter(Files::isRegularFile).sorted().toList())
                {
                    checksum.update(Files.readAllBytes(file));
                }
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
            catch (final URISyntaxException ex)
            {
                throw new IllegalStateException(ex);
            }
        }

        return Long.toHexString(checksum.getValue());
    }
}
