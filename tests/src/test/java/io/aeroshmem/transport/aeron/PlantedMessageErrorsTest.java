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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.simulation.AlteredLibrary;
import io.aeroshmem.transport.job.JobDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Plants each {@link PlantedMessageError} into the sources of the message engine, and counts the seeds of
 * {@link MessageSeeds} that find it.
 */
@Tag("ci")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlantedMessageErrorsTest
{
    private static final Path SOURCES = Path.of("../transport/src/main/java/io/aeroshmem/transport/aeron");
    /** The median of some searches shows how hard an error is to find. */
    private static final int SEARCHES = Integer.getInteger("aeroshmem.test.trials", 1);
    private static final int LIMIT = 2_000;

    private final Path root = JobDirectory.defaultRoot();

    @ParameterizedTest
    @EnumSource
    void shouldFindThePlantedError(final PlantedMessageError error) throws Exception
    {
        final Map<String, String> texts = error.files().stream()
            .collect(toMap(identity(), (name) -> error.plant(name, AlteredLibrary.read(SOURCES.resolve(name)))));
        final Method search = new AlteredLibrary(texts).loadClass(MessageSeeds.class.getName())
            .getDeclaredMethod("search", Path.class, long.class, int.class);
        search.setAccessible(true);

        final long first = Long.getLong("aeroshmem.test.seed", System.nanoTime() & 0xFFFF_FFFFL);
        final int[] seeds = new int[SEARCHES];
        for (int i = 0; i < SEARCHES; i++)
        {
            seeds[i] = (int)search.invoke(null, root, first + (long)i * LIMIT, LIMIT);
        }

        Arrays.sort(seeds);
        System.out.println(error + ": seeds " + Arrays.toString(seeds) + "; -Daeroshmem.test.seed=" + first);
        System.out.println(row(error) + seeds[SEARCHES / 2] + " |");
        assertTrue(seeds[0] <= LIMIT, () -> error + " was not found");
    }

    /** The documentation has the table that this test prints. */
    @Test
    void shouldBeDocumented()
    {
        final String text = AlteredLibrary.read(Path.of("../docs/testing.md"));
        for (final PlantedMessageError error : PlantedMessageError.values())
        {
            assertTrue(text.contains("\n" + row(error)), () -> row(error));
        }
    }

    private static String row(final PlantedMessageError error)
    {
        return "| " + error.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " | ";
    }
}
