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
package io.aeroshmem.samples;

import io.aeroshmem.Shmem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
@Tag("ci")
class Grid3dTest
{
    /** As the reference prints it. */
    private static final String TWELVE = """
        xdim = 3, ydim = 2, zdim = 2
        (0, 0, 0) is mype = 0
        (1, 0, 0) is mype = 1
        (2, 0, 0) is mype = 2
        (0, 1, 0) is mype = 3
        (1, 1, 0) is mype = 4
        (2, 1, 0) is mype = 5
        (0, 0, 1) is mype = 6
        (1, 0, 1) is mype = 7
        (2, 0, 1) is mype = 8
        (0, 1, 1) is mype = 9
        (1, 1, 1) is mype = 10
        (2, 1, 1) is mype = 11
        """;

    @Test
    void shouldPrintThePlacesOfTwelvePes() throws Exception
    {
        assertEquals(TWELVE, places(12));
        assertTrue(Files.readString(Path.of("..", "README.md")).contains("```\n" + TWELVE + "```\n"), "README.md");
    }

    @ParameterizedTest
    @CsvSource({ "1, 1, 1, 1", "2, 2, 1, 1", "5, 1, 1, 5", "8, 2, 2, 2", "10, 2, 1, 5" })
    void shouldPlaceAnyNumberOfPes(final int nPes, final int x, final int y, final int z) throws Exception
    {
        final String places = places(nPes);
        assertTrue(places.startsWith("xdim = " + x + ", ydim = " + y + ", zdim = " + z + "\n"), places);
        assertEquals(1 + nPes, places.lines().count(), places);
        assertTrue(places.endsWith(
            "(" + (x - 1) + ", " + (y - 1) + ", " + (z - 1) + ") is mype = " + (nPes - 1) + "\n"), places);
    }

    private static String places(final int nPes) throws Exception
    {
        final ConcurrentSkipListMap<Integer, String> places = new ConcurrentSkipListMap<>();
        final Shmem.Context config = new Shmem.Context()
            .heapSize(1 << 20).operationTimeoutNs(TimeUnit.SECONDS.toNanos(30));
        Shmem.runLocal(nPes, config, (shmem) -> places.put(shmem.myPe(), Grid3d.places(shmem)));
        assertEquals(nPes, places.size());
        assertEquals(1, places.values().stream().distinct().count());
        return places.get(0);
    }
}
